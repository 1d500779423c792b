"""From a stored consultation and a stored station to a data set, its audit, and its reward: without torch."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

import pytest

from osler.core.measure import plain_value
from osler.runs.measured import measured
from osler.runs.run import protocol_of
from osler.store.store import open_store
from tests.cli.commands import Osler, value

PLAYS: Final = {
    "doctor": ("consult", "library", "--limit=4"),
    "examinee": ("scenario", "play", "library", "--limit=4"),
}
BUILD: Final = ("--format=jsonl", "--validation=0", "--test=0")


class Chain(NamedTuple):
    """A run, the data set of it, and the reward of the run's turns, as the commands say."""

    run: str
    built: dict[str, Any]
    rewarded: dict[str, Any]


@pytest.fixture(params=PLAYS)
def chain(request: pytest.FixtureRequest, osler: Osler) -> tuple[str, Chain, Osler]:
    """Each seat's chain in a folder of its own."""
    run = value(osler(*PLAYS[request.param], "--json"))["run"]
    built = value(osler("dataset", "build", run, f"--seat={request.param}", "--out=data", *BUILD, "--json"))
    return request.param, Chain(run, built, value(osler("train", "reward", run, "--json"))), osler


def test_what_was_played_becomes_rows_that_the_audit_finds_clean(chain: tuple[str, Chain, Osler]) -> None:
    seat, made, osler = chain
    assert made.built["sessions"] == 4
    assert made.built["samples"]["single"] > 4
    audited = value(osler("dataset", "audit", "data", "--json"))
    assert (audited["clean"], audited["cases"]) == (True, 4)
    row = value(osler("dataset", "show", "data", "1", "--json"))
    assert row["seat"] == seat
    assert row["target"]
    lost = Path("data/cases.jsonl")
    lost.write_text(lost.read_text("utf-8").splitlines()[0] + "\n", encoding="utf-8")
    assert osler("dataset", "audit", "data").exit_code == 1, (
        "an audit that finds nothing wrong here sees nothing"
    )


def test_the_turns_of_a_run_and_of_its_data_set_have_a_reward(chain: tuple[str, Chain, Osler]) -> None:
    seat, made, osler = chain
    found = made.rewarded
    assert (found["seat"], found["reward"]) == (seat, "correct" if seat == "doctor" else "net")
    assert found["scored"] == found["n"] >= made.built["samples"]["single"]
    axes = {"correct", "cost"} if seat == "doctor" else {"net"}
    for one in found["samples"]:
        assert set(one["axes"]) <= axes
        assert one["total"] == pytest.approx(sum(one["axes"].values()))
    rows = value(osler("train", "reward", "data", "--json"))
    assert rows["n"] == made.built["samples"]["single"]
    by_id = {one["id"]: one["total"] for one in found["samples"]}
    assert all(
        by_id[one["id"]] == pytest.approx(one["total"]) for one in rows["samples"] if one["id"] in by_id
    )


def test_the_reward_of_whole_encounters_is_what_the_judge_of_the_run_says(
    chain: tuple[str, Chain, Osler],
) -> None:
    seat, made, osler = chain
    found = value(osler("train", "reward", made.run, "--reward=outcome", "--json"))
    assert found["n"] == found["scored"] == 4
    with open_store(None) as store:
        name = "correct" if seat == "doctor" else "net"
        run = store.run(made.run)
        by_judge = {
            one.row.key: plain_value(one.values[0])
            for one in measured(run, store, [protocol_of(run).measure(name)])
        }
    axes = {one["id"]: one["axes"] for one in found["samples"]}
    assert {key: held[name] for key, held in axes.items()} == pytest.approx(by_judge)
    if seat == "doctor":
        assert all(held["cost"] <= 0 for held in axes.values())
        assert any(held["cost"] < 0 for held in axes.values())
    assert found["mean"] == pytest.approx(fmean(sum(held.values()) for held in axes.values()))


def test_a_doctor_who_is_right_earns_more_than_one_who_never_acts(osler: Osler) -> None:
    named = ("baseline", "null")
    means = {}
    for name in named:
        run = value(osler("consult", "library", "--limit=4", f"--doctor={name}", "--json"))["run"]
        means[name] = value(osler("train", "reward", run, "--reward=outcome", "--json"))["mean"]
    assert means["baseline"] > means["null"]
