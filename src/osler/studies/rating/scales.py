"""Rating scales as data, one YAML file each, so that a new scale needs no code.

A scale has items, an item has levels, each with its anchor, numbered from 0 or (marks) from 1. `counterparts`
names the judges' scores that answer the same question; the kind of judge is the part of its name before the
colon. A scale names the protocols that it fits; one that names none is taken for any.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from osler.core.events import Frozen
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.errors import BadInput, in_words

FOLDER: Final = Path(__file__).with_name("scales")
_WORD: Final = r"^[a-z][a-z0-9_]{0,39}$"
Part = Literal["case", "diagnosis", "plan", "harm", "steps"]
COLUMNS: Final = ("id", "rater", "transcript", "reference", "item", "quote", "comment")
"""The columns that a sheet has besides those of its items."""


class Counterpart(Frozen):
    """A judge's score; from `yes_from` on it counts as a yes. `marks` start at 1, while levels start at 0."""

    score: str
    yes_from: float | None = None
    marks: bool = Field(default=False, exclude_if=lambda marks: not marks)


class ScaleItem(Frozen):
    """One question. A rating is an index into `levels`; `yes_from` is the least one that counts as a yes.
    `first` is the number by which raters know the first level: 1 where they are marks."""

    id: str = Field(pattern=_WORD)
    asks: str
    first: Literal[0, 1] = Field(default=0, exclude_if=lambda first: not first)
    levels: tuple[str, ...] = Field(min_length=2, max_length=10)
    yes_from: int | None = None
    counterparts: dict[str, Counterpart] = Field(default_factory=dict)

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.levels) - 1

    @property
    def numbered(self) -> Iterator[tuple[int, str]]:
        """The levels with the numbers that raters write, in order."""
        return iter(enumerate(self.levels, self.first))

    @property
    def marked(self) -> bool:
        """Whether its levels are marks on a scale from 1, to be shown as such and not as shares."""
        return bool(self.first) or any(counterpart.marks for counterpart in self.counterparts.values())

    @model_validator(mode="after")
    def _yes_on_both_sides(self) -> Self:
        if self.yes_from is not None and not 1 <= self.yes_from <= self.top:
            raise ValueError(f"yes_from of {self.id} is none of its levels above 0")
        if any(
            (counterpart.yes_from is None) != (self.yes_from is None)
            for counterpart in self.counterparts.values()
        ):
            raise ValueError(f"{self.id} and its counterparts say yes all or none of them")
        return self


class Scale(Frozen):
    """A rating scale: the questions about an episode, and the parts of the ground truth shown to raters.

    `protocols` names those whose encounters it fits, none for any. With `each: item` every item of an
    episode's own rubric is asked about, a row of the sheet each; otherwise the episode as a whole.
    """

    name: str = Field(pattern=_WORD)
    title: str
    version: int = Field(ge=1)
    protocols: tuple[str, ...] = Field(default=(), exclude_if=lambda names: not names)
    each: Literal["episode", "item"] = Field(default="episode", exclude_if=lambda each: each == "episode")
    reference: tuple[Part, ...] = ()
    guide: str
    items: tuple[ScaleItem, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_once(self) -> Self:
        names = [item.id for item in self.items]
        if len(set(names)) < len(names) or set(names) & {*COLUMNS}:
            raise ValueError("each item needs a name of its own")
        if self.each == "item" and (len(names) > 1 or self.items[0].top > 1):
            raise ValueError("of each item of a rubric one question of two levels is asked: not met, met")
        return self

    @cached_property
    def full_version(self) -> str:
        """The name, version and a hash of every word of the scale, so any change of wording changes it."""
        words = self.model_dump_json(exclude={"protocols"})
        digest = blake2b(words.encode(), digest_size=4).hexdigest()
        return f"{self.name}-{self.version}-{digest}"

    def item(self, name: str) -> ScaleItem:
        """Return the item of this id; raises KeyError."""
        return {item.id: item for item in self.items}[name]

    def check_fits(self, protocol: Protocol, *, rubrics: bool = False) -> None:
        """Raise BadInput if encounters of this protocol cannot be rated with it. Where `rubrics` are given,
        items can be rated in any."""
        if not self.protocols or protocol.name in self.protocols or (rubrics and self.each == "item"):
            return
        made_for = " and ".join(protocol_named(name).many for name in self.protocols)
        fitting = [name for name in packaged() if protocol.name in load_scale(name).protocols]
        text = f"leave it out, or name one of: {', '.join(fitting)}" if fitting else "give your own YAML file"
        raise BadInput(
            f"the scale {self.name} is made for {made_for}, not for {protocol.many}",
            where="--scale",
            hint=text,
        )


def scale_for(protocol: Protocol, name: str | None = None, *, rubrics: bool = False) -> Scale:
    """Return the scale of this name, or by default the one that the protocol names. Raises BadInput for one
    that does not fit (see `Scale.check_fits`), and where none is named by either."""
    if not (name or protocol.scale):
        hint = f"write your own YAML file, for instance after one of: {', '.join(packaged())}"
        raise BadInput(f"no scale comes with {protocol.many}", where="--scale", hint=hint)
    scale = load_scale(name or protocol.scale)
    scale.check_fits(protocol, rubrics=rubrics)
    return scale


def packaged() -> list[str]:
    """Return the names of the scales that come with Osler."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def load_scale(name: str) -> Scale:
    """Load a packaged scale by name, or another one from its YAML file. Raises BadInput."""
    own = name.endswith((".yaml", ".yml"))
    if not own and name not in packaged():
        text = ", ".join(packaged())
        raise BadInput(f"there is no scale {name!r}", where="--scale", hint=f"{text}, or a YAML file")
    path = Path(name) if own else FOLDER / f"{name}.yaml"
    try:
        return Scale.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    except ValidationError as error:
        raise BadInput(f"is not a scale: {in_words(error)}", where=str(path)) from error
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadInput(f"is not valid YAML: {error}", where=str(path)) from error
