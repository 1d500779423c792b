"""The answers that a policy gave while it was trained, with their scores, so that nothing is taken on trust.

One JSON line for each, by step, prompt and place in its group; never rewritten, only cut where a resumed
training begins again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.training.reward.score import Score

SAMPLES: Final = "samples.jsonl"
_KEPT_OF_A_CALL: Final = ("endpoint", "outcome", "text", "detail", "from_cache", "prompt")


class Sampled(NamedTuple):
    """One answer: the step it was sampled in (from 1), the id of its prompt (or world), its place in the
    group, its text, what a trainer was given for it (`None`: left out of the update), its score, and the
    records of the judge's calls."""

    step: int
    prompt: str
    k: int
    text: str
    given: float | None
    score: Score
    valid: bool
    tokens: int
    calls: Sequence[Mapping[str, Any]] = ()

    @property
    def line(self) -> str:
        """The answer as a line of JSON."""
        score = self.score
        calls = [{name: one[name] for name in _KEPT_OF_A_CALL if name in one} for one in self.calls]
        result = {
            **{"step": self.step, "prompt": self.prompt, "k": self.k, "text": self.text},
            **{"given": self.given, "total": score.total, "vetoed": score.vetoed},
            **{"unscored": score.unscored, "items": dict(score.items), "axes": dict(score.axes)},
            **{"quotes": dict(score.quotes), "valid": self.valid, "tokens": self.tokens, "calls": calls},
        }
        return json.dumps(result, ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class Samples:
    """The file of a training's answers."""

    path: Path

    def add(self, found: Iterable[Sampled]) -> None:
        """Append answers, and see that they are on the disk."""
        with self.path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(f"{one.line}\n" for one in found)
            file.flush()
            os.fsync(file.fileno())

    def cut(self, step: int) -> None:
        """Drop what was sampled after a step, and a line that was not written whole."""
        if not self.path.is_file():
            return
        end = 0
        with self.path.open("rb") as file:
            for line in file:
                value = _read(line) if line.endswith(b"\n") else None
                if value is None or value["step"] > step:
                    break
                end += len(line)
        os.truncate(self.path, end)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if self.path.is_file():
            with self.path.open("rb") as file:
                yield from (value for line in file if (value := _read(line)) is not None)


def _read(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("step"), int) else None
