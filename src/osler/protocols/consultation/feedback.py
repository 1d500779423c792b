"""The feedback to a person after a consultation, as data: what the debriefing says, and where it points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from osler.core.role import PERSON
from osler.core.said_in import SaidIn
from osler.core.summary import Feedback, Kind, Part, Remark
from osler.errors import BadInput
from osler.judging.contests import contests_in, items_to_contest
from osler.judging.scores import GRADER
from osler.protocols.consultation.debrief import (
    READS_WORDS,
    accepted_lines,
    accepted_shares,
    debrief,
    short_debrief,
    spoken_to,
)
from osler.protocols.consultation.judge.reading import read
from osler.protocols.consultation.judgement import judgement_of
from osler.runs.run import config_of
from osler.runs.stored_case import stored_cases
from osler.store.records import RunInfo
from osler.store.store import Store

_KINDS: Final[Mapping[str, Kind]] = {
    "Your score": "score",
    "You found out": "good",
    "Decisive steps you named": "good",
    "Safety steps you took": "good",
    "Follow-up you named": "good",
    "Steps you named in part": "missed",
    "Ordered, but not yet back when you concluded": "missed",
    "Key facts and findings you did not obtain": "missed",
    "Other examinations and tests you did not order": "missed",
    "Critical steps not recognized in your plan": "missed",
    "Other steps not recognized in your plan": "missed",
    "Safety steps not recognized": "missed",
    "Follow-up not recognized": "missed",
    "Tests you ordered that would harm": "unsafe",
    "Unsafe acts you named": "unsafe",
    "Unnecessary here, though not harmful": "other",
    "Evidence that no one gave you": "other",
    "Questions asked again": "talk",
    "Why not another diagnosis": "lesson",
    "What the case teaches": "lesson",
    "By the guideline": "lesson",
    "Sources": "lesson",
}


def feedback(run: RunInfo, store: Store, ordinal: int | None = None) -> Feedback:
    """Return the feedback on one episode, the first if none is given.

    Raises BadInput if the episode has not been played to its end and judged.
    """
    at = next((row.ordinal for row in store.episodes(run.id) if ordinal in (None, row.ordinal)), None)
    if at is None:
        raise BadInput("no such episode has been played to its end", where=run.name)
    row, trace, judgements = store.record(run.id, at)
    made = next((one for one in judgements if one.grader == GRADER), None)
    if made is None:
        raise BadInput("no such episode has been judged", where=run.name)
    case, judgement = stored_cases(store)(row.case_hash), judgement_of(made.body)
    contests = contests_in(one.body for one in judgements)
    played = "patient" if config_of(run).insides()["patient"] == PERSON else "doctor"
    turn = spoken_to("patient" if played == "patient" else "doctor")
    said, short = SaidIn(trace, "doctor"), short_debrief(case, trace, judgement)
    items = items_to_contest((), case.model_dump_json()) if played == "doctor" else {}
    accepted = accepted_shares(case, judgement, read(trace), {one.item: one for one in contests})
    whole = debrief(case, trace, judgement)  # what was said against a mark is shown beside it, not in it
    whole["Your score"] += accepted_lines(accepted)
    moments = []
    for one in short.moments:
        n = said.turn(one.turn) if one.turn else said.last
        moments.append(Remark(turn(one.effect), one.quote, n, keep=max(n - 1, 0)))
    return Feedback(
        sentence=turn(short.sentence),
        examiner=READS_WORDS,
        moments=tuple(moments),
        next_time=tuple(map(turn, short.next_time)),
        parts=tuple(
            Part(
                turn(heading),
                _KINDS.get(heading, "talk"),
                tuple(_remark(said, turn(entry), _contestable(heading, items)) for entry in entries),
            )
            for heading, entries in whole.items()
        ),
        scores={name: score.value for name, score in judgement.scores.items()},
        contests=contests,
        accepted=accepted,
    )


def _contestable(heading: str, items: Mapping[str, str]) -> Mapping[str, str]:
    """The items that can be contested under a heading: only what was not recognized can have been done."""
    return items if _KINDS.get(heading) == "missed" else {}


def _remark(said: SaidIn, entry: str, items: Mapping[str, str]) -> Remark:
    item = next((id for id, text in items.items() if entry.startswith(text)), "")
    return said.remark(entry, item)
