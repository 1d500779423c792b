"""The built-in doctor's conclusion: the likeliest condition, the matching answer, evidence and a plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from osler.knowledge.conditions import Knowledge, name_key
from osler.protocols.consultation.events import WorkingDiagnosis
from osler.protocols.consultation.players.doctor_belief import Belief, Tables
from osler.protocols.consultation.players.doctor_notes import SEPARATOR, Step
from osler.protocols.consultation.seats import Finalize
from osler.text.findings_in_text import mentions

SAFETY_NET: Final = "Seek help at once if you get worse, or if something new worries you."
_QUOTES: Final = 8
_LIKELY: Final = 0.005
_ALIKE: Final = 0.5
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;])\s+|\n+")


def conclude(
    of: Tables, belief: Belief, steps: tuple[Step, ...], options: tuple[tuple[str, str], ...]
) -> Finalize:
    """Conclude from the present belief; if options are shown, with the best-fitting one."""
    knowing, posterior = of.knowing, belief.posterior
    rows = belief.ranked[:5]
    top = knowing.conditions[rows[0]]
    answer = best_option(knowing, belief, options, steps) if options else None
    named = dict(options)[answer] if answer is not None else top.name
    condition = knowing.condition(named) or (top if answer is None else None)
    lines: list[tuple[str, float | None]] = [
        (knowing.conditions[row].name, round(float(posterior[row]), 2)) for row in rows
    ]
    if answer is not None:
        lines = [(named, None), *(line for line in lines if name_key(line[0]) != name_key(named))][:5]
    return Finalize(
        diagnosis=named[:4000] or top.name,
        answer=answer,
        confidence=round(float(posterior[rows[0]]), 2),
        working_diagnoses=tuple(WorkingDiagnosis(name=n[:300] or "unnamed", confidence=p) for n, p in lines),
        rationale=(f"The findings fit {top.name} best.",),
        evidence=tuple(quotes(of, belief, rows[0], steps)),
        plan=condition.plan if condition else ("Treat by local guidance and arrange review",),
        followup=f"{condition.followup} {SAFETY_NET}" if condition else SAFETY_NET,
    )


def quotes(of: Tables, belief: Belief, row: int, steps: tuple[Step, ...]) -> Iterator[str]:
    """Yield the sentences heard and the results returned that support the condition in `row`, each once."""
    items, likely, usual = of.knowing.findings, of.knowing.present[row], of.usual
    ids = {
        items[i].id for i, is_present in belief.story.known.items() if is_present and likely[i] > 2 * usual[i]
    }
    given: set[str] = set()
    for what, ordered, words in steps:
        if what == "heard":
            texts = _sentences(words)
        elif what == "result":
            texts = (words.replace(SEPARATOR, ": ", 1)[:400],)
        else:
            continue
        for text in texts:
            speaks = {name for name, present in mentions(text).items() if present} & ids
            if (speaks or (what == "result" and _sought(of, ordered) & ids)) and text not in given:
                given.add(text)
                yield text
                if len(given) == _QUOTES:
                    return


def _sought(of: Tables, ordered: str) -> set[str]:
    action = of.at.get(ordered)
    return {of.knowing.findings[i].id for i in of.actions[action].columns} if action is not None else set()


@lru_cache(maxsize=4096)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(sentence[:400] for sentence in _SENTENCE_END.split(text.strip()) if sentence)


def best_option(
    knowing: Knowledge, belief: Belief, options: tuple[tuple[str, str], ...], steps: tuple[Step, ...]
) -> str:
    """The key of the option that the posterior favours; failing that, the one whose words were heard most.

    An option matches a condition by name or synonym, or partially if enough words are shared.
    """
    posterior = belief.posterior
    likely = [row for row in belief.ranked[:30] if posterior[row] > _LIKELY]
    scores: dict[str, float] = {}
    for key, text in options:
        row = knowing.find(text)
        if row is not None:
            scores[key] = float(posterior[row]) + 1e-9
            continue
        words = frozenset(name_key(text).split())
        alike = ((_likeness(words, knowing, row), float(posterior[row])) for row in likely)
        scores[key] = max((like * p for like, p in alike if like >= _ALIKE), default=0.0) * 0.9
    best = max(scores, key=lambda key: scores[key])
    if scores[best] > 0:
        return best
    heard = frozenset(word for step in steps for word in name_key(step[2]).split())
    overlap = {key: _share(frozenset(name_key(text).split()), heard) for key, text in options}
    return max(overlap, key=lambda key: overlap[key])


@lru_cache(maxsize=64)
def _names(knowing: Knowledge) -> tuple[tuple[frozenset[str], ...], ...]:
    return tuple(
        tuple(frozenset(name_key(name).split()) for name in (c.name, *c.synonyms)) for c in knowing.conditions
    )


def _likeness(words: frozenset[str], knowing: Knowledge, row: int) -> float:
    """The best Dice coefficient of an option's words with a name of the condition."""
    return max(
        (2 * len(words & name) / (len(words) + len(name)) for name in _names(knowing)[row] if words or name),
        default=0.0,
    )


def _share(words: frozenset[str], heard: frozenset[str]) -> float:
    return len(words & heard) / len(words) if words else 0.0
