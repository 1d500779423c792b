"""A stored judgement as a browser shows it: scores, verdicts, and quotes that lead to where they stand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from osler.core.protocol import Protocol
from osler.judging.grader_notes import note_line
from osler.store.records import Judgement
from osler.web.evaluate.facets import kind_of_score, words_of
from osler.web.evaluate.quotes import Places
from osler.web.evaluate.trace_schemas import Judged, Score, Verdict

_HOLDS = {True: "yes", False: "no", None: "cannot be told"}


def judged(judgement: Judgement, protocol: Protocol, places: Places) -> Judged:
    """One judgement."""
    body: dict[str, Any] = json.loads(judgement.body)
    scores = body.get("scores")
    items = body.get("items")
    return Judged(
        grader=judgement.grader,
        version=judgement.version,
        label=note_line([judgement.grader]),
        scores=list(_scores(scores, protocol, places)) if isinstance(scores, dict) else [],
        verdicts=list(_verdicts(items, places)) if isinstance(items, list) else [],
        body=body,
    )


def _scores(scores: Mapping[str, Any], protocol: Protocol, places: Places) -> Iterator[Score]:
    for name, held in scores.items():
        one = held if isinstance(held, dict) else {"value": held}
        value = one.get("value")
        yield Score(
            name=name,
            words=words_of(protocol, name),
            kind=kind_of_score(protocol, name),
            value=float(value) if isinstance(value, int | float) else None,
            reason=str(one.get("reason") or ""),
            quotes=places.find_all(_words(one.get("evidence"))),
        )


def _verdicts(items: Iterable[Any], places: Places) -> Iterator[Verdict]:
    for item in items:
        if not isinstance(item, dict):
            continue
        holds = item.get("holds")
        said = _HOLDS[holds] if holds in (True, False, None) else str(holds)
        points = item.get("points")
        yield Verdict(
            name=str(item.get("id", "")),
            words=str(item.get("text", "")),
            verdict=said,
            points=float(points) if isinstance(points, int | float) else None,
            note="; ".join(str(item[key]) for key in ("reason", "why") if item.get(key)),
            quotes=places.find_all(_words(item.get("quotes"))),
        )


def _words(quotes: Any) -> Iterator[str]:
    """The words of quotes, each a text or a pair of a line's number and its words."""
    for one in quotes if isinstance(quotes, list) else ():
        if isinstance(one, str):
            yield one
        elif isinstance(one, list) and one and isinstance(one[-1], str):
            yield one[-1]
