"""The debriefing of one episode in a store: of a person who has just played, or of any episode on request."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from osler.core.debriefing import Debriefing, Ended, Entry, Phrase, Section, missed_lines
from osler.core.events import Seat
from osler.core.judge import Verdict
from osler.core.lazy import load
from osler.core.measure import Measure, Scored, missed_by
from osler.core.permitted import people_in
from osler.core.protocol import Protocol
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.contests import Contest, accepted_in, contests_in, items_to_contest
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
    case = stored(store, protocol.config.model)(row.case_hash)
    ended = Ended(case, trace, verdicts, accepted_in(contests), reader)
    if protocol.debriefing is None:
        value: Debriefing | None = _scores_alone(protocol, ended, row)
    else:
        value = load(protocol.debriefing)(ended)
    if value is None:
        raise BadInput("no such episode has been judged", where=run.name, hint="osler show RUN:NUMBER")
    return Debriefed(run.name, row, trace, judgements, value, contests)


def items_of(run: RunInfo, store: Store, ordinal: int, reader: Seat = "") -> dict[str, str]:
    """The items of an episode that can be contested, or marked by a teacher, their texts by their ids: those
    that its judgements or its case hold, then those that its debriefing to `reader` names besides."""
    row, _, judgements = store.record(run.id, ordinal)
    items = items_to_contest((one.body for one in judgements), store.case(row.case_hash))
    with suppress(BadInput):  # it has not been judged
        debriefing = debriefed(run, store, ordinal, reader).debriefing
        for one in (entry for part in debriefing.sections for entry in part.entries if entry.item):
            person = debriefing.person
            items.setdefault(one.item, one.text.to(person) if isinstance(one.text, Phrase) else one.text)
    return items


def _scores_alone(protocol: Protocol, ended: Ended[Any], row: EpisodeRow) -> Debriefing:
    """The debriefing of a protocol that has none: the scores of its first judge, each with what it missed."""
    made_by, reader = protocol.judges[0].graders, ended.reader
    bodies = [json.loads(one.body) for one in ended.judgements if one.grader in made_by]
    scores = {name: score["value"] for body in bodies for name, score in body.get("scores", {}).items()}
    figures = []
    for measure in protocol.measures:
        for body in bodies:
            if measure.name in body.get("scores", {}):
                found = Scored(row, body, lambda: ended.trace, None, lambda: ended.case)
                details = missed_lines(missed_by(measure, found))
                figures.append(Entry(_figure(measure, scores[measure.name]), details=details))
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
