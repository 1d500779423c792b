"""The registry of protocols by name: built-in ones and those of installed packages (entry points of the
group `osler.protocols`).

A protocol is imported on first use. One that cannot be imported is reported with the reason and affects
nothing else.
"""

from __future__ import annotations

from functools import lru_cache
from pkgutil import resolve_name
from typing import Final

from osler.core.lazy import Lazy, instance
from osler.core.protocol import Protocol
from osler.errors import BadInput
from osler.plugins import Plugin, plugins

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
    protocol = _loaded(plain)
    if version and version != str(protocol.version):
        raise BadInput(
            f"version {version} of the protocol {plain} is wanted,"
            f" and version {protocol.version} is installed",
            where=name,
            hint="install the package that wrote it",
        )
    return protocol


def protocols() -> list[Protocol]:
    """All protocols that can be imported, built-in ones first."""
    result = []
    for name in protocol_names():
        try:
            result.append(protocol_named(name))
        except BadInput:
            continue
    return result


@lru_cache(maxsize=64)
def _loaded(name: str) -> Protocol:
    if name in OURS:
        return instance(Lazy(f"osler.protocols.{name}.protocol:PROTOCOL"), Protocol)
    plugin = next((one for one in plugins(GROUP) if one.name == name), None)
    if plugin is None:
        text = ", ".join(protocol_names())
        raise BadInput(f"there is no protocol {name!r}", where="protocol", hint=f"known: {text}")
    return checked(plugin)


def checked(plugin: Plugin) -> Protocol:
    """Load a package's protocol. Raises BadInput if it cannot be imported or is not a Protocol."""
    protocol = plugin.loaded()
    if not isinstance(protocol, Protocol):
        raise BadInput(f"{plugin.value} is no Protocol", where=plugin.where, hint=_TELL)
    if protocol.name != plugin.name:
        raise BadInput(
            f"the protocol calls itself {protocol.name!r}, and its entry point {plugin.name!r}",
            where=plugin.where,
            hint=_TELL,
        )
    return protocol


_TELL: Final = "see docs/protocols.md, or tell the package's author"
