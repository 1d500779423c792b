"""The fixtures of commands: `osler("consult", "library")` runs one; `url` is a fake endpoint."""

from tests.cli.commands import osler, url

__all__ = ["osler", "url"]
