"""The memory settings of a run's configuration: what its doctor retrieves from, and second attempts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import to_json

from osler.core.events import Frozen
from osler.errors import BadInput, in_words
from osler.memory.settings import MADE_UP, THRESHOLD, Policy, Ranking
from osler.protocols.consultation.settings import BEFORE_CONCLUDING, LOOKS, Look

FEEDBACK_WORDS: Final[dict[Policy, str]] = {
    "gold": "feedback gold (before its second attempt the doctor was told the right answer)",
    "judge": "feedback judge (before its second attempt the doctor was told only that it was wrong)",
    "none": "feedback none (nothing was verified, and there was no second attempt)",
}
RANKING_WORDS: Final[dict[Ranking, str]] = {
    "lexical": "lexical",
    "nearest": "nearest (built-in vectors of words, which know no meaning)",
    "fused": "fused (lexical, and built-in vectors of words, which know no meaning)",
}
LATEST: Final = 2**31 - 1
"""The position of an episode that comes after everything in any memory."""
CARDS: Final = 4
FROM: Final = "from"


def feedback_for(doctor: str) -> Policy:
    """The usual feedback: a model is told only whether it was right, as in MedAgentSim; a built-in learner,
    which cannot think again, is told the answer."""
    return "judge" if doctor.startswith("model:") else "gold"


def anew_for(doctor: str) -> bool:
    """Whether a doctor's second attempt is another consultation: a model thinks over the record of its first,
    as in MedAgentSim; a built-in doctor cannot, and asks and orders more widely."""
    return not doctor.startswith("model:")


def threshold_of(cases: str) -> float:
    """Return the similarity from which two cases are near-duplicates; generated cases share their wording."""
    return MADE_UP if cases.startswith("generated:") else THRESHOLD


class MemoryUse(Frozen):
    """The use of a frozen memory, with its search parameters. An empty `snapshot` is a memory without cards.

    `by` is how cards are found, and `embedder` the endpoint (`model:NAME`) whose vectors `nearest` and
    `fused` compare; without one they are the built-in `hashed-lexical`. `looks` says when the doctor looks.

    `position` is the position of the run's episodes in the stream that the memory was written from: no card
    from there or later may be given. With `progress` the run's cases are that stream itself, in the order of
    their source, and each is given cards of earlier cases only. `held_out` are places in the source of cases
    that no card may come from, and `threshold` is the similarity from which two texts count as one case
    (`osler.memory.near_duplicates`). `feedback` is the policy that the cards were written under, if known.
    """

    snapshot: str = ""
    k: int = Field(default=CARDS, ge=1, le=50)
    by: Ranking = "lexical"
    embedder: str = Field(default="", exclude_if=lambda name: not name)
    looks: tuple[Look, ...] = Field(default=BEFORE_CONCLUDING, exclude_if=lambda at: at == BEFORE_CONCLUDING)
    progress: bool = Field(default=False, exclude_if=lambda along: not along)
    feedback: Policy | None = Field(default=None, exclude_if=lambda policy: policy is None)
    threshold: float = Field(default=THRESHOLD, gt=0, le=1)
    position: int = Field(default=LATEST, ge=0)
    held_out: tuple[int, ...] = ()

    @field_validator("embedder")
    @classmethod
    def _a_model(cls, name: str) -> str:
        if name and not name.startswith("model:"):
            raise ValueError("write model:NAME, with the NAME of an endpoint that serves /embeddings")
        return name

    @field_validator("looks")
    @classmethod
    def _at_some_time(cls, looks: tuple[Look, ...]) -> tuple[Look, ...]:
        if not looks:
            raise ValueError("name one look or more: start, during, conclusion")
        return tuple(sorted(set(looks), key=LOOKS.index))

    @model_validator(mode="after")
    def _embeds_what_it_compares(self) -> Self:
        if self.embedder and self.by == "lexical":
            raise ValueError("an embedder is of no use to lexical retrieval: retrieve nearest or fused")
        return self

    @property
    def searched(self) -> str:
        """Everything that determines which cards are found, besides the memory and what is held out, as
        JSON."""
        result = self.model_dump(mode="json", include={"k", "by", "threshold", "position"})
        others = self.model_dump(
            mode="json", include={"embedder", "looks", "progress"}, exclude_defaults=True
        )
        return to_json({**result, **others}).decode()

    @property
    def headline(self) -> str:
        """The first line of a report: the feedback that the cards were written under, and the search."""
        told = FEEDBACK_WORDS[self.feedback] if self.feedback else "feedback as each card says"
        by = f"{self.by} by {self.embedder}" if self.embedder else RANKING_WORDS[self.by]
        return f"Memory: {told}; {by} retrieval, looks at {', '.join(self.looks)}."


def use_from(written: object, before: tuple[str, ...]) -> MemoryUse | None:
    """Parse the memory of a study's condition, written `{from: CONDITION}`, as far as it is known before
    anything is played.

    Raises BadInput if the condition it learns from is not played before it.
    """
    if written is None:
        return None
    if not isinstance(written, dict) or written.get(FROM) not in before:
        hint = f"write memory: {{from: CONDITION}} with one of: {', '.join(before) or 'none yet'}"
        raise BadInput("memory: it learns from no condition that is played before it", hint=hint)
    return memory_use({key: value for key, value in written.items() if key != FROM}, "memory")


def memory_use(how: Mapping[str, Any], where: str) -> MemoryUse:
    """The use of a memory with these settings; unless they say otherwise, the doctor looks at all times.
    Raises BadInput."""
    try:
        return MemoryUse.model_validate({"looks": LOOKS, **how})
    except ValidationError as error:
        raise BadInput(in_words(error), where=where) from None


class Again(Frozen):
    """A second attempt: the run whose mistakes are retried, and what the doctor is told about them.

    With `anew` it consults again; else it thinks over the record of its first attempt and concludes again, as
    in MedAgentSim."""

    run: str
    feedback: Policy
    anew: bool = Field(default=True, exclude_if=lambda again: again)
