"""Built-in tutors: Socratic, hasty, lecturer, announcer of the answer, silent, and parrot of the patient.

They serve as controls. Each gives one statement a round, with its thought in the tags the contract requires.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from osler.core.contract import OwnReply, Request
from osler.protocols.ward_round.events import Reviewed, RoundBegan, RoundLine
from osler.protocols.ward_round.monologue import Thought, inert, render_thought
from osler.protocols.ward_round.seats import Guidance, StepView, TutorView, wanted
from osler.text.key_points import share, told
from osler.text.named_answer import names_answer, without_answer

TutorTurn = Request[TutorView]
SILENCE: Final = "Please go on."
BRING_TOGETHER: Final = "What would bring all of this together?"
"""The question asked instead of a key question that names the answer."""
IN_ITS_PLACE: Final = (
    BRING_TOGETHER,
    "What speaks for it, and what against?",
    "What else would you want to know, and why?",
    "What would change if you were wrong?",
    "What follows from that for this patient?",
    "Which of these findings weighs most, and why?",
)
"""The questions asked instead of several such key questions: no two steps are asked in one wording."""
BEGUN: Final = 0.25
"""The share of a point's content words from which a student counts as having begun to make it."""
ASKED_AT_MOST: Final = 2
"""The number of times the Socratic tutor asks about a step before it moves on to the next."""


class Group(NamedTuple):
    """The tutor's record of the group: the numbers of the steps each student has stated, of the steps it has
    asked about itself, and the students whose last words made part of the point asked about."""

    said: dict[str, frozenset[int]]
    asked: tuple[int, ...]
    begun: tuple[str, ...] = ()

    def have_said(self, step: int) -> list[str]:
        """The names of the students who have stated a step."""
        return [name for name, steps in self.said.items() if step in steps]

    @property
    def covered(self) -> tuple[int, ...]:
        """The steps that more than half of the group has stated."""
        every = sorted({step for steps in self.said.values() for step in steps})
        return tuple(step for step in every if 2 * len(self.have_said(step)) > len(self.said))


def heard(request: TutorTurn) -> Group:
    """Read the record of the group off the tutor's feed."""
    view = request.view
    summaries = [step.summary for step in view.steps]
    said: dict[str, set[int]] = {name: set() for name in view.students}
    last: dict[str, str] = {}
    for item in request.feed:
        if type(item) is RoundLine and item.part == "analysis" and item.speaker in said:
            said[item.speaker].update(n + 1 for n in told(item.text, summaries))
            last[item.speaker] = item.text
    asked = _asked(request)
    begun = (
        name
        for name, text in last.items()
        if asked and asked[-1] not in said[name] and share(text, summaries[asked[-1] - 1]) >= BEGUN
    )
    return Group({name: frozenset(steps) for name, steps in said.items()}, asked, tuple(begun))


def _asked(request: TutorTurn) -> tuple[int, ...]:
    """The steps that this tutor's guidance has asked about so far, in order."""
    own = [
        item.reply.guidance
        for item in request.feed
        if type(item) is OwnReply and type(item.reply) is Guidance
    ]
    return tuple(
        s.number for text in own for s in request.view.steps if inert(_towards(s, request.view)) in text
    )


def this_round(request: TutorTurn) -> RoundBegan:
    """The event that announced the current round."""
    return next(item for item in reversed(request.feed) if type(item) is RoundBegan)


def guidance(request: TutorTurn, words: str, aim: str, covered: Sequence[int] = ()) -> Guidance:
    """Build a guidance, with a private thought if the view asks for one."""
    view, now = request.view, this_round(request)
    group = heard(request)
    thought = Thought(
        history=f"Round {now.round} of {view.max_rounds}.",
        question=inert(aim),
        students=tuple((name, _of_steps("has said", sorted(group.said[name]))) for name in view.students),
        group=_of_steps("Together they have said", sorted(set().union(*group.said.values()))),
        image="The images lie with the chart." if view.images else None,
    )
    monologue = render_thought(thought) if view.private_thought else ""
    return Guidance(internal_monologue=monologue, guidance=inert(words), covered_steps=tuple(covered))


def _of_steps(what: str, steps: Sequence[int]) -> str:
    return f"{what} {', '.join(map(str, steps))}." if steps else f"{what} no step yet."


class Socratic:
    """The Socratic tutor: asks about the first step that the group has not covered. It never states a step,
    nor the answer, even if a key question does."""

    name: Final = "socratic"
    durable: Final = False

    async def reply(self, request: TutorTurn) -> Guidance:
        """Ask the group one question, addressed to the students who have not stated the step."""
        group = heard(request)
        step = _next_step(request.view.steps, group)
        if step is None:
            return guidance(request, SILENCE, "All steps are covered.", group.covered)
        said = group.have_said(step.number)
        rest = [name for name in request.view.students if name not in said]
        words = _towards(step, request.view)
        if wanted(request) == "guide":
            words = (
                f"{_feedback(group, request.view.students)}{_and(rest)}, what do you make of this? {words}"
            )
        return guidance(request, words, f"Lead towards step {step.number}.", group.covered)


def _feedback(group: Group, students: Sequence[str]) -> str:
    """A word on the step asked about last: who has made its point and who part of it, or that nobody has; ""
    in the first round."""
    if not group.asked:
        return ""
    right = group.have_said(group.asked[-1])
    if len(right) == len(students):
        return "Yes, all of you have it. "
    more = f"{_and(group.begun)}, say more about that. " if group.begun else ""
    if right:
        return f"{_and(right)}, yes, that is it. {more}"
    return more or "That is not it yet. "


def _towards(step: StepView, view: TutorView) -> str:
    """A question that leads to a step without naming the answer."""
    if not names_answer(step.key_question, view.answer):
        return step.key_question
    if left := without_answer(step.key_question, view.answer):
        return left
    numbers = [s.number for s in view.steps if names_answer(s.key_question, view.answer)]
    return IN_ITS_PLACE[numbers.index(step.number) % len(IN_ITS_PLACE)]


def _next_step(steps: Sequence[StepView], group: Group) -> StepView | None:
    open_steps = [step for step in steps if step.number not in group.covered]
    fresh = [step for step in open_steps if group.asked.count(step.number) < ASKED_AT_MOST]
    return next(iter(fresh or open_steps), None)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


class Hasty:
    """The hasty tutor: its first draft of a round gives the answer away; once that is refused, it asks what
    the Socratic tutor asks. With strict reviewers its rounds are examples of revision."""

    name: Final = "hasty"
    durable: Final = False

    async def reply(self, request: TutorTurn) -> Guidance:
        """Give the answer away before the question, unless a draft of this round was refused."""
        answer = await Socratic().reply(request)
        if any(type(item) is Reviewed and not item.approved for item in _since_round_began(request)):
            return answer
        words = f"This is {request.view.answer}. {answer.guidance}"
        return answer.model_copy(update={"guidance": inert(words)})


def _since_round_began(request: TutorTurn) -> Sequence[object]:
    began = max(n for n, item in enumerate(request.feed) if type(item) is RoundBegan)
    return request.feed[began:]


class Lecturer:
    """The lecturer: tells the steps in order, spread evenly over the rounds."""

    name: Final = "lecturer"
    durable: Final = False

    async def reply(self, request: TutorTurn) -> Guidance:
        """State the summaries of the next steps."""
        view, now = request.view, this_round(request)
        each = -(-len(view.steps) // view.max_rounds)
        part = view.steps[(now.round - 1) * each : now.round * each]
        words = " ".join(step.summary for step in part) or SILENCE
        done = [step.number for step in view.steps[: now.round * each]]
        return guidance(request, words, "Tell them what they should know.", done)


class Announcer:
    """The announcer: gives away the answer in every round."""

    name: Final = "announcer"
    durable: Final = False

    async def reply(self, request: TutorTurn) -> Guidance:
        """State the answer to the case's own question."""
        return guidance(request, f"The answer is {request.view.answer}.", "Tell them the answer.")


class Silent:
    """The silent tutor: says nothing that could teach."""

    name: Final = "silent"
    durable: Final = False

    async def reply(self, request: TutorTurn) -> Guidance:
        """Say the same empty words in every round."""
        return guidance(request, SILENCE, "Say nothing.")


class Parrot:
    """The parrot: repeats the patient's last words."""

    name: Final = "parrot"
    durable: Final = False

    async def reply(self, request: TutorTurn) -> Guidance:
        """Repeat the patient's words, or the door note if there is no patient."""
        lines = [item.text for item in request.feed if type(item) is RoundLine and item.part == "statement"]
        words = inert(lines[-1] if lines else request.view.door_note)[:400] or SILENCE
        return guidance(request, words, "Repeat the patient.")
