"""The papers' tables, played small with a scripted model in every cell, and their averages taken by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from osler.store.store import open_store
from tests.cli.test_models import Osler, osler, value
from tests.endpoints import running

__all__ = ["osler"]

NAMES: Final = ("one", "two", "three")
EYES: Final = "[endpoints.{name}.capabilities]\nimages = true\n"
TUTORS: Final = "tutor=model:one,model:two"
DOCTORS: Final = "doctor=model:one,model:two"
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
    tables = [
        f"[endpoints.{name}]\nbase_url = {json.dumps(url)}\nmodel = {json.dumps(name)}\n{EYES.format(name=name)}"
        for name in NAMES
    ]
    Path("osler.toml").write_text("".join(tables), encoding="utf-8")


def by_hand(run: str, score: str) -> tuple[float | None, int, int]:
    """The mean of a score over the episodes of a run as its judge wrote it down, how many have it, and how many
    have not."""
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
    for factor, levels in found.get("means", {}).items():
        for level, figures in levels.items():
            if spoken in figures:
                runs = [
                    one["run"]
                    for name, one in found["conditions"].items()
                    if f"/{level}/" in f"/{name}/"
                    or name.startswith(f"{level}/")
                    or name.endswith(f"/{level}")
                ]
                parts = [by_hand(run, score) for run in runs]
                total = sum(n for _, n, _ in parts)
                assert figures[spoken]["n"] == total, (factor, level)
                weighed = sum((mean or 0) * n for mean, n, _ in parts) / total
                assert figures[spoken]["value"] == pytest.approx(weighed, abs=1e-6), (factor, level)


@pytest.mark.parametrize(
    ("study", "protocol", "given", "limit", "conditions"),
    [
        ("main", "ward_round", (TUTORS,), 2, 2),
        ("training-stage", "ward_round", (TUTORS,), 1, 6),
        ("simulation-stages", "ward_round", (TUTORS,), 2, 2),
        ("ablations", "ward_round", (TUTORS,), 1, 14),
        ("cohort-size", "ward_round", (TUTORS, "student=model:three"), 1, 12),
        ("students", "ward_round", (TUTORS, "student=model:two,model:three"), 2, 6),
        ("models", "consultation", (DOCTORS,), 2, 2),
        ("ladder", "consultation", (DOCTORS,), 2, 10),
        ("bias", "consultation", (DOCTORS,), 1, 78),
        ("patient-bias", "consultation", (DOCTORS,), 1, 46),
        ("strategies", "consultation", (DOCTORS,), 1, 26),
        ("mdt", "consultation", ("consultant=model:one,model:two", "doctor=model:three"), 1, 9),
        ("examinees", "scenario", ("examinee=model:one,model:two",), 1, 11),
        ("test-time-compute", "scenario", ("examinee=model:one,model:two",), 1, 8),
        ("visual-questions", "vqa", ("candidate=model:one,model:three",), 2, 2),
    ],
)
def test_a_study_prints_its_table_with_models_in_every_cell(
    osler: Osler, study: str, protocol: str, given: tuple[str, ...], limit: int, conditions: int
) -> None:
    words = ("study", "run", study, *(word for one in given for word in ("--given", one)), f"--limit={limit}")
    found = value(osler(*words, "--json"))
    assert (found["status"], len(found["conditions"])) == ("done", conditions)
    checked(found, protocol)
    seat = given[0].partition("=")[0]
    floor = 0
    for name, one in found["conditions"].items():
        assert one["episodes"] == limit
        assert not one["ended"].keys() - {"completed", "out_of_turns"}, (name, one["ended"])
        used = value(osler("runs", "summary", one["run"], "--json")).get("usage", {})
        floor += seat not in used
    assert floor == {"examinees": 3, "mdt": 1}.get(study, 0), "only the floor plays without a model"
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
    words = ("study", "run", "visual-questions", "--given=candidate=model:three,oracle,first")
    words += ("--cases", "own=library", "--cases", "text=text.jsonl,format=medxpertqa")
    refused = osler(*words)
    assert refused.exit_code == 1
    assert "oracle" in refused.stderr
    words = (*words[:3], "--given=candidate=model:three,longest,first", *words[4:])
    found = value(osler(*words, "--json"))
    assert {name: one["cases"] for name, one in found["sets"].items()} == {
        "own": "library",
        "text": "text.jsonl",
    }
    for one in found["sets"].values():
        checked(one, "vqa")
    for name, figures in found["means"].items():
        parts = [by_hand(one["conditions"][name]["run"], "accuracy") for one in found["sets"].values()]
        total = sum(n for _, n, _ in parts)
        assert figures["accuracy"]["n"] == total == 9
        weighed = sum((mean or 0) * n for mean, n, _ in parts) / total
        assert figures["accuracy"]["value"] == pytest.approx(weighed, abs=1e-6)
    shown = " ".join(osler(*words).stdout.split())
    assert "condition own text all sets" in shown
