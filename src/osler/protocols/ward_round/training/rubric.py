"""The rubric reward of a tutor's turn, and its plainer relatives, with which the paper compares it.

    rubric        the eight items on three axes, with the veto
    no-thinking   the same for guidance alone, without the items on thoughts
    vanilla       form 0/1 and one holistic mark 0/1, no axes and no veto
    rule          form alone, 0/1

IS-1 is a rule's whatever judges the rest. With a model as the judge, each axis is one call; without one,
rules stand in. A turn that IS-1 vetoes is not shown to the judge, who could not change its total.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import yaml

from osler.core.judge import version_of
from osler.errors import BadInput
from osler.judging.lines import lines_said
from osler.judging.model.template import Messages, template
from osler.models.types import Image
from osler.protocols.ward_round.monologue import Turn
from osler.protocols.ward_round.training.bedside import Bedside, Spoken, bedside, gives_away, read_turn
from osler.protocols.ward_round.training.by_rule import VERSION as RULES
from osler.protocols.ward_round.training.by_rule import is_1, marks_by_rule, quotes_of, thoughts_of
from osler.protocols.ward_round.training.of_tutor import OfTutor
from osler.text.conduct_rules import breach
from osler.text.hostile import quoted_block, quoted_line
from osler.training.reward.judged import AxisJudge, Marks
from osler.training.reward.pictures import seen
from osler.training.reward.score import RewardOptions, Score, without_score
from osler.training.reward.weighing import RewardItem, Weighing
from osler.training.state import State

TEMPLATE: Final = "osler.protocols.ward_round:prompts/judge_reward.jinja"
VERSION: Final = "2"
"""Increment it with every change to how these rewards ask or decide."""
FORM: Final = "IS-1"
NO_EYES: Final = "judge_without_eyes"
NO_PICTURE: Final = "image_not_at_hand"
_WITHOUT: Final = frozenset({"AQ-1", "AQ-2", "AQ-3", "IS-2"})
_QUALITY: Final = RewardItem(
    "quality",
    "quality",
    "Taken as a whole, is this a good turn of a tutor? 2: good. 1: more good than bad. 0: neither. -1: more"
    " bad than good. -2: bad.",
)


@lru_cache(maxsize=1)
def _rubric() -> dict[str, list[dict[str, Any]]]:
    text = files("osler.protocols.ward_round.training").joinpath("rubric.yaml").read_text("utf-8")
    value: dict[str, list[dict[str, Any]]] = yaml.safe_load(text)
    return value


@lru_cache(maxsize=1)
def items() -> tuple[RewardItem, ...]:
    """The items of the rubric, axis by axis."""
    return tuple(
        RewardItem(one["name"], axis, one["asks"], bool(one.get("vetoes")))
        for axis, held in _rubric().items()
        for one in held
    )


@lru_cache(maxsize=1)
def of_images() -> frozenset[str]:
    """The names of the items that only a case with images has."""
    return frozenset(one["name"] for held in _rubric().values() for one in held if one.get("images"))


class Rubric(OfTutor):
    """The rubric as a reward: three axes, weights, veto."""

    name = "rubric"

    def __init__(self, options: RewardOptions) -> None:
        self.judge = _judge_of(options)
        reward_items = tuple(item for item in items() if self.thinks or item.name not in _WITHOUT)
        self.weighing = Weighing(reward_items, options.veto, options.weights)  # type: ignore[arg-type]
        self.version = self._version()

    def _version(self) -> str:
        weighing = self.weighing
        decides = {
            "policy": weighing.policy,
            "weights": dict(weighing.weights),
            "thinks": self.thinks,
            "rules": RULES,
        }
        if self.judge is None:
            return version_of(VERSION, items=[item._asdict() for item in weighing.items], **decides)
        version = self.judge.version_of(VERSION, template(TEMPLATE), weighing.items)
        return version_of(VERSION, judge=version, **decides)

    def present(self, at: Bedside) -> tuple[str, ...]:
        """The items that count at a moment, in order."""
        return tuple(name for name in self.weighing.names if at.has_images or name not in of_images())

    async def score(self, state: State, text: str, /) -> Score:
        """Score a turn. Raises InfrastructureFault, and BadInput for a state of another seat."""
        at = bedside(state)
        if at.thinks(self.thinks) != self.thinks:
            raise BadInput(
                f"the turns of this state have {'no' if self.thinks else 'a'} private thought",
                where=f"--reward {self.name}",
                hint=f"name {'no-thinking' if self.thinks else 'rubric'}",
            )
        spoken, present = read_turn(text, at, thinks=self.thinks), self.present(at)
        marks: dict[str, int] = {FORM: is_1(spoken)}
        quotes = {FORM: spoken.breach} if spoken.breach else {}
        if self.weighing.vetoed(marks):
            return self.weighing.total(marks, present, quotes)
        asked = [name for name in present if name != FORM]
        if self.judge is None:
            marks |= marks_by_rule(spoken.turn, at, asked)
            quotes |= quotes_of(spoken.turn, at, marks)
            return self.weighing.total(marks, present, quotes)
        result = await _judged(self.judge, state, at, spoken, text, self._by_axis(asked))
        for given in result:
            marks |= given.marks
            quotes |= given.quotes
        if why := next((given.why for given in result if given.why), ""):
            return without_score(why, marks)
        return self.weighing.total(marks, present, quotes)

    def _by_axis(self, names: Sequence[str]) -> list[tuple[RewardItem, ...]]:
        reward_items = [item for item in self.weighing.items if item.name in names]
        axes = dict.fromkeys(item.axis for item in reward_items)
        return [tuple(item for item in reward_items if item.axis == axis) for axis in axes]


class NoThinking(Rubric):
    """The rubric of guidance alone, for a policy that writes no thoughts."""

    name = "no-thinking"
    thinks = False


class Vanilla(OfTutor):
    """Form 0/1 and one holistic mark 0/1: a reward without axes and without a veto."""

    name = "vanilla"

    def __init__(self, options: RewardOptions) -> None:
        self.judge = _judge_of(options)
        asked = self.judge and self.judge.version_of(VERSION, template(TEMPLATE), [_QUALITY])
        self.version = version_of(VERSION, reward=self.name, judge=asked, rules=RULES)

    async def score(self, state: State, text: str, /) -> Score:
        """Score a turn. Raises InfrastructureFault, and BadInput for a state of another seat."""
        at = bedside(state)
        spoken = read_turn(text, at, thinks=at.thinks())
        form = int(not spoken.breach)
        if self.judge is None:
            quality = int(_decent(spoken.turn, at))
            return _plain({"form": form, "quality": quality})
        (marks,) = await _judged(self.judge, state, at, spoken, text, [(_QUALITY,)])
        if marks.why:
            return without_score(marks.why, {"form": form})
        return _plain({"form": form, "quality": int(marks.marks["quality"] > 0)})._replace(
            quotes=marks.quotes
        )


class Rule(OfTutor):
    """Form alone, 0/1: the baseline that is trained without any judge."""

    name = "rule"
    version = version_of(VERSION, reward="rule")

    def __init__(self, options: RewardOptions = RewardOptions()) -> None:  # noqa: B008 - a tuple
        del options

    async def score(self, state: State, text: str, /) -> Score:
        """Score a turn: 1 if it parses, with every student's name, 0 otherwise."""
        at = bedside(state)
        spoken = read_turn(text, at, thinks=at.thinks())
        scored = _plain({"form": int(not spoken.breach)})
        return scored._replace(quotes={"form": spoken.breach}) if spoken.breach else scored


def _plain(marks: dict[str, int]) -> Score:
    return Score(float(sum(marks.values())), marks, {name: float(mark) for name, mark in marks.items()})


def _decent(turn: Turn, at: Bedside) -> bool:
    """The stand-in for a holistic mark: it asks about this case, gives nothing away, and is civil."""
    marks = marks_by_rule(turn, at, ("IS-3", "CS-1"))
    return min(marks.values()) > 0 and not gives_away(turn.guidance, at) and breach(turn.guidance) is None


# The judge's prompt


def _judge_of(options: RewardOptions) -> AxisJudge | None:
    if options.judge is None:
        return None
    return AxisJudge(options.judge.client, options.judge.endpoint, pictures=options.pictures)


async def _judged(
    judge: AxisJudge,
    state: State,
    at: Bedside,
    spoken: Spoken,
    text: str,
    axes: Sequence[tuple[RewardItem, ...]],
) -> list[Marks]:
    """The marks of each axis, asked about at the same time."""
    eyes = judge.endpoint.capabilities.images
    if state.images and not eyes:
        return [Marks({}, {}, NO_EYES)]
    try:
        images = seen(state, judge.pictures) if eyes else ()
    except BadInput:
        return [Marks({}, {}, NO_PICTURE)]
    lines = turn_lines(spoken, text)
    judged_lines = [line for _, words in lines for line in lines_said("tutor", words)]
    return list(
        await asyncio.gather(
            *(
                judge.marks(
                    axis[0].axis,
                    [item.name for item in axis],
                    messages_of(at, lines, axis, images),
                    judged_lines,
                )
                for axis in axes
            )
        )
    )


def turn_lines(spoken: Spoken, text: str) -> list[tuple[str, str]]:
    """A turn as labelled lines; one that breaks the contract as it was written."""
    if spoken.breach:
        return [("turn", line) for line in text.splitlines() if line.strip()]
    turn = spoken.turn
    thought = turn.thought
    if not thoughts_of(thought):
        return [("guidance", turn.guidance)]
    lines = [("thought history", thought.history), ("thought question", thought.question)]
    lines += [("thought student", f"{name}: {words}") for name, words in thought.students]
    lines.append(("thought group", thought.group))
    lines += [("thought image", thought.image)] if thought.image else []
    return [*lines, ("guidance", turn.guidance)]


def messages_of(
    at: Bedside, lines: Sequence[tuple[str, str]], axis: Sequence[RewardItem], images: Sequence[Image] = ()
) -> Messages:
    """The prompt about one axis; those of one turn differ only in the last, for prefix caching."""
    case = [quoted_line("case", line) for line in at.case]
    case += [quoted_line("question", at.question)]
    case += [quoted_line("option", f"{key}: {words}") for key, words in (at.options or {}).items()]
    case.append(quoted_line("right answer", at.answer))
    steps: list[str] = []
    for step in at.steps:
        covered = " covered" if step.number in at.made else ""
        steps.append(quoted_line(f"question {step.number}{covered}", step.question))
        steps += [quoted_line(f"point {step.number}", step.summary)] if step.summary else []
        steps += [quoted_line(f"observation {step.number}", step.observation)] if step.observation else []
    histories = [quoted_line("before", line) for line in at.history]
    histories += [quoted_line("analysis", f"{name}: {words}") for name, words in at.analyses.items()]
    slots = {
        "case": quoted_block("case", case),
        "steps": quoted_block("steps", steps),
        "said": quoted_block("said", histories),
        "turn": quoted_block("turn", [quoted_line(label, words) for label, words in lines]),
    }
    text = template(TEMPLATE)
    rules, message, read = text.shared(slots)
    wanted = "\n".join(f"{item.name}. {item.asks}" for item in axis)
    return rules, message._replace(images=tuple(images)), read, text.asking({"items": wanted})
