"""The built-in student: knows some steps, has misconceptions, and learns by a declared theory.

Its initial knowledge depends only on its level and on the world's random numbers, so every tutor meets the
same student. Its analyses, questions and exam answers follow from its current knowledge. It is a baseline and
an instrument: its gain is *simulated gain* and says nothing about people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from hashlib import blake2b
from random import Random
from types import MappingProxyType
from typing import Any, Final

from osler.core.contract import OwnReply, Request, rng
from osler.core.order_events import Resulted
from osler.knowledge.vocabulary import Topic
from osler.protocols.ward_round.events import ExamItem, RoundLine
from osler.protocols.ward_round.players.learning import Curriculum, KeyedItem, Knowledge, learn
from osler.protocols.ward_round.players.student_voice import in_own_words
from osler.protocols.ward_round.seats import Action, Analysis, ExamReply, Level, StudentView, exam_now, wanted
from osler.protocols.ward_round.settings import Theory
from osler.text.key_points import asked, nearest, told
from osler.text.topics import canonical_question

PROFICIENCY: Final[Mapping[Level, float]] = MappingProxyType(
    {"beginner": 0.2, "intermediate": 0.45, "advanced": 0.7}
)
"""The probability that a step is held before the first round, by level."""
NEARLY: Final = 0.5
"""The probability that a step that is not held is nearly held."""
SPEAKS_UP, ASKS_PATIENT, ASKS_EXPERT = 0.8, 0.6, 0.3
SLIPS, GUESSES = 0.05, 0.15
"""The probability that an exam choice is random although the step is held, or if it is not: slip and guess
rates, as in a real exam."""
CONCLUDES: Final = 0.75
"""The minimum share of steps held for the student to work out the answer."""
NAMES_ANOTHER: Final = 0.5
"""The probability that a student who lacks a step names another diagnosis instead."""
UNSURE: Final = "I am not sure."
NOT_FOLLOWED: Final = "Sorry, I did not follow the question. Could you put it another way?"
_NO_IDEA: Final = (
    "I honestly don't know. I'd have to look that up.",
    "I can't put that together yet.",
    "I'm stuck there. Could you give us a hint?",
    "We had that in a lecture, but I can't recall it.",
)
_SUSPICIONS: Final = (
    "My first thought was {}, but I can't really say why.",
    "Couldn't this be {}?",
    "I was going to say {}. Is that too simple?",
    "It made me think of {}.",
)
# For options that are no diagnoses, such as "Order coagulation studies".
_CHOICES: Final = (
    "My first thought was: {}. But I can't really say why.",
    "I was going to say: {}. Is that too simple?",
)
_DIFFERENTIAL: Final = re.compile(
    r"\b(?:differential|diagnos\w+|what else"
    r"|could (?:it|this) be|what (?:is|do you think) (?:it|this|is wrong)"
    r"|most likely|suspect|going on|what are you thinking)\b",
    re.IGNORECASE,
)
_TYPICAL_OF: Final = "What are the typical findings of {}?"
_TOPICS: Final[tuple[Topic, ...]] = (
    "course",
    "character",
    "modifiers",
    "associated",
    "past_medical",
    "medications",
    "family",
    "tobacco",
    "exposure",
    "concerns",
)
StudentTurn = Request[StudentView]


class BaselineStudent:
    """The built-in student, with the profile given in the view. Stateless."""

    name: Final = "baseline"
    durable: Final = False

    def __init__(self, curriculum: Curriculum, theory: Theory) -> None:
        self._curriculum, self.theory = curriculum, theory

    @cached_property
    def fingerprint(self) -> str:
        """16 hex digits over the theory and the curriculum, which are part of an episode's key."""
        text = f"{self.theory}\x1f{self._curriculum.model_dump_json()}"
        return blake2b(text.encode(), digest_size=8).hexdigest()

    async def reply(self, request: Request[Any]) -> Analysis | Action | ExamReply:
        """Return the kind of reply that is wanted now: an analysis, an action or an exam."""
        match wanted(request):
            case "analyse":
                return self._analyse(request)
            case "act":
                return self._act(request)
            case _:
                return self._exam(request)

    def knowledge(self, request: StudentTurn) -> Knowledge:
        """The student's current knowledge."""
        first = at_first(
            request.view.you.level, _own_rng(request, "knowledge"), len(self._curriculum.lessons)
        )
        return learn(self.theory, first, request.feed, self._curriculum)

    # What it says

    def _analyse(self, request: StudentTurn) -> Analysis:
        """Answer the tutor's latest question, or state a step it holds; add a conclusion if it has one."""
        knows = self.knowledge(request)
        guided = [item.text for item in request.feed if type(item) is RoundLine and item.part == "guidance"]
        words = self._to(guided[-1], knows, request) if guided else ""
        words = words or self._of_its_own(knows, request)
        # Before the first guidance no student commits to a diagnosis.
        if guided and self._can_conclude(knows):
            words = f"{words} I think the answer is {self._curriculum.answer}."
        return Analysis(analysis_for_teacher=words)

    def _to(self, guidance: str, knows: Knowledge, request: StudentTurn) -> str:
        """Answer a question of the tutor's: about a step, about the chart, or for a differential; "" if it
        asks nothing, and a request to put it another way if the question is not understood."""
        if "?" not in guidance:
            return ""
        points = [f"{lesson.key_question} {lesson.summary}" for lesson in self._curriculum.lessons]
        step = asked(guidance, self._curriculum.key_questions)
        if step is None:
            step = nearest(guidance, points)
        if step is not None:
            return self._on(step, knows, request)
        if shown := _asked_on_chart(guidance, request):
            return f"The {shown.name} says: {shown.text}"
        if _DIFFERENTIAL.search(guidance):
            return self._differential(request)
        return NOT_FOLLOWED

    def _on(self, step: int, knows: Knowledge, request: StudentTurn) -> str:
        """Answer a question about a step: with its point, or wrongly."""
        turn = sum(type(item) is OwnReply for item in request.feed)
        tries = _own_rng(request, f"speaks up {turn}").random() < SPEAKS_UP
        if knows.holds[step] or (tries and knows.can_answer(step)):
            return self._point(step, request, guided=True) or UNSURE
        return self._mistaken(step, request)

    def _of_its_own(self, knows: Knowledge, request: StudentTurn) -> str:
        """State a step it holds and has not said yet; failing that, a guess."""
        before = {
            step
            for item in request.feed
            if type(item) is OwnReply and type(item.reply) is Analysis
            for step in told(item.reply.analysis_for_teacher, self._curriculum.summaries)
        }
        guided = any(type(item) is RoundLine and item.part == "guidance" for item in request.feed)
        for step, held in enumerate(knows.holds):
            if held and step not in before and (point := self._point(step, request, guided=guided)):
                return point
        lacking = [step for step, held in enumerate(knows.holds) if not held]
        return self._mistaken(lacking[0], request) if lacking else "I have nothing to add."

    def _point(self, step: int, request: StudentTurn, *, guided: bool) -> str:
        """A step's point in the student's own words; before any guidance, the answer is left unsaid."""
        dice = _own_rng(request, f"own words {step}")
        hide = () if guided else (self._curriculum.answer, *self._curriculum.answer_names)
        return in_own_words(self._curriculum.lessons[step].summary, request.view.you.level, dice, hide)

    def _mistaken(self, step: int, request: StudentTurn) -> str:
        """A learner's wrong or empty answer about a step: a diagnosis the case is not, or no idea."""
        dice = _own_rng(request, f"mistaken {step}")
        others = self._curriculum.alternatives
        if others and dice.random() < NAMES_ANOTHER:
            wordings = _SUSPICIONS if self._curriculum.diagnoses else _CHOICES
            return dice.choice(wordings).format(dice.choice(others))
        return dice.choice(_NO_IDEA)

    def _differential(self, request: StudentTurn) -> str:
        dice = _own_rng(request, "differential")
        others = list(self._curriculum.alternatives)
        if not others:
            return UNSURE
        named = dice.sample(others, min(2, len(others)))
        return f"I would think of {' or '.join(named)}, but I could not tell you which yet."

    def _misconception(self, keyed: KeyedItem, request: StudentTurn) -> str:
        wrong = sorted(key for key in keyed.item.options or {} if key != keyed.answer) or [keyed.answer]
        return _own_rng(request, f"misconception {keyed.item.id}").choice(wrong)

    def _can_conclude(self, knows: Knowledge) -> bool:
        return knows.heard_answer or knows.share >= CONCLUDES

    # What it does

    def _act(self, request: StudentTurn) -> Action:
        """Ask the patient about a topic not yet raised, the expert about an alternative diagnosis that nobody
        was heard to ask about."""
        turn = sum(type(item) is OwnReply for item in request.feed)
        dice = _own_rng(request, f"acts {turn}")
        heard = {item.text for item in request.feed if type(item) is RoundLine and item.part == "question"}
        heard |= {
            item.reply.query_for_patient
            for item in request.feed
            if type(item) is OwnReply and type(item.reply) is Action and item.reply.query_for_patient
        }
        open_topics = [q for topic in _TOPICS if (q := canonical_question(topic)) not in heard]
        to_patient = request.view.has_patient and open_topics and dice.random() < ASKS_PATIENT
        queried = {item.text for item in request.feed if type(item) is RoundLine and item.part == "query"}
        others = [
            query
            for other in self._curriculum.alternatives
            if self._curriculum.diagnoses and (query := _TYPICAL_OF.format(other)) not in queried
        ]
        to_expert = request.view.has_expert and others and dice.random() < ASKS_EXPERT
        return Action(
            query_for_patient=dice.choice(open_topics) if to_patient else None,
            query_for_expert=dice.choice(others) if to_expert else None,
        )

    # What it answers in an exam

    def _exam(self, request: StudentTurn) -> ExamReply:
        knows = self.knowledge(request)
        siblings = {each.item.id: each for each in self._curriculum.siblings}
        answers: dict[str, str] = {}
        for item in exam_now(request).items:
            if (keyed := siblings.get(item.id)) is not None:
                answers[item.id] = self._choice(keyed, knows.holds[keyed.step], request)
            elif (step := self._step_asked(item)) is not None:
                answers[item.id] = self._point(step, request, guided=True) if knows.holds[step] else UNSURE
            else:
                answers[item.id] = self._conclusion(item, knows, request)
        return ExamReply(answers=answers)

    def _choice(self, keyed: KeyedItem, held: bool, request: StudentTurn) -> str:
        """Choose the right option if the step is held, else the misconception; sometimes a random one."""
        dice = _own_rng(request, f"exam {exam_now(request).when} {keyed.item.id}")
        if dice.random() < (SLIPS if held else GUESSES):
            return dice.choice(sorted(keyed.item.options or {}))
        return keyed.answer if held else self._misconception(keyed, request)

    def _step_asked(self, item: ExamItem) -> int | None:
        questions = self._curriculum.key_questions
        return questions.index(item.question) if item.question in questions else None

    def _conclusion(self, item: ExamItem, knows: Knowledge, request: StudentTurn) -> str:
        """Answer the case's own question, rightly or wrongly; by an option's key if it has options."""
        right, others = self._curriculum.answer, self._curriculum.alternatives
        dice = _own_rng(request, "conclusion")
        if item.options:
            wrong = sorted(key for key, text in item.options.items() if text != right)
            keys = [key for key, text in item.options.items() if text == right]
            return keys[0] if keys and (self._can_conclude(knows) or not wrong) else dice.choice(wrong)
        if self._can_conclude(knows):
            return right
        return dice.choice(others) if others else UNSURE


def at_first(level: Level, dice: Random, steps: int) -> Knowledge:
    """Draw the initial knowledge of a student of a level."""
    draws = [(dice.random(), dice.random()) for _ in range(steps)]
    holds = tuple(first < PROFICIENCY[level] for first, _ in draws)
    return Knowledge(
        holds, tuple(held or second < NEARLY for held, (_, second) in zip(holds, draws, strict=True))
    )


def _asked_on_chart(question: str, request: StudentTurn) -> Resulted | None:
    """The result on the chart that a question names, if it names one."""
    shown = [item for item in request.feed if type(item) is Resulted and item.returned]
    asked_for = question.casefold()
    return next((item for item in reversed(shown) if item.name.casefold() in asked_for), None)


def _own_rng(request: StudentTurn, purpose: str) -> Random:
    """The random generator of this student in this world, independent of the tutor."""
    return rng(request.world, f"student {request.view.you.name}", purpose)
