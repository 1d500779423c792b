"""Options: the spelling, the words and the group of a field of a configuration, wherever people set it.

A field carries its own:

    max_visits: Annotated[int, Option("Limit on visits.", "limits")] = Field(default=3, ge=1)

Commands are made from them (`osler.cli.field_options`), so an option exists once, beside the field it sets.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Union, get_args, get_origin

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

Group = Literal["cases", "seats", "encounter", "limits", "memory", "models", "run", "study", "output"]
GROUPS: Final[tuple[Group, ...]] = get_args(Group)
"""The groups of options, in the order in which help shows them."""
NAMED: Final = "named"
"""The key, in the place of a nested model, of the name that an option gives for the whole of it."""


@dataclass(frozen=True, slots=True)
class Option:
    """The option of a field: its help, its group, and its `flag` if that is not the field's name.

    `first` options are those that people need first; `usual` says in words what is the default, where the
    value does not say it.
    """

    help: str
    group: Group
    flag: str = ""
    metavar: str | None = None
    first: bool = False
    usual: str = ""


def seat_option(
    who: str,
    players: Iterable[str],
    *others: str,
    wrapped: str = "",
    first: bool = False,
    several: bool = False,
) -> Option:
    """The option of a seat: `players` are its built-in ones, `others` the other names that it takes, and
    `wrapped` what may follow each. With `several` it takes names separated by commas."""
    *most, last = (*players, *others)
    names = f"{', '.join(most)} or {last}" if most else last
    more = f"; each also with {wrapped}" if wrapped else ""
    more += "; several names play the same worlds" if several else ""
    metavar = "NAME[,NAME...]" if several else "NAME"
    return Option(f"{who}: {names}{more}.", "seats", metavar=metavar, first=first)


class FieldOption(NamedTuple):
    """A field that has an option: its `path` within the configuration, such as ("settings", "max_turns")."""

    path: tuple[str, ...]
    option: Option
    field: FieldInfo

    @property
    def dotted(self) -> str:
        """The field as `--set` names it."""
        return ".".join(self.path)

    @property
    def flag(self) -> str:
        """The option as people write it."""
        return self.option.flag or f"--{self.path[-1].replace('_', '-')}"

    @property
    def type(self) -> object:
        """The type of the field's values, `None` left out."""
        result = self.field.annotation
        if get_origin(result) in (Union, types.UnionType):
            (result,) = (one for one in get_args(result) if one is not type(None))
        return result


def options_of(config: type[BaseModel], *, within: tuple[str, ...] = ()) -> Iterator[FieldOption]:
    """The fields of a configuration that have options, those of the models inside it too."""
    # Imported here since lists of commands, which have no options, know the groups.
    from pydantic import BaseModel  # noqa: PLC0415 - import time
    from pydantic.fields import FieldInfo  # noqa: PLC0415 - import time

    for name, field in config.model_fields.items():
        option = next((each for each in field.metadata if isinstance(each, Option)), None)
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            if option is not None:
                yield FieldOption((*within, name, NAMED), option, FieldInfo(annotation=str, default=None))
            yield from options_of(inner, within=(*within, name))
        elif option is not None:
            yield FieldOption((*within, name), option, field)
