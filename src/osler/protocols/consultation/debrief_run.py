"""The debriefing of an episode in a store: of a person who has just played, or of any episode on request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pydantic_core import from_json
from rich.text import Text

from osler.core import summary as core
from osler.core.role import PERSON
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.contests import Contest, contests_in
from osler.judging.grader_notes import FORMATIVE
from osler.judging.scores import GRADER
from osler.protocols.consultation.debrief import Played, asked_missed_unsafe, short_debrief, shown_short
from osler.protocols.consultation.debrief import debrief as in_full
from osler.protocols.consultation.judgement import Judgement, judgement_of
from osler.runs.run import config_of
from osler.runs.stored_case import stored_cases
from osler.store.records import RunInfo
from osler.store.store import Store


class Judged(NamedTuple):
    """An ended episode with the built-in judge's judgement and what was contested."""

    ordinal: int
    trace: Trace
    judgement: Judgement
    contests: tuple[Contest, ...]


def debrief(run: RunInfo, store: Store, ordinal: int | None = None) -> core.Debrief:
    """Return the debriefing of one episode, the first if none is given: short, and in full as `more`.

    Raises BadInput if the episode has not been played to its end and judged.
    """
    found = next((one for one in judged(run, store) if ordinal in (None, one.ordinal)), None)
    if found is None:
        raise BadInput("no such episode has been judged", where=run.name, hint="osler show RUN:NUMBER")
    ordinal, trace, judgement, contests = found
    case = stored_cases(store)(next(e.case_hash for e in store.episodes(run.id) if e.ordinal == ordinal))
    short = short_debrief(case, trace, judgement)
    of = f"{run.name}:{ordinal}"
    value = {
        "episode": of,
        "use": FORMATIVE,
        "scores": from_json(judgement.stored.body)["scores"],
        "debrief": {
            "sentence": short.sentence,
            "moments": [one._asdict() for one in short.moments],
            "next_time": list(short.next_time),
            "all": in_full(case, trace, judgement, contests),
        },
        "contests": [one._asdict() for one in contests],
    }
    seat: Played = "patient" if config_of(run).insides()["patient"] == PERSON else "doctor"
    whole = asked_missed_unsafe(case, trace, judgement, seat, contests)
    contest = Text("" if seat == "patient" else contest_hint(of))
    return core.Debrief(value, (shown_short(short, seat), contest), (whole, contest))


def contest_hint(of: str) -> str:
    """The line that says how to contest a mark of the episode `of`, given as RUN:EPISODE."""
    return (
        f'To say that you did what was not recognized: osler marks contest {of} ITEM "your words"'
        f" (the items: osler marks items {of})"
    )


def judged(run: RunInfo, store: Store) -> Iterator[Judged]:
    """Yield each ended episode of a run with the built-in judge's judgement of it."""
    for episode, trace, judgements in store.records(run.id):
        contests = contests_in(one.body for one in judgements)
        for found in judgements:
            if found.grader == GRADER:
                yield Judged(episode.ordinal, trace, judgement_of(found.body), contests)
