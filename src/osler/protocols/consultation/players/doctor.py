"""The built-in doctor: broad questions, then the most information gain per effort, then a conclusion.

An honest baseline that uses no model: it knows only what its `Knowledge` holds, and on cases beyond that it
will be wrong. It is stateless; equal notes give equal moves, which are cached.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from osler.knowledge.conditions import Knowledge, knowledge
from osler.knowledge.first_orders import called_for
from osler.knowledge.formulary import formulary
from osler.protocols.consultation.events import WorkingDiagnosis
from osler.protocols.consultation.players.doctor_belief import Belief, Sex, Tables, believe, gains, tables
from osler.protocols.consultation.players.doctor_conclusion import conclude
from osler.protocols.consultation.players.doctor_notes import UNCLEAR, Step, take_notes
from osler.protocols.consultation.seats import Ask, CallMdt, DoctorTurn, Finalize, RequestTest, Wait
from osler.text.topics import canonical_question

Move = Ask | RequestTest | CallMdt | Wait | Finalize

OPENERS: Final = (
    canonical_question("course"),
    f"{canonical_question('character')} {canonical_question('modifiers')}",
    canonical_question("associated"),
    f"{canonical_question('past_medical')} {canonical_question('medications')}",
)
LOST: Final = canonical_question("systems")
"""Asked once if no diagnosis stands out after the openers."""
_WORTH_IT: Final = 0.02  # minimum gain in nats per minute for a question or test to be worth it
_WORTH_IT_AT_A_LOSS: Final = 0.008
_CONFIDENT: Final = 0.9
_LEANING: Final = 0.5  # minimum posterior at which confirming tests come first
_UNDECIDED: Final = 0.6
_SHORT_OF_TURNS: Final = 4
_A_QUESTION: Final = 4  # turns in all for each broad question: with few turns there are fewer of them
_FIRST_ORDERS: Final = 3  # tests in all, up to which the complaint alone calls for another
_REFUSALS: Final = 2


class _Situation(NamedTuple):
    """The inputs of a move besides the notes: the patient, the task, and the limits as far as they matter
    (`broad`: the number of broad questions there are turns for). Hashable, as part of the cache key."""

    age: float | None
    sex: Sex | None
    options: tuple[tuple[str, str], ...]
    allowed: tuple[str, ...] | None
    can_call: bool
    broad: int
    must_end: bool
    short: bool
    tests_left: bool
    cost_left: int | None


class BaselineDoctor:
    """The built-in doctor, one move a turn. `knowing` is its medical knowledge (default: the packaged
    one)."""

    name: Final = "baseline"
    durable: Final = False

    def __init__(self, knowing: Knowledge | None = None) -> None:
        self._knowing = knowing

    async def reply(self, request: DoctorTurn) -> Move:
        """Return the next move: a pure function of the request."""
        view, (steps, turn, refused) = request.view, take_notes(request)
        situation = _Situation(
            view.age_years,
            view.sex,
            tuple(view.task.options.items()) if view.task.options else (),
            view.allowed_tests,
            view.has_consultant,
            min(view.max_total_turns // _A_QUESTION, len(OPENERS) + 1),
            turn.last_chance or refused or turn.turns_left < 1,
            turn.turns_left < _SHORT_OF_TURNS,
            turn.tests_left is None or turn.tests_left > 0,
            turn.cost_left,
        )
        return _move(self._knowing or knowledge(), situation, steps)


@lru_cache(maxsize=8192)
def _move(knowing: Knowledge, situation: _Situation, steps: tuple[Step, ...]) -> Move:
    of = tables(knowing)
    shown = tuple(text for _, text in situation.options)
    belief = believe(of, situation.age, situation.sex, shown, steps)
    if situation.must_end:
        return conclude(of, belief, steps, situation.options)
    return _Choice(of, situation, steps, belief).move()


class _Choice:
    """The choice of one move, with the belief and the notes it is based on."""

    def __init__(self, of: Tables, situation: _Situation, steps: tuple[Step, ...], belief: Belief) -> None:
        self.of, self.situation, self.steps, self.belief = of, situation, steps, belief
        self.story = belief.story
        self.asked = {name for what, name, _ in steps if what == "asked"}
        self.working = differential(of, belief)
        self.top = belief.ranked[0]
        self.sure = float(belief.posterior[self.top])

    def move(self) -> Move:
        """Try in order: an unclear order again, broad questions, what the complaint calls for, confirming
        tests, the most informative action, waiting, concluding.

        When short of turns, the doctor waits for pending results rather than asking on. It calls the
        consultant if it is undecided and short of turns, or has nothing left to ask.
        """
        return (
            self._again()
            or self._opener()
            or self._settled()
            or self._called_for()
            or self._confirm()
            or ((self._call() or self._wait()) if self.situation.short else None)
            or self._teaching()
            or self._wait()
            or self._call()
            or conclude(self.of, self.belief, self.steps, self.situation.options)
        )

    def _again(self) -> Move | None:
        """Repeat an order refused as unclear, once, by its name in the formulary."""
        what, ordered, words = self.steps[-1]
        action = self.of.at.get(ordered) if what == "refused" and UNCLEAR in words else None
        if action is None or (name := self.of.actions[action].name) == ordered:
            return None
        return self._order(action, name, "By its full name.")

    def _opener(self) -> Move | None:
        broad = self.situation.broad
        for question in OPENERS[:broad]:
            if question not in self.asked:
                return self._ask(question, "The patient's own story first.")
        if broad > len(OPENERS) and self.sure < _LEANING and LOST not in self.asked:
            return self._ask(LOST, "Nothing stands out yet.")
        advised = self.story.advised
        if advised and advised not in self.asked:
            return self._ask(advised, "As the consultant suggests.")
        return None

    def _settled(self) -> Move | None:
        """Conclude early under a bias of premature closure."""
        if not self.story.settles or self.sure < self.story.settles:
            return None
        return conclude(self.of, self.belief, self.steps, self.situation.options)

    def _called_for(self) -> Move | None:
        """Ask and order what the complaint calls for whatever the doctor thinks of, a few tests at most.

        Where the first tests asked for cannot be had, no more are asked for in this way.
        """
        if self.situation.short or self._futile():
            return None
        items = self.of.knowing.findings
        present = {items[i].id for i, is_present in self.story.known.items() if is_present}
        ordered = {name for what, name, _ in self.steps if what == "ordered"}
        tests = sum(not _is_examination(name) for name in ordered)
        for step in called_for(present, self.situation.age, self.situation.sex):
            if step.ask and step.ask not in self.asked:
                return self._ask(step.ask, "The complaint calls for it.")
            for name in step.order:
                if name in ordered or (tests >= _FIRST_ORDERS and not _is_examination(name)):
                    continue
                if self._may_order_by_name(name):
                    why = "The complaint calls for it, whatever the cause."
                    return self._request(name, why)
        return None

    def _futile(self) -> bool:
        """Whether no order has brought a result, and several were refused."""
        refused = sum(what == "refused" for what, _, _ in self.steps)
        return refused >= _REFUSALS and not self.story.results

    def _may_order_by_name(self, name: str) -> bool:
        action = self.of.at.get(name)
        if action is not None:
            return action not in self.story.done and self._may_order(action)
        entry, situation = formulary().find(name), self.situation
        allowed = situation.allowed is None or name in situation.allowed
        cheap = situation.cost_left is None or (entry is not None and entry.cost <= situation.cost_left)
        return entry is not None and allowed and cheap and situation.tests_left

    def _confirm(self) -> Move | None:
        """Order the examinations and tests that would best confirm the leading diagnosis."""
        if self.sure < _LEANING:
            return None
        for action in self.of.telling[self.top]:
            if action not in self.story.done and self._may_order(action):
                name = self.of.knowing.conditions[self.top].name
                return self._order(action, self.of.actions[action].words, f"To confirm {name}.")
        return None

    def _teaching(self) -> Move | None:
        """Take the most informative action per effort, unless the doctor is sure enough or it is not worth
        the effort."""
        if self.sure >= _CONFIDENT and self.story.results:
            return None
        worth_it = _WORTH_IT if self.sure >= _LEANING else _WORTH_IT_AT_A_LOSS
        rates = gains(self.of, self.belief)
        while rates[best := int(rates.argmax())] >= worth_it:
            doing = self.of.actions[best]
            if doing.kind == "ask":
                return self._ask(doing.words, self._between())
            if self._may_order(best):
                return self._order(best, doing.words, self._between())
            rates[best] = 0
        return None

    def _wait(self) -> Move | None:
        return self._with(Wait()) if self.story.pending else None

    def _call(self) -> Move | None:
        if not self.situation.can_call or self.story.called or self.sure >= _UNDECIDED:
            return None
        return self._with(CallMdt(question="What would you ask or do next?", rationale=(self._between(),)))

    def _may_order(self, action: int) -> bool:
        doing, situation = self.of.actions[action], self.situation
        if situation.allowed is not None and not {doing.words, doing.name} & set(situation.allowed):
            return False
        if situation.cost_left is not None and doing.cost > situation.cost_left:
            return False
        return doing.kind == "examination" or (situation.tests_left and not situation.short)

    def _between(self) -> str:
        names = [line.name for line in self.working[:2]]
        return f"To tell {' from '.join(names)}."

    def _ask(self, question: str, why: str) -> Move:
        return Ask(question=question, rationale=(why,), working_diagnoses=self.working)

    def _order(self, action: int, words: str, why: str) -> Move:
        if self.situation.allowed is not None and words not in self.situation.allowed:
            words = self.of.actions[action].name
        return RequestTest(test_name=words, rationale=(why,), working_diagnoses=self.working)

    def _request(self, name: str, why: str) -> Move:
        """Order by a name that may be one of several of what is ordered."""
        action = self.of.at.get(name)
        if action is not None:
            return self._order(action, name, why)
        return RequestTest(test_name=name, rationale=(why,), working_diagnoses=self.working)

    def _with(self, move: Wait | CallMdt) -> Move:
        return move.model_copy(update={"working_diagnoses": self.working})


@lru_cache(maxsize=1024)
def _is_examination(name: str) -> bool:
    entry = formulary().find(name)
    return entry is not None and entry.kind == "examination"


def differential(of: Tables, belief: Belief, most: int = 5) -> tuple[WorkingDiagnosis, ...]:
    """The differential: the likeliest conditions with their probabilities, most likely first."""
    rows = belief.ranked[:most]
    chances = belief.posterior.take(rows).tolist()
    return tuple([_line(of.names[row], round(p, 2)) for row, p in zip(rows, chances, strict=True)])


@lru_cache(maxsize=16384)
def _line(name: str, confidence: float) -> WorkingDiagnosis:
    return WorkingDiagnosis(name=name, confidence=confidence)
