"""The models of a study's conditions: which one sat in which seat, and the hash of its weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from osler.core.events import Frozen
from osler.runs.endpoints import WEIGHTS
from osler.runs.run import config_of
from osler.store.records import RunInfo


class Checkpoint(Frozen):
    """A model in a seat of a condition: its endpoint, its name there, and the hash of its weights. `weights`
    is "" if these were no files on the machine that played. The hash is of the files as they were when the
    run was begun; nothing proves that the server had loaded them."""

    seat: str
    endpoint: str
    model: str
    weights: str = ""

    @property
    def words(self) -> str:
        """The model in one line, its name last: a folder's may be long enough to be clipped."""
        weights = f" (weights {self.weights[:12]})" if self.weights else ""
        return f"{self.seat} {self.endpoint}{weights} is {self.model}"


def checkpoints_of(run: RunInfo) -> tuple[Checkpoint, ...]:
    """The models of a run by seat, as its manifest records them; seats of one role count once."""
    config = config_of(run)
    weights: Mapping[str, str] = run.manifest.get(WEIGHTS, {})

    def each() -> Iterator[Checkpoint]:
        for seat, name in config.names().items():
            for model in name.models:
                endpoint = model.partition(":")[2]
                behind = config.models.get(endpoint, "")
                yield Checkpoint(
                    seat=config.plays.role(seat).name,
                    endpoint=endpoint,
                    model=behind,
                    weights=weights.get(endpoint, ""),
                )

    return tuple(dict.fromkeys(each()))


def in_words(checkpoints: Mapping[str, tuple[Checkpoint, ...]]) -> dict[str, str]:
    """The models whose weights are known, in words; the conditions that have the same ones are one entry."""
    lines: dict[str, list[str]] = {}
    for name, models in checkpoints.items():
        if words := [one.words for one in models if one.weights]:
            lines.setdefault("; ".join(words), []).append(name)
    return {", ".join(names): line for line, names in lines.items()}
