"""Grounding: the lexical check that a patient's answer asserts nothing beyond its facts.

The check compares findings recognised in the text, named things, time spans and numbers. It has no semantics
beyond that, so it misses fabrications in words it does not know; a second model can be asked as well.
Its hit rate and false alarm rate are measured in tests/players/model/test_grounding.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final

from osler.knowledge.findings import finding
from osler.knowledge.vocabulary import Told
from osler.protocols.shared.model.claims import Amounts, amounts, claims, sentences
from osler.protocols.shared.patient import PatientView
from osler.text.findings_in_text import mentions
from osler.text.topics import conditions_met

_ALL: Final[frozenset[Told]] = frozenset({"volunteered", "asked", "in_private", "normalized", "confidential"})
_SLACK: Final = 1.25  # "two weeks" for thirteen days is not a fabrication
# Findings that are not claims by themselves: modes of onset, which any tense may suggest. Illnesses are
# checked by name instead.
_NOT_CLAIMS: Final = frozenset({"onset_minutes_hours", "onset_weeks_months", "pain_sudden", "anxiety"})


class _Ground:
    """Everything that a speaker may assert, parsed lazily as an answer requires it."""

    def __init__(self, texts: Sequence[str], unsure: Sequence[str], *, denials: bool) -> None:
        self._texts = texts
        self._by_sentence = {text: sentences(text) for text in texts}
        self.verbatim = frozenset(part for parts in self._by_sentence.values() for part in parts)
        self.unsure, self.denials = frozenset(unsure), denials

    @cached_property
    def text(self) -> str:
        return "\n".join(self._texts).lower().replace("’", "'")

    @cached_property
    def _read(self) -> tuple[Mapping[str, bool], ...]:
        # A sentence alone may be read differently than inside its fact, and an answer may quote it alone.
        parts = (dict.fromkeys((text, *inside)) for text, inside in self._by_sentence.items())
        return tuple(mentions(part) for several in parts for part in several)

    @cached_property
    def affirmed(self) -> frozenset[str]:
        return frozenset(name for found in self._read for name, present in found.items() if present)

    @cached_property
    def denied(self) -> frozenset[str]:
        return frozenset(name for found in self._read for name, present in found.items() if not present)

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(claim.key for text in self._texts for claim in claims(text))

    @cached_property
    def amounts(self) -> Amounts:
        return amounts("\n".join(self._texts))


def ungrounded(
    answer: str, view: PatientView, question: str, *, said: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The sentences of an answer that assert something beyond the facts, in order.

    `question` is the question being answered, whose numbers may be repeated. `said` is everything the doctor
    has said so far: facts whose condition it does not meet do not count as support; if omitted, all facts do.
    """
    met = _ALL if said is None else conditions_met(said)
    ground = _ground(view.text, met)
    return tuple(sentence for sentence in sentences(answer) if _asserts_more(sentence, ground, question))


@lru_cache(maxsize=512)
def _ground(view_text: str, met: frozenset[Told]) -> _Ground:
    view = PatientView.model_validate_json(view_text)
    texts = [view.opening]
    if view.identity:
        texts += [view.identity.in_words, view.identity.speaker or ""]
    for fact in view.facts:
        if fact.told in met:
            texts += [fact.text, fact.spoken or ""]
    if view.age_years is not None:
        texts.append(f"{view.age_years:g} years old")
        if view.age_years < 2:
            texts.append(f"{round(view.age_years * 12)} months old")
    unsure = view.unsure_of if view.unknown in ("standard", "synthesize") else ()
    return _Ground(texts, unsure, denials=view.unknown != "withhold")


def _asserts_more(sentence: str, ground: _Ground, question: str) -> bool:
    if sentence.endswith("?") or sentence in ground.verbatim:
        return False
    return (
        _finds_more(sentence, ground)
        or any(claim.affirmed and not _is_held(claim.key, claim.shown, ground) for claim in claims(sentence))
        or _counts_more(sentence, ground, amounts(question))
    )


def _finds_more(sentence: str, ground: _Ground) -> bool:
    """Whether a sentence affirms a finding that no fact affirms, or denies one against a fact or the run's
    policy."""
    for name, present in mentions(sentence).items():
        if name in _NOT_CLAIMS:
            continue
        if present and name not in ground.affirmed:
            return True
        if not present and name not in ground.denied:
            if name in ground.affirmed and finding(name).kind in ("symptom", "history"):
                return True
            if name in ground.unsure or not ground.denials:
                return True
    return False


def _is_held(key: str, shown: str, ground: _Ground) -> bool:
    if key in ground.keys:
        return True
    return key.startswith("name:") and shown.lower() in ground.text


def _counts_more(sentence: str, ground: _Ground, asked: Amounts) -> bool:
    """Whether a sentence states a time span, a date or a number that is not in the facts."""
    said = amounts(sentence)
    held = (*ground.amounts.spans, *asked.spans)
    for least, most in said.spans:
        if not any(low <= most * _SLACK and least <= high * _SLACK for low, high in held):
            return True
    if any(word not in ground.text for word in said.when):
        return True
    return not said.numbers <= (ground.amounts.counts | asked.counts)
