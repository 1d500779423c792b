"""The question of a vignette: its wording, its options, and the right one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from osler.cases.importers.json_paths import words_of
from osler.cases.model import Task
from osler.errors import BadCase
from osler.text.records.missing import is_missing, is_missing_key

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ASKS_FOR_IT: Final = re.compile(
    r"\b(?:what|which)\b[^?]{0,120}\b"
    r"(?:diagnosis|(?:condition|disease|disorder|syndrome)s? (?:does|is) (?:the|this) patient)",
    re.IGNORECASE,
)
# "Diagnosis?", "Most likely dx?"
_NAMES_IT: Final = re.compile(
    r"\W*(?:the )?(?:(?:most )?(?:likely|probable) )?(?:diagnosis|dx)(?: (?:is|would be))?\W*", re.IGNORECASE
)
# These ask for something related to a diagnosis, not for the diagnosis itself.
_ASKS_FOR_ELSE: Final = re.compile(
    r"\b(?:confirm\w*|support\w*|findings?|tests?|treat\w*|therap\w+|manage\w*|step|stud(?:y|ies)|mechanism|"
    r"risk|criteri\w+|complications?|associated|drugs?|medications?|histor(?:y|ic|ical)|histopathologic|explains|"
    r"pathogen\w*|characteris\w+|cause of|features?|etiology|time|best describes|evaluation|make the|"
    r"establish\w*|used|marker|mutation|gene|enzyme|prognosis)\b",
    re.IGNORECASE,
)


class Question(NamedTuple):
    """A question as its source asks it; `answer` is a key of the options, and `words` its meaning."""

    question: str
    options: dict[str, str]
    answer: str
    words: str
    for_diagnosis: bool

    def task(self) -> Task:
        """The question as a case's task: a choice where there are options."""
        if self.options:
            return Task(kind="choice", question=self.question, options=self.options, answer=self.answer)
        kind: Literal["diagnosis", "open"] = "diagnosis" if self.for_diagnosis else "open"
        return Task(kind=kind, question=self.question, answer=self.words)


def asks_for_diagnosis(question: str) -> bool:
    """Whether a question asks for the diagnosis itself, not for something related to it."""
    if _NAMES_IT.fullmatch(question):
        return True
    return bool(_ASKS_FOR_IT.search(question)) and not _ASKS_FOR_ELSE.search(question)


def options_of(value: object) -> dict[str, str]:
    """Options from an object or a list (then A, B ...), leaving out empty ones."""
    if isinstance(value, Mapping):
        result = {str(key).strip(): words_of(child) for key, child in value.items()}
    elif isinstance(value, list):
        result = {letter: words_of(child) for letter, child in zip(_LETTERS, value, strict=False)}
    else:
        result = {}
    return {key: text for key, text in result.items() if text and not is_missing_key(key)}


def asked_of(
    question: str, options: dict[str, str], label: str, words: str, *, for_diagnosis: bool
) -> Question:
    """A question with its right answer, given by key, words or both.

    Raises BadCase where these disagree or both are missing.
    """
    label, words = (
        "" if is_missing(text, named=text in options.values()) else text for text in (label, words)
    )
    keys = {key.casefold(): key for key in options}
    bare = label.strip(" .)(").casefold()
    by_label = keys.get(bare)
    by_words = [key for key, text in options.items() if words and _same(text, words)]
    if label and not words:
        if not options:
            raise BadCase("it has no options to choose from")
        if by_label is None:
            by_words = [key for key, text in options.items() if _same(text, label)]
            if not by_words:
                raise BadCase(f"its answer {label[:60]!r} is none of its options")
            words = label
    if by_label and words and by_label not in by_words:
        raise BadCase(f"its answers do not agree: option {by_label} is not {words[:60]!r}")
    key = by_label or next(iter(by_words), "")
    if key:
        return Question(question, options, key, options[key], for_diagnosis)
    if not words:
        raise BadCase("it has no answer")
    # The answer is not among the options: the question is asked without them.
    return Question(question, {}, "", words, for_diagnosis)


def _same(one: str, other: str) -> bool:
    return " ".join(one.casefold().split()).rstrip(".") == " ".join(other.casefold().split()).rstrip(".")
