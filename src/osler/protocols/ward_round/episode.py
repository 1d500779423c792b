"""The episode of a ward round: instances, where the configuration has names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from osler.cases.model import Case, TeachingPlan
from osler.core.episode import Cast, Episode
from osler.errors import BadInput
from osler.knowledge.vocabulary import Persona
from osler.protocols.ward_round.seats import MOST_STUDENTS, StudentProfile, student_seats
from osler.protocols.ward_round.settings import PROTOCOL, RoundSettings


@dataclass(frozen=True, slots=True)
class RoundEpisode(Episode):
    """A ward round to be played: one case, one patient's persona, one cohort, one seed.

    `plan` is the tutor's teaching plan if it is not the case's own (a control).
    """

    protocol: ClassVar[str] = PROTOCOL
    ordinal: int
    case: Case
    persona: Persona
    cohort: tuple[StudentProfile, ...]
    settings: RoundSettings
    seed: str
    plan: TeachingPlan | None = None
    kept: str = ""
    reseeded: tuple[tuple[int, str], ...] = ()

    def setting(self) -> tuple[str, ...]:
        """Return the persona, the cohort, and the policy for what the case does not specify."""
        cohort = (student.model_dump_json() for student in self.cohort)
        return self.persona.model_dump_json(), *cohort, self.settings.unknown

    def beyond(self) -> tuple[str, ...]:
        """Return the plan of another case, if the round is taught by one."""
        return (self.plan.model_dump_json() if self.plan else "",)

    def check(self, cast: Cast) -> None:
        """Raise BadInput for a cohort or a cast that cannot be played."""
        names = [student.name for student in self.cohort]
        if not 1 <= len(names) <= MOST_STUDENTS:
            raise BadInput(f"a cohort has 1 to {MOST_STUDENTS} students, not {len(names)}", where="cohort")
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise BadInput(
                f"two students are called {doubled[0]}", where="cohort", hint="give each a name of its own"
            )
        if empty := [seat for seat in ("tutor", *student_seats(len(names))) if seat not in cast]:
            raise BadInput(f"no player sits as {empty[0]}", where="cast")
