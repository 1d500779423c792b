"""The trainings behind a model, as far as their folders are at hand, and the judges that rewarded it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from osler.errors import BadInput
from osler.training.folder import ADAPTER, MERGED, Folder, Stamp
from osler.training.reading import manifest_of
from osler.training.reward.independence import RewardJudge
from osler.training.task import trained_seat

JUDGE, JUDGES_MODEL = "reward_judge", "reward_judge_model"
"""The names under which a stamp's settings hold the judge of a reward."""
_MOST: Final = 100


def stamps(model: Path) -> Iterator[Stamp]:
    """The stamps of the trainings that a model went through, the last first."""
    for _ in range(_MOST):
        folder = Folder(model.parent if model.name in (MERGED, ADAPTER) else model)
        try:
            stamp = folder.stamp
        except BadInput:
            return
        yield stamp
        model = Path(stamp.base)


def answers_in_json(model: Path) -> bool:
    """Whether a model learnt a seat whose moves are JSON objects, as far as its data sets are at hand."""
    for one in stamps(model):
        try:
            manifest = manifest_of(Path(one.data))
            seat = trained_seat(str(manifest.get("protocol")), str(manifest.get("seat")))
        except BadInput:
            continue
        return getattr(seat, "moves", "text") == "json"
    return False


def rewarded_by(model: Path) -> list[RewardJudge]:
    """The judges whose rewards a model was trained on."""
    configs = [one.config for one in stamps(model) if one.config.get(JUDGE)]
    return [RewardJudge(str(one[JUDGE]), str(one.get(JUDGES_MODEL, ""))) for one in configs]
