"""Evaluating: runs, pages of episodes, one episode, its requests, two side by side, and reports."""

from __future__ import annotations

import asyncio
import json
import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from osler.core.registry import protocol_named
from osler.runs import branching
from osler.runs import run as runs
from osler.runs.seating import ModelOptions
from osler.store.permissions import grant
from osler.store.records import RunInfo
from osler.store.schema import episodes
from osler.store.store import Store, open_store
from osler.web.evaluate.episodes import detail
from osler.web.evaluate.runs import figures_of
from osler.web.house import House
from osler.web.lookups import episode_of
from osler.web.rights import LOCAL
from tests.web.conftest import calling

PROTOCOLS = ("consultation", "scenario", "ward_round")
Get = Callable[..., Any]


def play(store: Store, protocol: str, **fields: Any) -> RunInfo:
    config = protocol_named(protocol).config(**fields)
    source = runs.opened(config)
    run = runs.begin(config, store, source=source)
    return runs.play(run, store, source=source).run


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, dict[str, RunInfo]]]:
    """A store with a run of each protocol, of two cases each, and a branch of the consultation."""
    with open_store(tmp_path_factory.mktemp("records") / "osler.db") as store:
        found = {name: play(store, name, limit=2) for name in PROTOCOLS}
        branch = branching.branch(store, found["consultation"].id, 0, 6, seats={"doctor": "always-conclude"})
        begun = branching.begin(branch, store, branch.config)
        found["branch"] = runs.play(begun, store, source=branch.source).run
        yield store, found


@pytest.fixture
def get(played: tuple[Store, dict[str, RunInfo]]) -> Get:
    """Asks for an address and returns (status, JSON or text)."""
    house = House(played[0])

    def asked(path: str, **params: Any) -> tuple[int, Any]:
        async def once() -> tuple[int, Any]:
            async with calling(house) as client:
                answer = await client.get(f"/api/{path}", params=params or None)
                kind = answer.headers["content-type"]
                return answer.status_code, answer.json() if "json" in kind else answer.text

        return asyncio.run(once())

    return asked


@pytest.fixture
def named(played: tuple[Store, dict[str, RunInfo]]) -> dict[str, str]:
    return {key: run.name for key, run in played[1].items()}


def test_runs_are_listed_newest_first_page_by_page_and_filtered(get: Get, named: dict[str, str]) -> None:
    _, whole = get("runs")
    newest_first = [named[key] for key in ("branch", "ward_round", "scenario", "consultation")]
    assert [one["name"] for one in whole["items"]] == newest_first
    assert [one["kind"] for one in whole["items"]] == ["branch", "ordinary", "ordinary", "ordinary"]
    _, first = get("runs", limit=3)
    _, rest = get("runs", limit=3, cursor=first["next"])
    assert [one["name"] for one in (*first["items"], *rest["items"])] == newest_first
    assert rest["next"] is None
    assert [one["name"] for one in get("runs", protocol="scenario")[1]["items"]] == [named["scenario"]]
    assert [one["name"] for one in get("runs", kind="branch")[1]["items"]] == [named["branch"]]
    assert get("runs", kind="practice")[1]["items"] == []
    assert get("runs", status="running")[1]["items"] == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_run_says_what_it_is_how_it_went_and_how_to_play_it_again(
    get: Get, named: dict[str, str], protocol: str
) -> None:
    name = named[protocol]
    _, run = get(f"runs/{name}")
    assert (run["run"]["done"], run["run"]["planned"], run["resume"]) == (2, 2, "")
    assert run["reproduce"].startswith(f"osler run {protocol} library ")
    assert "--limit 2" in run["reproduce"]
    _, figures = get(f"runs/{name}/figures")
    assert (figures["episodes"], figures["use"]) == (2, [])
    first = figures["measures"][0]
    assert first["name"] == protocol_named(protocol).measures[0].name
    assert first["n"] + first["unscored"] == 2
    assert "no evidence about medicine" in figures["label"]
    _, facets = get(f"runs/{name}/facets")
    assert sum(one["count"] for one in facets["cases"]) == 2
    assert sum(band["count"] for band in facets["scores"][0]["bands"]) == facets["scores"][0]["count"]


def test_a_figure_is_a_value_or_bounds_never_both(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        run = play(store, "scenario", limit=2)
        for spoilt in (1, 2):
            with store.engine.begin() as connection:
                fault = sa.update(episodes).values(status="simulator_fault")
                connection.execute(fault.where(episodes.c.run == run.id, episodes.c.ordinal < spoilt))
            first, *rest = figures_of(run, store, ModelOptions()).measures
            assert (first.n, first.unscored) == (2 - spoilt, spoilt)
            assert (first.value, first.low, first.high) == (None, None, None)
            assert (first.bounds is None) == (first.n == 0), "nothing is between 0 % and 100 %"
            assert all(one.bounds is None for one in rest)


def test_an_episode_that_may_not_leave_says_whose_permission_lacks(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        config = protocol_named("consultation").config(limit=1)
        source = runs.opened(config)
        begun = runs.begin(config, store, source=source, about={"people": ["doctor"]})
        run = runs.play(begun, store, source=source).run
        said = detail(House(store), LOCAL, episode_of(store, run, 0))
        assert "the person who played doctor permits practice; this needs share" in said.unsaved
        assert "in their debrief" in said.unsaved
        grant(store, run.id, [0], ["share"], expires=time.time() + 3600)
        assert detail(House(store), LOCAL, episode_of(store, run, 0)).unsaved == ""


def test_the_command_of_a_run_plays_the_same_episodes(
    played: tuple[Store, dict[str, RunInfo]], get: Get, tmp_path: Path
) -> None:
    store, _ = played
    first = play(
        store, "consultation", only="cardiology-02", persona="anxious", seed=7, doctor="always-conclude"
    )
    _, said = get(f"runs/{first.name}")
    words = said["reproduce"].split(" --store ")[0].split()
    assert words[:4] == ["osler", "run", "consultation", "library"]
    assert "persona=anxious" in words
    assert "doctor=always-conclude" in words
    assert words[words.index("--seed") : words.index("--set")] == ["--seed", "7", "--only", "cardiology-02"]
    store.delete_run(first.name)


def test_the_command_of_a_run_names_emptied_and_shared_seats(
    played: tuple[Store, dict[str, RunInfo]], get: Get
) -> None:
    store, _ = played
    students = ("construct", "novice")
    first = play(store, "ward_round", limit=1, students=2, specialist="none", student=students)
    words = shlex.split(get(f"runs/{first.name}")[1]["reproduce"])
    seats = [word for at, word in enumerate(words) if words[at - 1] == "--seat"]
    assert seats == ["tutor=socratic", "specialist=none", "student_1=construct", "student_2=novice"]
    store.delete_run(first.name)


def test_a_page_of_episodes_is_filtered_by_a_score_and_shows_it(get: Get, named: dict[str, str]) -> None:
    name = named["consultation"]
    _, page = get(f"runs/{name}/episodes", sort="minutes", descending=True, grader="baseline:fact_coverage")
    assert (page["total"], page["scored"], page["going"]) == (2, "baseline:fact_coverage", [])
    assert page["items"][0]["minutes"] >= page["items"][1]["minutes"]
    scores = sorted(one["score"] for one in page["items"])
    _, above = get(f"runs/{name}/episodes", grader="baseline:fact_coverage", above=scores[1])
    assert [one["score"] for one in above["items"]] == [one for one in scores if one >= scores[1]]
    _, first = get(f"runs/{name}/episodes", limit=1, sort="case")
    _, second = get(f"runs/{name}/episodes", limit=1, sort="case", cursor=first["next"])
    assert [first["items"][0]["case"], second["items"][0]["case"]] == ["cardiology-01", "cardiology-02"]
    assert second["next"] is None


def test_an_episode_shows_its_judgement_with_quotes_that_lead_to_their_place(
    get: Get, named: dict[str, str]
) -> None:
    name = named["consultation"]
    _, found = get(f"episodes/{name}/0")
    assert found["views"] == ["doctor", "patient", "examination", "room", "all"]
    assert (found["ended"], found["previous"], found["following"], found["uses"]) == (True, None, 1, None)
    (judged,) = found["judgements"]
    scores = {one["name"]: one for one in judged["scores"]}
    _, log = get(f"episodes/{name}/0/log", view="all")
    texts = {item["id"]: " ".join(line["text"] for line in item["lines"]) for item in log["items"]}
    facts = scores["fact_coverage"]["quotes"]
    assert facts, "facts are quoted in the words they came out in, not by the case's ids"
    assert all(quote["words"] == texts[quote["at"][0]] for quote in facts)
    concluded = scores["management_met"]["quotes"]
    assert concluded, "the words of the conclusion are found in it"
    assert all(quote["words"] in texts[quote["at"][0]] for quote in concluded)
    assert all(quote["of_case"] for quote in scores["right_but_unsupported"]["quotes"])
    assert scores["fact_coverage"]["kind"] == "share"
    spoken = [quote for quote in scores["supporting_evidence"]["quotes"] if quote["at"]]
    assert spoken, "words of the patient that support the diagnosis are found where they were said"
    assert all(quote["words"].rstrip(".") in texts[quote["at"][0]] for quote in spoken)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_request_is_shown_as_its_seat_saw_it_and_proved(
    get: Get, named: dict[str, str], protocol: str
) -> None:
    name = named[protocol]
    _, page = get(f"episodes/{name}/0/exchanges", limit=500)
    assert [one["n"] for one in page["items"]] == list(range(1, page["total"] + 1))
    for n in (1, page["total"] // 2, page["total"]):
        _, found = get(f"episodes/{name}/0/exchanges/{n}")
        assert found["proof"] == {"proved": True, "hash": found["proof"]["hash"], "why": ""}
        told = [item["event"]["to"] for item in found["feed"] if item["event"]]
        assert all(found["seat"] in to for to in told)
        assert {item["seat"] for item in found["feed"] if item["reply"]} <= {found["seat"]}
        assert found["view"] or found["seat"] == "expert"
        assert found["wanted"], "the form that the reply had to have"
        if found["previous"]:
            _, before = get(f"episodes/{name}/0/exchanges/{found['previous']}")
            assert before["feed"] == found["feed"][: len(before["feed"])], "a feed grows only at its end"


def test_a_branch_beside_its_parent_shows_where_they_part(get: Get, named: dict[str, str]) -> None:
    _, found = get("compare", a=f"{named['consultation']}:0", b=f"{named['branch']}:0")
    assert found["same_world"] is True
    assert found["first_difference"] == 6
    assert all(row["same"] for row in found["rows"][:6])
    assert found["refused"] == []
    pair = next(one for one in found["scores"] if one["name"] == "fact_coverage")
    assert pair["difference"] == pytest.approx(pair["b"] - pair["a"])
    assert [found[side]["state"] for side in "ab"] == ["done", "done"]
    assert found["differs"]["doctor"] == ["baseline", "always-conclude"]


def test_every_figure_of_a_station_is_shown_in_one_way(get: Get, named: dict[str, str]) -> None:
    (judged,) = get(f"episodes/{named['scenario']}/0")[1]["judgements"]
    kinds = {one["name"]: one["kind"] for one in judged["scores"]}
    assert (kinds["net"], kinds["completion"]) == ("share", "share")


def test_a_branch_that_has_not_begun_yet_stands_beside_its_parent(
    played: tuple[Store, dict[str, RunInfo]], get: Get
) -> None:
    store, found = played
    parent = found["consultation"]
    branch = branching.branch(store, parent.id, 0, 0, say="Where is the pain?")
    begun = branching.begin(branch, store, branch.config)
    status, shown = get("compare", a=f"{parent.name}:0", b=f"{begun.name}:0")
    assert (status, shown["b"]["status"], shown["b"]["state"]) == (200, "pending", "interrupted")
    assert shown["b"]["exchanges"] == 0
    assert any("has not ended" in one for one in shown["refused"])
    store.delete_run(begun.name)


def test_what_cannot_be_compared_fairly_is_said_and_no_difference_given(
    get: Get, named: dict[str, str]
) -> None:
    name = named["consultation"]
    _, found = get("compare", a=f"{name}:0", b=f"{name}:1")
    assert found["same_world"] is False
    assert "different cases" in found["world"]
    assert found["refused"]
    assert {one["difference"] for one in found["scores"]} == {None}
    status, problem = get("compare", a=f"{name}:0", b=f"{named['scenario']}:0")
    assert status == 400
    assert "consultations" in problem["what"]


def test_a_report_carries_a_policy_that_lets_it_do_nothing(
    played: tuple[Store, dict[str, RunInfo]], named: dict[str, str]
) -> None:
    async def once() -> tuple[str, str]:
        async with calling(House(played[0])) as client:
            answer = await client.get(f"/api/reports/{named['consultation']}.html")
            return answer.text, answer.headers["content-security-policy"]

    text, policy = asyncio.run(once())
    assert "<script" not in text
    assert policy.startswith("default-src 'none'")
    assert policy.endswith("sandbox")
    assert "frame-ancestors 'self'" in policy


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("runs/nobody", 404),
        ("runs/last", 404),
        ("runs/..%2F..%2Fetc%2Fpasswd", 404),
        ("runs/%00", 400),
        ("runs/r-%27%20OR%201%3D1%20--", 404),
        ("runs/nobody/episodes", 404),
        ("episodes/nobody/0", 404),
        ("episodes/{run}/2", 404),
        ("episodes/{run}/99999999999999999999", 422),
        ("episodes/{run}/-1", 422),
        ("episodes/{run}/0/exchanges/9999", 404),
        ("episodes/{run}/0/log?view=nobody", 400),
        ("episodes/{run}/0/log?after=x", 400),
        ("episodes/{run}/0/pictures/1.1.png", 404),
        ("episodes/{run}/0/pictures/x.png", 400),
        ("runs/{run}/episodes?cursor=x", 400),
        ("runs/{run}/episodes?cursor=WyJhIiwxXQ", 400),
        ("runs/{run}/episodes?cursor=W1swXSwxXQ", 400),
        ("runs/{run}/episodes?limit=501", 422),
        ("runs/{run}/episodes?below=nan", 422),
        ("runs/{run}/episodes?grader=x", 400),
        ("compare?a=x&b=y", 400),
        ("reports/nobody.html", 404),
    ],
)
def test_names_that_lead_nowhere_end_in_words(
    get: Get, named: dict[str, str], path: str, status: int
) -> None:
    found, problem = get(path.replace("{run}", named["consultation"]))
    assert found == status
    assert problem["what"]
    assert set(problem) == {"what", "where", "mend"}


def test_hostile_words_in_a_filter_find_nothing_and_break_nothing(get: Get, named: dict[str, str]) -> None:
    name = named["consultation"]
    for hostile in ("'; DROP TABLE runs; --", "%", "_", "\\", "\u202e", "<script>", "x" * 200):
        _, page = get(f"runs/{name}/episodes", q=hostile, case=hostile, status=hostile)
        assert (page["total"], page["items"]) == (0, [])
    assert json.dumps(get("runs")[1])
