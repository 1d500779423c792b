"""The registry of protocols by name: built-in ones and those of installed packages (entry points of the
group `osler.protocols`).

A protocol is imported on first use. One that cannot be imported is reported with the reason and affects
nothing else.
"""

from __future__ import annotations

from functools import lru_cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from osler.core.protocol import Protocol
from osler.errors import BadInput
from osler.plugins import Plugin, plugins

if TYPE_CHECKING:
    from osler.core.config import Config

GROUP: Final = "osler.protocols"
OURS: Final[tuple[str, ...]] = resolve_name("osler.protocols:OURS")
"""The names of the protocols that come with Osler, each a package of `osler.protocols`."""


def protocol_names() -> tuple[str, ...]:
    """The names of all protocols, built-in ones first, including packaged ones that may fail to import."""
    return tuple(dict.fromkeys((*OURS, *(plugin.name for plugin in plugins(GROUP)))))


def protocol_named(name: str) -> Protocol:
    """Look up a protocol by name ("ward_round") or by id ("ward_round/1").

    Raises BadInput if there is none, it cannot be imported, or its version differs.
    """
    plain, _, version = name.partition("/")
    found = _loaded(plain)
    if version and version != str(found.version):
        raise BadInput(
            f"version {version} of the protocol {plain} is wanted and version {found.version} is installed",
            where=name,
            hint="install the package that wrote it",
        )
    return found


def config_named(name: str) -> type[Config]:
    """The configuration's type of a protocol, without the rest of the protocol where it is one of ours.

    Raises BadInput as `protocol_named` does.
    """
    if name not in OURS:
        return protocol_named(name).config
    found: type[Config] = resolve_name(f"osler.protocols.{name}.config:CONFIG")
    return found


def protocols() -> list[Protocol]:
    """All protocols that can be imported, built-in ones first."""
    found = []
    for name in protocol_names():
        try:
            found.append(protocol_named(name))
        except BadInput:
            continue
    return found


@lru_cache(maxsize=64)
def _loaded(name: str) -> Protocol:
    if name in OURS:
        ours: Any = resolve_name(f"osler.protocols.{name}.protocol:PROTOCOL")
        assert isinstance(ours, Protocol)
        return ours
    plugin = next((one for one in plugins(GROUP) if one.name == name), None)
    if plugin is None:
        known = ", ".join(protocol_names())
        raise BadInput(f"there is no protocol {name!r}", where="protocol", hint=f"known: {known}")
    return checked(plugin)


def checked(plugin: Plugin) -> Protocol:
    """Load a package's protocol. Raises BadInput if it cannot be imported or is not a Protocol."""
    found = plugin.loaded()
    if not isinstance(found, Protocol):
        raise BadInput(f"{plugin.value} is no Protocol", where=plugin.where, hint=_TELL)
    if found.name != plugin.name:
        raise BadInput(
            f"the protocol calls itself {found.name!r}, and its entry point {plugin.name!r}",
            where=plugin.where,
            hint=_TELL,
        )
    return found


_TELL: Final = "see docs/protocols.md, or tell the package's author"
