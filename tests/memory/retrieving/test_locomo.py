"""LoCoMo's conversations are read in both of their forms, put to `retrieve`, and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import locomo

_SESSIONS: dict[str, Any] = {
    "speaker_a": "Ann",
    "speaker_b": "Ben",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a turtle."},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red bicycle"},
    ],
    "session_2_date_time": "9:00 am on 1 June, 2023",  # of which nothing is told
    "session_3_date_time": "12:10 am on 2 June, 2023",
    "session_3": [{"speaker": "Ann", "dia_id": "D3:1", "text": "It rained in Lisbon."}],
}
_ASKED = [
    {"question": "Which animal did Ann adopt, a turtle?", "evidence": ["D1:1"], "category": 4},
    {"question": "What is Ben's bicycle like?", "evidence": ["D1:2; D3:1"], "category": 1},
    {"question": "What did nobody say?", "evidence": [], "category": 5},
]


def _write(folder: Path, *, is_flat: bool) -> Path:
    sample: Any = {**_SESSIONS, "qa": _ASKED}
    if not is_flat:
        sample = [{"sample_id": "conv-1", "conversation": _SESSIONS, "qa": _ASKED}]
    (folder / "one.json").write_text(json.dumps(sample), "utf-8")
    return folder


@pytest.mark.parametrize("is_flat", [True, False])
def test_both_forms_are_read(tmp_path: Path, *, is_flat: bool) -> None:
    (read,) = locomo.read_conversations(_write(tmp_path, is_flat=is_flat))

    assert [turn.key for turn in read.turns] == ["D1:1", "D1:2", "D3:1"]
    assert read.turns[1].text == "Ben: Look! [shows a red bicycle]"
    assert read.turns[2].occurred_at.isoformat() == "2023-06-02T00:10:00+00:00"
    assert [question.evidence for question in read.questions] == [{"D1:1"}, {"D1:2", "D3:1"}]


@pytest.mark.parametrize("content", ["", "[1]", '[{"conversation": {}}]'])
def test_a_file_that_is_none_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "other.json").write_text(content, "utf-8")
    with pytest.raises(SystemExit, match=r"other\.json is none of LoCoMo's conversations"):
        list(locomo.read_conversations(tmp_path))


def test_the_place_of_the_first_evidence_is_counted(tmp_path: Path) -> None:
    places = locomo.measure(_write(tmp_path, is_flat=False))

    assert places == {4: [1], 1: [1]}
    assert locomo.share([1, 6, None, 3], 5) == 0.5
    assert locomo.share([1, 6, None, 3], 10) == 0.75


def test_without_the_data_it_says_so_and_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(locomo.FOLDER, raising=False)

    assert locomo.main() == 0
    assert capsys.readouterr().out.startswith("skipped: LEASEHOLD_LOCOMO")
