"""Excel: each sheet begins a page; values as they were last computed."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO

import openpyxl

from leasehold_documents.extracting.elements import Block, Page
from leasehold_documents.extracting.messages import Parse
from leasehold_documents.extracting.parsers import Read
from leasehold_documents.extracting.parsers.plain import paged, read
from leasehold_documents.extracting.tidying import tidy

_ROWS = 20  # of one table; each is one element


def parse(source: BinaryIO, asked: Parse) -> Read:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles that nobody reads here
        book = openpyxl.load_workbook(source, read_only=True, data_only=True)
        sheets = [(sheet.title, _rows(sheet)) for sheet in book.worksheets]
        pages = sheet_pages(sheets)
    return read(pages, asked)


def sheet_pages(sheets: Iterable[tuple[str, Iterable[str]]]) -> list[Page]:
    """Make pages of sheets: a heading, and tables of some rows each."""
    pages: list[Page] = []
    for title, rows in sheets:
        for page in paged(_blocks(title, rows)):
            pages.append(Page(len(pages) + 1, page.blocks))
    return pages or [Page(1, [])]


def _blocks(title: str, rows: Iterable[str]) -> Iterator[Block]:
    filled = (row for row in rows if row.strip(" |"))
    tables = iter(lambda: list(islice(filled, _ROWS)), [])
    first = next(tables, None)
    if first is None:
        return
    yield Block("Title", tidy(title))
    yield Block("Table", "\n".join(first))
    for table in tables:
        yield Block("Table", "\n".join(table))


def _rows(sheet: Any) -> Iterator[str]:
    sheet.reset_dimensions()  # what it says of its size may be made up
    for row in sheet.iter_rows(values_only=True):
        values = [_shown(value) for value in row]
        while values and not values[-1]:
            values.pop()
        yield " | ".join(values)


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, dt.datetime):
        is_date = value.time() == dt.time()
        return value.date().isoformat() if is_date else value.isoformat(" ", "seconds")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:  # noqa: PLR2004
        return str(int(value))
    return tidy(str(value)).replace("\n", " ")
