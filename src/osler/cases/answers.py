"""The right answer of a case: in words, in all its wordings, and whether a text gives it away."""

from __future__ import annotations

import re
from typing import Final

from osler.cases.importers.leaks import plain, plain_names
from osler.cases.model import Case, once_a_case

_ANNOUNCES: Final = (
    r"\b(?:answer|diagnosis|choice|option)\b\W+(?:is|was|would be|must be)?\W*"
    r"(?:(?:option|choice|the|an?)\W+)?"
)
_SAY_LITTLE: Final = frozenset({"yes", "no", "none", "all", "both", "neither", "mg", "ml", "the", "of", "to"})


def answer_of(case: Case) -> str:
    """The answer to the case's own question, in words."""
    task = case.task
    return task.options[task.answer] if task.kind == "choice" and task.options else task.answer


def answers_of(case: Case) -> tuple[str, ...]:
    """Every wording that would give the answer away."""
    diagnosis = case.diagnosis
    names = (diagnosis.name, *diagnosis.synonyms) if diagnosis else ()
    return tuple(dict.fromkeys((answer_of(case), *case.task.accepts, *names)))


def names_the_answer(case: Case, text: str) -> bool:
    """Whether a text contains the answer verbatim, in any of its wordings.

    An answer that is a bare number, letter or yes cannot be told apart from other talk and never counts as
    found. Neither does one that stands in another diagnosis: "non-ST-elevation myocardial infarction".
    """
    seen = f" {plain(text)} "
    for other in _names_around(case):
        seen = seen.replace(f" {other} ", " / ")
    return any(f" {name} " in seen for name in _telling_names(case))


def announces_the_answer(case: Case, text: str) -> bool:
    """Whether a text names the answer, or says that a short one ("B", "12") is the answer."""
    return names_the_answer(case, text) or any(
        re.search(rf"{_ANNOUNCES}{re.escape(name)}(?![\w-])", text, re.IGNORECASE)
        for name in answers_of(case)
    )


@once_a_case
def _telling_names(case: Case) -> tuple[str, ...]:
    names = {name for words in answers_of(case) for name in plain_names(words)}
    return tuple(sorted(name for name in names if _telling(name)))


@once_a_case
def _names_around(case: Case) -> tuple[str, ...]:
    """The names of other diagnoses that hold a name of the answer, longest first."""
    own = _telling_names(case)
    others = case.diagnosis.alternatives if case.diagnosis else ()
    said = {plain(name) for other in others for name in (other.name, *other.synonyms)}
    result = {name for name in said if name not in own and any(f" {one} " in f" {name} " for one in own)}
    result |= {f"non {name}" for name in own}
    return tuple(sorted(result, key=lambda name: (-len(name), name)))


def _telling(name: str) -> bool:
    return any(len(word) > 1 and word.isalpha() and word not in _SAY_LITTLE for word in name.split())


def reference_of(case: Case) -> tuple[str, tuple[str, ...]]:
    """The right answer to the case's question in words, and its accepted alternatives."""
    task, diagnosis = case.task, case.diagnosis
    answer = (task.options or {})[task.answer] if task.kind == "choice" else task.answer
    about_it = diagnosis is not None and diagnosis.name.casefold() == answer.casefold()
    synonyms = diagnosis.synonyms if diagnosis is not None and about_it else ()
    return answer, tuple(dict.fromkeys((*task.accepts, *synonyms)))
