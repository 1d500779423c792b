"""The teaching ward round: a patient, a cohort of students, and a tutor who is reviewed before it speaks.

After ClinEdu's Algorithm 1. The story is `_story` and `_one_round`; the rest implements their steps. The
longest chain of dependent questions in a round whose first draft is approved is five: analyses, draft,
reviews, actions, answers. A draft is spoken only after every reviewer's approval: a round without it has no
guidance, and a reviewer who gives no valid verdict ends the encounter as a fault of the simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from osler.cases.model import Case, TeachingPlan
from osler.core.contract import Contract
from osler.core.ending import outcome_of
from osler.core.events import Noticed, Seat
from osler.core.order_events import Resulted
from osler.core.table import Check, Table
from osler.core.trace import Outcome
from osler.errors import Status
from osler.knowledge.vocabulary import Persona
from osler.protocols.shared.patient import PATIENT, Disclosure, PatientReply
from osler.protocols.shared.views import patient_view
from osler.protocols.ward_round import views as teaching
from osler.protocols.ward_round.events import (
    Claimed,
    Covered,
    ExamSet,
    PointClaimed,
    Reviewed,
    RoundBegan,
    RoundLine,
    Unguided,
    Visibility,
    Wanted,
)
from osler.protocols.ward_round.rules import (
    check_action,
    check_exam,
    check_explanations,
    check_guidance,
    readers,
    verdict_of,
)
from osler.protocols.ward_round.seats import (
    EXPERT,
    SPECIALIST,
    SUPERVISOR,
    TUTOR,
    Action,
    Analysis,
    FactCheck,
    Guidance,
    StudentProfile,
    acting,
    analysing,
    examined,
    student_seats,
)
from osler.protocols.ward_round.settings import RoundSettings
from osler.text.key_points import told

STATEMENT_MINUTES, ANALYSIS_MINUTES, GUIDANCE_MINUTES, ANSWER_MINUTES = 1, 2, 2, 2
NO_GUIDANCE = "The tutor gives no guidance in this round."
NOT_ANSWERED = "The expert has no answer to that: it knows general medicine alone, and not all of it."
_REVIEWERS: tuple[Contract[Any, Any], ...] = (SPECIALIST, SUPERVISOR)


class WardRound:
    """One ward round at a table. `play` runs it once and returns its outcome.

    `plan` is the tutor's teaching plan: the case's own unless a control arm supplies another. Patient,
    specialist, supervisor and expert take part if `seated` names them.
    """

    def __init__(
        self,
        table: Table,
        case: Case,
        settings: RoundSettings,
        persona: Persona,
        cohort: Sequence[StudentProfile],
        *,
        seated: Sequence[Seat],
        plan: TeachingPlan | None = None,
    ) -> None:
        self._table, self._case, self._settings, self._cohort = table, case, settings, cohort
        self._students = student_seats(len(cohort))
        self._names: dict[Seat, str] = {
            **{seat: student.name for seat, student in zip(self._students, cohort, strict=True)},
            **{seat: seat.capitalize() for seat in ("tutor", "patient", "expert")},
        }
        self._plan = plan or teaching.teaching_plan(case)
        self._points = tuple(step.summary for step in self._plan.steps)
        self._tutor = teaching.tutor_view(
            case,
            self._plan,
            cohort,
            max_rounds=settings.max_rounds,
            max_drafts=settings.max_drafts,
            private_thought=settings.private_thought,
        )
        self._patient = patient_view(case, persona=persona, unknown=settings.unknown)
        others: tuple[Seat, ...] = ("tutor", "patient", "specialist", "supervisor", "expert")
        self._taken = (*self._students, *(seat for seat in others if seat in seated))
        self._reviewers = [reviewer for reviewer in _REVIEWERS if reviewer.seat in self._taken]
        self._disclosure = Disclosure(self._patient)
        self._chart = list(teaching.chart_by_round(case, rounds=settings.max_rounds))
        self._results = 0
        self._said: list[str] = []
        self._stated: set[int] = set()
        self._covered: set[int] = set()
        self._rounds = 0

    async def play(self) -> Outcome:
        """Run the round. Raises only what must not end an episode: infrastructure faults, divergence."""
        return await outcome_of(self._table, self._story, self._counts)

    def _counts(self) -> dict[str, int]:
        return {"turns": self._rounds, **self._disclosure.counts}

    async def _story(self) -> tuple[Status, str]:
        self._take_seats()
        await self._exam("before")
        most = self._settings.max_rounds
        ending = "the only round is over" if most == 1 else f"all {most} rounds are over"
        while self._rounds < most:
            await self._one_round()
            if len(self._covered) == len(self._plan.steps):
                ending = "all steps are covered"
                break
        while self._chart:
            self._add_to_chart()
        await self._exam("after")
        return Status.COMPLETED, ending

    async def _one_round(self) -> None:
        self._begin_round()
        await self._analyse()
        await self._guide()
        actions = await self._act()
        await self._answer(actions)

    # Before the first round

    def _take_seats(self) -> None:
        table, case, settings, cohort = self._table, self._case, self._settings, self._cohort
        strict = settings.reviewers == "strict"
        has_patient, has_expert = "patient" in self._taken, "expert" in self._taken
        for index, seat in enumerate(self._students):
            view = teaching.student_view(
                case,
                cohort,
                index,
                max_rounds=settings.max_rounds,
                patient=has_patient,
                expert=has_expert,
                all_hear_expert=settings.expert_heard_by == "all",
            )
            table.seat(analysing(seat), view)
        table.seat(TUTOR, self._tutor)
        if has_patient:
            table.seat(PATIENT, self._patient)
        if "specialist" in self._taken:
            table.seat(SPECIALIST, teaching.specialist_view(case, strict=strict))
        if "supervisor" in self._taken:
            table.seat(SUPERVISOR, teaching.supervisor_view(cohort, strict=strict))
        if has_expert:
            table.seat(EXPERT, teaching.expert_view())

    async def _exam(self, when: Literal["before", "after"]) -> None:
        """Have each student sit the same exam alone. The answers are never shown to any seat."""
        items = teaching.exam_items(self._case, with_steps=self._settings.exam == "all")
        for seat in self._students:
            self._table.tell(ExamSet, seat, when=when, items=items)
        self._table.tell(Wanted, *self._students, act="exam")
        await self._table.ask_all(
            [(examined(seat), lambda reply: check_exam(reply, items)) for seat in self._students]
        )

    # The round

    def _begin_round(self) -> None:
        self._rounds += 1
        left = self._settings.max_rounds - self._rounds
        self._table.tell(RoundBegan, *self._taken, round=self._rounds, rounds_left=left)
        if self._rounds == 1 and "patient" in self._taken:
            self._line("statement", "patient", "student&patient", self._case.opening.words)
            self._table.pass_time(STATEMENT_MINUTES)
        self._add_to_chart()

    def _add_to_chart(self) -> None:
        """Show the students the next part of the chart."""
        for sheet in self._chart.pop(0):
            self._results += 1
            self._table.tell(
                Resulted,
                *self._students,
                order=self._results,
                name=sheet.name,
                text=sheet.result,
                returned=True,
                picture=sheet.picture,
                finding_kind=sheet.kind,
            )

    async def _analyse(self) -> None:
        table, order = self._table, list(self._students)
        if self._settings.order == "drawn":
            table.rng(f"order of analyses {self._rounds}").shuffle(order)
        table.tell(Wanted, *self._students, act="analyse")
        analyses: list[Analysis] = await table.ask_all([(analysing(seat), None) for seat in order])
        for seat, analysis in zip(order, analyses, strict=True):
            self._line("analysis", seat, "teacher", analysis.analysis_for_teacher)
            self._said.append(f"{self._names[seat]}: {analysis.analysis_for_teacher}")
            self._stated |= {n + 1 for n in told(analysis.analysis_for_teacher, self._points)}
        table.pass_time(ANALYSIS_MINUTES)

    async def _guide(self) -> None:
        """Draft and review until every reviewer approves; without approval the students are told nothing."""
        table, tries = self._table, self._settings.max_drafts
        against: list[str] = []
        for draft in range(1, tries + 1):
            table.tell(Wanted, "tutor", act="guide" if draft == 1 else "revise")
            turn = await table.ask(TUTOR, self._check_turn)
            table.pass_time(GUIDANCE_MINUTES)
            against, confirmed = await self._review(turn)
            if not against:
                self._line("guidance", "tutor", "teacher&student", turn.guidance)
                self._count(set(turn.covered_steps) & (self._stated | confirmed))
                return
        reason = f"no draft of {tries} was approved; the last was rejected by {' and '.join(against)}"
        table.tell(Unguided, "tutor", reason=reason)
        table.tell(Noticed, *self._students, text=NO_GUIDANCE)

    async def _review(self, turn: Guidance) -> tuple[list[str], set[int]]:
        """Return the reviewers who reject a draft, and the claimed steps that the specialist confirms. They
        review it concurrently, without seeing each other's verdict."""
        table, reviewers = self._table, self._reviewers
        self._line("draft", "tutor", "teacher_private", turn.guidance)
        if not reviewers:
            return [], set()
        claimed = sorted(set(turn.covered_steps) - self._covered - self._stated)
        if claimed and SPECIALIST in reviewers:
            points = tuple(PointClaimed(number=n, summary=self._points[n - 1]) for n in claimed)
            table.tell(Claimed, SPECIALIST.seat, steps=points, said=tuple(self._said))
        table.tell(Wanted, *(reviewer.seat for reviewer in reviewers), act="review")
        reviews = await table.ask_all([(reviewer, None) for reviewer in reviewers])
        verdicts = {r.seat: verdict_of(review) for r, review in zip(reviewers, reviews, strict=True)}
        for seat, verdict in verdicts.items():
            table.tell(Reviewed, "tutor", by=seat, **verdict._asdict())
        confirmed = {n for review in reviews if isinstance(review, FactCheck) for n in review.covered_steps}
        return [seat for seat, verdict in verdicts.items() if not verdict.approved], confirmed

    def _count(self, steps: set[int]) -> None:
        """Count steps as covered, and tell the tutor if there are new ones."""
        if steps - self._covered:
            self._covered |= steps
            self._table.tell(Covered, "tutor", steps=tuple(sorted(self._covered)))

    async def _act(self) -> list[Action]:
        table = self._table
        table.tell(Wanted, *self._students, act="act")
        return await table.ask_all([(acting(seat), self._check_action) for seat in self._students])

    async def _answer(self, actions: Sequence[Action]) -> None:
        """Ask patient and expert concurrently: one answer to all the questions, one to each query."""
        table = self._table
        acted = list(zip(self._students, actions, strict=True))
        questions = [(seat, act.query_for_patient) for seat, act in acted if act.query_for_patient]
        queries = [(seat, act.query_for_expert) for seat, act in acted if act.query_for_expert]
        pairs: list[tuple[Contract[Any, Any], Check | None]] = []
        if questions:
            for seat, text in questions:
                self._disclosure.heard.append(text)
                self._line("question", seat, "student&patient", text)
            table.tell(Wanted, "patient", act="answer")
            pairs.append((PATIENT, self._disclosure.check))
        if queries:
            for seat, text in queries:
                self._line("query", seat, "student", text, self._hearing_expert(seat))
            table.tell(Wanted, "expert", act="answer")
            pairs.append((EXPERT, lambda reply: check_explanations(reply, len(queries))))
        table.pass_time(ANSWER_MINUTES if pairs else 0)
        replies = await table.ask_all(pairs)
        if questions:
            self._patient_said(replies[0])
        if queries:
            for (seat, _), given in zip(queries, replies[-1].explanations, strict=True):
                text = given.explanation if given.answer_provided else NOT_ANSWERED
                self._line("explanation", "expert", "student", text, self._hearing_expert(seat))

    def _patient_said(self, reply: PatientReply) -> None:
        self._line("statement", "patient", "student&patient", reply.answer)
        self._disclosure.release(reply, self._table)

    # Who hears what

    def _hearing_expert(self, asker: Seat) -> tuple[Seat, ...]:
        return self._students if self._settings.expert_heard_by == "all" else (asker,)

    def _line(
        self, part: str, by: Seat, visibility: Visibility, text: str, students: Sequence[Seat] = ()
    ) -> None:
        to = readers(visibility, self._taken, by=by, students=students)
        self._table.tell(
            RoundLine, *to, part=part, by=by, speaker=self._names[by], visibility=visibility, text=text
        )

    # What is allowed

    def _check_turn(self, turn: Guidance) -> None:
        check_guidance(turn, self._tutor)

    def _check_action(self, action: Action) -> None:
        check_action(action, self._taken)
