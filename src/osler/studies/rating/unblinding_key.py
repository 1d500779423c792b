"""The unblinding key of an export: the episode behind each blind id. Raters never see it.

It contains the scale as it was given to the raters, so that later changes to the scale cannot change the
meaning of ratings, and for every episode its place in the store and a fingerprint of the transcript.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import Field, ValidationError

from osler.cases.rubrics.model import Rubric
from osler.core.events import Frozen
from osler.errors import BadInput, in_words
from osler.studies.rating.scales import Scale

_HINT: Final = "give the key.json that the export wrote"


class Behind(Frozen):
    """The episode behind a blind id, or one `item` of its rubric. `key` is the episode's own, `transcript` a
    fingerprint of what was shown (the transcript, or the item's words), `graders` are those that had judged
    it at the time, with version."""

    run: str
    ordinal: int = Field(ge=0, lt=2**31)
    key: str
    case: str
    item: str | None = Field(default=None, exclude_if=lambda item: item is None)
    transcript: str
    graders: dict[str, str] = Field(default_factory=dict)


class Key(Frozen):
    """The key of an export: episodes sampled from the `eligible` ones of these runs with this seed.

    `episodes` has a blind id for each row of a sheet. `rubrics` are those that were given for cases without
    one of their own, by the case's content hash. `sheets` lists each rater's blind ids in the order of
    the rows, under a code unique to this export.
    """

    osler_rating_key: Literal[1] = 1
    batch: str
    scale: Scale
    runs: tuple[str, ...]
    seed: int
    eligible: int
    episodes: dict[str, Behind]
    rubrics: dict[str, Rubric] = Field(default_factory=dict, exclude_if=lambda given: not given)
    sheets: dict[str, tuple[str, ...]]


def key_text(key: Key) -> str:
    """Return the key as JSON text."""
    return key.model_dump_json(indent=1) + "\n"


def read_key(path: Path) -> Key:
    """Read a key. Raises BadInput if the file is not a valid key."""
    try:
        return Key.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=str(path), hint=_HINT) from None
    except ValidationError as error:
        raise BadInput(f"is not a key: {in_words(error)}", where=str(path), hint=_HINT) from None
