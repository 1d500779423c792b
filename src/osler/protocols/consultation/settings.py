"""The settings of a consultation, with the options that set them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from osler.cases.door_note import Shown
from osler.core.events import Frozen
from osler.core.option import NAMED, Option
from osler.protocols.shared.settings import Language, MaxAttempts, UnknownResults
from osler.text.languages import THE_CASES

PROTOCOL = "consultation/1"
VISIT_COST = 20
"""The cost of one visit, in illustrative tariff points."""

LIMITS: Final[Mapping[str, Mapping[str, int]]] = {
    "osler": {},
    "medevoeval": {"max_turns": 10, "max_tests_per_visit": 3},
}
"""Limits by name, as far as they differ from the usual ones: those of MedEvoEval are its paper's."""

Pictures = Literal["reported", "shown"]
"""The mode for results with a picture: the written report is given, or the picture itself has to be read."""

Orders = Literal["free", "catalogue"]
"""The names that may be ordered: any, read as they are meant, or only those of a catalogue, exactly."""

Arm = Literal["multi", "vignette", "single", "summarized", "one-step"]
"""The format in which a doctor meets a case.

multi       the ordinary consultation
vignette    the whole case at once, as one written text
single      one statement of the patient, who is asked to tell everything
summarized  the consultation is held, and the conclusion drawn anew from a summary of it alone
one-step    the whole record at once, with every result and the old notes
"""

Look = Literal["start", "during", "conclusion"]
"""A time at which a doctor looks into its memory; see `wrappers.looks`."""
LOOKS: Final[tuple[Look, ...]] = ("start", "during", "conclusion")
BEFORE_CONCLUDING: Final[tuple[Look, ...]] = ("start", "during")


class Limits(Frozen):
    """Limits of one consultation. `None` means unlimited; minutes are simulated, costs are tariff points.

    Where limits are configured, a name of `LIMITS` may stand for them, or under `named` for those that are
    not given one by one.
    """

    max_turns: Annotated[
        int, Option("Limit on the doctor's turns over all visits.", "limits", first=True)
    ] = Field(default=20, ge=1, le=1000)
    max_tests_per_visit: Annotated[
        int | None,
        Option("Limit on tests per visit; examinations do not count.", "limits", "--max-tests"),
    ] = Field(default=10, ge=0)
    max_visits: Annotated[int, Option("Limit on visits.", "limits")] = Field(default=3, ge=1, le=100)
    visit_minutes: Annotated[int, Option("Limit on the minutes of a visit.", "limits")] = Field(
        default=240, ge=1
    )
    max_cost: Annotated[
        int | None, Option("Limit on cost, in tariff points.", "limits", usual="no limit")
    ] = Field(default=None, ge=VISIT_COST)

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, given: object) -> object:
        rest = dict(given) if isinstance(given, Mapping) else {NAMED: given}
        name = rest.pop(NAMED, "osler")
        if not isinstance(name, str):
            return given
        if name not in LIMITS:
            raise ValueError(f"no limits are called {name[:60]!r}; there are: {', '.join(LIMITS)}")
        return {**LIMITS[name], **rest}


class Form(Frozen):
    """An entry of the registration form beyond age and sex: a trait, its value, and the line of text."""

    trait: str
    value: str
    text: str


class Settings(Frozen):
    """The settings of a run's consultations. All of them are part of an episode's key.

    With `orders="catalogue"` the doctor is shown a list of names, the same for every case, and only these can
    be ordered. A consultant is heard when the doctor calls; with `mdt="always"` also before the first
    conclusion, which the doctor then makes again, and with `mdt_every=N` after every N turns. With
    `opening="complaint"` the doctor begins with the patient's age, sex and first words alone. `format_arm`
    shows the same case in another format.
    """

    limits: Annotated[
        Limits,
        Option(
            "osler (20 turns, 10 tests a visit) or medevoeval (10 and 3, as in its paper); single limits go"
            " before it.",
            "limits",
            "--limits",
            metavar="NAME",
            usual="osler",
        ),
    ] = Limits()
    unknown: UnknownResults = "standard"
    options: Annotated[
        Literal["hidden", "shown"],
        Option("Whether the doctor sees a case's answer options.", "encounter"),
    ] = "hidden"
    pictures: Annotated[
        Pictures,
        Option("Whether pictures come with their report, or the doctor must read them.", "encounter"),
    ] = "reported"
    # Left out where it is the usual one, so that an episode played before there were two keeps its key.
    opening: Annotated[
        Shown,
        Option(
            "What the doctor begins with: the whole note of the source, or age, sex and complaint alone.",
            "encounter",
        ),
    ] = Field(default="objective", exclude_if=lambda opening: opening == "objective")
    mdt: Annotated[
        Literal["on demand", "always"],
        Option("always: the consultant is also heard before a first conclusion.", "encounter"),
    ] = "on demand"
    mdt_every: Annotated[
        int | None, Option("Also hear the consultant every N turns.", "encounter", metavar="N", usual="never")
    ] = Field(default=None, ge=1, le=1000)
    form: Form | None = None
    orders: Annotated[
        Orders,
        Option(
            "free: any name is read as it is meant; catalogue: the doctor is shown a list, the same for every"
            " case, and orders by its exact names.",
            "encounter",
        ),
    ] = Field(default="free", exclude_if=lambda orders: orders == "free")
    provisional_turn: int = Field(default=3, ge=1)
    # Left out where it is the usual one, so that the keys of ordinary consultations stay as they were.
    format_arm: Annotated[
        Arm,
        Option(
            "multi: the consultation. vignette: the whole case as one text; single: one statement of the"
            " patient; summarized: concluded from a summary of the consultation; one-step: from the whole"
            " record.",
            "encounter",
            "--arm",
        ),
    ] = Field(default="multi", exclude_if=lambda arm: arm == "multi")
    max_attempts: MaxAttempts = 3
    language: Language = THE_CASES
