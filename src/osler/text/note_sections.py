"""A classifier of doctors' questions into sections of a clinical note, given the questions before.

A logistic model over the lexicon's topics (inherited from earlier if a question names none), single words and
bodily functions, in the question, in all so far and in the first. Its weights, in sections.json, were
fitted by `benchmarks/fit_sections.py` on MTS-Dialog (Ben Abacha et al., "An Empirical Study of Clinical Note
Generation from Doctor-Patient Encounters", 2023; CC BY 4.0), where a dialogue's section is the weak label of
all its questions. For education and research only.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from math import log
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from osler.text.anaphora import topics_in_context
from osler.text.lay_terms import workings
from osler.text.off_topic import outside
from osler.text.phrases import words
from osler.text.topics import topics_of_question
from osler.text.utterance_kind import greets, parts

OTHER: Final = "OTHER"
"""A greeting or a goodbye that asks nothing."""
OFF_TOPIC: Final = "OFF_TOPIC"
"""A question outside a consultation, or outside what any patient knows."""
_MOST_BEFORE: Final = 6
_NONE: Final = ("none",)
_SPEAKERS: Final = re.compile(
    r"^[ \t]*(?:doctor|physician|patient|guest\w*)[ \t]*:", re.IGNORECASE | re.MULTILINE
)
_DOCTOR: Final = re.compile(r"^[ \t]*(?:doctor|physician)[ \t]*:(.*)$", re.IGNORECASE | re.MULTILINE)


class Weights(NamedTuple):
    """The model: `table[row[name], i]` is the weight of feature `name` for `sections[i]`; see `features`.

    `table` has a row per feature and a column per section, in any unit.
    """

    sections: tuple[str, ...]
    row: Mapping[str, int]
    table: npt.NDArray[np.float32]


class SectionAsked(NamedTuple):
    """A question in a dialogue; `dialogue` is any identifier, or the text so far."""

    dialogue: str
    question: str


def section_of(question: str, earlier: Sequence[str] = (), model: Weights | None = None) -> str | None:
    """The section that `question` belongs to, given the doctor's `earlier` ones, oldest first.

    One of `weights().sections`, `OTHER`, `OFF_TOPIC`, or None if nothing in the question is understood.
    `model` replaces the packaged weights.
    """
    if "?" not in question and (greets(question) or parts(question)):
        return OTHER
    if outside(question):
        return OFF_TOPIC
    model = model or weights()
    found = features(question, earlier)
    if "t:none" in found and not any(name in model.row for name in found if name.startswith("w:")):
        return None
    # Sorted by row: sets iterate in any order, and float sums depend on it.
    known = sorted((model.row[name], value) for name, value in found.items() if name in model.row)
    values = np.array([value for _, value in known], dtype=np.float32)
    scores = values @ model.table[[row for row, _ in known]]
    return model.sections[int(scores.argmax())]


def features(question: str, earlier: Sequence[str]) -> dict[str, float]:
    """The model's features by name: of the question, of all questions so far including it, and of the first.

    Of the question: topics `t:`, words `w:`, bodily functions `x:`. Of all so far: topics `a:`, words `b:`,
    functions `y:`, the number of these `z:` and of earlier questions `n:`. Of the first, which often gives
    the reason for the visit: topics `f:` and words `g:`.
    """
    own = topics_in_context(question, earlier) or _NONE
    so_far = (*earlier, question)
    heard = Counter(topic for text in earlier for topic in _topics(text))
    heard.update(own)
    worked = Counter(working for text in so_far for working in workings(text))
    found = {f"a:{topic}": log(1 + times) for topic, times in heard.items()}
    found.update((f"y:{working}", log(1 + times)) for working, times in worked.items())
    found["z:different"] = log(1 + len(worked))
    found["z:all"] = log(1 + worked.total())
    named = [f"t:{topic}" for topic in own]
    named += [f"w:{word}" for word in _words(question)]
    named += [f"x:{working}" for working in workings(question)]
    named += [f"b:{word}" for text in so_far for word in _words(text)]
    named += [f"f:{topic}" for topic in _topics(so_far[0])]
    named += [f"g:{word}" for word in _words(so_far[0])]
    named.append(f"n:{min(len(earlier), _MOST_BEFORE)}")
    found.update(dict.fromkeys(named, 1.0))
    return found


def _topics(text: str) -> tuple[str, ...]:
    return topics_of_question(text) or _NONE


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))


@cache
def weights() -> Weights:
    """The packaged weights."""
    text = resources.files("osler.knowledge").joinpath("sections.json").read_text(encoding="utf-8")
    source = json.loads(text)
    of: dict[str, list[int]] = source["weights"]
    row = {name: i for i, name in enumerate(of)}
    return Weights(tuple(source["sections"]), row, np.array(list(of.values()), dtype=np.float32))


def sections_in_order(asked: Sequence[SectionAsked]) -> list[str | None]:
    """The section of each question, given the earlier ones of the same dialogue; see `section_of`.

    If `dialogue` is a text with speakers ("Doctor: ..."), it is taken as the dialogue so far.
    """
    before: dict[str, list[str]] = {}
    found: list[str | None] = []
    for dialogue, question in asked:
        if _SPEAKERS.search(dialogue):
            found.append(section_of(question, _doctor_said(dialogue, question)))
        else:
            earlier = before.setdefault(dialogue, [])
            found.append(section_of(question, earlier))
            earlier.append(question)
    return found


def _doctor_said(text: str, question: str) -> list[str]:
    """The doctor's lines of a dialogue before `question`, which may be its last line."""
    said = [match.group(1).strip() for match in _DOCTOR.finditer(text)]
    return said[:-1] if said and said[-1] == question.strip() else said
