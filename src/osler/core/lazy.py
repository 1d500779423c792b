"""Objects that are imported when they are first needed: what a protocol names but may be slow to import."""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Generic, TypeAlias, TypeVar, cast, overload

from osler.errors import BadInput

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Lazy(Generic[T_co]):
    """The import path of an object that is imported when it is first needed.

    >>> osler.Lazy("math:sqrt").load()(9.0)
    3.0
    """

    path: str
    """Its module, a colon, and its name there."""

    def load(self) -> T_co:
        """Import the object."""
        return cast(T_co, resolve_name(self.path))


OrLazy: TypeAlias = T | Lazy[T]
"""An object, or the import path of one."""


@overload
def load(value: Lazy[T]) -> T:
    """Import an object that is named by its path."""


@overload
def load(value: T) -> T:
    """Return an object as it is."""


def load(value: object) -> object:
    """Return an object, imported if it is named by its path."""
    return value.load() if isinstance(value, Lazy) else value


def instance(value: object, kind: type[T]) -> T:
    """Load an object that must be of this `kind`. Raises BadInput for any other."""
    data = load(value)
    if not isinstance(data, kind):
        raise BadInput(f"{value!r} is no {kind.__name__}", hint="see docs/protocols.md")
    return data


def subclass(value: object, of: type[T]) -> type[T]:
    """Load a class that must be `of`, or derived from it. Raises BadInput for anything else."""
    data = load(value)
    if not (isinstance(data, type) and issubclass(data, of)):
        raise BadInput(f"{value!r} is no subclass of {of.__name__}", hint="see docs/protocols.md")
    return data
