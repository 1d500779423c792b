"""The section of a note that a doctor's question belongs to, in the light of the questions before it.

A logistic model over the lexicon's topics (taken over from before where a question names none), single words,
and the same of the earlier questions. Its weights, in sections.json, were fitted by
`benchmarks/fit_sections.py` on MTS-Dialog (Ben Abacha et al., "An Empirical Study of Clinical Note Generation
from Doctor-Patient Encounters", 2023; CC BY 4.0), where a dialogue's section is the weak label of all its
questions. For education and research only.
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

from osler.knowledge.context import topics_in_context
from osler.knowledge.outside import outside
from osler.knowledge.phrases import words
from osler.knowledge.topics import topics_of_question
from osler.knowledge.utterances import greets, parts

OTHER: Final = "OTHER"
"""A greeting or a goodbye that asks nothing."""
OFF_TOPIC: Final = "OFF_TOPIC"
"""A question outside a consultation, or outside what any patient knows."""
_MOST_BEFORE: Final = 6
_SPEAKERS: Final = re.compile(
    r"^[ \t]*(?:doctor|physician|patient|guest\w*)[ \t]*:", re.IGNORECASE | re.MULTILINE
)
_DOCTOR: Final = re.compile(r"^[ \t]*(?:doctor|physician)[ \t]*:(.*)$", re.IGNORECASE | re.MULTILINE)


class Weights(NamedTuple):
    """The model: `of[name][i]`, in tenths, counts for `sections[i]`; the names are those of `features`."""

    sections: tuple[str, ...]
    of: Mapping[str, tuple[int, ...]]


class Asked(NamedTuple):
    """A question in a dialogue, which is named by anything, or given as its text so far."""

    dialogue: str
    question: str


def section_of(question: str, earlier: Sequence[str] = (), model: Weights | None = None) -> str | None:
    """The section that `question` belongs to, given the doctor's `earlier` ones, the latest last.

    One of `weights().sections`, `OTHER`, `OFF_TOPIC`, or None where nothing in the question is understood.
    `model` is another than the packaged one.
    """
    if "?" not in question and (greets(question) or parts(question)):
        return OTHER
    if outside(question):
        return OFF_TOPIC
    model = model or weights()
    found = features(question, earlier)
    if "t:none" in found and not any(name in model.of for name in found if name.startswith("w:")):
        return None
    scores = [0.0] * len(model.sections)
    for name, value in found.items():
        for i, weight in enumerate(model.of.get(name, ())):
            scores[i] += value * weight
    return model.sections[max(range(len(scores)), key=scores.__getitem__)]


def features(question: str, earlier: Sequence[str]) -> dict[str, float]:
    """What the model sees, by name: topics `t:`, words `w:`, and of all so far topics `a:` and words `b:`."""
    own = topics_in_context(question, earlier)
    found = {f"t:{topic}": 1.0 for topic in own or ("none",)}
    found.update((f"w:{word}", 1.0) for word in words(question))
    heard = Counter(topic for text in earlier for topic in topics_of_question(text) or ("none",))
    heard.update(own or ("none",))
    found.update((f"a:{topic}", log(1 + times)) for topic, times in heard.items())
    found.update((f"b:{word}", 1.0) for text in earlier for word in _words(text))
    found[f"n:{min(len(earlier), _MOST_BEFORE)}"] = 1.0
    return found


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))


@cache
def weights() -> Weights:
    """The packaged model."""
    text = resources.files("osler.knowledge").joinpath("sections.json").read_text(encoding="utf-8")
    source = json.loads(text)
    return Weights(tuple(source["sections"]), {name: tuple(each) for name, each in source["weights"].items()})


def sections_in_order(asked: Sequence[Asked]) -> list[str | None]:
    """The section of each question, in the light of the earlier ones of the same dialogue; see `section_of`.

    Where `dialogue` is a text with speakers ("Doctor: ..."), it is what was said before.
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
    """The doctor's lines of a dialogue before `question`, which may end it."""
    said = [match.group(1).strip() for match in _DOCTOR.finditer(text)]
    return said[:-1] if said and said[-1] == question.strip() else said
