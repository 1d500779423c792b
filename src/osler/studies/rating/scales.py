"""Rating scales as data, one YAML file each, so that a new scale needs no code.

A scale has items, an item has levels from 0 upwards, each with its anchor. `counterparts` names the judges'
scores that answer the same question; the kind of judge is the part of its name before the colon.
"""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from osler.core.events import Frozen
from osler.errors import BadInput, in_words

FOLDER: Final = Path(__file__).with_name("scales")
_WORD: Final = r"^[a-z][a-z0-9_]{0,39}$"
Part = Literal["diagnosis", "plan", "harm", "steps"]


class Counterpart(Frozen):
    """A judge's score; from `yes_from` on it counts as a yes. `marks` start at 1, while levels start at 0."""

    score: str
    yes_from: float | None = None
    marks: bool = Field(default=False, exclude_if=lambda marks: not marks)


class Item(Frozen):
    """One question. A rating is an index into `levels`; `yes_from` is the least one that counts as a yes."""

    id: str = Field(pattern=_WORD)
    asks: str
    levels: tuple[str, ...] = Field(min_length=2, max_length=10)
    yes_from: int | None = None
    counterparts: dict[str, Counterpart] = Field(default_factory=dict)

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.levels) - 1

    @model_validator(mode="after")
    def _yes_on_both_sides(self) -> Self:
        if self.yes_from is not None and not 1 <= self.yes_from <= self.top:
            raise ValueError(f"yes_from of {self.id} is none of its levels above 0")
        if any((found.yes_from is None) != (self.yes_from is None) for found in self.counterparts.values()):
            raise ValueError(f"{self.id} and its counterparts say yes all or none of them")
        return self


class Scale(Frozen):
    """A rating scale: the questions about an episode, and the parts of the ground truth shown to raters."""

    name: str = Field(pattern=_WORD)
    title: str
    version: int = Field(ge=1)
    reference: tuple[Part, ...] = ()
    guide: str
    items: tuple[Item, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_once(self) -> Self:
        names = [item.id for item in self.items]
        if len(set(names)) < len(names) or set(names) & {"id", "rater", "transcript", "reference", "comment"}:
            raise ValueError("each item needs a name of its own")
        return self

    @cached_property
    def full_version(self) -> str:
        """The name, version and a hash of every word of the scale, so any change of wording changes it."""
        digest = blake2b(self.model_dump_json().encode(), digest_size=4).hexdigest()
        return f"{self.name}-{self.version}-{digest}"

    def item(self, name: str) -> Item:
        """Return the item of this id; raises KeyError."""
        return {item.id: item for item in self.items}[name]


def packaged() -> list[str]:
    """Return the names of the scales that come with Osler."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def load_scale(name: str) -> Scale:
    """Load a packaged scale by name, or another one from its YAML file. Raises BadInput."""
    own = name.endswith((".yaml", ".yml"))
    if not own and name not in packaged():
        known = ", ".join(packaged())
        raise BadInput(f"there is no scale {name!r}", where="--scale", hint=f"{known}, or a YAML file")
    path = Path(name) if own else FOLDER / f"{name}.yaml"
    try:
        return Scale.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    except ValidationError as error:
        raise BadInput(f"is not a scale: {in_words(error)}", where=str(path)) from error
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadInput(f"is not valid YAML: {error}", where=str(path)) from error
