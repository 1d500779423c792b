"""Learning gain as a reward: how much built-in students hold after a turn that they did not hold before.

    gain = (held after - held before) / (all that could be held - held before)     over all students and steps

Each student begins with what the world gave it, has heard and said what stands in the state's own prompt,
hears the turn, and writes one more analysis. Nothing in it reads style, so it is a control for rewards that
do. It is simulated gain under one declared theory, and says nothing about people: a policy trained on it
learns the theory. So every score carries the gain under the other theories too.

A turn that would not be heard is -1, below any gain, and one that names the answer before a student did gains
nothing. Where nothing is left to learn there is no score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, get_args

from osler.core.contract import OwnReply, Request, rng
from osler.core.events import Event
from osler.core.judge import version_of
from osler.errors import BadInput
from osler.protocols.ward_round.events import RoundBegan, RoundLine, Wanted
from osler.protocols.ward_round.players.learning import Curriculum, Knowledge, Lesson, learn
from osler.protocols.ward_round.players.student import BaselineStudent, at_first
from osler.protocols.ward_round.seats import Analysis, Level, StudentProfile, StudentView
from osler.protocols.ward_round.settings import Theory
from osler.protocols.ward_round.training.bedside import Bedside, bedside, read_turn
from osler.protocols.ward_round.training.of_tutor import OfTutor
from osler.protocols.ward_round.training.probes import COPIED, TOLD
from osler.training.reward.score import RewardOptions, Score, without_score
from osler.training.state import State, text_of

VERSION: Final = "1"
THEORIES: Final[tuple[Theory, ...]] = get_args(Theory)
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
NOT_HEARD: Final = -1.0
NOTHING_LEFT: Final = "nothing_left_to_learn"
_USUAL: Final[Level] = "intermediate"
_LONGEST: Final = 4000
_SAID: Final = re.compile(
    r"^(?P<who>[^\n<>]{1,60}): <(?P<tag>analysis|expert_says)>(?P<text>[^<]*)</(?P=tag)>", re.MULTILINE
)
_REJECTED: Final = re.compile(r"^The (?:specialist|supervisor) rejects it ", re.MULTILINE)
_TAGGED: Final = re.compile(r"<think_\w+[^<>\n]{0,200}>.*?</think_\w+>", re.DOTALL)
CAUTION: Final = (
    "Simulated gain of built-in students under one declared theory of learning ({}): no evidence about"
    " people, nor about teaching. A policy learns the theory; its gain under the others stands beside."
)
_TELLS: Final[tuple[Theory, ...]] = ("telling", "novice")
_MEANT: Final = "meant so: under the theory {}, a point that is told is learnt, whoever made it first"
_PARTS: Final = MappingProxyType({"analysis": "analysis", "expert_says": "explanation"})


class EarlierWords(NamedTuple):
    """One thing said before a state: its part (guidance, analysis, explanation), by whom, and the words."""

    part: str
    who: str
    text: str


class Gain(OfTutor):
    """Learning gain of built-in students under one theory, with that under the others as axes."""

    name = "gain"

    def __init__(self, options: RewardOptions = RewardOptions()) -> None:  # noqa: B008 - a tuple
        result = next((theory for theory in THEORIES if theory == options.theory), None)
        if result is None:
            raise BadInput(
                f"no theory of learning is called {options.theory!r}",
                where="--theory",
                hint=", ".join(THEORIES),
            )
        self.theory: Theory = result
        self.caution = CAUTION.format(result)
        self.concedes = dict.fromkeys((TOLD, COPIED), _MEANT.format(result)) if result in _TELLS else {}
        self.version = version_of(VERSION, theory=self.theory)

    async def score(self, state: State, text: str, /) -> Score:
        """Score a turn. Raises BadInput for a state of another seat."""
        at = bedside(state)
        spoken = read_turn(text, at, thinks=at.thinks())
        if spoken.breach:
            return Score(NOT_HEARD, axes=dict.fromkeys(THEORIES, NOT_HEARD), quotes={"form": spoken.breach})
        gains = {theory: await gain_of(state, at, spoken.turn.guidance, theory) for theory in THEORIES}
        known: dict[str, float] = {theory: gain for theory, gain in gains.items() if gain is not None}
        total = gains[self.theory]
        return without_score(NOTHING_LEFT) if total is None else Score(total, axes=known)


async def gain_of(state: State, at: Bedside, guidance: str, theory: Theory) -> float | None:
    """The gain of guidance at a state under a theory, `None` where nothing is left to learn; 0 if it names
    the answer first."""
    lessons = tuple(Lesson(key_question=step.question, summary=step.summary) for step in at.steps)
    if not lessons:
        return None
    course = Curriculum(lessons=lessons, answer=at.answer, answer_names=(at.answer,), alternatives=at.others)
    student = BaselineStudent(course, theory)
    before = list(heard(state))
    gained = left = 0
    for name in at.students:
        feed = [*_feed(before, name), _line("guidance", "tutor", guidance)]
        profile = StudentProfile(name=name, level=_level(at, name))
        knowledge = _known(state, profile, feed[:-1], course, theory)
        wanted: list[Event | OwnReply] = [*feed, RoundBegan(minute=0, round=state.turn + 2, rounds_left=0)]
        request = Request(_view(at, profile), (*wanted, Wanted(minute=0, act="analyse")), state.world)
        said = await student.reply(request)
        after = _known(state, profile, [*feed, OwnReply(said)], course, theory)
        gained += sum(after.holds) - sum(knowledge.holds)
        left += len(knowledge.holds) - sum(knowledge.holds)
    named = at.names_it(guidance) and not at.names_it(at.by_students)
    return (0.0 if named else gained / left) if left else None


def heard(state: State) -> Iterator[EarlierWords]:
    """Everything said before a state, in order, as its prompt has it; rejected drafts were not said."""
    messages = state.messages
    for n, message in enumerate(messages):
        text = text_of(message)
        if message["role"] == "assistant":
            following = text_of(messages[n + 1]) if n + 1 < len(messages) else ""
            if not _REJECTED.search(following):
                yield EarlierWords("guidance", "tutor", _TAGGED.sub("", text).strip())
        elif message["role"] == "user":
            for result in _SAID.finditer(text):
                yield EarlierWords(_PARTS[result["tag"]], result["who"], result["text"])


def _known(
    state: State,
    profile: StudentProfile,
    feed: Sequence[Event | OwnReply],
    course: Curriculum,
    theory: Theory,
) -> Knowledge:
    dice = rng(state.world, f"student {profile.name}", "knowledge")
    return learn(theory, at_first(profile.level, dice, len(course.lessons)), feed, course)


def _feed(before: Sequence[EarlierWords], name: str) -> list[Event | OwnReply]:
    """A student's feed, as far as it teaches: guidance, explanations, and its own analyses."""
    feed: list[Event | OwnReply] = []
    for one in before:
        if one.part != "analysis":
            feed.append(_line(one.part, one.who, one.text))
        elif one.who == name and one.text.strip():
            feed.append(OwnReply(Analysis(analysis_for_teacher=one.text[:_LONGEST])))
    return feed


def _line(part: str, who: str, text: str) -> RoundLine:
    said: Any = part
    return RoundLine(minute=0, part=said, by="tutor", speaker=who, visibility="teacher&student", text=text)


def _level(at: Bedside, name: str) -> Level:
    """A student's level; where a data set does not say, all are taken for intermediate."""
    result = at.levels.get(name)
    return next((level for level in LEVELS if level == result), _USUAL)


def _view(at: Bedside, profile: StudentProfile) -> StudentView:
    return StudentView(
        door_note="",
        question=at.question,
        chart=(),
        images=(),
        max_rounds=1,
        you=profile,
        peers=tuple(name for name in at.students if name != profile.name),
        has_patient=False,
        has_expert=False,
    )
