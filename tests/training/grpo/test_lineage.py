"""A served model names the judges that rewarded it, however many trainings lie between."""

from __future__ import annotations

from pathlib import Path

from osler.training.folder import Folder, Stamp
from osler.training.lineage import JUDGE, JUDGES_MODEL, rewarded_by
from osler.training.reward.independence import RewardJudge


def stamped(out: Path, base: Path, **config: str) -> Path:
    stamp = Stamp(
        **{"kind": "grpo", "data": "d", "data_hash": "1", "base": str(base), "base_hash": "2"},
        **{"config": config, "config_hash": "3", "osler": "0"},
    )
    Folder(out).begin(stamp)
    (out / "merged").mkdir()
    return out


def test_every_judge_behind_a_model_is_named(tmp_path: Path) -> None:
    first = stamped(tmp_path / "a", tmp_path / "base", **{JUDGE: "big", JUDGES_MODEL: "big-1"})
    second = stamped(tmp_path / "b", first / "merged")
    third = stamped(tmp_path / "c", second / "merged", **{JUDGE: "other", JUDGES_MODEL: "other-2"})
    assert rewarded_by(third / "merged") == [RewardJudge("other", "other-2"), RewardJudge("big", "big-1")]
    assert rewarded_by(second) == [RewardJudge("big", "big-1")]
    assert rewarded_by(tmp_path / "base") == []


def test_a_circle_of_stamps_ends(tmp_path: Path) -> None:
    here = stamped(tmp_path / "a", tmp_path / "a", **{JUDGE: "big"})
    assert set(rewarded_by(here)) == {RewardJudge("big", "")}
