"""Studies of players that the command names, played small with scripted models in every cell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from tests.cli.commands import Osler, value
from tests.endpoints import running

ASKS: Final = "what do you make of this, and do you agree with each other?"
TELLS: Final = "Remember this: the chart tells the whole story."
NAMES: Final = ("asks", "tells", "one", "two", "judge")
TUTORS: Final = ("--given", "tutor=model:asks,model:tells")
MARK: Final = {"justification": "because", "missed": ["one name"], "critical": False}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """An endpoint whose models play any seat; two of them are tutors that a judge tells apart."""
    rules: list[dict[str, Any]] = [
        {"match": {"model": "asks", "seat": "tutor"}, "fields": {"guidance": f"Both of you, {ASKS}"}},
        {"match": {"model": "tells", "seat": "tutor"}, "fields": {"guidance": TELLS}},
        {"match": {"schema_name": "mark", "anywhere": ASKS}, "reply": {**MARK, "quotes": [ASKS], "score": 8}},
        {
            "match": {"schema_name": "mark", "anywhere": TELLS},
            "reply": {**MARK, "quotes": [TELLS], "score": 3},
        },
    ]
    with running(script=rules) as base_url:
        yield base_url


@pytest.fixture(autouse=True)
def endpoints(osler: Osler, url: str) -> None:
    tables = [
        f"[endpoints.{name}]\nbase_url = {json.dumps(url)}\nmodel = {json.dumps(name)}\n" for name in NAMES
    ]
    Path("osler.toml").write_text("".join(tables), encoding="utf-8")


def test_the_tutors_marks_are_averaged_from_episodes_and_compared_with_the_first(osler: Osler) -> None:
    words = ("study", "run", "cohort-size", *TUTORS, "--limit=2", "--judge=model:judge")
    found = value(osler(*words, "--json"))
    marks = {name: one["ets"] for name, one in found["conditions"].items()}
    assert {one["value"] for name, one in marks.items() if name.startswith("model:asks/")} == {8}
    assert {one["value"] for name, one in marks.items() if name.startswith("model:tells/")} == {3}
    means = found["means"]
    assert list(means) == ["tutor", "students"]
    assert list(means["tutor"]) == ["model:asks", "model:tells"]
    assert (means["tutor"]["model:asks"]["ets"]["value"], means["tutor"]["model:asks"]["ets"]["n"]) == (8, 12)
    assert means["students"]["4"]["ets"]["value"] == pytest.approx(5.5)
    assert means["students"]["4"]["ets"]["n"] == 4
    pairs = {(one["condition"], one["against"]) for one in found["contrasts"]}
    assert ("model:tells/4", "model:asks/4") in pairs
    assert ("model:tells/4", "model:tells/1") in pairs
    shown = " ".join(osler(*words).stdout.split())
    assert "Means by tutor, over students: from the episodes, each counted once" in shown


def test_doctors_by_sets_are_one_table_with_the_figure_over_all_episodes(osler: Osler) -> None:
    doctors = "doctor=baseline-naive,null,model:one"
    words = (
        "study",
        "run",
        "models",
        "--given",
        doctors,
        "--given",
        "cases=few=generated:1:1,more=generated:5:2",
    )
    found = value(osler(*words, "--json"))
    assert list(found["sets"]) == ["few", "more"]
    for name, figures in found["means"].items():
        each = [one["conditions"][name]["turns"] for one in found["sets"].values()]
        assert figures["turns"]["n"] == sum(one["n"] for one in each) == 6
        right = [one["conditions"][name]["accuracy"]["value"] for one in found["sets"].values()]
        weighed = (right[0] + 5 * right[1]) / 6
        assert figures["accuracy"]["value"] == pytest.approx(weighed, abs=1e-6)
        assert figures["accuracy"]["low"] < figures["accuracy"]["high"]
    turns = {name: figures["turns"]["value"] for name, figures in found["means"].items()}
    cells = {
        name: [one["conditions"][name]["turns"]["value"] for one in found["sets"].values()] for name in turns
    }
    assert any(turns[name] != pytest.approx(fmean(both)) for name, both in cells.items())
    shown = " ".join(osler(*words).stdout.split())
    assert "condition few more all sets" in shown


def test_choosing_among_candidates_costs_calls_and_tokens(osler: Osler) -> None:
    words = ("study", "run", "test-time-compute", "--given=examinee=model:one", "--limit=2", "--json")
    found = value(osler(*words))["conditions"]
    calls = {name: one["calls"]["value"] for name, one in found.items()}
    assert calls["plain"] < calls["three votes"] <= calls["best of three"]
    assert calls["plain"] < calls["panel of three"]
    assert calls["three votes"] >= 3 * calls["plain"]
    tokens = {name: one["tokens"]["value"] for name, one in found.items()}
    assert tokens["plain"] < tokens["three votes"]
    assert {one["calls"]["n"] for one in found.values()} == {2}


def test_a_script_sits_where_it_is_named(osler: Osler) -> None:
    for name, who in (("a.yaml", "appendicitis"), ("b.yaml", "asthma")):
        Path(name).write_text(f"- action: FINALIZE\n  diagnosis: {who}\n" * 3)
    words = (
        "study",
        "run",
        "models",
        "--given",
        "doctor=scripted:a.yaml,scripted:b.yaml",
        "--limit=1",
        "--json",
    )
    found = value(osler(*words))
    assert list(found["conditions"]) == ["scripted:a.yaml", "scripted:b.yaml"]
    assert (found["primary"]["condition"], found["primary"]["against"]) == (
        "scripted:b.yaml",
        "scripted:a.yaml",
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("ablations", "--given=patient=baseline,model:one"), "the study varies the patient already"),
        (("ablations", "--given=tutor"), "does not name a seat and its player"),
        (("ablations", "--given=tutor=,"), "names no player"),
        (("ablations", "--given=tutor=silent", "--given=tutor=parrot"), "tutor is named twice"),
        (("longitudinal", "--given=tutor=silent"), "has no seat 'tutor'"),
    ],
)
def test_what_names_no_player_is_refused(osler: Osler, words: tuple[str, ...], says: str) -> None:
    done = osler("study", "run", *words)
    assert done.exit_code == 1
    assert says in " ".join(done.stderr.split())
