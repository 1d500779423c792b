"""`--judge NAME` for runs of every protocol: built in, a model, or brought by an installed package."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from tests.cli.commands import Osler, configure, value
from tests.plugged import installed
from tests.protocols.scenario.playing import SMALL

SHORT: Final = {
    "consultation": ("consultation", "library", "--limit=2", "--seat=doctor=always-conclude"),
    "ward_round": ("ward_round", "library", "--limit=2", "--set=students=1"),
    "scenario": ("scenario", str(SMALL), "--repeats=2", "--seat=examinee=null"),
}
TOLD: Final = {"run", "judge", "version", "judged", "repeats", "warning", "scores", "unscored_because"}
ESTIMATE: Final = {"value", "low", "high", "n", "unscored"}
PACKAGE: Final = """
    import json
    from osler.core.judge import Judge, Verdict
    from osler.core.measure import share_of

    SCORES = (share_of("long", "long", "share of encounters of more than 3 exchanges"),)

    def said(grader, version, **scores):
        held = {name: {"value": value, "reason": "", "evidence": []} for name, value in scores.items()}
        return Verdict(grader, version, json.dumps({"grader": grader, "version": version, "scores": held}))

    def length(episode, trace):
        return said("length", "1", long=float(trace.outcome.exchanges > 3))

    def half(episode, trace):
        if episode.ordinal == 0:
            raise RuntimeError("no")
        return said("half", "1", another=1.0)

    class Asking:
        protocols, scores = ("consultation", "ward_round", "scenario"), SCORES

        def __init__(self, model):
            self.grader = f"asking:{model.endpoint.name}"
            self.repeats = model.repeats

        def version_of(self, episode):
            return f"1-{self.repeats}"

        async def judge(self, episode, trace):
            return said(self.grader, self.version_of(episode), long=1.0)

    ALL = Asking.protocols
    LENGTH = Judge("length", length, ("length",), SCORES, ALL)
    HALF = Judge("half", half, ("half",), SCORES, ALL)
    TAKES = Judge("takes", length, ("baseline",), SCORES, ALL)
    ROUNDS = Judge("rounds", length, ("rounds",), SCORES, ("ward_round",))
    NAMELESS = Judge("nameless", length, ("nameless",), (), ALL)
"""
ENTRIES: Final = {
    "length": "outside_judges:LENGTH",
    "half": "outside_judges:HALF",
    "asking": "outside_judges:Asking",
    "takes": "outside_judges:TAKES",
    "rounds": "outside_judges:ROUNDS",
    "nameless": "outside_judges:NAMELESS",
    "broken": "outside_judges_that_are_not_there:X",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package with judges, some of them at fault."""
    entries = {"osler.judges": ENTRIES}
    installed(tmp_path / "installed", monkeypatch, "outside_judges", dedent(PACKAGE), entries)


def played(osler: Osler, protocol: str, *words: str) -> dict[str, Any]:
    return value(osler("run", *SHORT[protocol], *words, "--json"))


def judged(osler: Osler, judge: str, *words: str) -> dict[str, Any]:
    return value(osler("judge", "run", "last", "--judge", judge, *words, "--json"))


def refused(osler: Osler, *words: str) -> str:
    done = osler(*words)
    assert done.exit_code == 1
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("protocol", SHORT)
def test_a_model_judges_a_run_of_any_protocol_once_and_says_so_in_the_same_keys(
    osler: Osler, url: str, protocol: str
) -> None:
    configure(url)
    run = played(osler, protocol)["run"]
    found = judged(osler, "model:fake", "--repeats=2")
    assert set(found) >= TOLD
    assert (found["run"], found["judged"], found["repeats"]) == (run, 2, 2)
    assert found["judge"].endswith("model:fake")
    for estimate in found["scores"].values():
        assert set(estimate) == ESTIMATE
        assert estimate["n"] + estimate["unscored"] == 2
    assert judged(osler, "model:fake", "--repeats=2")["judged"] == 0
    assert judged(osler, "model:fake")["judged"] == 2, "asked otherwise, it is another version"
    table = osler("judge", "run", "last", "--judge", "model:fake")
    assert "unscored" in table.stdout


def test_the_keys_of_marks_and_of_rubrics_stay(osler: Osler, url: str) -> None:
    configure(url)
    played(osler, "ward_round")
    marks = judged(osler, "model:fake")
    assert {name: marks[name] for name in ("ets", "msm", "mps")}.items() <= marks["scores"].items()
    played(osler, "scenario")
    found = judged(osler, "model:fake")
    assert {"pass_k", "versions", "groups"} <= found.keys()
    assert {"completion_micro", "net", "net_pc"} <= found["measures"].keys()


@pytest.mark.parametrize("protocol", SHORT)
def test_the_first_judge_judges_anew_by_either_name(osler: Osler, protocol: str) -> None:
    first = played(osler, protocol)
    name = {"ward_round": "round", "scenario": "keyed"}.get(protocol, "baseline")
    for judge in ("baseline", name):
        found = judged(osler, judge)
        assert found["judged"] == 2
        assert {**found, "wall_s": 0}.items() >= {**first, "wall_s": 0}.items()
        assert set(found["scores"]) <= set(found["measures"])


@pytest.mark.parametrize("protocol", SHORT)
def test_a_run_is_judged_once_more_as_soon_as_it_is_played(osler: Osler, url: str, protocol: str) -> None:
    configure(url)
    found = played(osler, protocol, "--judge=model:fake", "--judge-repeats=2", "--batch=5")
    assert found["judged"] == found["episodes"] == 2
    assert found["repeats"] == 2
    assert judged(osler, "model:fake", "--repeats=2", "--batch=5")["judged"] == 0


def test_a_model_judges_no_run_it_plays_in_unless_allowed(osler: Osler, url: str) -> None:
    configure(url)
    words = (
        "round",
        "library",
        "--limit=1",
        "--students=2",
        "--student=baseline,model:fake",
        "--max-rounds=1",
    )
    assert "also a player" in refused(osler, *words, "--judge=model:fake")
    assert not Path("osler.db").exists(), "nothing is played before that is found"
    osler(*words)
    judge = ("judge", "run", "last", "--judge", "model:fake")
    assert "also a player" in refused(osler, *judge)
    found = value(osler(*judge, "--same-endpoint-allowed", "--json"))
    assert "tend to favour their own" in found["warning"]
    wrapped = ("scenario", str(SMALL), "--seat=examinee=model:fake+best-of:2", "--judge=model:fake")
    assert "also a player" in refused(osler, "run", *wrapped)


def test_who_cannot_judge_is_refused_with_those_who_can(osler: Osler, package: None) -> None:
    played(osler, "consultation")
    for name, why in {
        "lexical": "there is no judge 'lexical' (baseline, model:NAME, asking,",
        "model": "there is no judge 'model'",
        "model:": "there is no judge 'model:'",
        "baseline:x": "there is no judge 'baseline:x'",
        "broken": "judges broken of outside-judges: cannot be imported",
        "takes": "its verdicts must be stored as takes",
        "rounds": "it judges ward_round, not consultations",
        "nameless": "does not name its scores",
        "length:fake": "write length",
        "asking": "write asking:NAME",
        "model:nowhere": "no endpoint 'nowhere'",
    }.items():
        assert why in refused(osler, "judge", "run", "last", "--judge", name), name
        assert why in refused(osler, "run", *SHORT["consultation"], "--judge", name), name


@pytest.mark.parametrize("protocol", SHORT)
def test_a_packages_judges_judge_and_are_read_like_any_other(
    osler: Osler, url: str, package: None, protocol: str
) -> None:
    configure(url)
    run = played(osler, protocol, "--judge=length")["run"]
    found = judged(osler, "length")
    assert (found["judge"], found["version"], found["judged"]) == ("length", "1", 2)
    assert found["long"] == found["scores"]["long"]
    assert found["scores"]["long"]["n"] == 2
    asked = judged(osler, "asking:fake", "--repeats=3")
    assert (asked["judge"], asked["version"], asked["judged"]) == ("asking:fake", "1-3", 2)
    assert judged(osler, "asking:fake", "--repeats=3")["judged"] == 0
    shown = osler("show", f"{run}:0", "--grader", "length")
    assert shown.exit_code == 0
    assert "length" in shown.stdout
    osler("export", run, "--out", "out.jsonl")
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert lines[1]["judgements"]["length"]["scores"]["long"]["value"] in (0, 1)


def test_half_a_verdict_of_a_package_scores_nothing(osler: Osler, package: None) -> None:
    played(osler, "consultation")
    found = judged(osler, "half")
    assert found["judged"] == 2
    assert found["scores"]["long"]["n"] == 0
    assert found["unscored_because"] == {"judge_failed: RuntimeError": 1, "judge_incomplete": 1}
