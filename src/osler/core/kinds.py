"""A registry of tagged records: classes are registered where they are defined, and read back by `kind`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Annotated, Any, Final, Generic, TypeVar, Union, get_args

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from osler.errors import BadInput, in_words

R = TypeVar("R", bound=BaseModel)
NAME: Final = r"^[a-z][a-z0-9_]*$"
"""The pattern of seat names and event kinds, which are used unescaped in keys, files and columns."""
_SHOWN: Final = 60


class Registry(Generic[R]):
    """The registered classes of one type of record, such as events, by kind.

    A record may be read before the package that defines its kind has been imported, so `loaders`
    ("module:function") are called in order, each once, when a kind is unknown: they import more kinds.
    """

    def __init__(self, noun: str, *loaders: str) -> None:
        self.loaders = list(loaders)
        self._noun = noun
        self._kinds: dict[str, type[R]] = {}
        self._adapter: TypeAdapter[tuple[R, ...]] | None = None

    @property
    def kinds(self) -> Mapping[str, type[R]]:
        """The registered classes by kind."""
        return MappingProxyType(self._kinds)

    def register(self, record: type[R]) -> None:
        """Register a class under the default of its field `kind`; a class without a default is a base class.

        The same class defined again, as in a reloaded module, replaces its predecessor. Raises BadInput if
        `kind` is not a literal name or belongs to another class.
        """
        field = record.model_fields["kind"]
        if field.is_required():
            return
        kind, name = field.default, _full_name(record)
        if get_args(field.annotation) != (kind,) or not re.fullmatch(NAME, str(kind)):
            raise BadInput(
                f"the kind of this {self._noun} is no literal name",
                where=name,
                hint='write kind: Literal["some_name"] = "some_name"',
            )
        held = self._kinds.get(kind)
        if held is not None and _full_name(held) != name:
            raise BadInput(
                f"two {self._noun}s have the kind {kind!r}: {_full_name(held)} and {name}",
                hint="give one of them another kind",
            )
        self._kinds[kind], self._adapter = record, None

    def read(self, text: str | bytes, what: str) -> tuple[R, ...]:
        """Parse the records of a JSON list. Raises BadInput that names `what` was being read."""
        while True:
            try:
                return self._reader().validate_json(text)
            except ValidationError as error:
                wrong = error
            refused = wrong.errors(include_url=False, include_input=False)
            unknown = [one for one in refused if one["type"] == "union_tag_invalid"]
            if unknown and self.loaders:
                resolve_name(self.loaders.pop(0))()
                continue
            if unknown:
                kind = str(unknown[0]["ctx"]["tag"])[:_SHOWN]
                raise BadInput(
                    f"{what} cannot be read: no installed protocol has the {self._noun} {kind!r}",
                    hint="install the package of the protocol that wrote it, or the version of Osler",
                )
            raise BadInput(
                f"{what} cannot be read: {in_words(wrong)}",
                hint="use the version of Osler that wrote it",
            )

    def _reader(self) -> TypeAdapter[tuple[R, ...]]:
        if self._adapter is None:
            # A class with unresolved references must not make the others unreadable.
            every = self._kinds.values()
            usable = tuple(kind for kind in every if kind.model_rebuild(raise_errors=False) is not False)
            one: Any = Annotated[Union[usable], Field(discriminator="kind")]  # noqa: UP007 - made at run time
            self._adapter = TypeAdapter(tuple[one, ...])
        return self._adapter


def _full_name(record: type) -> str:
    return f"{record.__module__}.{record.__qualname__}"
