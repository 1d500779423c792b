"""Stock phrases: wording that many unrelated cases share because a template wrote it, so that sharing it says
nothing about where a case comes from.

The list is fixed and versioned: whether two cases are alike depends on these two cases alone, however many
others stand beside them. It holds what Osler's generator writes for three diseases or more, the openings that
its importers write, and two formulas of examination questions. `benchmarks/stock_phrases.py` writes it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache
from importlib.resources import files
from typing import Final

from osler.training.likeness import RUN, form_hashes, form_of, words

VERSION: Final = 1
LEAST: Final = 3
"""The answers in whose cases a phrase of the generator stands, at least, to be stock."""
_FILE: Final = "stock_phrases.txt"
_COMMENT: Final = "## "


@cache
def stock_runs() -> frozenset[int]:
    """The forms of the runs of eight words of all stock phrases, as hashes."""
    lines = files("osler.training").joinpath(_FILE).read_text(encoding="utf-8").splitlines()
    phrases = (line.split() for line in lines if not line.startswith(_COMMENT))
    return frozenset(form for phrase in phrases for form in form_hashes(phrase) if form is not None)


def phrases_of(cases: Iterable[tuple[str, Iterable[str]]], least: int = LEAST) -> list[str]:
    """The longest phrases all of whose runs stand in cases with `least` different answers, sorted, with one
    sign for every numeral.

    `cases` are pairs of a case's answer and its texts.
    """
    known = [(answer, [words(text) for text in texts]) for answer, texts in cases]
    answers = defaultdict[int, set[str]](set)
    for answer, texts in known:
        for each in texts:
            for form in form_hashes(each):
                if form is not None:
                    answers[form].add(answer)
    stock = {form for form, each in answers.items() if len(each) >= least}
    result = {phrase for _, texts in known for each in texts for phrase in _stretches(each, stock)}
    return sorted(phrase for phrase in result if not _within(phrase, result))


def _stretches(each: Sequence[str], stock: Set[int]) -> Iterator[str]:
    """The stretches of a text all of whose runs are stock."""
    begins: int | None = None
    for at, form in enumerate([*form_hashes(each), None]):
        if form in stock:
            begins = at if begins is None else begins
        elif begins is not None:
            yield " ".join(map(form_of, each[begins : at + RUN - 1]))
            begins = None


def _within(phrase: str, others: Set[str]) -> bool:
    return any(phrase != other and f" {phrase} " in f" {other} " for other in others)
