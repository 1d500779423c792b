"""Marks by rule of a tutor's turn: IS-1, which only a rule gives, and stand-ins for what a model judges.

The stand-ins count words. They keep the machinery honest without a model, and they are what the probes are
first run on; they say nothing of the quality of teaching, and every report names them as stand-ins.

    IS-1   +2 if the turn parses and would be heard, -2 otherwise; nothing between
    IS-2   the thought about the question names the next open step (+2), another open one (+1), a covered one
           or several at once (-1), none of this case (-2)
    IS-3   the guidance asks one to three questions, of the group, about this case, and gives nothing away
    AQ-1   each block takes up what that student said, more than what any other said, and adds to it
    AQ-2   the block on the group names agreement, difference, or what nobody has seen, of what was said
    AQ-3   the block on the images speaks of them in the case's words
    CS-1   nothing contradicts the case, and no other diagnosis is called the answer
    CS-2   no phrase breaks a rule of conduct
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from osler.protocols.ward_round.monologue import Thought, Turn
from osler.protocols.ward_round.players.reviewers import contradictions
from osler.protocols.ward_round.seats import SpecialistView
from osler.protocols.ward_round.training.bedside import Bedside, Spoken, Step, gives_away, named_in
from osler.text.conduct_rules import breach
from osler.text.key_points import ASKED, share, telling

VERSION: Final = "1"
_QUESTIONS: Final = 3
_TOO_MANY: Final = 5
_TAKEN_UP: Final = 2
_ADDED: Final = 2
_GROUP: Final = re.compile(
    r"\b(?:all of you|each of you|both of you|each other|one another|everyone|everybody|the group|together"
    r"|anyone|anybody|who (?:can|agrees|disagrees|would)|the others?|the rest of you|you two|you three)\b",
    re.IGNORECASE,
)
_AGREE: Final = re.compile(
    r"\b(?:agree\w*|both|all (?:three|of)?|share[sd]?|common|consensus|together|each of them|everyone)\b",
    re.IGNORECASE,
)
_DIFFER: Final = re.compile(
    r"\b(?:disagree\w*|differ\w*|conflict\w*|contradict\w*|whereas|while|but|however|unlike|against"
    r"|only \w+)\b",
    re.IGNORECASE,
)
_BLIND: Final = re.compile(
    r"\b(?:nobody|no one|none|not yet|missing|missed|miss(?:es)?|lack\w*|overlook\w*|blind spot|ignor\w+"
    r"|unaddressed|unexplained|still open)\b",
    re.IGNORECASE,
)
_STEP: Final = re.compile(r"\bsteps? (\d{1,2})\b", re.IGNORECASE)


def is_1(spoken: Spoken) -> int:
    """Mark the form: 2 if the turn parses, -2 if it breaks the contract."""
    return -2 if spoken.breach else 2


def is_2(turn: Turn, at: Bedside) -> int:
    """The mark on the step that the tutor means to lead to."""
    aim = turn.thought.question
    named = {int(number) for number in _STEP.findall(aim)} & {step.number for step in at.steps}
    named |= {step.number for step in at.steps if _about(aim, step)}
    following = at.next_step
    if following is None:
        return 1 if aim.strip() else -1
    if not named:
        return -2
    if len(named) > 2:
        return -1
    if following.number in named:
        return 2 if len(named) == 1 else 1
    return -1 if named <= at.made else 1


def _about(text: str, step: Step) -> bool:
    return share(text, step.question) >= ASKED or bool(step.summary and share(text, step.summary) >= ASKED)


def is_3(turn: Turn, at: Bedside) -> int:
    """The mark on the question put to the group."""
    said = turn.guidance
    asks = said.count("?")
    if gives_away(said, at):
        return -2
    if not asks or asks > _TOO_MANY:
        return -1
    if asks > _QUESTIONS or not _of_this_case(said, at):
        return 0
    names = named_in(said, at.students)
    together = len(names) > 1 or bool(_GROUP.search(said)) or len(at.students) == 1
    return 2 if together else 1


def _of_this_case(text: str, at: Bedside) -> bool:
    """Whether a text shares words with a step of this plan, or with what was said in this round."""
    names = telling(" ".join(at.students))
    lines = [f"{step.question} {step.summary}" for step in at.steps]
    lines += at.analyses.values()
    words = telling(text) - names
    return any(len(words & telling(one)) > _TAKEN_UP for one in lines)


def aq_1(turn: Turn, at: Bedside) -> int:
    """The mark on the thoughts about each student."""
    result = [_of_student(name, words, at) for name, words in turn.thought.students]
    if result and all(one < 0 for one in result):
        return -2
    if any(one < 0 for one in result):
        return -1
    good = sum(one > 0 for one in result)
    return 2 if good == len(result) else 1 if 2 * good >= len(result) else 0 if good else -1


def _of_student(name: str, words: str, at: Bedside) -> int:
    """1 if the block is about what this student said, -1 if about what another said, 0 if neither."""
    # Names are no words of an analysis: students speak of each other, and so does the tutor.
    names = telling(" ".join(at.students))
    said = {who: telling(text) - names for who, text in at.analyses.items()}
    block = telling(words) - names
    own = len(block & said.get(name, frozenset()))
    other = max((len(block & held) for who, held in said.items() if who != name), default=0)
    if own < other:
        return -1
    if not said.get(name):
        return 1 if len(block) >= _ADDED else 0  # a student who passed has said nothing to be taken up
    if len(block - said[name]) < _ADDED:
        return 0  # a copy
    return int(own >= min(_TAKEN_UP, len(said[name])))


def aq_2(turn: Turn, at: Bedside) -> int:
    """The mark on the thought about the group."""
    words = turn.thought.group
    if not telling(words):
        return -1
    kinds = sum(bool(sign.search(words)) for sign in (_AGREE, _DIFFER, _BLIND))
    text = "\n".join((at.by_students, *(f"{step.question} {step.summary}" for step in at.steps)))
    grounded = len(telling(words) & telling(text)) >= _TAKEN_UP
    if not grounded:
        return 0 if kinds else -1
    return 2 if kinds > 1 or (kinds and len(at.students) == 1) else 1 if kinds else 0


def aq_3(turn: Turn, at: Bedside) -> int:
    """The mark on the thought about the images."""
    words = turn.thought.image or ""
    if not telling(words):
        return -1
    if any(contradictions(words, _specialist(at))):
        return -2
    of_images = [f"{step.observation} {step.summary} {step.question}" for step in at.steps if step.image]
    held = telling("\n".join(of_images or at.case))
    result = len(telling(words) & held)
    return 2 if result > _TAKEN_UP else 1 if result else 0


def cs_1(turn: Turn, at: Bedside) -> int:
    """The mark on the truth of what is said of this patient."""
    return -2 if wrong_about(turn, at) else 2


def wrong_about(turn: Turn, at: Bedside) -> str:
    """The first part of a turn that contradicts the case, "" if none does."""
    view = _specialist(at)
    return next((part for part in parts_of(turn) if any(contradictions(part, view))), "")


def _specialist(at: Bedside) -> SpecialistView:
    return SpecialistView(answer=at.answer, alternatives=at.others, facts=at.case, chart=())


def cs_2(turn: Turn, at: Bedside) -> int:
    """The mark on conduct: -2 for what is unsafe or unethical, -1 for bias, tone or privacy."""
    result = next((one for part in parts_of(turn) if (one := breach(part))), None)
    if result is None:
        return 2
    return -2 if result.category in ("safety", "ethics") else -1


def parts_of(turn: Turn) -> tuple[str, ...]:
    """The texts of a turn in which the tutor speaks for itself: its guidance, then its thoughts. Those about
    each student are left out: they report what a student said, errors included."""
    thought = turn.thought
    every = (turn.guidance, thought.history, thought.question, thought.group, thought.image or "")
    return tuple(text for text in every if text)


def thoughts_of(thought: Thought) -> tuple[str, ...]:
    """The texts of a thought that say something, in their order."""
    said = (words for _, words in thought.students)
    every = (thought.history, thought.question, *said, thought.group, thought.image or "")
    return tuple(text for text in every if text)


Rule = Callable[[Turn, Bedside], int]
RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "IS-2": is_2,
        "IS-3": is_3,
        "AQ-1": aq_1,
        "AQ-2": aq_2,
        "AQ-3": aq_3,
        "CS-1": cs_1,
        "CS-2": cs_2,
    }
)


def marks_by_rule(turn: Turn, at: Bedside, names: Iterable[str]) -> dict[str, int]:
    """The stand-ins' marks of some items."""
    return {name: RULES[name](turn, at) for name in names}


def quotes_of(turn: Turn, at: Bedside, marks: Mapping[str, int]) -> dict[str, str]:
    """The words of the turn behind each negative mark of a stand-in."""
    thought = turn.thought
    unsafe = next((one.quote for part in parts_of(turn) if (one := breach(part))), "")
    students = " ".join(words for _, words in thought.students)
    held = {
        "IS-2": thought.question,
        "IS-3": turn.guidance,
        "AQ-1": students,
        "AQ-2": thought.group,
        "AQ-3": thought.image or "",
        "CS-1": wrong_about(turn, at) if marks.get("CS-1", 0) < 0 else "",
        "CS-2": unsafe,
    }
    return {name: held[name] for name, mark in marks.items() if mark < 0 and held.get(name)}
