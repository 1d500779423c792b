"""Write the list of stock phrases from the generator's own cases: `python benchmarks/stock_phrases.py`.

`--check` exits with 1 if the generator would give another list now. A list that changes needs a new VERSION
in `osler/training/stock.py`: data sets name it in their manifests.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import Final

from osler.cases.answers import answer_of
from osler.cases.sources import open_source
from osler.protocols.ward_round.training.seat import TUTOR_SEAT
from osler.training import stock
from osler.training.likeness import RUN, form_hashes, form_of, words

CASES: Final = "generated:1200:3"
LEAST: Final = 3
"""The answers in whose cases a phrase of the generator stands, at least, to be stock."""
ADDED: Final = (
    "I have brought my child because of this",
    "and I would like somebody to take a look please",
    "year old male assess and diagnose the patient presenting with",
    "year old female assess and diagnose the patient presenting with",
    "which of the following is the most likely diagnosis",
)
"""Openings that importers write, and formulas of examination questions."""
FILE: Final = Path(stock.__file__).with_name("stock_phrases.txt")


def main() -> int:
    """Write the list, or compare it."""
    cases = ((answer_of(case), TUTOR_SEAT.case_texts(case)) for case in open_source(CASES))
    phrases = [*phrases_of(cases), *(" ".join(words(one)) for one in ADDED)]
    head = f"## Stock phrases, version {stock.VERSION}: {CASES}, in cases with {LEAST} answers or more"
    text = "\n".join((head, *phrases)) + "\n"
    if "--check" in sys.argv:
        return int(FILE.read_text(encoding="utf-8") != text)
    FILE.write_text(text, encoding="utf-8")
    print(f"{len(phrases):,} phrases, {len(text):,} letters: {FILE.name}")
    return 0


def phrases_of(cases: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """The longest phrases all of whose runs stand in cases with `LEAST` different answers, sorted, with one
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
    common = {form for form, each in answers.items() if len(each) >= LEAST}
    result = {phrase for _, texts in known for each in texts for phrase in _stretches(each, common)}
    return sorted(phrase for phrase in result if not _within(phrase, result))


def _stretches(each: Sequence[str], common: Set[int]) -> Iterator[str]:
    """The stretches of a text all of whose runs are common."""
    begins: int | None = None
    for at, form in enumerate([*form_hashes(each), None]):
        if form in common:
            begins = at if begins is None else begins
        elif begins is not None:
            yield " ".join(map(form_of, each[begins : at + RUN - 1]))
            begins = None


def _within(phrase: str, others: Set[str]) -> bool:
    return any(phrase != other and f" {phrase} " in f" {other} " for other in others)


if __name__ == "__main__":
    sys.exit(main())
