"""The encounter: one question, asked in each of its orders, and once more without its pictures if wanted.

Each asking is a fresh start: the candidate is shown nothing of the ones before.
"""

from __future__ import annotations

from osler.core.composite import Cast
from osler.core.ending import outcome_of
from osler.core.episode import Episode
from osler.core.table import Table
from osler.core.trace import Outcome
from osler.errors import InvalidPlay, Status
from osler.protocols.vqa.events import QuestionAnswered, QuestionAsked
from osler.protocols.vqa.order import askings
from osler.protocols.vqa.seats import CANDIDATE
from osler.protocols.vqa.views import question_of, view_of


async def story(table: Table, episode: Episode, cast: Cast) -> Outcome:
    """Ask the question as often as the settings want. No usable answer is an unanswered question, which is
    wrong; the encounter goes on."""
    case, settings = episode.case, episode.settings
    counts = {"askings": 0}

    async def play() -> tuple[Status, str]:
        for asking in askings(case, episode.seed, settings.rotations, settings.blind):
            counts["askings"] += 1
            table.seat(CANDIDATE, view_of(case, asking))
            table.tell(QuestionAsked, CANDIDATE.seat, **question_of(case, asking))
            try:
                answer = await table.ask(CANDIDATE)
            except InvalidPlay as none:
                table.tell(QuestionAnswered, why=str(none.cause).replace("_", " "))
            else:
                table.tell(QuestionAnswered, text=answer.text)
        return Status.COMPLETED, "every asking has ended"

    return await outcome_of(table, play, lambda: counts)
