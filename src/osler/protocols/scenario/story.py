"""The standardized-patient scenario: an examinee speaks and acts, people answer, the state moves on.

After MedSP1000's closed loop. The story is `_story`; the effects of acts, ends of state and elapsed time are
worked out in `course.py` (`packet_course.py` for a packet of prose), and the rules of valid replies are in
`rules.py`. The patient hears speech, sees who is present and is told how it is; the controller interprets
acts and voices the team; the script's words and its course belong to the engine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from osler.cases.scenarios.model import Scenario
from osler.core.contract import Contract
from osler.core.ending import outcome_of
from osler.core.events import Seat, TurnBegan
from osler.core.table import Check, Table
from osler.core.trace import Outcome
from osler.errors import Status
from osler.knowledge.vocabulary import Persona
from osler.protocols.scenario import views
from osler.protocols.scenario.course import Step
from osler.protocols.scenario.events import Acted, Assessed, Moment, Spoke
from osler.protocols.scenario.rules import check_move
from osler.protocols.scenario.script import PacketScript, script_of
from osler.protocols.scenario.seats import CONTROLLER, EXAMINEE, PATIENT_SEAT, ExamineeMove
from osler.protocols.scenario.settings import ScenarioSettings
from osler.protocols.shared.claim_counts import ClaimCounts


class ScenarioEncounter:
    """One scenario at a table. `play` runs it once and returns its outcome."""

    def __init__(
        self, table: Table, scenario: Scenario, settings: ScenarioSettings, persona: Persona
    ) -> None:
        self._table, self._scenario, self._settings, self._persona = table, scenario, settings, persona
        self._static = settings.arm == "static"
        self._most = 1 if self._static else settings.max_turns or scenario.max_turns
        self._script = script_of(scenario, tells_kind=settings.tells_kind)
        self._turns = 0
        self._claims = ClaimCounts()
        self._spare = self._most // 2 if scenario.packet is None and not self._static else 0

    async def play(self) -> Outcome:
        """Run the scenario. Raises only what must not end an episode: infrastructure faults, divergence."""
        return await outcome_of(
            self._table,
            self._story,
            lambda: {"turns": self._turns, "tests": self._script.tests, **self._claims},
        )

    async def _story(self) -> tuple[Status, str]:
        self._take_seats()
        self._tell(self._script.begin())
        if isinstance(self._script, PacketScript) and not self._static:
            await self._open(self._script)
        while self._turns < self._most and not self._script.over:
            move = await self._move()
            await self._answer(move)
        if self._script.over:
            return Status.COMPLETED, "the scenario came to its end"
        if self._static:
            return Status.COMPLETED, "the one move was made"
        return Status.OUT_OF_TURNS, f"turns: all {self._most} were used"

    def _take_seats(self) -> None:
        scenario, settings = self._scenario, self._settings
        whole = views.whole_case(scenario) if self._static else None
        examinee = views.examinee_view(scenario, max_turns=self._most, whole_case=whole)
        self._table.seat(EXAMINEE, examinee)
        patient = views.patient_seat_view(scenario, self._persona, settings.unknown)
        self._table.seat(PATIENT_SEAT, patient)
        self._table.seat(CONTROLLER, views.controller_view(scenario))

    async def _open(self, script: PacketScript) -> None:
        """Ask for the opening that only prose tells, before the examinee moves: the controller for how the
        patient looks and who of the team is there, then, knowing how it is, those who play the others."""
        table = self._table
        table.tell(Moment, "controller", when="opening")
        self._tell(script.opening(await table.ask(CONTROLLER, script.check_opening)))
        table.tell(Moment, "patient", when="opening")
        self._tell(script.patient_said(await table.ask(PATIENT_SEAT, script.check_patient)))

    async def _move(self) -> ExamineeMove:
        """Ask for the examinee's turn: everyone hears the speech, and only the controller learns the acts."""
        table = self._table
        self._turns += 1
        left = self._most - self._turns
        table.tell(TurnBegan, "examinee", turn=self._turns, turns_left=left, last_chance=not left)
        move = await table.ask(EXAMINEE, check_move)
        orders = await table.work(lambda: self._script.hear(move))
        if move.speak.strip():
            hearers: tuple[Seat, ...] = ("patient", "controller")
            said = {"text": move.speak, "orders": orders.to_team}
            table.tell(Spoke, *hearers, by="examinee", who="examinee", **said)
        # An order given aloud is an act like any other: the controller rules on it, and the record holds it.
        spoken = tuple(order.words for order in orders.orders)
        move = move.model_copy(update={"actions": (*spoken, *move.actions)})
        meant = tuple(order.action for order in orders.orders)
        table.tell(Acted, "controller", actions=move.actions, spoken=meant, eos=move.eos)
        return move

    async def _answer(self, move: ExamineeMove) -> None:
        """Ask the patient's seat and the controller at the same time: neither depends on the other.

        By a packet somebody may come or speak unasked, so its people are asked in a silence as well; by
        explicit states the script itself has them come and speak.
        """
        script, spoke = self._script, bool(move.speak.strip())
        pairs: list[tuple[Contract[Any, Any], Check | None]] = [
            (CONTROLLER, lambda reply: script.check_controller(reply, move))
        ]
        if not self._static and (spoke or isinstance(script, PacketScript)):
            if not spoke:
                self._table.tell(Moment, "patient", when="silence")
            pairs.insert(0, (PATIENT_SEAT, script.check_patient))
        *answers, ruling = await self._table.ask_all(pairs)
        for answer in answers:
            self._claims.facts(answer.claimed, answer.revealed_facts)
            self._tell(script.patient_said(answer))
        self._claims.acts(ruling.refused)
        steps = script.turn(move, ruling)
        self._tell(steps)
        if self._spare and _came_to_nothing(move, steps):
            # Words that nobody recognized are no trap: the turn is given back, though not without end.
            self._spare, self._most = self._spare - 1, self._most + 1

    def _tell(self, steps: Iterable[Step]) -> None:
        for step in steps:
            self._table.pass_time(step.minute - self._table.minute)
            self._table.tell(step.kind, *step.to, **step.what)
        self._table.pass_time(self._script.minute - self._table.minute)


def _came_to_nothing(move: ExamineeMove, steps: Iterable[Step]) -> bool:
    """Whether a turn held only acts, none of which was carried out."""
    ruled = [step.what["status"] for step in steps if step.kind is Assessed]
    return not (move.speak.strip() or move.eos) and bool(ruled) and "executed" not in ruled
