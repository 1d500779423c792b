"""Play one scenario from instances: no names, no registry, no store."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from osler.cases.scenarios.model import Scenario
from osler.encounter.scenario import PROTOCOL, ScenarioEncounter, ScenarioSettings
from osler.encounter.table import Recorder, Table
from osler.encounter.trace import ExchangeRow, InnerRow, Outcome, Trace
from osler.errors import BadInput
from osler.judging.rubric.judgement import rubric_judgement_json
from osler.judging.rubric.keyed import judge_scenario
from osler.seats.events import Seat
from osler.seats.patient import Persona
from osler.studies.execute import Cast, at_table, digest, key_of

SEATS: tuple[Seat, ...] = ("examinee", "patient", "controller")


@dataclass(frozen=True, slots=True)
class ScenarioEpisode:
    """One scenario, one persona, one seed: what is played, whoever is the examinee.

    `kept` and `reseeded` are as in `osler.studies.execute.Episode`.
    """

    ordinal: int
    case: Scenario
    persona: Persona
    settings: ScenarioSettings
    seed: str
    kept: str = ""
    reseeded: tuple[tuple[int, str], ...] = ()

    @property
    def world(self) -> str:
        """A hash of all that does not depend on the examinee: two examinees on it are a pair."""
        persona = self.persona.model_dump_json()
        return digest(self.case.content_hash, persona, self.settings.unknown, self.seed)

    def key(self, cast: Cast) -> str:
        """A hash of everything that determines the episode."""
        return key_of(self, PROTOCOL, cast)

    async def play(
        self,
        cast: Cast,
        onward: Recorder | None = None,
        recorded: Sequence[ExchangeRow] = (),
        inner: Sequence[InnerRow] = (),
    ) -> Trace:
        """See `play_scenario`."""
        return await play_scenario(self, cast, onward, recorded, inner)

    def judged(self, trace: Trace) -> tuple[str, str, str]:
        """What the built-in judge says of it: grader, version and the judgement as JSON text."""
        found = judge_scenario(self.case, trace)
        return found.grader, found.version, rubric_judgement_json(found)


async def play_scenario(
    episode: ScenarioEpisode,
    cast: Cast,
    onward: Recorder | None = None,
    recorded: Sequence[ExchangeRow] = (),
    inner: Sequence[InnerRow] = (),
) -> Trace:
    """Play a scenario to its end and return its whole trace.

    `recorded` exchanges of an earlier sitting and the `inner` ones are not asked again, as in
    `osler.studies.execute.play`. A record that no longer fits ends as `diverged`, with the record kept.
    Raises InfrastructureFault, which ends nothing, and BadInput for an empty chair.
    """
    if empty := [seat for seat in SEATS if seat not in cast]:
        raise BadInput(f"nobody sits as {empty[0]}", where="cast")

    def story(table: Table) -> Awaitable[Outcome]:
        return ScenarioEncounter(table, episode.case, episode.settings, episode.persona).play()

    return await at_table(episode, cast, story, "examinee", onward, recorded, inner)
