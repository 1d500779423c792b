"""The papers' tables, played small with a scripted model in every cell, and their averages taken by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from osler.models.config import Config
from osler.runs.usage import usage
from osler.store.store import open_store
from osler.studies.study.design import packaged
from tests.cli.commands import Osler, value
from tests.endpoints import running

NAMES: Final = ("one", "two", "three")
TABLE: Final = """
[endpoints.{name}]
base_url = "{url}"
model = "{name}"
[endpoints.{name}.capabilities]
images = true
"""
TUTORS: Final = "tutor=model:one,model:two"
DOCTORS: Final = "doctor=model:one,model:two"
WITHOUT_A_MODEL: Final = {
    **{"examinees": 3, "mdt": 3, "training-stage": 1, "simulation-stages": 1},
    **{"scalability": 2, "robustness": 1},
}
"""The conditions in whose seat under study no model answers, by study."""
OF_JUDGE: Final = {
    "consultation": ("accuracy", "correct"),
    "ward_round": ("ets_proxy", "ets_proxy"),
    "scenario": ("net", "net"),
    "vqa": ("accuracy", "accuracy"),
}
"""A figure of each protocol, and the score that its built-in judge gives for it."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """An endpoint whose models play any seat, and come to the point: doctors conclude and examinees end each
    state at once; the second tutor asks nobody by name."""
    rules: list[dict[str, Any]] = [
        {"match": {"seat": "doctor"}, "fields": {"action": "FINALIZE"}},
        {"match": {"seat": "examinee"}, "fields": {"action": "END_STATE"}},
        {
            "match": {"seat": "tutor", "model": "two"},
            "fields": {"guidance": "What does the chart say to all?"},
        },
        {"match": {"model": "three", "format": "text"}, "reply": "Answer: A"},
    ]
    with running(script=rules) as base_url:
        yield base_url


@pytest.fixture(autouse=True)
def endpoints(osler: Osler, url: str) -> None:
    tables = [TABLE.format(name=name, url=url) for name in NAMES]
    Path("osler.toml").write_text("".join(tables), encoding="utf-8")


def by_hand(run: str, score: str) -> tuple[float | None, int, int]:
    """The mean of a score over the episodes of a run as its judge wrote it down; how many have it, and how
    many have not."""
    with open_store("osler.db", create=False) as store:
        found = store.run(run)
        bodies = [json.loads(one.body) for one in store.judgements(found.id)]
    values = [one["scores"][score]["value"] for one in bodies if score in one.get("scores", {})]
    scored = [float(one) for one in values if one is not None]
    return fmean(scored) if scored else None, len(scored), found.planned - len(scored)


def checked(found: dict[str, Any], protocol: str) -> None:
    """Every cell is filled, and is the mean of its own episodes."""
    spoken, score = OF_JUDGE[protocol]
    for name, one in found["conditions"].items():
        mean, n, unscored = by_hand(one["run"], score)
        assert mean is not None, name
        assert one[spoken]["value"] == pytest.approx(mean, abs=1e-6), name
        assert (one[spoken]["n"], one[spoken]["unscored"]) == (n, unscored), name
        assert n == one["episodes"], (name, one["ended"])
    means = found.get("means", {})
    for names in product(*means.values()) if means else ():
        assert "/".join(names) in found["conditions"]
    for at, levels in enumerate(means.values()):
        for level, figures in levels.items():
            cells = ["/".join(names) for names in product(*means.values()) if names[at] == level]
            pooled(figures, [found["conditions"][name]["run"] for name in cells], protocol)


def pooled(figures: dict[str, Any], runs: list[str], protocol: str) -> None:
    """A figure over several cells is that of their episodes, each counted once."""
    spoken, score = OF_JUDGE[protocol]
    parts = [by_hand(run, score) for run in runs]
    total = sum(n for _, n, _ in parts)
    weighed = sum((mean or 0) * n for mean, n, _ in parts) / total
    if spoken in figures:
        assert figures[spoken]["value"] == pytest.approx(weighed, abs=1e-6)
        assert figures[spoken]["n"] == total


def cut(study: str) -> str:
    """A packaged study of many alike conditions with few of them, as a file; else its name."""
    if study not in ("bias", "patient-bias"):
        return study
    whole = next(one for one in packaged() if one.name == study).model_dump(mode="json", exclude_unset=True)
    if "factors" in whole:
        kept = ("none", "doctor/recency/strong", "doctor/confirmation/strong")
        assert {*kept} <= {*whole["factors"]["bias"]}
        whole["factors"]["bias"] = list(kept)
    else:
        kept = ("none", "recency, mild", "self-diagnosis, strong")
        whole["conditions"] = {name: whole["conditions"][name] for name in kept}
    path = Path(f"{study}.yaml")
    path.write_text(json.dumps(whole), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("study", "protocol", "given", "limit", "conditions"),
    [
        ("main", "ward_round", (TUTORS,), 2, 2),
        pytest.param("training-stage", "ward_round", (TUTORS,), 1, 7, marks=pytest.mark.slow),
        pytest.param("simulation-stages", "ward_round", (TUTORS,), 2, 3, marks=pytest.mark.slow),
        pytest.param("scalability", "ward_round", (TUTORS,), 1, 14, marks=pytest.mark.slow),
        pytest.param("robustness", "ward_round", (TUTORS,), 1, 21, marks=pytest.mark.slow),
        pytest.param("ablations", "ward_round", (TUTORS,), 1, 14, marks=pytest.mark.slow),
        pytest.param(
            "cohort-size", "ward_round", (TUTORS, "student=model:three"), 1, 12, marks=pytest.mark.slow
        ),
        pytest.param(
            "students", "ward_round", (TUTORS, "student=model:two,model:three"), 1, 6, marks=pytest.mark.slow
        ),
        pytest.param("models", "consultation", (DOCTORS,), 2, 2, marks=pytest.mark.slow),
        pytest.param("ladder", "consultation", (DOCTORS,), 1, 10, marks=pytest.mark.slow),
        pytest.param("bias", "consultation", (DOCTORS,), 1, 18, marks=pytest.mark.slow),
        pytest.param("patient-bias", "consultation", (DOCTORS,), 1, 6, marks=pytest.mark.slow),
        pytest.param("strategies", "consultation", (DOCTORS,), 1, 22, marks=pytest.mark.slow),
        ("mdt", "consultation", ("consultant=model:one,model:two", "doctor=model:three"), 1, 9),
        ("examinees", "scenario", ("examinee=model:one,model:two",), 1, 11),
        pytest.param(
            "test-time-compute", "scenario", ("examinee=model:one,model:two",), 1, 8, marks=pytest.mark.slow
        ),
        ("visual-questions", "vqa", ("candidate=model:one,model:three",), 2, 2),
    ],
)
def test_a_study_prints_its_table_with_models_in_every_cell(
    osler: Osler, study: str, protocol: str, given: tuple[str, ...], limit: int, conditions: int
) -> None:
    words = (
        "study",
        "run",
        cut(study),
        *(word for one in given for word in ("--given", one)),
        f"--limit={limit}",
    )
    found = value(osler(*words, "--json"))
    assert (found["status"], len(found["conditions"])) == ("done", conditions)
    checked(found, protocol)
    seat, alone = given[0].partition("=")[0], 0
    with open_store("osler.db", create=False) as store:
        for name, one in found["conditions"].items():
            assert one["episodes"] == limit
            assert not one["ended"].keys() - {"completed", "out_of_turns"}, (name, one["ended"])
            alone += seat not in usage(store, store.run(one["run"]).id, Config())
    # Floors are built in; a consultant who is on demand was never called, or was not there.
    assert alone == WITHOUT_A_MODEL.get(study, 0)
    assert osler(*words).stdout.count("model:") >= conditions / 2


def test_candidates_by_sets_in_their_own_formats_are_one_table(osler: Osler) -> None:
    rows = [
        {
            "id": f"q{n}",
            "question": f"Which is {n}?",
            "options": {"A": f"{n}", "B": f"{n + 50}"},
            "label": "A",
        }
        for n in range(5)
    ]
    Path("text.jsonl").write_text("\n".join(json.dumps({**row, "images": []}) for row in rows))
    sets = ("--cases", "own=library", "--cases", "text=text.jsonl,format=medxpertqa")
    words = ("study", "run", "visual-questions", "--given=candidate=model:three,longest,first", *sets)
    found = value(osler(*words, "--json"))
    assert {name: one["cases"] for name, one in found["sets"].items()} == {
        "own": "library",
        "text": "text.jsonl",
    }
    for one in found["sets"].values():
        checked(one, "vqa")
    for name, figures in found["means"].items():
        pooled(figures, [one["conditions"][name]["run"] for one in found["sets"].values()], "vqa")
        assert figures["accuracy"]["n"] == 9
    shown = " ".join(osler(*words).stdout.split())
    assert "condition own text all sets" in shown
