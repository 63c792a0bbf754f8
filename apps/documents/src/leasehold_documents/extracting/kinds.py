"""Kinds of files, by their content."""

from __future__ import annotations

import msgspec


class Kind(msgspec.Struct, frozen=True):
    """What a file is, whatever its name says."""

    media_type: str
    extension: str  # without a dot, for a name that the server makes


_OPEN_XML = "application/vnd.openxmlformats-officedocument."
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."

PDF = Kind("application/pdf", "pdf")
DOCX = Kind(_OPEN_XML + "wordprocessingml.document", "docx")
XLSX = Kind(_OPEN_XML + "spreadsheetml.sheet", "xlsx")
PPTX = Kind(_OPEN_XML + "presentationml.presentation", "pptx")
ODT = Kind(_OPEN_DOCUMENT + "text", "odt")
ODS = Kind(_OPEN_DOCUMENT + "spreadsheet", "ods")
ODP = Kind(_OPEN_DOCUMENT + "presentation", "odp")
RTF = Kind("application/rtf", "rtf")
HTML = Kind("text/html", "html")
XML = Kind("application/xml", "xml")
TEXT = Kind("text/plain", "txt")
CSV = Kind("text/csv", "csv")
MARKDOWN = Kind("text/markdown", "md")
MAIL = Kind("message/rfc822", "eml")
PNG = Kind("image/png", "png")
JPEG = Kind("image/jpeg", "jpg")
TIFF = Kind("image/tiff", "tif")
WEBP = Kind("image/webp", "webp")
BMP = Kind("image/bmp", "bmp")
GIF = Kind("image/gif", "gif")
ZIP = Kind("application/zip", "zip")
ENCRYPTED_OFFICE = Kind("application/x-ole-encrypted-package", "bin")
OLE = Kind("application/x-ole-storage", "bin")
UNKNOWN = Kind("application/octet-stream", "bin")

OPEN_XML = (DOCX, XLSX, PPTX)
OPEN_DOCUMENT = (ODT, ODS, ODP)
ZIPPED = (*OPEN_XML, *OPEN_DOCUMENT)
IMAGES = (PNG, JPEG, TIFF, WEBP, BMP, GIF)
TEXTS = (TEXT, CSV, MARKDOWN)
READABLE = (PDF, *ZIPPED, RTF, HTML, XML, *TEXTS, MAIL, *IMAGES, ENCRYPTED_OFFICE)

BY_MEDIA_TYPE = {kind.media_type: kind for kind in (*READABLE, ZIP, OLE, UNKNOWN)}
