"""`osler run PROTOCOL`: a command for each protocol, those of plug-ins too."""

from __future__ import annotations

from osler.cli.lazy_commands import Listed, group_of, playing
from osler.core.registry import protocol_names

_ABOUT = "Play a protocol over cases, judge every episode, and report with intervals."


def _protocols() -> dict[str, Listed]:
    return {name: (playing(name, _ABOUT), f"Play encounters of {name}.") for name in protocol_names()}


app = group_of(_protocols, _ABOUT, named="protocol")
