"""The debriefing of one episode in a store: of a person who has just played, or of any episode on request."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from osler.core.debriefing import Debriefing, Ended, Entry, Section
from osler.core.events import Seat
from osler.core.judge import Verdict
from osler.core.lazy import load
from osler.core.measure import Measure
from osler.core.permitted import people_in
from osler.core.protocol import Protocol
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.contests import Contest, accepted_in, contests_in
from osler.runs.run import protocol_of
from osler.runs.stored_case import stored
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store


class Debriefed(NamedTuple):
    """An episode as it is stored, its debriefing, and the items that were contested with the answers."""

    run: str
    row: EpisodeRow
    trace: Trace
    judgements: Sequence[Judgement]
    debriefing: Debriefing
    contests: tuple[Contest, ...]

    @property
    def episode(self) -> str:
        """The episode as commands name it, RUN:NUMBER."""
        return f"{self.run}:{self.row.ordinal}"


def debriefed(run: RunInfo, store: Store, ordinal: int | None = None, reader: Seat = "") -> Debriefed:
    """Return the debriefing of one episode, the first if none is given, to the seat `reader`; by default to
    the person who played, or to the role under test if nobody did or several people.

    Raises BadInput if the episode has not been played to its end and judged.
    """
    protocol, people = protocol_of(run), people_in(run.manifest)
    if not reader:
        reader = people[0] if people and protocol.under_test not in people else protocol.under_test
    at = next((row.ordinal for row in store.episodes(run.id) if ordinal in (None, row.ordinal)), None)
    if at is None:
        what = "no such episode has been played to its end"
        raise BadInput(what, where=run.name, hint="osler show RUN:NUMBER")
    row, trace, judgements = store.record(run.id, at)
    contests = contests_in(one.body for one in judgements)
    verdicts = tuple(Verdict(one.grader, one.version, one.body) for one in judgements)
    value: Debriefing | None
    if protocol.debriefing is None:
        value = _scores_alone(protocol, verdicts, reader)
    else:
        case = stored(store, protocol.config.model)(row.case_hash)
        value = load(protocol.debriefing)(Ended(case, trace, verdicts, accepted_in(contests), reader))
    if value is None:
        raise BadInput("no such episode has been judged", where=run.name, hint="osler show RUN:NUMBER")
    return Debriefed(run.name, row, trace, judgements, value, contests)


def _scores_alone(protocol: Protocol, judgements: Sequence[Verdict], reader: Seat) -> Debriefing:
    """The debriefing of a protocol that has none: the scores of its first judge."""
    made_by = protocol.judges[0].graders
    bodies = [json.loads(one.body) for one in judgements if one.grader in made_by]
    scores = {name: score["value"] for body in bodies for name, score in body.get("scores", {}).items()}
    figures = [Entry(_figure(one, scores[one.name])) for one in protocol.measures if one.name in scores]
    return Debriefing(
        about=protocol.under_test,
        reader=reader,
        sentence="",
        examiner=protocol.notice,
        grader=made_by[0],
        sections=(Section("score", "score", "Score", tuple(figures)),) if figures else (),
        scores=scores,
    )


def _figure(measure: Measure, value: float | None) -> str:
    if value is None:
        return f"{measure.words}: not scored"
    return f"{measure.words}: {value:.0%}" if measure.share else f"{measure.words}: {value:g}"
