"""The design of a longitudinal study as data, fixed before anything is played."""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import to_json

import osler
from osler.core.events import Frozen
from osler.core.option import Option
from osler.core.role import MEMORY
from osler.knowledge import fingerprint
from osler.memory.settings import Policy, Ranking
from osler.protocols.consultation.memory.memory_config import CARDS, MemoryUse, anew_for, threshold_of
from osler.protocols.consultation.settings import LOOKS, Look

NAME: Final = "longitudinal"
By = Literal["specialty", "difficulty", "random"]
Arm = Literal["none", "memory", "wrong", "oracle", "small"]
ARMS: Final[tuple[Arm, ...]] = ("none", "memory", "wrong", "oracle", "small")
WITH_CARDS: Final[tuple[Arm, ...]] = ARMS[1:]
MEANT: Final[dict[Arm, str]] = {
    "none": "no memory",
    "memory": "what write-back keeps of the stream",
    "wrong": "the same cards, each under the diagnosis of another disease",
    "oracle": "every case of the stream as a whole, under its right diagnosis",
    "small": "the memory with room for few cards",
}


def _option(about: str, flag: str = "", *, usual: str = "") -> Option:
    return Option(f"`{NAME}`: {about}", "study", flag, usual=usual)


class Design(Frozen):
    """The design of one study. Every stream meets `taught` cases in every block, drawn separately for each
    stream. The `probes` of every block, and the share `reserved` of all cases, whose diagnoses no stream ever
    meets, never enter a memory. `capacity` is that of the arm `small`; by default a card per case taught in a
    block. Lessons are written back after each block, or (`write` is "online") after each case, so that the
    next one profits. Within a block the memory is probed at `points` points, from before its first case to
    after its last."""

    cases: str = "library"
    format: str = "auto"
    images: str | None = Field(default=None, exclude_if=lambda folder: folder is None)
    without_images: bool = Field(default=False, exclude_if=lambda without: not without)
    limit: int | None = Field(default=None, ge=1)
    doctor: str = "baseline-naive"
    models: dict[str, str] = Field(default_factory=dict)
    moves: Literal["json", "text"] = "json"
    patient: str = "baseline"
    seed: int = Field(default=0, ge=0, le=10**12)
    blocks: Annotated[int, _option("number of blocks of cases.")] = Field(default=5, ge=2, le=50)
    by: Annotated[By, _option("how cases are split into blocks; difficulty means rarity.")] = "specialty"
    orders: Annotated[int, _option("number of block orders.")] = Field(default=3, ge=1, le=100)
    seeds: Annotated[int, _option("streams per block order, each with its own seed.")] = Field(
        default=3, ge=1, le=100
    )
    taught: Annotated[int, _option("training cases per block in each stream.")] = Field(default=60, ge=1)
    probes: Annotated[int, _option("held-out probe cases per block.")] = Field(default=20, ge=1)
    reserved: float = Field(default=0.02, ge=0, le=0.5)
    points: Annotated[
        int,
        _option("points of each block's learning curve, from before its first case to after its last."),
    ] = Field(default=5, ge=2, le=100)
    k: Annotated[int, _option("cards per retrieval.", "--cards")] = Field(default=CARDS, ge=1, le=50)
    ranking: Ranking = "lexical"
    embedder: str = ""
    looks: tuple[Look, ...] = LOOKS
    feedback: Annotated[
        Policy,
        _option(
            "the feedback a doctor gets on a conclusion.",
            usual="judge for a model, gold for a built-in doctor",
        ),
    ] = "gold"
    write: Annotated[
        Literal["block", "online"],
        _option(
            "when lessons are written back: after each block, or after each case, which then follow one"
            " another."
        ),
    ] = "block"
    capacity: Annotated[
        int | None,
        _option("memory capacity, in cards, of the condition `small`.", usual="a card per case taught"),
    ] = Field(default=None, ge=1)

    @property
    def room(self) -> int:
        """The capacity of the arm `small`, in cards."""
        return self.capacity or self.taught

    @property
    def threshold(self) -> float:
        """The similarity from which two of its cases count as near-duplicates."""
        return threshold_of(self.cases)

    @property
    def use(self) -> MemoryUse:
        """The search of its memories, each by its snapshot."""
        return MemoryUse(
            k=self.k,
            by=self.ranking,
            embedder=self.embedder,
            looks=self.looks,
            threshold=self.threshold,
            feedback=self.feedback,
        )

    @property
    def anew(self) -> bool:
        """Whether a second attempt is another consultation; a model thinks over the record of its first."""
        return anew_for(self.doctor)

    def within(self, cases: int) -> tuple[int, ...]:
        """After how many of a block's cases it is probed, between before the first and after the last; in a
        small block a point may fall on one of these, or on another."""
        steps = self.points - 1
        return tuple(round(cases * at / steps) for at in range(1, steps))

    @property
    def without_memory(self) -> str:
        """The doctor's name without a memory."""
        return self.doctor.replace(MEMORY, "")

    @property
    def with_memory(self) -> str:
        """The doctor's name with a memory, appended unless its position is given."""
        return self.doctor if MEMORY in self.doctor else f"{self.doctor}{MEMORY}"

    @model_validator(mode="after")
    def _can_be_searched(self) -> Self:
        _ = self.use
        return self

    def key(self, cases_fingerprint: str) -> str:
        """Return 12 hex digits that hash everything that determines the study; its runs are named by them."""
        parts = (to_json(self).decode(), cases_fingerprint, osler.__version__, fingerprint())
        return blake2b("\x1f".join(parts).encode(), digest_size=6).hexdigest()
