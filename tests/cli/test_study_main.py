"""The studies of trained tutors, `main` and `training-stage`: one command each, with models over HTTP."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final

import pytest

from tests.cli.commands import Osler, stats, value
from tests.endpoints import running

ASKS: Final = "what do you make of this, and do you agree with each other?"
TELLS: Final = "Remember this: the chart tells the whole story."
SETS: Final = ("--cases", "text=library", "--cases", "more=generated:6:3")
SMALL: Final = ("--limit", "6", "--repeats", "2")
THREE: Final = ("--tutor", "asks=model:asker", "--tutor", "tells=model:teller", "--tutor", "model:mumbler")


def marked(score: int, quote: str) -> dict[str, Any]:
    return {
        "quotes": [quote],
        "justification": "because",
        "missed": ["one name"],
        "critical": False,
        "score": score,
    }


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Tutors of known quality by their model's name, and a judge who gives questions 8 and the rest 3."""
    rules: list[dict[str, Any]] = [
        {"match": {"model": "asker", "seat": "tutor"}, "fields": {"guidance": f"Both of you, {ASKS}"}},
        {"match": {"model": "teller", "seat": "tutor"}, "fields": {"guidance": TELLS}},
        {"match": {"model": "mumbler", "seat": "tutor"}, "fields": {"guidance": TELLS}},
        {"match": {"schema_name": "mark", "anywhere": ASKS}, "reply": marked(8, ASKS)},
        {"match": {"schema_name": "mark", "anywhere": TELLS}, "reply": marked(3, TELLS)},
    ]
    with running(script=rules) as base_url:
        yield base_url


def endpoints(url: str, **more: dict[str, Any]) -> None:
    """Write `osler.toml` with the three tutors and a judge."""
    lines = []
    for name in ("asker", "teller", "mumbler", "judge"):
        table = {"base_url": url, "model": name, **more.get(name, {})}
        lines += [f"[endpoints.{name}]", *(f"{key} = {json.dumps(one)}" for key, one in table.items())]
    Path("osler.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def refused(osler: Osler, *words: str) -> str:
    done = osler("study", "run", *words)
    assert done.exit_code == 1, done.stdout
    return " ".join(done.stderr.split())


def test_tutors_by_sets_are_marked_by_a_judge_and_come_out_in_their_order(osler: Osler, url: str) -> None:
    endpoints(url)
    words = ("study", "run", "main", *THREE, *SETS, *SMALL, "--judge=model:judge")
    found = value(osler(*words, "--out=main.html", "--json"))
    assert list(found["sets"]) == ["text", "more"]
    for each in found["sets"].values():
        marks = {name: one["mean_mark"]["value"] for name, one in each["conditions"].items()}
        assert marks == {"asks": 8, "tells": 3, "model:mumbler": 3}
        for one in each["conditions"].values():
            assert {one[figure]["n"] for figure in ("ets", "msm", "mps", "mean_mark")} == {12}
        primary = each["primary"]
        assert (primary["figure"], primary["condition"], primary["against"]) == ("mean_mark", "tells", "asks")
        assert (primary["value"], primary["n_pairs"]) == (-5, 12)
        assert {one["against"] for one in each["contrasts"]} == {"asks"}
        assert {one["figure"] for one in each["contrasts"]} == {"ets", "msm", "mps", "mean_mark"}
    assert [Path(one).is_file() for one in found["written"]] == [True, True]
    shown = " ".join(osler(*words).stdout.split())
    assert "Conditions by sets of cases" in shown
    assert "n 12" in shown


def test_without_a_judge_marks_by_proxy_stand_in_and_are_named_so(osler: Osler) -> None:
    words = ("study", "run", "main", "--tutor=socratic", "--tutor=lecturer", *SMALL)
    found = value(osler(*words, "--json"))
    assert found["primary"]["figure"] == "mean_proxy"
    assert found["primary"]["value"] < -1, "a lecture is below a dialogue"
    assert {one["figure"] for one in found["contrasts"]} == {"ets_proxy", "msm_proxy", "mps_proxy"}
    assert "mean by proxy" in " ".join(osler(*words).stdout.split())


def test_the_sd_over_runs_and_holms_p_are_those_of_a_calculation_by_hand(osler: Osler) -> None:
    words = ("study", "run", "main", "--tutor=lecturer", "--tutor=socratic", "--tutor=silent", *SMALL)
    found = value(osler(*words, "--repeats=3", "--json"))
    run = found["conditions"]["lecturer"]["run"]
    assert osler("report", run, "--tables=tables", "--out=r.html", "--no-controls").exit_code == 0
    marks = by_episode(Path("tables"), "ets_proxy")
    assert len(marks) == 18
    means = [fmean(mark for at, mark in marks.items() if at % 3 == n) for n in range(3)]
    lecturer = found["conditions"]["lecturer"]
    assert lecturer["sd"]["ets_proxy"] == pytest.approx(stdev(means), abs=1e-6)
    assert lecturer["sd"]["ets_proxy"] > 0
    assert lecturer["ets_proxy"]["value"] == pytest.approx(fmean(means), abs=1e-6)
    tested = [one for one in found["contrasts"] if one["p"] is not None]
    assert [one["p_holm"] for one in tested] == pytest.approx(holm([one["p"] for one in tested]))
    assert len(tested) >= 3


def holm(raw: list[float]) -> list[float]:
    """Holm's step-down p values: the k-th smallest of m times m - k + 1, never below the one before."""
    found, least = dict.fromkeys(range(len(raw)), 0.0), 0.0
    for rank, at in enumerate(sorted(found, key=raw.__getitem__)):
        found[at] = least = max(least, min(1.0, raw[at] * (len(raw) - rank)))
    return list(found.values())


def by_episode(folder: Path, score: str) -> dict[int, float]:
    """A score of each episode of the tables, by ordinal."""
    import csv  # noqa: PLC0415

    with (folder / "scores.csv").open(newline="", encoding="utf-8") as file:
        return {
            int(row["ordinal"]): float(row["value"]) for row in csv.DictReader(file) if row["score"] == score
        }


def test_stages_of_a_training_are_compared_with_the_first_under_every_theory(osler: Osler, url: str) -> None:
    endpoints(url)
    stages = (
        "full=model:asker",
        "less=model:mumbler",
        "plain=model:teller,settings.private_thought=false",
    )
    words = ("study", "run", "training-stage", *(f"--stage={one}" for one in stages), "--limit=2")
    found = value(osler(*words, "--judge=model:judge", "--json"))
    theories = ("construct", "telling", "novice")
    crossed = [f"{s}/{t}" for s in ("full", "less", "plain") for t in theories]
    assert list(found["conditions"]) == [*crossed, "floor"]
    assert {(one["condition"], one["against"]) for one in found["contrasts"]} == {
        *((f"{stage}/{theory}", f"full/{theory}") for stage in ("less", "plain") for theory in theories),
        ("floor", "full/construct"),
    }
    assert found["conditions"]["floor"]["learning_gain"]["value"] == 0
    wanted = {"mean_mark", "valid_turns", "leak_rate", "guidance_words", "learning_gain"}
    assert wanted < {one["figure"] for one in found["contrasts"]}
    said = {name: one["guidance_words"]["value"] for name, one in found["conditions"].items()}
    assert said["full/construct"] == len(f"Both of you, {ASKS}".split())
    assert said["plain/novice"] == len(TELLS.split())
    models = {name: [one["endpoint"] for one in held] for name, held in found["checkpoints"].items()}
    assert models == {
        f"{stage}/{theory}": [model]
        for stage, model in (("full", "asker"), ("less", "mumbler"), ("plain", "teller"))
        for theory in theories
    }
    assert {one["valid_turns"]["value"] for one in found["conditions"].values()} == {1}


def test_one_answer_in_eleven_that_is_no_turn_counts_as_such(osler: Osler) -> None:
    spoilt = [{"match": {"seat": "tutor", "nth": 3}, "fields": {"thought": False}}]
    with running(script=spoilt) as url:
        endpoints(url)
        words = ("study", "run", "main", "--tutor=socratic", "--tutor=model:asker", "--limit=2", "--json")
        found = value(osler(*words))
    one = found["conditions"]["model:asker"]["valid_turns"]
    assert one["value"] == pytest.approx(10 / 11), "two rounds of five turns, and a retry"
    assert one["n"] == 2


def test_the_judge_of_a_reward_marks_no_study_of_what_it_rewarded(osler: Osler, url: str) -> None:
    endpoints(url, asker={"rewarded_by": ["judge"]})
    told = refused(osler, "main", *THREE, *SMALL, "--judge=model:judge")
    assert "judge judged the reward that asker was trained on" in told
    told = refused(osler, "main", *THREE, *SMALL, "--judge=model:judge", "--same-endpoint-allowed")
    assert "judge judged the reward that asker was trained on" in told


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("main", "--tutor=socratic"), "1 tutor is named"),
        (("main", "--tutor=socratic", "--tutor=socratic"), "two conditions are called 'socratic'"),
        (("main", "--tutor=a=", "--tutor=socratic"), "names no player|no tutor is called 'a='"),
        (("main", "--tutor=nobody", "--tutor=socratic"), "no tutor is called 'nobody'"),
        (("main", "--tutor=socratic,wat=1", "--tutor=silent"), "wat: Extra inputs"),
        (("simulation-stages", "--stage=floor=socratic", "--stage=silent"), "has a condition 'floor' itself"),
        (("main", "--tutor=socratic,cases=x", "--tutor=silent"), "cases is no condition"),
        (("main", "--tutor=socratic,moves", "--tutor=silent"), "'moves' changes no field"),
        (("ladder", "--condition=baseline", "--condition=null"), "names its conditions itself"),
        (("longitudinal", "--condition=baseline"), "takes no --condition"),
        (("main", "--not-in=nowhere"), "is no data set"),
    ],
)
def test_what_is_no_condition_is_refused(osler: Osler, words: tuple[str, ...], says: str) -> None:
    assert re.search(says, refused(osler, *words))


@pytest.mark.slow
def test_cases_that_a_training_has_seen_are_left_out_and_counted(osler: Osler) -> None:
    played = value(osler("round", "library", "--max-rounds=2", "--json"))["run"]
    shares = ("--validation=0.25", "--test=0.25", "--format=jsonl")
    value(osler("dataset", "build", played, "--out=data", *shares, "--json"))
    lines = [json.loads(line) for line in Path("data/cases.jsonl").read_text("utf-8").splitlines()]
    seen = sorted(one["case_id"] for one in lines if one["split"] != "test")
    assert 0 < len(seen) < len(lines)
    words = ("study", "run", "main", "--tutor=socratic", "--tutor=silent", "--not-in=data")
    done = osler(*words, "--json")
    found = value(done)
    (held,) = found["left_out"].values()
    assert (held["cases"], held["left_out"]) == (len(lines), len(seen))
    assert sum(held["because"].values()) == len(seen)
    assert f"{len(seen)} of {len(lines)} cases left out" in done.stderr
    for one in found["conditions"].values():
        assert one["episodes"] == len(lines) - len(seen)
        assert osler("export", one["run"], f"--out={one['run']}.jsonl").exit_code == 0
        played_now = Path(f"{one['run']}.jsonl").read_text("utf-8").splitlines()
        ids = {json.loads(line).get("case_id") for line in played_now} - {None}
        assert ids == {one["case_id"] for one in lines if one["split"] == "test"}
    assert value(osler(*words, "--json"))["runs"] == found["runs"]
    told = refused(osler, *words[2:], f"--cases={seen[0]}")
    assert "a training has seen every case" in told
    other = value(osler(*words, "--cases=generated:3:99", "--json"))
    assert next(iter(other["left_out"].values()))["left_out"] == 0


@pytest.mark.slow
def test_a_study_that_was_killed_ends_with_the_bytes_of_one_that_was_not(osler: Osler) -> None:
    script = [
        {"match": {"model": "asker", "seat": "tutor"}, "fields": {"guidance": ASKS}},
        {"match": {"seat": "tutor"}, "fields": {"guidance": TELLS}},
        {"match": {"schema_name": "mark", "anywhere": ASKS}, "reply": marked(8, ASKS)},
        {"match": {"schema_name": "mark", "anywhere": TELLS}, "reply": marked(3, TELLS)},
    ]
    words = ["study", "run", "main", *THREE, *SETS, *SMALL, "--judge=model:judge", "--json"]
    with running(script=script, latency_ms=20) as url:
        endpoints(url)
        whole = value(osler(*words, "--store=sqlite:///whole.db"))
        begun = subprocess.Popen(
            [sys.executable, "-m", "osler.cli.main", *words, "--store=sqlite:///killed.db"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        some = exchanges_in(Path("killed.db"), begun)
        begun.kill()
        begun.wait()
        assert some > 0
        killed = value(osler(*words, "--store=sqlite:///killed.db"))
        asked = stats(url)
        again = value(osler(*words, "--store=sqlite:///killed.db"))
        assert stats(url) == asked, "the same command again asks nobody"
    assert again == killed
    assert unnamed(killed) == unnamed(whole)
    for name in whole["sets"]:
        for condition, one in whole["sets"][name]["conditions"].items():
            other = killed["sets"][name]["conditions"][condition]
            pair = [("whole", one["run"]), ("killed", other["run"])]
            for store, run in pair:
                done = osler("export", run, f"--out={store}.jsonl", f"--store=sqlite:///{store}.db")
                assert done.exit_code == 0
            assert Path("whole.jsonl").read_bytes() == Path("killed.jsonl").read_bytes()


def exchanges_in(path: Path, begun: subprocess.Popen[bytes]) -> int:
    """Wait until the second condition of a study is under way; return how many replies are kept."""
    while begun.poll() is None:
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as opened:
            runs, kept = (
                opened.execute(f"select count(*) from {table}").fetchone()[0]
                for table in ("runs", "exchanges")
            )
            if runs > 1 and kept:
                return int(kept)
        time.sleep(0.02)
    raise AssertionError("it ended before it could be killed")


def unnamed(found: dict[str, Any]) -> dict[str, Any]:
    """Results without the names of runs and without times."""
    text = re.sub(r"r-\d{8}-\d{6}-[0-9a-f]{4}", "RUN", json.dumps(found, sort_keys=True))
    return json.loads(re.sub(r'"wall_s": [\d.]+', '"wall_s": 0', text))  # type: ignore[no-any-return]


def test_a_run_of_a_study_keeps_its_budget_when_the_study_goes_on(osler: Osler, url: str) -> None:
    endpoints(url)
    words = ("study", "run", "main", *THREE[:4], "--cases", "text=library", "--limit", "2")
    begun = osler(*words, "--token-budget=100")
    assert (begun.exit_code, "of 100" in begun.stderr) == (3, True), begun.stderr
    again = osler(*words)
    assert (again.exit_code, "of 100" in again.stderr) == (3, True), again.stderr
