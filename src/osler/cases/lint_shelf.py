"""Lint rules for the shelf label, the sources and the reviews of a case or a scenario."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from osler.cases.importers.leaks import plain, plain_names
from osler.cases.lint_problem import NEWEST_SOURCE, OLDEST_SOURCE, Level, Problem, of_our_own
from osler.cases.model import Case, Source
from osler.cases.shelf import Shelf

_TELLING: Final = 5  # letters: shorter words of a name tell little by themselves
_YEAR: Final = re.compile(r"\((?:19|20)\d\d\b[^()]*\)|\bas updated\b")


def shelf(case: Case, answers: Iterable[str]) -> Iterator[Problem]:
    """Problems of a case's shelf label. `answers` are the names of its answer."""
    if case.shelf is None:
        yield Problem("no-shelf", of_our_own(case), "learners cannot choose it from a list", "shelf")
        return
    text = f"{case.opening.door_note} {case.opening.words}"
    others = case.diagnosis.alternatives if case.diagnosis else ()
    names = [name for other in others for name in (other.name, *other.synonyms)]
    yield from label(case.shelf, answers, names, text)


def label(shelf: Shelf, answers: Iterable[str], others: Iterable[str], told: str) -> Iterator[Problem]:
    """Problems of a shelf label: texts that give the answer away, name another diagnosis or are missing.

    The answer is given away by a whole name or by one of its words, `told` (the opening) aside.
    """
    answers, others = tuple(answers), tuple(others)
    if not shelf.objectives:
        yield Problem("no-objectives", "warning", "tells learners no objective", "shelf.objectives")
    for place, text in shelf.texts.items():
        said = f" {plain(text.replace('(', ' ').replace(')', ' '))} "
        names = (*answers, *others)
        whole = [name for name in names if any(f" {form} " in said for form in plain_names(name))]
        words = {word for name in answers for word in plain(name).split() if len(word) >= _TELLING}
        telling = sorted(word for word in words - set(plain(told).split()) if f" {word} " in said)
        if whole or telling:
            message = f"gives the answer away ({', '.join([*whole, *telling][:3])})"
            yield Problem("shelf-leak", "error", message, f"shelf.{place}")


def sources(found: Iterable[Source], level: Level) -> Iterator[Problem]:
    """Problems of the sources: no title or year, or the year told twice."""
    for number, source in enumerate(found):
        where = f"provenance.sources[{number}]"
        if not source.title.strip() or not OLDEST_SOURCE < source.year < NEWEST_SOURCE:
            yield Problem("no-sources", level, "needs a title and a year", where)
        elif _YEAR.search(source.title):
            yield Problem("year-twice", "warning", "the title holds a year that belongs in `year`", where)
        if source.updated is not None and source.updated < source.year:
            yield Problem("year", level, "was updated before it was published", where)


def guideline(case: Case, strict: bool) -> Iterator[Problem]:
    """Problems of the management's guideline: it must stand among the sources, where `checked` is said."""
    plan = case.management
    if plan is None or not plan.guideline.strip():
        return
    if _YEAR.search(plan.guideline):
        message = "holds a year that belongs in `year`"
        yield Problem("year-twice", "warning", message, "management.guideline")
    pairs = {(source.title, source.year) for source in case.provenance.sources}
    if strict and (plan.guideline, plan.year) not in pairs:
        message = "does not stand among the sources with the same title and year"
        yield Problem("guideline-source", of_our_own(case), message, "management.guideline")
