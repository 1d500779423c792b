"""The adapters for other tools: which there are, and which are installed. Imports none of those tools."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Final, NamedTuple


class Adapter(NamedTuple):
    """An adapter: its name, which is its extra's too, the distribution it needs, and its purpose."""

    name: str
    needs: str
    what: str

    @property
    def installed_version(self) -> str | None:
        """The version of the distribution that is installed; `None` if none is."""
        try:
            return version(self.needs)
        except PackageNotFoundError:
            return None

    @property
    def install(self) -> str:
        """The command that installs it."""
        return f"pip install 'osler[{self.name}]'"


ADAPTERS: Final = (
    Adapter("mcp", "mcp", "any agent that speaks MCP takes a seat: osler mcp"),
    Adapter("inspect", "inspect-ai", "tasks for Inspect: inspect eval osler/consultation"),
    Adapter("openenv", "openenv", "environments for trainers: osler openenv"),
)
