"""The memory card: one remembered item, its origin, its scope, and how useful it has been."""

from __future__ import annotations

import base64
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from osler.core.events import Frozen, json_of
from osler.memory.settings import Policy

Kind = Literal["case", "insight", "skill"]
Component = Literal["dialogue", "results", "diagnosis", "images"]
Outcome = Literal["right", "right_after_reflection", "unverified"]
State = Literal["active", "retired"]
AgeBand = Literal["infant", "child", "adolescent", "adult", "older"]
Float32 = npt.NDArray[np.float32]

SCHEMA_VERSION: Final = 1
DIMENSIONS: Final = 256
"""The length of a vector of hashed features."""
COUNTS: Final = frozenset({"uses", "helped", "harmed", "state"})
"""The mutable fields of a card; all others determine its id."""
_BANDS: Final[tuple[tuple[float, AgeBand], ...]] = (
    (1, "infant"),
    (12, "child"),
    (18, "adolescent"),
    (65, "adult"),
)


def age_band(years: float | None) -> AgeBand | None:
    """The age band: infant below 1 year, child below 12, adolescent below 18, adult below 65, else older."""
    if years is None:
        return None
    return next((band for below, band in _BANDS if years < below), "older")


class Scope(Frozen):
    """The patients a card is about. A field that is `None` does not restrict it."""

    specialty: str | None = None
    age: AgeBand | None = None
    sex: Literal["female", "male"] | None = None
    task: Literal["diagnosis", "choice", "open"] | None = None


class Source(Frozen):
    """The case behind a card or an episode: its hash, its cluster of equivalent cases (twins, variants), and
    the sketch of its text, which finds near-duplicates (`osler.memory.near_duplicates`)."""

    case: str
    cluster: str
    sketch: str = ""


class Origin(Source):
    """The episode a card was written after. `position` is the episode's index in the memory's stream, from 0;
    a memory that continues in another run continues counting."""

    episode: str
    run: str
    position: int = Field(ge=0)


class Descriptor(Frozen):
    """The embedding of a picture: a unit vector in a named space, as base64 of 8-bit integers. Only vectors
    of the same space are comparable."""

    space: str
    code: str

    @property
    def vector(self) -> Float32:
        """The vector, shape (dimensions,), of length 1; of length 0 if it is all zero."""
        result = np.frombuffer(base64.b64decode(self.code), np.int8).astype(np.float32)
        return unit(result)


def descriptor(space: str, vector: npt.ArrayLike) -> Descriptor:
    """Quantize a vector of any length into a descriptor; 8 bits per dimension are enough for ranking."""
    result = np.asarray(vector, np.float64)
    most = float(np.abs(result).max(initial=0.0))
    small = np.round(result / most * 127) if most else result
    return Descriptor(space=space, code=base64.b64encode(small.astype(np.int8).tobytes()).decode())


@lru_cache(maxsize=65_536)
def hashed_place(word: str) -> tuple[int, int]:
    """The dimension and the sign that stand for a word in a hashed vector."""
    number = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
    return number % DIMENSIONS, 1 if number >> 63 else -1


def unit(vectors: Float32) -> Float32:
    """Normalize vectors along the last axis to length 1; a zero vector stays zero."""
    length = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    result: Float32 = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return result


class Components(Frozen):
    """The searchable parts of a card. `dialogue` is the complaint and what the patient said; for an insight,
    the insight itself."""

    dialogue: str = ""
    results: str = ""
    images: tuple[Descriptor, ...] = ()


class Card(Frozen):
    """A remembered item. `content` is shown to the doctor; `diagnosis` and `summary` are parts of it.

    A `case` is a whole consultation, an `insight` the lesson of a mistake, a `skill` advice of any origin.
    `feedback` is the policy under which it was written. `helped` and `harmed` count the uses that were
    judged; `uses` counts all.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    kind: Kind
    content: str = Field(min_length=1, max_length=40_000)
    diagnosis: str = ""
    summary: str = ""
    outcome: Outcome
    feedback: Policy
    origin: Origin
    scope: Scope = Scope()
    components: Components = Components()
    uses: int = Field(default=0, ge=0)
    helped: int = Field(default=0, ge=0)
    harmed: int = Field(default=0, ge=0)
    state: State = "active"

    @cached_property
    def id(self) -> str:
        """The content hash, 32 hex digits, over everything but the counts and the state."""
        plain = self.model_copy(update={"uses": 0, "helped": 0, "harmed": 0, "state": "active"})
        return blake2b(json_of(plain).encode(), digest_size=16).hexdigest()

    @property
    def utility(self) -> float:
        """The share of judged uses that helped, from 0 to 1, with Laplace smoothing: 0.5 before any."""
        return (self.helped + 1) / (self.helped + self.harmed + 2)
