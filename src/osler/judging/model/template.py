"""Prompts of model judges: three messages in one file, between lines of three dashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from osler.models.types import Message
from osler.prompts import Prompt, prompt

_PARTED: Final = "\n---\n"


class Template(NamedTuple):
    """The messages of a prompt, with slots: these texts are part of a judge's version."""

    system: str
    user: str
    mend: str

    def render(self, slots: Mapping[str, str]) -> tuple[Message, Message]:
        """Fill in the system and the user message. A slot's name inside a text stays text."""
        return Message(role="system", text=self.system), _filled(self.user, slots)

    def mending(self, ids: Sequence[str]) -> Message:
        """The message about items whose quotes were not found."""
        return _filled(self.mend, {"ids": ", ".join(ids)})


def _filled(text: str, slots: Mapping[str, str]) -> Message:
    return Message(role="user", text=Prompt("of a judge", text, "").render(slots))


@lru_cache(maxsize=8)
def template(name: str) -> Template:
    """A judge's prompt by package and file. Raises BadInput if it cannot be read."""
    system, user, mend = prompt(name).text.split(_PARTED)
    return Template(system.strip(), user.strip(), mend.strip())
