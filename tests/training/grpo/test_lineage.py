"""A served model names the judges that rewarded it, however many trainings lie between."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from osler.training.folder import Folder, Stamp
from osler.training.lineage import JUDGE, JUDGES_MODEL, answers_in_json, rewarded_by
from osler.training.reward.independence import RewardJudge


def stamped(out: Path, base: Path, data: Path = Path("d"), /, **config: str) -> Path:
    stamp = Stamp(
        **{"kind": "grpo", "data": str(data), "data_hash": "1", "base": str(base), "base_hash": "2"},
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


@pytest.mark.parametrize(
    ("protocol", "seat", "objects"),
    [("scenario", "examinee", True), ("ward_round", "tutor", False), ("consultation", "doctor", False)],
)
def test_a_model_answers_in_json_if_the_seat_it_learnt_does(
    tmp_path: Path, protocol: str, seat: str, objects: bool
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    manifest = {"made_by": "osler dataset", "protocol": protocol, "seat": seat}
    (data / "manifest.json").write_text(json.dumps(manifest))
    first = stamped(tmp_path / "a", tmp_path / "base", data)
    later = stamped(tmp_path / "b", first / "merged", tmp_path / "gone")
    assert answers_in_json(first / "merged") is objects
    assert answers_in_json(later) is objects, "by the data set that is at hand"
    assert answers_in_json(tmp_path / "base") is False
