"""Prompts of model judges: the parts of one file, between lines of three dashes.

The parts are the rules, what is judged, what is asked of it and, where a judge may be asked to mend its
quotes, that message. What is judged stands in a message of its own, so that all portions of one judgement
share everything but their last message, and an endpoint's prompt cache holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from osler.models.types import Message
from osler.prompts import Prompt, prompt

Messages = tuple[Message, ...]
_PARTED: Final = "\n---\n"
_READ: Final = Message(role="assistant", text="I have read it.")
"""Between two messages of the user, since many chat templates want the roles to alternate."""


class Template(NamedTuple):
    """The messages of a prompt, with slots: these texts are part of a judge's version."""

    system: str
    user: str
    asked: str
    mend: str = ""

    def shared(self, slots: Mapping[str, str]) -> Messages:
        """The messages that all portions begin with. A slot's name inside a text stays text."""
        return Message(role="system", text=self.system), _filled(self.user, slots), _READ

    def asking(self, slots: Mapping[str, str]) -> Message:
        """The last message, which asks about one portion."""
        return _filled(self.asked, slots)

    def mending(self, ids: Sequence[str]) -> Message:
        """The message about items whose quotes were not found."""
        return _filled(self.mend, {"ids": ", ".join(ids)})


def _filled(text: str, slots: Mapping[str, str]) -> Message:
    return Message(role="user", text=Prompt("of a judge", text, "").render(slots))


@lru_cache(maxsize=8)
def template(name: str) -> Template:
    """A judge's prompt by package and file. Raises BadInput if it cannot be read."""
    return Template(*(part.strip() for part in prompt(name).text.split(_PARTED)))
