"""The write-back rules: which episodes become cards, after MedAgentSim's two buffers.

    first attempt right                 medical record: the whole case
    first attempt wrong, second right   experience record: only the insight of reflection
    wrong again                         discarded
    no feedback (`none`)                medical record marked unverified, of every conclusion
    could not be scored                 nothing

The feedback policy is declared: `gold` may reveal the right answer, `judge` only right or wrong, `none`
nothing at all. All feedback passes through `told`, so no rule can know more than the policy allows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from osler.memory.card import Card, Components, Descriptor, Kind, Origin, Outcome, Scope
from osler.memory.deidentify import scrub
from osler.memory.descriptors import of_picture
from osler.memory.record import Record
from osler.memory.settings import Policy

_MOST: Final = 30_000
_MATCHED: Final = 4_000
_VERIFIED: Final[dict[Outcome, str]] = {
    "right": "found to be right",
    "right_after_reflection": "right at the second attempt",
    "unverified": "not verified",
}


class Feedback(NamedTuple):
    """The feedback a doctor gets on a conclusion. `correct` is `None` without feedback; `answer` is the right
    answer, under the policy `gold` only."""

    policy: Policy
    correct: bool | None
    answer: str | None = None


class Past(NamedTuple):
    """An episode that is over and judged. `identifiers` are names and ids to scrub from its text; `images`
    are descriptors of images that are not stored as data."""

    record: Record
    origin: Origin
    scope: Scope
    identifiers: tuple[str, ...] = ()
    images: tuple[Descriptor, ...] = ()


class Reflect(NamedTuple):
    """A call to reflect after a wrong first attempt, in a second episode linked to this one."""

    episode: str
    wrong: str | None
    told: Feedback


def told(policy: Policy, correct: bool | None, answer: str | None = None) -> Feedback:
    """The part of a judgement and of the right answer that the policy reveals."""
    match policy:
        case "gold":
            return Feedback(policy, correct, answer)
        case "judge":
            return Feedback(policy, correct)
        case "none":
            return Feedback(policy, None)


def first_attempt(past: Past, told: Feedback, summary: str = "") -> Card | Reflect | None:
    """The card of a first attempt, a call to reflect, or nothing."""
    if told.correct is False:
        return Reflect(past.origin.episode, past.record.diagnosis, told)
    diagnosis = past.record.diagnosis
    if diagnosis is None or (told.correct is None and told.policy != "none"):
        return None
    outcome: Outcome = "right" if told.correct else "unverified"
    return medical_record(past, told.policy, outcome, told.answer or diagnosis, summary)


def second_attempt(past: Past, told: Feedback, insight: str) -> Card | None:
    """The card of an insight, if reflection led to the right answer and the insight is not empty."""
    if told.correct is not True or not insight.strip():
        return None
    text = _clean(insight, past)[:_MOST]
    return _card(
        past,
        "insight",
        content=f"Learnt from a mistake, {_VERIFIED['right_after_reflection']}: {text}",
        diagnosis=_clean(told.answer or past.record.diagnosis or "", past),
        outcome="right_after_reflection",
        feedback=told.policy,
        components=Components(dialogue=text[:_MATCHED]),
    )


def medical_record(past: Past, policy: Policy, outcome: Outcome, diagnosis: str, summary: str = "") -> Card:
    """The card of a whole case under a given diagnosis: dialogue, results, diagnosis, summary.

    The rules above call it; a study calls it directly for its declared controls (shuffled labels, oracle).
    """
    record = past.record
    lines = [f"{by}: {text}" for by, text in record.dialogue]
    results = [f"{name}: {text}" for name, text in record.results]
    parts = [
        f"A patient seen before. Diagnosis, {_VERIFIED[outcome]}: {diagnosis}",
        *([f"Summary: {summary}"] if summary else []),
        *(["Dialogue:", *lines] if lines else []),
        *(["Results:", *results] if results else []),
    ]
    return _card(
        past,
        "case",
        content=_clean("\n".join(parts), past)[:_MOST],
        diagnosis=_clean(diagnosis, past),
        summary=_clean(summary, past),
        outcome=outcome,
        feedback=policy,
        components=Components(
            dialogue=_clean(record.told, past)[:_MATCHED],
            results=_clean(record.obtained, past)[:_MATCHED],
            images=(*past.images, *(of_picture(picture) for picture in record.pictures)),
        ),
    )


def _card(
    past: Past,
    kind: Kind,
    *,
    content: str,
    diagnosis: str,
    outcome: Outcome,
    feedback: Policy,
    components: Components,
    summary: str = "",
) -> Card:
    return Card(
        kind=kind,
        content=content,
        diagnosis=diagnosis,
        summary=summary,
        outcome=outcome,
        feedback=feedback,
        origin=past.origin,
        scope=past.scope,
        components=components,
    )


def _clean(text: str, past: Past) -> str:
    return scrub(text, past.identifiers)
