"""Prompts of models: Jinja templates, versioned by hash, each with a comment that explains its rules first.

A prompt stands in the folder `prompts` of the package it belongs to and is named by package and file:
"osler.protocols.consultation:prompts/patient.jinja".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from osler.errors import BadInput
from osler.text.hostile import block, neutral

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import SandboxedEnvironment


@dataclass(frozen=True)
class Prompt:
    """A prompt template: `text` is the template without the comment at its top, `why` is that comment, `hash`
    is 16 hex digits over `text`."""

    name: str
    text: str
    why: str

    @cached_property
    def hash(self) -> str:
        """The hash of the prompt, as stored in the record."""
        return blake2b(self.text.encode(), digest_size=8).hexdigest()

    def render(self, values: Mapping[str, object]) -> str:
        """Render the prompt with its values. Raises BadInput if one is missing."""
        from jinja2 import TemplateError  # noqa: PLC0415 - import time

        try:
            return _compiled(self.text).render(values).strip()
        except TemplateError as error:
            raise BadInput(f"the prompt cannot be rendered: {error}", where=f"prompt {self.name}") from error


@cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined  # noqa: PLC0415 - import time
    from jinja2.sandbox import SandboxedEnvironment  # noqa: PLC0415 - import time

    # Prompts are not HTML: untrusted text is neutralized by `block`, not by HTML escaping.
    made = SandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["block"] = lambda text, tag: block(tag, str(text))
    made.filters["neutral"] = lambda text: neutral(str(text))
    return made


@lru_cache(maxsize=128)
def _compiled(text: str) -> Template:
    return _environment().from_string(text)


@lru_cache(maxsize=64)
def prompt(name: str | Path) -> Prompt:
    """Load a prompt by package and file ("handover:prompts/giver.jinja"), or by its path. Raises BadInput if
    it cannot be read."""
    if isinstance(name, Path):
        return _read(name, name.name)
    package, result, file = name.partition(":")
    if not result:
        raise BadInput(f"{name!r} names no prompt", hint="name a UTF-8 text file, as package:file.jinja")
    try:
        folder = resources.files(package)
    except (ImportError, TypeError, ValueError) as error:
        raise BadInput(f"there is no package {package!r}: {error}", where=f"prompt {name}") from None
    return _read(folder.joinpath(file), name)


def _read(file: Traversable, name: str) -> Prompt:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"the prompt cannot be read: {error}",
            where=f"prompt {name}",
            hint="name a UTF-8 text file, as package:file.jinja",
        ) from None
    why, end, rules = text.partition("#}") if text.startswith("{#") else ("", "", text)
    return Prompt(name, (rules if end else text).strip(), why.removeprefix("{#").strip() if end else "")


@lru_cache(maxsize=64)
def for_seat(name: str, seat: str) -> Prompt:
    """A prompt written for the examinee, adapted to the player in another seat."""
    written = prompt(name)
    return replace(written, text=written.text.replace("examinee", seat.replace("_", " ")))
