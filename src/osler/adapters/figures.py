"""The measures of an encounter that has just ended, as an adapter hands them on."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_core import from_json

from osler.core.episode import Episode
from osler.core.measure import NOTHING, Measure, Scored, plain_value
from osler.core.registry import protocol_named
from osler.runs.played import Played
from osler.store.records import EpisodeRow


def figures(episode: Episode, ended: Played, measures: Sequence[Measure]) -> dict[str, float | None]:
    """The measures of an ended episode by name; `None` is unscored. Whether it may be scored at all is
    `why_unscored`'s to say."""
    case, protocol = episode.case, protocol_named(episode.protocol)
    row = EpisodeRow(episode.ordinal, ended.key, case.content_hash, case.id, *ended.trace.outcome, None, None)
    body = from_json(ended.judgement)
    judged = None if protocol.judgement is None else protocol.judgement(lambda: case, body)
    scored = Scored(row, body, lambda: ended.trace, judged)
    values = {measure.name: measure.of(scored) for measure in measures}
    return {name: None if value is NOTHING else plain_value(value) for name, value in values.items()}
