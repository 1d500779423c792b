"""Measures of effort for any protocol: answers and tokens of an episode's language models."""

from __future__ import annotations

from typing import Final

from pydantic_core import from_json

from osler.core.measure import Measure, Scored, Value

_TOKENS: Final = ("prompt_tokens", "completion_tokens")


def _calls(found: Scored) -> Value:
    return float(sum(attempt["calls"] or 0 for attempt in _answers(found)))


def _tokens(found: Scored) -> Value:
    counts = [attempt.get(name) for attempt in _answers(found) for name in _TOKENS]
    return None if None in counts else float(sum(count or 0 for count in counts))


def _answers(found: Scored) -> list[dict[str, int | None]]:
    """The usage entries of language models' answers, in all seats and inside composites."""
    trace = found.trace()
    lines = [*(row.attempts for row in trace.rows), *(row.attempts for row in trace.inner)]
    return [one for line in lines for one in from_json(line) if one["at"] == "used" and one.get("calls")]


CALLS: Final = Measure(
    "calls",
    "model calls",
    "answers of language models, of all seats",
    "count",
    _calls,
    better="neither",
    judged=False,
    traced=True,
)
TOKENS: Final = Measure(
    "tokens",
    "tokens",
    "tokens of language models, of all seats, sent and answered",
    "count",
    _tokens,
    better="neither",
    judged=False,
    traced=True,
)
EFFORT: Final = (CALLS, TOKENS)
