"""The trait libraries, read from the packaged files under `words/` on first use."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final, TypeVar

import yaml
from pydantic import BaseModel, Field

from osler.core.events import Frozen

FOLDER: Final = Path(__file__).with_name("words")
_LOADER: Final[type] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_F = TypeVar("_F", bound=BaseModel)
Frames = tuple[str, ...]


class Work(Frozen):
    """A job. `needs` is the minimum education; `images` are metaphors for how its holders talk."""

    work: str
    field: str
    needs: str
    health: bool = False
    images: Frames


class Standing(Frozen):
    """A status instead of a job, with its age range in years; `education` limits it where given."""

    status: str
    start: int = Field(alias="from")
    to: int
    noun: str | None = None
    field: str = "school"
    education: tuple[str, ...] = ()
    images: Frames = ()


class Occupations(Frozen):
    """All jobs and other statuses."""

    worked: tuple[Work, ...]
    other: tuple[Standing, ...]
    pupils: tuple[Standing, ...]


class Archetype(Frozen):
    """A core personality: `style` in phrases, `manner` for all times, `moment` for when something happens.

    `not_with` are attitudes and knowledge that contradict it.
    """

    label: str
    tags: tuple[str, ...]
    not_with: tuple[str, ...] = ()
    style: Frames
    manner: Frames
    moment: Frames


class Trait(Frozen):
    """An attitude towards doctors, or a level of medical knowledge."""

    label: str
    tags: tuple[str, ...]
    health: bool = False
    say: Frames


class PatientTraits(Frozen):
    """The traits of adult and teenage patients."""

    archetypes: tuple[Archetype, ...]
    attitudes: tuple[Trait, ...]
    knowledge: tuple[Trait, ...]
    openers: Frames
    openers_retired: Frames
    openers_pupil: Frames
    beside_teen: Frames
    tic: Frames
    tic_frames: Frames
    prop: Frames
    prop_frames: Frames
    today: Frames
    today_frames: Frames
    closings: Frames
    hobbies: Frames
    lives_working: Frames
    lives_retired: Frames
    lives_other: Frames
    lives_pupil: Frames
    lives_free: Frames


class ChildTraits(Frozen):
    """The ways of speaking of children and their companions, by the labels of the patients' traits."""

    adults: tuple[str, ...]
    hobbies: Frames
    opening_small: Frames
    opening_older: Frames
    archetypes: dict[str, Frames]
    attitudes: dict[str, Frames]
    knowledge: dict[str, Frames]
    prop: Frames
    prop_frames: Frames
    tic_frames: Frames
    closings: Frames


class Level(Frozen):
    """A student's level."""

    say: Frames


class Ability(Frozen):
    """A strength, weakness, learning style or role. `not_with` contradicts it; `levels` are where it fits."""

    label: str
    not_with: tuple[str, ...] = ()
    levels: tuple[str, ...] = ("Beginner", "Intermediate", "Advanced")
    about: Frames = ()
    say: Frames


class StudentTraits(Frozen):
    """The traits of students. `years` gives the levels that fit a year of study."""

    levels: dict[str, Level]
    years: dict[str, tuple[str, ...]]
    strengths: tuple[Ability, ...]
    weaknesses: tuple[Ability, ...]
    learning_styles: tuple[Ability, ...]
    roles: tuple[Ability, ...]
    quirks: Frames
    closings: Frames


@lru_cache(maxsize=1)
def patient_traits() -> PatientTraits:
    """Traits of patients from eleven years of age."""
    return _read("patients", PatientTraits)


@lru_cache(maxsize=1)
def child_traits() -> ChildTraits:
    """Traits of children of four to ten and of their companions."""
    return _read("children", ChildTraits)


@lru_cache(maxsize=1)
def student_traits() -> StudentTraits:
    """Traits of students."""
    return _read("students", StudentTraits)


@lru_cache(maxsize=1)
def occupations() -> Occupations:
    """The occupations."""
    return _read("occupations", Occupations)


@lru_cache(maxsize=1)
def names() -> dict[str, dict[str, tuple[str, ...]]]:
    """First names by region, then by sex."""
    result: dict[str, dict[str, list[str]]] = _load("names")
    return {place: {sex: tuple(each) for sex, each in lists.items()} for place, lists in result.items()}


@lru_cache(maxsize=1)
def surnames() -> dict[str, tuple[str, ...]]:
    """Family names by the regions of the first names."""
    text = (FOLDER / "surnames.yaml").read_text("utf-8")
    value: dict[str, list[str]] = yaml.load(text, Loader=_LOADER)  # noqa: S506 - both are safe
    return {place: tuple(each) for place, each in value.items()}


def contradict(first: Ability, second: Ability) -> bool:
    """Whether two traits contradict each other."""
    return second.label in first.not_with or first.label in second.not_with


def _read(name: str, kind: type[_F]) -> _F:
    return kind.model_validate(_load(name))


def _load(name: str) -> dict[str, dict[str, list[str]]]:
    text = (FOLDER / f"{name}.yaml").read_text("utf-8")
    loaded: dict[str, dict[str, list[str]]] = yaml.load(text, Loader=_LOADER)  # noqa: S506 - both are safe
    return loaded
