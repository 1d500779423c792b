"""Runs compared in the browser: figures and refusals of the terminal, and the cases in which they differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import httpx
import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.measure import Measure, score
from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.store import Store, open_store
from osler.web.evaluate.run_costs import Spent, costs_of
from osler.web.evaluate.schemas import Figure
from osler.web.house import House
from tests.store.conftest import schema_of_its_own
from tests.studies.test_compare import played
from tests.web.conftest import serving

PLAYERS = {
    "consultation": ("doctor", ("baseline", "always-conclude", "null"), {"limit": 3, "repeats": 2}),
    "ward_round": ("tutor", ("socratic", "silent"), {"limit": 3}),
    "scenario": ("examinee", ("baseline", "null"), {"limit": 3}),
}


class Bench(NamedTuple):
    """A store with a server over it, and the names of its runs by protocol."""

    store: Store
    address: str
    names: Mapping[str, list[str]] = MappingProxyType({})


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Runs of each protocol that differ in the player under test."""
    with (
        open_store(tmp_path_factory.mktemp("compared") / "osler.db") as store,
        serving(House(store)) as address,
    ):
        names = {}
        for protocol, (seat, players, fields) in PLAYERS.items():
            config = protocol_named(protocol).config
            names[protocol] = [begin_and_play(store, config(**{seat: one}, **fields)) for one in players]
        yield Bench(store, address, names)


def begin_and_play(store: Store, config: Any) -> str:
    source = runs.opened(config)
    return runs.play(runs.begin(config, store, source=source), store, source=source).run.name


def answer(bench: Bench, path: str, **params: Any) -> httpx.Response:
    return httpx.get(f"{bench.address}/api/{path}", params=params, timeout=120)


def get(bench: Bench, path: str, names: list[str], **params: Any) -> Any:
    told = answer(bench, path, run=names, **params)
    assert told.status_code == 200, told.text
    return told.json()


def in_terminal(store: Store, *words: str) -> Any:
    done = CliRunner().invoke(app, ["compare", *words, "--store", store.label, "--json"])
    return json.loads(done.stdout)


def lines_of(found: Any) -> list[dict[str, Any]]:
    """The API's pairs as the terminal's `comparisons`."""
    names = [run["name"] for run in found["runs"]]
    return [
        {
            "a": names[pair["first"]],
            "b": names[pair["second"]],
            "score": one["score"],
            "difference": {name: one[name] for name in ("value", "low", "high", "n_pairs")},
            "p": one["p"],
            "p_adjusted": one["p_holm"],
            "unscored": one["unscored"],
        }
        for pair in found["pairs"]
        for one in pair["scores"]
    ]


@pytest.mark.parametrize("protocol", PLAYERS)
def test_every_number_is_that_of_the_terminal_to_the_digit(bench: Bench, protocol: str) -> None:
    store, names = bench.store, bench.names[protocol]
    for chosen in (names, [names[1], names[0]]):
        found, told = get(bench, "compare-runs", chosen), in_terminal(store, *chosen)
        assert lines_of(found) == told["comparisons"]
        assert found["pairs"][0]["scores"][0]["score"] == protocol_named(protocol).measures[0].name
        ranks = [{name: one[name] for name in ("rank", "low", "high")} for one in found["ranks"]]
        assert ranks == [{name: one[name] for name in ("rank", "low", "high")} for one in told["ranks"]]
        assert [{**one, "run": chosen[one["run"]]} for one in found["passes"]] == told["pass_k"]
        assert found["anchor"] == told["human_anchor"]["line"]
    score = next(one.name for one in protocol_named(protocol).measures[1:] if not one.judged)
    headline = protocol_named(protocol).measures[0].name
    found = get(bench, "compare-runs", names[:2], score=[headline, score])
    told = in_terminal(store, *names[:2], "--score", headline, "--score", score)
    assert lines_of(found) == told["comparisons"]
    gap = found["pairs"][0]["scores"][0]
    assert (gap["first_mean"], gap["second_mean"], gap["cases"], gap["method"]) == tuple(
        told[name] for name in ("first_mean", "second_mean", "cases", "method")
    )
    assert f"osler compare {names[0]} {names[1]} --score {headline} --score {score}" in found["command"]


@pytest.mark.parametrize("protocol", PLAYERS)
def test_a_runs_own_figures_are_those_of_its_page(bench: Bench, protocol: str) -> None:
    names = bench.names[protocol]
    found = get(bench, "compare-runs", names)
    for name, figures in zip(names, found["figures"], strict=True):
        own = {one["name"]: one for one in answer(bench, f"runs/{name}/figures").json()["measures"]}
        assert figures == [own[one["name"]] for one in figures]
        assert figures[0]["name"] == protocol_named(protocol).measures[0].name


def test_what_differs_in_the_set_up_is_named(bench: Bench) -> None:
    found = get(bench, "compare-runs", bench.names["consultation"])
    assert found["set_up"] == [
        {"group": "Players", "name": "doctor", "values": ["baseline", "always-conclude", "null"]}
    ]
    assert found["alike"] > 10


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Bench]:
    """A server over an empty store."""
    with open_store(tmp_path / "osler.db") as store, serving(House(store)) as address:
        yield Bench(store, address)


ANSWERS = {f"case-{n}": [float(n % 2)] for n in range(20)}


@pytest.mark.parametrize(
    "changed",
    [
        {"knowledge": "another"},
        {"doctor": "oracle"},
        {"version": "2"},
        {"version": None},
        {"hashes": "-changed"},
        {"seed": 7},
        {"settings": {"limits": {"max_turns": 3}}},
    ],
    ids=str,
)
def test_a_pair_is_refused_in_the_same_words(small: Bench, changed: dict[str, Any]) -> None:
    played(small.store, "one", ANSWERS)
    played(small.store, "other", ANSWERS, **changed)
    played(small.store, "third", ANSWERS)
    found, told = get(small, "compare-runs", ["one", "other"]), in_terminal(small.store, "one", "other")
    (pair,) = found["pairs"]
    assert pair["refused"] == told["refused"]
    assert pair["refused"]
    assert (pair["outcome"], pair["scores"], pair["sentence"]) == ("refused", [], "")
    three = get(small, "compare-runs", ["one", "other", "third"])
    outcomes = {(one["first"], one["second"]): one["outcome"] for one in three["pairs"]}
    assert outcomes == {(0, 1): "refused", (0, 2): "tie", (1, 2): "refused"}
    page = get(small, "compare-runs/cases", ["one", "other", "third"])
    assert all(cell["better"] == cell["worse"] == 0 for row in page["items"] for cell in row["cells"])
    asked = {"run": ["one", "other"], "better": 0, "worse": 1}
    refused = answer(small, "compare-runs/cases", **asked)
    assert refused.status_code == 400
    assert refused.json()["what"] == "; ".join(told["refused"])
    assert all(not one["frontier"] for one in get(small, "compare-runs/costs", ["one", "other"])["runs"][1:])


def test_runs_of_different_protocols_are_refused_in_the_same_words(
    bench: Bench,
) -> None:
    names = [bench.names["consultation"][0], bench.names["scenario"][0]]
    refused = answer(bench, "compare-runs", run=names)
    told = CliRunner().invoke(app, ["compare", *names, "--store", bench.store.label])
    assert refused.status_code == 400
    assert refused.json()["what"] in told.stderr


@pytest.mark.parametrize("names", [["one"], ["one", "one"], ["one"] * 9, ["one", "nobody"]], ids=len)
def test_two_to_eight_runs_that_are_there(small: Bench, names: list[str]) -> None:
    played(small.store, "one", ANSWERS)
    for path in ("compare-runs", "compare-runs/cases", "compare-runs/costs"):
        refused = answer(small, path, run=names)
        assert refused.status_code == (404 if "nobody" in names else 400)


# Case by case

MANY = {f"case-{n:03}": [float(n % 3 > 0)] for n in range(500)}
LOST = [f"case-{n:03}" for n in (1, 77, 250, 301, 499)]
GAINED = [f"case-{n:03}" for n in (0, 99, 123)]
UNSCORED = [f"case-{n:03}" for n in (2, 400)]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def planted(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    """A store with two runs of 500 cases each, the second the same but for ten planted differences."""
    address = str(tmp_path / "osler.db")
    server = schema_of_its_own() if request.param == "postgresql" else iter((address,))
    with open_store(next(server)) as opened:
        played(opened, "before", MANY)
        changes = {**dict.fromkeys(LOST, 0.0), **dict.fromkeys(GAINED, 1.0), **dict.fromkeys(UNSCORED)}
        after = {case: [changes.get(case, rights[0])] for case, rights in MANY.items()}
        played(opened, "after", after, cost=50)
        with serving(House(opened)) as own:
            yield Bench(opened, own)
    next(server, None)


LIMIT = 3


def cases_of(bench: Bench, names: list[str], **wanted: Any) -> list[str]:
    """The cases that fit, in order, over all pages."""
    found, cursor = list[str](), ""
    while cursor is not None:
        page = get(bench, "compare-runs/cases", names, **wanted, limit=LIMIT, cursor=cursor)
        assert len(page["items"]) <= LIMIT
        found += [row["case"] for row in page["items"]]
        cursor = page["next"]
    assert len(found) == page["total"]
    return found


def test_planted_differences_appear_under_the_right_filter(planted: Bench) -> None:
    bench, names = planted, ["before", "after"]
    everything = get(bench, "compare-runs/cases", names, limit=500)
    assert everything["total"] == 500
    assert everything["right_or_wrong"] is True
    counts = {one["show"]: one["count"] for one in everything["shows"]}
    assert counts == {
        "all": 500,
        "differ": 8,
        "worse": 5,
        "better": 3,
        "worlds": 0,
        "unscored": 2,
        "missing": 0,
    }
    assert cases_of(bench, names, better=0, worse=1) == LOST, "the first right and the second wrong"
    assert cases_of(bench, names, show="worse") == LOST, "regressions against the baseline"
    assert cases_of(bench, names, better=1, worse=0) == cases_of(bench, names, show="better") == GAINED
    assert cases_of(bench, names, show="unscored") == UNSCORED
    assert cases_of(bench, names, show="differ") == sorted(LOST + GAINED)
    first = get(bench, "compare-runs/cases", names, sort="worse", limit=5)
    assert [row["case"] for row in first["items"]] == LOST
    assert cases_of(bench, names, show="worse", q="case-3") == ["case-301"]
    cells = {row["case"]: [cell["state"] for cell in row["cells"]] for row in everything["items"]}
    assert cells[LOST[0]] == ["right", "wrong"]
    assert cells[GAINED[0]] == ["wrong", "right"]
    assert cells[UNSCORED[0]] == ["right", "unscored"]
    gap = get(bench, "compare-runs", names)["pairs"][0]["scores"][0]
    assert gap["value"] == pytest.approx((3 - 5) / 498, abs=1e-6), "the same differences, in the figure"


def test_a_cell_leads_to_the_same_world_of_each_run(small: Bench) -> None:
    played(small.store, "one", {"a": [1, 0, None], "b": [1, 1, 1]})
    played(small.store, "two", {"c": [0, 0, 0], "a": [1, 1, 0]})
    page = get(small, "compare-runs/cases", ["one", "two"])
    first, second, third = page["items"]
    assert [cell["state"] for cell in first["cells"]] == ["differs", "differs"], "its worlds differ"
    one, two = first["cells"]
    assert (one["right"], one["scored"], one["unscored"], one["value"]) == (1, 2, 1, 0.5)
    assert (two["better"], two["worse"]) == (1, 0), "in the second world; the third is unscored in one"
    assert [cell["state"] for cell in second["cells"]] == ["right", "not played"], "missing is no pass"
    assert [cell["state"] for cell in third["cells"]] == ["not played", "wrong"]
    worlds = get(small, f"compare-runs/cases/{first['hash']}", ["one", "two"])
    assert (worlds["case"], worlds["total"]) == ("a", 3)
    assert [[at["ordinal"] for at in row["runs"]] for row in worlds["worlds"]] == [[0, 3], [1, 4], [2, 5]]
    assert [at["state"] for at in worlds["worlds"][1]["runs"]] == ["wrong", "right"]
    missing = answer(small, "compare-runs/cases/x", run=["one", "two"])
    assert missing.status_code == 404


def test_cases_are_filtered_by_specialty_ending_and_points(bench: Bench) -> None:
    names = bench.names["consultation"]
    page = get(bench, "compare-runs/cases", names)
    every = [row["case"] for row in page["items"]]
    for one in page["specialties"]:
        assert len(cases_of(bench, names, specialty=one["value"])) == one["count"]
    assert sum(one["count"] for one in page["specialties"]) == len(every)
    for one in page["endings"]:
        assert len(cases_of(bench, names, ending=one["value"])) == one["count"]
    assert page["bands"]
    low, high = page["bands"][-1]["low"], page["bands"][-1]["high"]
    points = {row["case"]: row["points"] for row in page["items"]}
    dear = [case for case in every if points[case] >= low]
    assert cases_of(bench, names, least=low, most=high) == dear
    assert points[cases_of(bench, names, sort="points")[0]] == max(points.values())
    assert cases_of(bench, names, specialty="nothing") == cases_of(bench, names, ending="nothing") == []


def test_a_right_answer_without_its_evidence_is_told_from_others(
    bench: Bench,
) -> None:
    found = get(bench, "compare-runs/cases", bench.names["consultation"])
    states = {cell["state"] for row in found["items"] for cell in row["cells"][1:2]}
    figures = get(bench, "compare-runs", bench.names["consultation"])["figures"][1]
    right, supported = figures[0]["value"], figures[1]["value"]
    assert ("right, unsupported" in states) == (right > supported)


# Costs


def spent(value: float | None, used: dict[str, Any], *, apart: bool = False) -> Spent:
    figure = Figure(
        name="correct",
        words="right",
        means="",
        kind="share",
        better="more",
        value=value,
        low=None,
        high=None,
        n=4,
        unscored=0,
    )
    return Spent(figure, 4, {"doctor": {"model": used}} if used else {}, apart)


def use(cost: float | None, tokens: int | None, seconds: float | None) -> dict[str, Any]:
    half = None if tokens is None else tokens // 2
    return {"cost": cost, "prompt_tokens": half, "completion_tokens": half, "seconds": seconds, "answered": 8}


def test_the_frontier_holds_whom_no_other_dominates_and_an_unpriced_model_is_never_free() -> None:
    runs = [
        spent(0.9, use(8.0, 800, 40.0)),
        spent(0.5, use(2.0, 900, 8.0)),
        spent(0.5, use(4.0, 1000, 8.0)),  # as right for more money and tokens, as quick
        spent(0.8, use(None, 400, None)),  # unpriced, its times not recorded
        spent(None, use(0.1, 10, 0.1)),  # unscored
        spent(0.95, use(0.1, 10, 0.1), apart=True),  # must not be compared
        spent(0.2, {}),  # no language model
    ]
    measure = Measure("correct", "right", "", "share", score("correct"), 0.0, 1.0)
    found = costs_of(runs, measure)
    assert [one.frontier for one in found] == [
        ["money", "tokens", "seconds"],
        ["money", "seconds"],
        ["seconds"],
        ["tokens"],
        [],
        [],
        ["money", "tokens", "seconds"],
    ]
    unpriced, without = found[3], found[6]
    assert (unpriced.money, unpriced.priced, unpriced.models) == (None, False, True)
    assert (without.money, without.priced, without.models) == (0, True, False)
    first = found[0]
    assert (first.money, first.tokens, first.seconds, first.seconds_a_call) == (2, 200, 10, 5)
