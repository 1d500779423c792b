"""The report of a reinforcement: its probes, all that stands beside the reward, and its control."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from osler.training.folder import REWARD, Folder, Stamp
from osler.training.report import training_html

FIGURES = {
    **{"loss": 0.1, "norm": 2.0, "kl": 0.01, "reward": 4.0, "axis/structure": 3.0, "axis/safety": 1.0},
    **{"vetoed": 0.1, "veto_groups": 0.2, "zero_spread": 0.3, "unscored": 0.05, "masked_groups": 0.1},
    **{"valid": 0.9, "length": 120.0, "control/leak": 0.02, "control/words": 80.0, "cut_off": 0.0},
    **{"control/with_words": 0.3, "control/shuffled_words": 0.2},
}
PLAIN = {"name": "plain turn", "total": 13.5, "n": 8, "vetoed": 0, "unscored": 0, "above": 0, "beats": False}
PROBES = [
    PLAIN,
    {**PLAIN, "name": "praise <only>", "total": 14.25, "above": 6, "beats": True},
    {
        **PLAIN,
        "name": "told",
        "total": 14.0,
        "above": 8,
        "beats": True,
        "conceded": "meant so: telling works",
    },
    {**PLAIN, "name": "empty", "total": -11.0, "vetoed": 8},
]
CONTROL = "osler train grpo DIR --out OUT-shuffled --shuffled"


def begun(out: Path, *, shuffled: bool = False, reward: str = "rubric", **about: Any) -> Folder:
    config = {"profile": "tiny", "seed": 7, "rollout": "state", "shuffled": shuffled}
    folder = Folder(out)
    folder.begin(
        Stamp(
            **{"kind": "grpo", "data": "d", "data_hash": "d1", "base": "b", "base_hash": "b1"},
            **{"config": config, "config_hash": str(shuffled), "reward": reward, "osler": "0"},
        )
    )
    told = {"name": reward, "version": "1", "caution": "", "control": CONTROL, "probes": PROBES}
    folder.write(REWARD, {**told, **about})
    for step in range(1, 7):
        folder.add({"step": step, **{name: value * step for name, value in FIGURES.items()}})
    return folder


def rows(page: str) -> dict[str, str]:
    """The rows of the tables by their heads, as text."""
    found = re.findall(r'<tr[^>]*><th scope="row">(.*?)</th>(.*?)</tr>', page, re.DOTALL)
    return {name: re.sub(r"<[^>]+>", " ", cells) for name, cells in found}


def captions(page: str) -> list[str]:
    return re.findall(r"<figcaption>(.*?)</figcaption>", page)


def test_probes_stand_beside_the_plain_turn_and_one_that_beats_it_is_marked(tmp_path: Path) -> None:
    page = training_html([begun(tmp_path / "out")])
    found = rows(page)
    hack = found["&#9888; praise &lt;only&gt;"].split()
    assert hack == "14.25 13.50 6 of 8 0 of 8 0 of 8 beats the plain turn".split()
    assert "meant so: telling works" in found["&#9888; told"]
    assert found["empty"].split() == "-11.00 13.50 0 of 8 8 of 8 0 of 8 does not".split()
    assert "beats" not in found["plain turn"]
    assert page.count('<tr class="beats">') == 2


def test_a_reward_without_probes_says_so(tmp_path: Path) -> None:
    page = training_html([begun(tmp_path / "out", probes=[])])
    assert "None were run" in page


def test_all_that_may_rise_with_a_reward_is_drawn_beside_it(tmp_path: Path) -> None:
    page = training_html([begun(tmp_path / "out")])
    drawn = captions(page)
    assert drawn[:3] == ["Mean reward", "Axis: safety", "Axis: structure"]
    beside = [
        "Share of answers that give the answer away",
        "Mean length of answers, in words",
        "Share of answers that parse",
        "Share of answers with a veto",
        "Share of groups with a veto",
        "Share of groups with equal rewards, from which nothing is learnt",
        "Share of answers without a score",
    ]
    assert drawn[3:10] == beside
    assert len(drawn) == len(FIGURES)


def test_a_control_is_drawn_beside_or_its_command_is_told(tmp_path: Path) -> None:
    trained = begun(tmp_path / "out")
    alone = training_html([trained])
    assert CONTROL in alone
    assert "no training with shuffled rewards" in alone
    control = begun(tmp_path / "control", shuffled=True)
    page = training_html([trained, control])
    assert "its control, control, is drawn beside it" in page
    assert CONTROL not in page
    assert page.count("Hacking probes of") == 2, "a heading and its table: the control's are the same"
    other = begun(tmp_path / "other", shuffled=True, reward="rule")
    assert CONTROL in training_html([trained, other]), "of another reward it is no control"
    newer = begun(tmp_path / "newer", shuffled=True, version="2")
    assert CONTROL in training_html([trained, newer])


def test_a_gain_is_shown_under_every_theory_with_its_caution(tmp_path: Path) -> None:
    folder = begun(tmp_path / "out", caution="Simulated gain: no evidence.")
    axes = {"construct": 0.1, "telling": 0.4, "novice": 0.2}
    result = {"reward_first": 0.1, "reward_last": 0.3, "valid_first": 0.5, "valid_last": 1.0, "steps": 6}
    later = {name: value + 0.25 for name, value in axes.items()}
    folder.write("result.json", {**result, "axes_first": axes, "axes_last": later, "probes": {"a": 1}})
    page = training_html([folder])
    assert "Simulated gain: no evidence." in page
    found = {name: cells.strip() for name, cells in rows(page).items()}
    assert found["mean reward"] == "0.1 to 0.3"
    assert found["telling"] == "0.4 to 0.65"
    assert found["novice"] == "0.2 to 0.45"
    assert "probes: a" not in found


def test_spoilt_figures_of_a_reward_make_no_page_fail(tmp_path: Path) -> None:
    folder = begun(tmp_path / "out", probes=[7, {"name": "x", "total": "<script>"}, {}], caution=["a"])
    page = training_html([folder])
    assert "<script" not in page
    (tmp_path / "out" / REWARD).write_text("[1]")
    assert "None were run" in training_html([folder])
