"""The consultation: a doctor meets a patient, asks, examines, orders, waits, and concludes.

Actions and fields are MedEvoEval's; visits, simulated time and the last chance are ours. The story is
`_story`; the rest implements its steps. Orders go through the order desk (`orders.py`).

In another `format_arm` the same case is told at once, or concluded from a summary of the consultation: the
formats that CRAFT-MD (Nature Medicine 2025) and AI Hospital compare with a conversation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from osler.cases.model import Case
from osler.core.ending import outcome_of
from osler.core.events import Moved, Noticed, Placed, Released, Said, Seat, TurnBegan
from osler.core.pictures import ImageFile
from osler.core.table import Table
from osler.core.trace import Outcome, Trace
from osler.core.wording import Wording, noted
from osler.errors import LimitReached, Status
from osler.knowledge.catalogue import catalogue
from osler.knowledge.vocabulary import Persona
from osler.protocols.consultation import views
from osler.protocols.consultation.events import Advised, ConsultAsked, Presented, Registered
from osler.protocols.consultation.orders import OrderDesk
from osler.protocols.consultation.rules import Budget, Ledger
from osler.protocols.consultation.seats import (
    CONSULTANT,
    DOCTOR,
    SUMMARIZER,
    Ask,
    CallMdt,
    Finalize,
    RequestTest,
    Wait,
)
from osler.protocols.consultation.settings import Arm, Settings
from osler.protocols.shared.patient import PATIENT, Disclosure, VisitBegan
from osler.protocols.shared.views import patient_view

Move = Ask | RequestTest | CallMdt | Wait | Finalize

ROOM, IMAGING = "consulting room", "imaging"
QUESTION_MINUTES, CONSULT_MINUTES, FOLLOW_UP_MINUTES = 1, 10, 7 * 24 * 60
CONSULT_COST = 20
TELL_ALL = (
    "Please tell me everything about it in your own words, from the beginning, with all that you have noticed"
    " and whatever else I should know about you. I shall ask nothing more."
)
HEAR_FIRST = "Before a conclusion stands, the consultant is heard. Then it is your turn again."

TOLD_AT_ONCE: Final[Mapping[Arm, Literal["vignette", "statement", "record"]]] = {
    "vignette": "vignette",
    "single": "statement",
    "one-step": "record",
}
"""The formats in which nothing is asked or ordered, each with what the doctor is shown."""

TOLD: Final = "told_at_once"
"""The count of an outcome that says so, and the reason for scores that have no meaning then."""


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
        self._told = TOLD_AT_ONCE.get(settings.format_arm)
        self._patient = patient_view(
            case,
            persona=persona,
            unknown=settings.unknown,
            note_shown=settings.opening == "objective",
            tells_all=self._told == "statement",
        )
        self._disclosure = Disclosure(self._patient)
        self._has_consultant, self._heard = has_consultant, False
        self._listening: tuple[Seat, ...] = ("consultant",) if has_consultant and not self._told else ()
        if settings.format_arm == "summarized":
            self._listening += ("summarizer",)
        self._desk = OrderDesk(
            table,
            case,
            self._budget,
            self._ledger,
            settings.unknown,
            ("doctor", *self._listening),
            settings.pictures,
            catalogue() if settings.orders == "catalogue" else None,
            has_describer=has_describer,
        )

    async def play(self) -> Outcome:
        """Run the consultation. Raises only what must not end an episode: infrastructure faults,
        divergence."""
        return await outcome_of(self._table, self._until_the_end, self._counts)

    def _counts(self) -> dict[str, int]:
        budget = self._budget
        if self._told:  # there are no turns, tests or costs to speak of, which is not 0 of them
            return {TOLD: 1}
        spent = {"turns": budget.turns, "tests": budget.tests, "cost": budget.cost}
        return {**spent, **self._disclosure.counts, **self._desk.counts}

    async def _until_the_end(self) -> tuple[Status, str]:
        if self._told:
            return await self._told_at_once(self._told)
        self._take_seats()
        self._open()
        ended = await self._held()
        return await self._summarized(*ended) if self._settings.format_arm == "summarized" else ended

    async def _held(self) -> tuple[Status, str]:
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
            opening=self._settings.opening,
            allowed_tests=self._desk.catalogue,
        )
        table.seat(DOCTOR, doctor)
        table.seat(PATIENT, self._patient)
        self._desk.open()
        if self._has_consultant:
            about = views.consultant_view(self._case, options_shown=shown, opening=self._settings.opening)
            table.seat(CONSULTANT, about)
        if self._settings.format_arm == "summarized":
            table.seat(SUMMARIZER, views.summarizer_view(self._case, opening=self._settings.opening))

    def _open(self) -> None:
        table = self._table
        for place in (ROOM, IMAGING):
            table.tell(Placed, place=place)
        table.tell(VisitBegan, "doctor", "patient", visit=1)
        for who in ("doctor", "patient"):
            table.tell(Moved, who=who, place=ROOM)
        self._register()
        words = self._case.opening.words
        table.tell(Said, "doctor", "patient", *self._listening, by="patient", text=words)

    def _register(self) -> None:
        if form := self._settings.form:
            self._table.tell(Registered, "doctor", *self._listening, **form.model_dump())

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
        return await self._concludes()

    async def _concludes(self) -> bool:
        move: Move = await self._table.ask(DOCTOR, self._check_conclusion)
        return isinstance(move, Finalize)

    def _see_again(self, minute: int) -> None:
        """Close this visit and begin the next at `minute`."""
        self._budget.next_visit(minute)
        self._table.pass_time(minute - self._table.minute)
        self._table.tell(VisitBegan, "doctor", "patient", visit=self._budget.visit)

    # Other formats

    async def _told_at_once(self, told: Literal["vignette", "statement", "record"]) -> tuple[Status, str]:
        """Show the doctor the case in one go, and ask for the conclusion: there is no second turn."""
        table, case = self._table, self._case
        self._budget.turns += 1
        self._seat_told(told)
        match told:
            case "statement":
                table.seat(PATIENT, self._patient)
                self._open()
                await self._question(Ask(question=TELL_ALL))
            case "vignette":
                self._register()
                files = [finding.id for finding in case.findings if isinstance(finding.picture, ImageFile)]
                for item in (*(fact.id for fact in case.facts), *(finding.id for finding in case.findings)):
                    if item not in files:
                        table.tell(Released, item=item, gate="volunteered")
                table.tell(Presented, "doctor", how="vignette", text=views.vignette(case))
                if files:
                    self._desk.open()
                    await self._desk.show_all(files)
            case "record":
                self._register()
                for fact in views.told_facts(case):
                    table.tell(Released, item=fact.id, gate="volunteered")
                table.tell(Presented, "doctor", how="record", text=views.history(case))
                self._desk.open()
                await self._desk.show_all()
        return await self._from_what_is_told(Status.COMPLETED, "")

    async def _summarized(self, status: Status, why: str) -> tuple[Status, str]:
        """Have the consultation summarized, and ask the doctor anew, who is shown the summary and nothing
        else."""
        summary = await self._table.ask(SUMMARIZER)
        self._seat_told("summary")
        self._table.tell(Presented, "doctor", how="summary", text=summary.text)
        return await self._from_what_is_told(status, f"{why}; ")

    def _seat_told(self, told: Literal["vignette", "statement", "record", "summary"]) -> None:
        shown = self._settings.options == "shown"
        opening = self._settings.opening
        view = views.told_view(self._case, options_shown=shown, told=told, opening=opening)
        self._table.seat(DOCTOR, view)

    async def _from_what_is_told(self, status: Status, before: str) -> tuple[Status, str]:
        self._table.tell(TurnBegan, "doctor", turn=self._budget.turns, turns_left=0, last_chance=True)
        if await self._concludes():
            return status, f"{before}concluded from what was shown"
        return Status.OUT_OF_TURNS, f"{before}did not conclude from what was shown"

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
