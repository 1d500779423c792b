"""A training's output folder: what it was made from, its log, and its result.

stamp.json    the hashes of data, base and settings; a folder is gone on with only by the same
log.jsonl     one line for each update; a resumed training begins where its checkpoint stands
labels.json   samples of what is learnt, decoded from the labels of a batch
reward.json   of a reinforcement: the reward and its hacking probes, before anything was trained
kept.json     what of the data set is trained on, and what is left out
result.json   is there once the training has ended
checkpoints/, cache/   while it is trained; then adapter/ or merged/, as the backend writes them
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import Field, JsonValue, ValidationError

from osler.core.events import Frozen
from osler.errors import BadInput
from osler.files import write_whole

FORMAT: Final = "osler-training/1"
STAMP, LOG, LABELS, RESULT = "stamp.json", "log.jsonl", "labels.json", "result.json"
ADAPTER, MERGED, CHECKPOINTS = "adapter", "merged", "checkpoints"
KEPT, CACHE = "kept.json", "cache"
REWARD: Final = "reward.json"
_NAMES: Final = {
    "kind": "kind of training",
    "data_hash": "data set",
    "base_hash": "base",
    "config_hash": "settings",
    "reward_hash": "reward",
}


class Stamp(Frozen):
    """The origin of a training. Paths and versions are for the reader; only hashes are compared."""

    format: str = FORMAT
    kind: str
    data: str
    data_hash: str
    base: str
    base_hash: str
    config: dict[str, JsonValue]
    config_hash: str
    reward: str = ""
    reward_hash: str = ""
    osler: str
    libraries: dict[str, str] = Field(default_factory=dict)


class Folder(NamedTuple):
    """An output folder by its path."""

    path: Path

    @property
    def result(self) -> dict[str, Any] | None:
        """The result; `None` while the training has not ended."""
        path = self.path / RESULT
        if not path.is_file():
            return None
        value = _json(path)
        if not isinstance(value, dict):
            raise BadInput("the result cannot be read", where=str(path))
        return value

    @property
    def stamp(self) -> Stamp:
        """The origin of the training. Raises BadInput where the folder is of no training."""
        result = self.path / STAMP
        if not result.is_file():
            raise BadInput(
                "this folder holds no training", where=str(self.path), hint="osler train sft writes one"
            )
        try:
            return Stamp.model_validate(_json(result))
        except ValidationError:
            raise BadInput("the stamp cannot be read", where=str(result)) from None

    def begin(self, stamp: Stamp) -> bool:
        """Stamp a new folder; True if it was stamped before, by the same.

        Raises BadInput where the folder was made from anything else, or holds files of something else.
        """
        if (self.path / STAMP).is_file():
            before = self.stamp
            changed = [
                words for name, words in _NAMES.items() if getattr(before, name) != getattr(stamp, name)
            ]
            if changed:
                raise BadInput(
                    f"the training in this folder had another {' and another '.join(changed)}",
                    where=str(self.path),
                    hint="name another folder with --out, or give what it was begun with",
                )
            return True
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise BadInput(
                "the folder holds something else", where=str(self.path), hint="name another with --out"
            )
        self.write(STAMP, stamp.model_dump(mode="json"))
        return False

    def write(self, name: str, value: Any) -> None:
        """Write a JSON file of the folder whole."""
        write_whole(self.path / name, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")

    def add(self, line: Mapping[str, Any]) -> None:
        """Append a line to the log."""
        with (self.path / LOG).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, allow_nan=False) + "\n")

    def log(self) -> list[dict[str, Any]]:
        """The lines of the log; one that was cut off is left out."""
        return list(_lines(self.path / LOG))

    def cut_log(self, step: int) -> None:
        """Keep the lines of the log up to a step: what came after is done again."""
        lines = [line for line in self.log() if line.get("step", 0) <= step]
        write_whole(self.path / LOG, "".join(json.dumps(line) + "\n" for line in lines))

    @property
    def reward(self) -> dict[str, Any]:
        """The reward with its probes; empty where it is not told."""
        result = self.path / REWARD
        value = _json(result) if result.is_file() else {}
        return value if isinstance(value, dict) else {}

    def labels(self) -> list[dict[str, Any]]:
        """The decoded samples; empty where there are none."""
        result = self.path / LABELS
        value = _json(result) if result.is_file() else []
        each = value if isinstance(value, list) else []
        return [one for one in each if isinstance(one, dict) and isinstance(one.get("learnt"), list)]


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        raise BadInput("is no JSON that Osler wrote", where=str(path)) from None


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    if not path.is_file():
        return
    for line in path.read_bytes().splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def servable(path: Path) -> Path:
    """The folder of whole weights that a path names: a training's merged ones, or a model itself.

    Raises BadInput where there are only adapters, or nothing that could be loaded.
    """
    if (path / "config.json").is_file():
        return path
    if (path / MERGED / "config.json").is_file():
        return path / MERGED
    if (path / ADAPTER).is_dir():
        raise BadInput(
            "this training holds adapters alone", where=str(path), hint=f"osler train merge {path}"
        )
    if (path / STAMP).is_file():
        raise BadInput("this training has not ended", where=str(path), hint="run the same command again")
    raise BadInput("no model is there", where=str(path), hint="a folder with config.json and its weights")
