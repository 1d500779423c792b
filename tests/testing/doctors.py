"""Fake doctors of known ability and style, to test scores and comparisons with: they know the answer.

`python:tests.testing.doctors:right_85` names a doctor that is right in 85 % of worlds, `right_60_verbose` one
that is right in 60 % and wordy; as an object, `FakeDoctor(case, accuracy, style, ...)`. It asks two questions
and concludes. Whether it is right is drawn from the world, so the same run gives the same answers:

    alike    the share of cases that are right in all repeats or in none: the correlation of repeats
    shared   the share of cases in which all doctors draw the same number, and the abler one is right wherever
             the other is: it sets the correlation of two doctors

The style changes the wording of the diagnosis only, never whether it is right. `endpoint_script` gives the
same doctors to the fake endpoint. They are no models and prove nothing about medicine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

from osler.cases.model import Case
from osler.core.contract import OwnReply, Request, rng
from osler.core.factory import PlayerRequest
from osler.protocols.consultation.seats import Ask, DoctorView, Finalize
from osler.testing.endpoint_plans import Match, Rule

Style = Literal["terse", "verbose", "hedged", "specific"]
STYLES: Final[tuple[Style, ...]] = get_args(Style)
_SHAPES: Final[dict[Style, str]] = {
    "terse": "{}",
    "verbose": "Taking the history and what has been found so far together, the most likely diagnosis is {}.",
    "hedged": "Probably {}, although I cannot be certain of it at this stage.",
    "specific": "{}, moderately severe, of recent onset, without complications",
}
_QUESTIONS: Final = ("What brings you here?", "When did it begin?")
_WRONG: Final = (
    "Carbon monoxide poisoning",
    "Scurvy",
    "Ankle fracture",
    "Acute angle-closure glaucoma",
    "Scabies",
    "Testicular torsion",
    "Lead poisoning",
    "Malaria",
)
_NAME: Final = re.compile(rf"right_(\d{{1,3}})(?:_({'|'.join(STYLES)}))?")


@dataclass(frozen=True)
class FakeDoctor:
    """A doctor at this case that is right with probability `accuracy` and words its answer in a `style`."""

    case: Case
    accuracy: float
    style: Style = "terse"
    alike: float = 0.0
    shared: float = 0.5
    questions: int = len(_QUESTIONS)
    durable: bool = False
    fingerprint: str = "1"

    @property
    def name(self) -> str:
        """The name that draws its luck: two doctors of equal accuracy, whatever their style, are one."""
        return f"right_{self.accuracy:g}"

    async def reply(self, request: Request[DoctorView]) -> Ask | Finalize:
        """Ask, then conclude rightly or wrongly as drawn."""
        asked = sum(isinstance(item, OwnReply) for item in request.feed)
        if asked < self.questions:
            return Ask(question=_QUESTIONS[asked % len(_QUESTIONS)])
        return concluded(self.case, self.right(request.world), self.style)

    def right(self, world: str) -> bool:
        """Whether it is right in this world."""
        case = rng(self.case.content_hash, "doctor", "how to draw")
        over_repeats = case.random() < self.alike
        together = case.random() < self.shared
        luck = rng(self.case.content_hash if over_repeats else world, "doctor", "" if together else self.name)
        return luck.random() < self.accuracy


def concluded(case: Case, right: bool, style: Style = "terse") -> Finalize:
    """The conclusion at a case: the answer of its task, or something plainly different."""
    options = case.task.options or {}
    if case.task.kind == "choice":
        others = sorted(set(options) - {case.task.answer})
        key = case.task.answer if right or not others else others[0]
        return Finalize(diagnosis=_SHAPES[style].format(options[key]), answer=key)
    words = case.task.answer if right else _other_than(case)
    return Finalize(diagnosis=_SHAPES[style].format(words))


def endpoint_script(
    cases: Iterable[Case], accuracy: float, style: Style = "terse", *, seed: int = 0
) -> list[Rule]:
    """Rules by which the fake endpoint plays such a doctor at these cases: it concludes at once, and every
    repeat of a case ends alike. A case is known by its door note; raises ValueError if two have the same."""
    rules: dict[str, Rule] = {}
    for case in cases:
        known_by = max(re.split(r"[<>&\"'\n]", case.opening.door_note), key=len)  # prompts escape these
        if known_by in rules:
            raise ValueError(f"two cases have the door note {case.opening.door_note!r}")
        right = rng(f"{seed}", "doctor", case.content_hash).random() < accuracy
        reply = concluded(case, right, style).model_dump(mode="json")
        rules[known_by] = Rule(match=Match(seat="doctor", anywhere=known_by), reply=reply)
    return list(rules.values())


def _other_than(case: Case) -> str:
    known = {case.task.answer, *case.task.accepts}
    if case.diagnosis:
        known |= {case.diagnosis.name, *case.diagnosis.synonyms}
    words = {word for one in known for word in re.findall(r"[a-z]{4,}", one.lower())}
    fits = [one for one in _WRONG if not words & set(re.findall(r"[a-z]{4,}", one.lower()))]
    return rng(case.content_hash, "doctor", "wrong").choice(fits or list(_WRONG))


def __getattr__(name: str) -> Callable[[PlayerRequest], FakeDoctor]:
    """The factory that `right_PERCENT` or `right_PERCENT_STYLE` names."""
    match = _NAME.fullmatch(name)
    if match is None or int(match[1]) > 100:
        raise AttributeError(f"write right_PERCENT or right_PERCENT_STYLE; styles: {', '.join(STYLES)}")
    accuracy, style = int(match[1]) / 100, next((one for one in STYLES if one == match[2]), STYLES[0])

    def made(asked: PlayerRequest) -> FakeDoctor:
        return FakeDoctor(asked.case, accuracy, style)

    return made
