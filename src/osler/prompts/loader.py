"""Loading of prompt templates by name; each file begins with a comment that explains its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from osler.errors import BadInput
from osler.text.hostile import block, neutral

NAMES: Final = (
    "doctor.json",
    "doctor.text-moves",
    "patient",
    "examination",
    "consultant",
    "describer",
    "grounding",
    "tutor",
    "student",
    "specialist",
    "supervisor",
    "expert",
    "examinee",
    "standardized_patient",
    "controller",
    "deliberation",
    "memory_summary",
    "reconsider",
    "second_look",
    "second_attempt",
    "author_scenario_triage",
    "author_scenario_packet",
    "author_scenario_evaluation",
    "author_scenario_rubric",
    "author_scenario_audit",
)
_FOLDER: Final = "templates"


# Prompts are not HTML: untrusted text is neutralized by `block`, not by HTML escaping.
_ENVIRONMENT: Final = SandboxedEnvironment(
    undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
)
_ENVIRONMENT.filters["block"] = lambda text, tag: block(tag, str(text))
_ENVIRONMENT.filters["neutral"] = lambda text: neutral(str(text))


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

    @cached_property
    def _template(self) -> Template:
        return _ENVIRONMENT.from_string(self.text)

    def render(self, values: Mapping[str, object]) -> str:
        """Render the prompt with its values. Raises BadInput if one is missing."""
        try:
            return self._template.render(values).strip()
        except TemplateError as error:
            raise BadInput(f"the prompt cannot be rendered: {error}", where=f"prompt {self.name}") from error


@lru_cache(maxsize=64)
def prompt(name: str | Path) -> Prompt:
    """Load a prompt by the name of a packaged one ("doctor.json"), by its location in another package
    ("handover:giver.jinja"), or by its file. Raises BadInput if it cannot be read."""
    if isinstance(name, str) and ":" not in name:
        if name not in NAMES:
            raise BadInput(f"there is no prompt {name!r}", mend=f"use one of: {', '.join(NAMES)}")
        return _read(resources.files("osler.prompts").joinpath(_FOLDER, f"{name}.jinja"), name)
    if isinstance(name, Path):
        return _read(name, name.name)
    package, _, file = name.partition(":")
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
            mend="name a UTF-8 text file, as package:file.jinja",
        ) from None
    why, end, rules = text.partition("#}") if text.startswith("{#") else ("", "", text)
    return Prompt(name, (rules if end else text).strip(), why.removeprefix("{#").strip() if end else "")


@lru_cache(maxsize=64)
def for_seat(name: str, seat: str) -> Prompt:
    """A prompt written for the examinee, adapted to the player in another seat."""
    written = prompt(name)
    return replace(written, text=written.text.replace("examinee", seat.replace("_", " ")))
