"""Play one teaching ward round from instances: no names, no registry, no store."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from osler.cases.model import Case, TeachingPlan
from osler.encounter.table import Recorder, Table
from osler.encounter.trace import ExchangeRow, InnerRow, Outcome, Trace
from osler.encounter.ward_round import PROTOCOL, RoundSettings, WardRound
from osler.errors import BadInput
from osler.judging.teaching.record import GRADER, VERSION, anew
from osler.seats.patient import Persona
from osler.seats.ward_round import MOST_STUDENTS, StudentProfile, student_seats
from osler.studies.execute import Cast, at_table, digest, key_of


@dataclass(frozen=True, slots=True)
class RoundEpisode:
    """One case, one patient's persona, one cohort, one seed: what is played, whoever teaches.

    `plan` is what the tutor teaches by where it is not the case's own (a control). `kept` and `reseeded` are
    as in `osler.studies.execute.Episode`.
    """

    ordinal: int
    case: Case
    persona: Persona
    cohort: tuple[StudentProfile, ...]
    settings: RoundSettings
    seed: str
    plan: TeachingPlan | None = None
    kept: str = ""
    reseeded: tuple[tuple[int, str], ...] = ()

    @property
    def world(self) -> str:
        """A hash of all that does not depend on the tutor: two tutors on it meet the same group."""
        return digest(
            self.case.content_hash,
            self.persona.model_dump_json(),
            *(student.model_dump_json() for student in self.cohort),
            self.settings.unknown,
            self.seed,
        )

    def key(self, cast: Cast) -> str:
        """A hash of everything that determines the episode."""
        return key_of(self, PROTOCOL, cast, self.plan.model_dump_json() if self.plan else "")

    async def play(
        self,
        cast: Cast,
        onward: Recorder | None = None,
        recorded: Sequence[ExchangeRow] = (),
        inner: Sequence[InnerRow] = (),
    ) -> Trace:
        """See `play_round`."""
        return await play_round(self, cast, onward, recorded, inner)

    def judged(self, trace: Trace) -> tuple[str, str, str]:
        """What came of it: grader, version and the judgement as JSON text."""
        return GRADER, VERSION, anew(self.case, trace, self.plan)


async def play_round(
    episode: RoundEpisode,
    cast: Cast,
    onward: Recorder | None = None,
    recorded: Sequence[ExchangeRow] = (),
    inner: Sequence[InnerRow] = (),
) -> Trace:
    """Play a ward round to its end and return its whole trace.

    `recorded` exchanges of an earlier sitting and the `inner` ones are not asked again, as in `play`. A
    record that no longer fits ends as `diverged`, with the record kept. Raises InfrastructureFault, which
    ends nothing, and BadInput for a case without a teaching plan, a cohort that cannot be taught, or an empty
    chair.
    """
    _check_cohort(episode, cast)

    def story(table: Table) -> Awaitable[Outcome]:
        ward_round = WardRound(
            table,
            episode.case,
            episode.settings,
            episode.persona,
            episode.cohort,
            seated=tuple(cast),
            plan=episode.plan,
        )
        return ward_round.play()

    return await at_table(episode, cast, story, "tutor", onward, recorded, inner)


def _check_cohort(episode: RoundEpisode, cast: Cast) -> None:
    names = [student.name for student in episode.cohort]
    if not 1 <= len(names) <= MOST_STUDENTS:
        raise BadInput(f"a cohort has 1 to {MOST_STUDENTS} students, not {len(names)}", where="cohort")
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise BadInput(
            f"two students are called {doubled[0]}", where="cohort", mend="give each a name of its own"
        )
    if empty := [seat for seat in ("tutor", *student_seats(len(names))) if seat not in cast]:
        raise BadInput(f"nobody sits as {empty[0]}", where="cast")
