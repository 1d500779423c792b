"""A frozen rubric: items in six competencies, their published wording untouched, with inferred traits.

The competencies are those of the ACGME: patient care, medical knowledge, systems-based practice,
interpersonal and communication skills, practice-based learning and improvement, professionalism.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final, Literal, Self, get_args

from pydantic import Field, model_validator
from pydantic_core import to_json

from osler.core.events import Frozen

Competency = Literal["PC", "MK", "SBP", "ICS", "PBLI", "PROF"]
COMPETENCIES: Final[tuple[Competency, ...]] = get_args(Competency)
NAMES: Final[dict[Competency, str]] = {
    "PC": "patient care",
    "MK": "medical knowledge",
    "SBP": "systems-based practice",
    "ICS": "interpersonal and communication skills",
    "PBLI": "practice-based learning and improvement",
    "PROF": "professionalism",
}
VERSION_FIELD: Final = "rubric_version"
KNOWN_VERSIONS: Final = ("v1",)


class Traits(Frozen):
    """The traits of an item, inferred by rule and correctable in a side file.

    `negative`: the statement counts against the examinee if it holds. `by_absence`: it holds because
    something was not done, so nothing can be quoted for it. `finding`: it states something about the patient,
    not about what the examinee did. Items of one `group` are levels of one scale, of which one should hold;
    `level` is the share of the group's weight that this one earns.
    """

    negative: bool = False
    by_absence: bool = False
    critical: bool = False
    finding: bool = False
    weight: float = Field(default=1.0, ge=0, le=1000, allow_inf_nan=False)
    group: str = Field(default="", max_length=60)
    level: float = Field(default=1.0, ge=0, le=1, allow_inf_nan=False)

    @property
    def harmful(self) -> bool:
        """Whether it counts against the examinee for something done, not for something left undone."""
        return self.negative and not self.by_absence


class RubricItem(Frozen):
    """One statement about the examinee. `text` is verbatim; `id` is 12 hex digits."""

    id: str
    competency: Competency
    text: str
    traits: Traits = Traits()


class Rubric(Frozen):
    """A rubric. `layout` lists the fields of its source in their order.

    `other` holds the fields besides items, case, scenario and version, so that it can be written as
    published.
    """

    case_id: str = Field(min_length=1)
    scenario: str = Field(min_length=1)
    version: str | None
    items: tuple[RubricItem, ...]
    layout: tuple[str, ...]
    other: dict[str, Any] = Field(default_factory=dict)  # arbitrary JSON

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        doubled = [key for key, times in Counter(item.id for item in self.items).items() if times > 1]
        if doubled:
            raise ValueError(f"two items have the id {doubled[0]}")
        return self

    @property
    def key(self) -> str:
        """The key `case/scenario`, as used by subsets."""
        return f"{self.case_id}/{self.scenario}"

    @cached_property
    def digest(self) -> str:
        """Twelve hex digits over everything that a score depends on."""
        decides = [self.key, self.version, [item.model_dump() for item in self.items]]
        return blake2b(to_json(decides), digest_size=6).hexdigest()

    def of(self, competency: Competency) -> tuple[RubricItem, ...]:
        """The items of one competency, in their order."""
        return tuple(item for item in self.items if item.competency == competency)

    def with_traits(self, traits: Sequence[Traits]) -> Rubric:
        """The same items with these traits, one each."""
        items = [item.model_copy(update={"traits": t}) for item, t in zip(self.items, traits, strict=True)]
        return self.model_copy(update={"items": tuple(items)})


def items_of(texts: Iterable[tuple[Competency, str]]) -> tuple[RubricItem, ...]:
    """Items with stable ids: the same competency, words and occurrence give the same id anywhere."""
    counts: Counter[tuple[Competency, str]] = Counter()
    items = []
    for competency, text in texts:
        number = counts[competency, text]
        counts[competency, text] += 1
        digest = blake2b(to_json([competency, text, number]), digest_size=6).hexdigest()
        items.append(RubricItem(id=digest, competency=competency, text=text))
    return tuple(items)
