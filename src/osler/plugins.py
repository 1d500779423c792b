"""Plug-ins: entry points of other packages, imported one at a time so that a broken one breaks nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import Any, Final, NamedTuple

from osler.errors import BadInput

GROUPS: Final = ("protocols", "players", "judges", "importers", "model_clients")
"""The kinds of plug-in; each is an entry point group `osler.KIND`."""


class Plugin(NamedTuple):
    """An entry point: its name, the object it refers to ("module:name"), and the package that provides it."""

    group: str
    name: str
    value: str
    package: str
    entry: EntryPoint

    @property
    def where(self) -> str:
        """The plug-in's description for error messages."""
        return f"{self.group} {self.name} of {self.package}"

    def loaded(self, wants: Sequence[str] = ()) -> Any:
        """Import the object. Raises BadInput with the reason if the import fails, or if the object lacks one
        of the attributes in `wants`."""
        try:
            data = self.entry.load()
        except Exception as error:  # third-party code: whatever it raises is reported, and breaks nothing
            why = f"{type(error).__name__}: {error}"
            raise BadInput(
                f"cannot be imported: {why}", where=self.where, hint=f"fix or remove {self.package}"
            ) from error
        if missing := [name for name in wants if not hasattr(data, name)]:
            hint = f"see docs/python.md, or tell the author of {self.package}"
            raise BadInput(f"{self.value} has no {missing[0]!r}", where=self.where, hint=hint)
        return data


def plugins(group: str) -> list[Plugin]:
    """The entry points of a group such as "osler.players", by name; of two with the same name, the first."""
    result: dict[str, Plugin] = {}
    for entry in entry_points(group=group):
        package = entry.dist.name if entry.dist else "an unnamed package"
        result.setdefault(entry.name, Plugin(group, entry.name, entry.value, package, entry))
    return [result[name] for name in sorted(result)]


def import_protocols() -> None:
    """Import every protocol, ours and those of installed packages, but for one that cannot be imported."""
    for name in resolve_name("osler.protocols:OURS"):
        import_module(f"osler.protocols.{name}.protocol")
    for plugin in plugins("osler.protocols"):
        with suppress(BadInput):
            plugin.loaded()
