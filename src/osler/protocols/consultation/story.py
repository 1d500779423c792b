"""The consultation: a doctor meets a patient, asks, examines, orders, waits, and concludes.

Actions and fields are MedEvoEval's; visits, simulated time and the last chance are ours. The story is
`_story`; the rest implements its steps. Orders go through the order desk (`orders.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from osler.cases.model import Case
from osler.core.ending import outcome_of
from osler.core.events import Frozen, Moved, Noticed, Placed, Said, Seat, TurnBegan
from osler.core.table import Table
from osler.core.trace import Outcome, Trace
from osler.core.wording import Wording, noted
from osler.errors import LimitReached, Status
from osler.knowledge.vocabulary import Persona, Unknown
from osler.protocols.consultation import views
from osler.protocols.consultation.events import Advised, ConsultAsked, Registered
from osler.protocols.consultation.orders import OrderDesk, Pictures
from osler.protocols.consultation.rules import Budget, Ledger, Limits
from osler.protocols.consultation.seats import CONSULTANT, DOCTOR, Ask, CallMdt, Finalize, RequestTest, Wait
from osler.protocols.shared.patient import PATIENT, Disclosure, VisitBegan
from osler.protocols.shared.views import patient_view

PROTOCOL = "consultation/1"
Move = Ask | RequestTest | CallMdt | Wait | Finalize

ROOM, IMAGING = "consulting room", "imaging"
QUESTION_MINUTES, CONSULT_MINUTES, FOLLOW_UP_MINUTES = 1, 10, 7 * 24 * 60
CONSULT_COST = 20
HEAR_FIRST = "Before a conclusion stands, the consultant is heard. Then it is your turn again."


def conclusion_of(trace: Trace) -> dict[str, Any] | None:
    """The doctor's conclusion: the last move if it was FINALIZE, else `None`."""
    last = next((row.reply for row in reversed(trace.rows) if row.seat == DOCTOR.seat), "null")
    move: dict[str, Any] | None = json.loads(last)
    return move if move and move["action"] == "FINALIZE" else None


def conclusion_words(trace: Trace) -> Iterator[Wording]:
    """Render the doctor's conclusion as lines; none if there is no conclusion."""
    final = conclusion_of(trace)
    if final is None:
        return
    yield _concludes("diagnosis", str(final["diagnosis"]))
    if final.get("answer"):
        yield _concludes("answer", str(final["answer"]))
    if final.get("confidence") is not None:
        yield noted("confidence", f"{final['confidence']:.0%}")
    for kind in ("evidence", "plan"):
        yield from (_concludes(kind, str(entry)) for entry in final.get(kind) or ())
    if final.get("followup"):
        yield _concludes("follow-up", str(final["followup"]))


def _concludes(kind: str, text: str) -> Wording:
    return Wording("", kind, text, by="doctor")


class Form(Frozen):
    """An entry of the registration form beyond age and sex: a trait, its value, and the line of text."""

    trait: str
    value: str
    text: str


class Settings(Frozen):
    """The settings of a run's consultations. All of them are part of an episode's key.

    A consultant is heard when the doctor calls; with `mdt="always"` also before the first conclusion, which
    the doctor then makes again, and with `mdt_every=N` after every N turns.
    """

    limits: Limits = Limits()
    unknown: Unknown = "standard"
    options: Literal["hidden", "shown"] = "hidden"
    pictures: Pictures = "reported"
    mdt: Literal["on demand", "always"] = "on demand"
    mdt_every: int | None = Field(default=None, ge=1, le=1000)
    form: Form | None = None
    provisional_turn: int = Field(default=3, ge=1)
    max_attempts: int = Field(default=3, ge=1, le=10)


class Consultation:
    """One consultation at a table. `play` runs it once and returns its outcome."""

    def __init__(
        self,
        table: Table,
        case: Case,
        settings: Settings,
        persona: Persona,
        *,
        has_consultant: bool,
        has_describer: bool,
    ) -> None:
        self._table, self._case, self._settings = table, case, settings
        self._budget, self._ledger = Budget(settings.limits), Ledger()
        self._patient = patient_view(case, persona=persona, unknown=settings.unknown)
        self._disclosure = Disclosure(self._patient)
        self._has_consultant, self._heard = has_consultant, False
        self._listening: tuple[Seat, ...] = ("consultant",) if has_consultant else ()
        self._desk = OrderDesk(
            table,
            case,
            self._budget,
            self._ledger,
            settings.unknown,
            ("doctor", *self._listening),
            settings.pictures,
            has_describer=has_describer,
        )

    async def play(self) -> Outcome:
        """Run the consultation. Raises only what must not end an episode: infrastructure faults,
        divergence."""
        budget = self._budget
        return await outcome_of(
            self._table,
            self._until_the_end,
            lambda: {"turns": budget.turns, "tests": budget.tests, "cost": budget.cost},
        )

    async def _until_the_end(self) -> tuple[Status, str]:
        self._take_seats()
        self._open()
        try:
            await self._story()
            return Status.COMPLETED, "concluded"
        except LimitReached as reached:
            concluded = await self._last_chance(reached)
            status = Status.OUT_OF_TURNS if reached.limit == "turns" else Status.OUT_OF_BUDGET
            how = "concluded at the last chance" if concluded else "did not conclude"
            return status, f"{reached.limit}: {reached.what}; {how}"

    async def _story(self) -> None:
        while True:
            await self._begin_turn()
            move: Move = await self._table.ask(DOCTOR, self._check_move)
            match move:
                case Ask():
                    await self._question(move)
                case RequestTest():
                    await self._desk.order(move.test_name)
                case CallMdt():
                    await self._consult(move)
                case Wait():
                    self._wait()
                case Finalize():
                    if self._heard_enough():
                        return
                    await self._before_concluding(move)
                    continue
            if self._is_time_for_advice():
                await self._consult(CallMdt())

    # Before the first question

    def _take_seats(self) -> None:
        table, limits = self._table, self._settings.limits
        shown = self._settings.options == "shown"
        doctor = views.doctor_view(
            self._case,
            options_shown=shown,
            max_turns=limits.max_turns,
            max_tests_per_visit=limits.max_tests_per_visit,
            max_visits=limits.max_visits,
            has_consultant=self._has_consultant,
        )
        table.seat(DOCTOR, doctor)
        table.seat(PATIENT, self._patient)
        self._desk.open()
        if self._has_consultant:
            table.seat(CONSULTANT, views.consultant_view(self._case, options_shown=shown))

    def _open(self) -> None:
        table = self._table
        for place in (ROOM, IMAGING):
            table.tell(Placed, place=place)
        table.tell(VisitBegan, "doctor", "patient", visit=1)
        for who in ("doctor", "patient"):
            table.tell(Moved, who=who, place=ROOM)
        if form := self._settings.form:
            table.tell(Registered, "doctor", *self._listening, **form.model_dump())
        words = self._case.opening.words
        table.tell(Said, "doctor", "patient", *self._listening, by="patient", text=words)

    # Turns

    async def _begin_turn(self) -> None:
        budget, minute, due = self._budget, self._table.minute, self._ledger.due
        budget.need_turn()
        if budget.minutes_left(minute) == 0:
            self._see_again(due[0].ready_minute if due else minute + FOLLOW_UP_MINUTES)
        budget.turns += 1
        await self._desk.deliver()
        self._announce_turn(differential_wanted=budget.turns == self._settings.provisional_turn)

    def _announce_turn(self, **asked: bool) -> None:
        budget = self._budget
        self._table.tell(
            TurnBegan,
            "doctor",
            turn=budget.turns,
            turns_left=budget.limits.max_turns - budget.turns,
            tests_left=budget.tests_left,
            minutes_left=budget.minutes_left(self._table.minute),
            cost_left=budget.cost_left,
            **asked,
        )

    def _check_move(self, move: Move) -> None:
        if isinstance(move, CallMdt) and not self._has_consultant:
            raise ValueError("there is no consultant to call")
        last_visit = self._budget.visit == self._budget.limits.max_visits
        if isinstance(move, Wait) and last_visit and not self._ledger.due:
            raise ValueError("there is nothing to wait for, and this is the last visit")
        self._check_conclusion(move)

    def _check_conclusion(self, move: Move) -> None:
        options = self._case.task.options if self._settings.options == "shown" else None
        if isinstance(move, Finalize) and options and move.answer not in options:
            raise ValueError(f"answer must be one of {', '.join(options)}")

    async def _last_chance(self, reached: LimitReached) -> bool:
        await self._desk.deliver()
        self._table.tell(Noticed, "doctor", text=f"This is the last chance to conclude: {reached.what}.")
        self._announce_turn(last_chance=True)
        move: Move = await self._table.ask(DOCTOR, self._check_conclusion)
        return isinstance(move, Finalize)

    def _see_again(self, minute: int) -> None:
        """Close this visit and begin the next at `minute`."""
        self._budget.next_visit(minute)
        self._table.pass_time(minute - self._table.minute)
        self._table.tell(VisitBegan, "doctor", "patient", visit=self._budget.visit)

    # What the doctor may do

    async def _question(self, move: Ask) -> None:
        table = self._table
        self._disclosure.heard.append(move.question)
        table.tell(Said, "patient", *self._listening, by="doctor", text=move.question)
        table.pass_time(QUESTION_MINUTES)
        reply = await table.ask(PATIENT, self._disclosure.check)
        table.tell(Said, "doctor", *self._listening, by="patient", text=reply.answer)
        self._disclosure.release(reply, table)

    async def _consult(self, move: CallMdt) -> None:
        table, budget = self._table, self._budget
        if refusal := budget.refusal(cost=CONSULT_COST, minutes=CONSULT_MINUTES, now=table.minute):
            table.tell(Noticed, "doctor", text=f"The consultant cannot be called: {refusal}.")
            return
        budget.spend(cost=CONSULT_COST)
        state: dict[str, Any] = {"question": move.question, "working_diagnoses": move.working_diagnoses}
        table.tell(ConsultAsked, "consultant", **state)
        table.pass_time(CONSULT_MINUTES)
        advice = await table.ask(CONSULTANT)
        table.tell(Advised, "doctor", **advice.model_dump())

    def _heard_enough(self) -> bool:
        """Whether a conclusion is final: no consultant has to be heard first, one has been heard, or no turn
        is left to conclude again."""
        always = self._has_consultant and self._settings.mdt == "always"
        return self._heard or not always or self._budget.turns >= self._budget.limits.max_turns

    async def _before_concluding(self, move: Finalize) -> None:
        self._heard = True
        self._table.tell(Noticed, "doctor", text=HEAR_FIRST)
        await self._consult(CallMdt(working_diagnoses=move.working_diagnoses))

    def _is_time_for_advice(self) -> bool:
        every = self._settings.mdt_every
        return bool(self._has_consultant and every and self._budget.turns % every == 0)

    def _wait(self) -> None:
        table, due = self._table, self._ledger.due
        ready = due[0].ready_minute if due else table.minute + FOLLOW_UP_MINUTES
        minutes = max(0, ready - table.minute)
        if minutes <= self._budget.minutes_left(table.minute):
            table.pass_time(minutes)
        else:
            self._see_again(ready)
