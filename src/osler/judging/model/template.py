"""The packaged prompt templates of model judges: a comment with the rationale, then the messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from osler.models.types import Message

_SLOT: Final = re.compile(r"\{\{([a-z]{1,20})\}\}")
_PARTED: Final = "\n---\n"


class Template(NamedTuple):
    """A template without its comment."""

    system: str
    user: str
    mend: str

    def render(self, slots: Mapping[str, str]) -> tuple[Message, Message]:
        """Fill in the two messages, in one pass, so that a slot's name inside a text stays text."""
        return Message(role="system", text=self.system), Message(role="user", text=_filled(self.user, slots))

    def mending(self, ids: Sequence[str]) -> Message:
        """The message about items whose quotes were not found."""
        return Message(role="user", text=_filled(self.mend, {"ids": ", ".join(ids)}))


def _filled(text: str, slots: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda match: slots[match[1]], text)


@lru_cache(maxsize=8)
def template(name: str) -> Template:
    """The packaged template of this name."""
    lines = files("osler.prompts").joinpath(f"{name}.txt").read_text("utf-8").splitlines()
    first = next(n for n, line in enumerate(lines) if not line.startswith("#"))
    system, user, mend = "\n".join(lines[first:]).split(_PARTED)
    return Template(system.strip(), user.strip(), mend.strip())
