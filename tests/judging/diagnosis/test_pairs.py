"""Conditions with right and wrong answers of our own, in the wordings of clinicians and models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from osler.judging.diagnosis.match import equivalent

PAIRS = Path(__file__).parents[2] / "fixtures" / "diagnosis_pairs.txt"


def _pairs(sign: str) -> Iterator[tuple[str, str]]:
    """Every answer with its reference: those marked `+` mean it, those marked `-` do not."""
    for line in PAIRS.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            reference, right, wrong = (part.strip() for part in line.split("|"))
            answers = right if sign == "+" else wrong
            assert answers.startswith(sign), line
            yield from ((answer.strip(), reference) for answer in answers[1:].split(";"))


def _accepted(sign: str) -> list[bool]:
    return [equivalent(answer, reference, lists="accept").same for answer, reference in _pairs(sign)]


def test_right_answers_are_accepted() -> None:
    verdicts = _accepted("+")
    assert len(verdicts) > 1000
    assert sum(verdicts) / len(verdicts) >= 0.97


def test_wrong_answers_are_refused() -> None:
    verdicts = _accepted("-")
    assert len(verdicts) > 1000
    assert sum(verdicts) / len(verdicts) <= 0.01
