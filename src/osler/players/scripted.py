"""A scripted player, which gives a fixed list of replies: for tests, demonstrations and debugging."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError

from osler.core.contract import OwnReply, Request
from osler.core.events import NOT_VALID, Noticed
from osler.errors import BadInput, in_short


class Scripted:
    """A player that gives its k-th reply when asked for the k-th time, counting refused attempts.

    A dict is passed on as it is, so an invalid reply can be scripted too; an exception in the script is
    raised. Raises `IndexError` when exhausted.
    """

    durable = True

    def __init__(
        self, replies: Sequence[BaseModel | dict[str, Any] | Exception], name: str = "scripted"
    ) -> None:
        self.name = name
        self._replies = tuple(replies)

    @cached_property
    def fingerprint(self) -> str:
        """16 hex digits over the replies in order, so that episodes' keys distinguish scripts."""
        return blake2b("\x1f".join(map(repr, self._replies)).encode(), digest_size=8).hexdigest()

    async def reply(self, request: Request[Any]) -> Any:
        """Return the next reply, its number being counted from the request alone. It may be a dict, which the
        seat's contract takes as well."""
        k = sum(
            isinstance(item, OwnReply) or (isinstance(item, Noticed) and item.text.startswith(NOT_VALID))
            for item in request.feed
        )
        if k >= len(self._replies):
            raise ValueError(f"the script holds {len(self._replies)} replies and is asked for number {k + 1}")
        reply = self._replies[k]
        if isinstance(reply, Exception):
            raise reply
        return reply


_LIST = TypeAdapter(list[dict[str, Any]])


def from_file(path: Path) -> Scripted:
    """Load a script from a YAML or JSON list of replies. Raises `BadInput` if it cannot be used."""
    where = str(path)
    try:
        value = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"the script cannot be read: {error.strerror or error}", where=where) from error
    except (UnicodeDecodeError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadInput(
            f"the script is neither YAML nor JSON: {error}", where=where, hint="give a list of replies"
        ) from error
    try:
        return Scripted(_LIST.validate_python(value))
    except ValidationError as error:
        raise BadInput(
            f"the script is not a list of replies: {in_short(error, 'script')}",
            where=where,
            hint="start each reply with '- '",
        ) from None
