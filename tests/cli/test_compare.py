"""`osler compare` and `osler power` as a user meets them."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from osler.cli.compare import compare
from osler.cli.encounters import plays
from osler.cli.power import power

Osler = Callable[..., Result]


@pytest.fixture
def osler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Osler:
    """`osler("compare", ...)` with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    app = typer.Typer()
    commands: dict[str, Callable[..., None]] = {
        "consult": plays("consultation", ""),
        "play": plays("scenario", ""),
        "compare": compare,
        "power": power,
    }
    for name, body in commands.items():
        app.command(name)(body)
    return lambda *words: CliRunner().invoke(app, list(words))


def value(done: Result) -> dict[str, Any]:
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def consulted(osler: Osler, doctor: str) -> str:
    name: str = value(osler("consult", "library", "--limit=4", "--repeats=2", "--doctor", doctor, "--json"))[
        "run"
    ]
    return name


def test_whoever_concludes_at_once_is_seen_to_have_no_evidence(osler: Osler) -> None:
    """The headline of a run shows both beside the accuracy, in words and in figures."""
    found = value(osler("consult", "library", "--limit=4", "--doctor", "always-conclude", "--json"))[
        "measures"
    ]
    assert list(found)[:3] == ["correct", "supported", "concluded_without_evidence"]
    assert (found["supported"]["value"], found["concluded_without_evidence"]["value"]) == (0, 1)
    assert {one: found["supported"][one] for one in ("n", "unscored")} == {"n": 4, "unscored": 0}
    assert found["supported"]["low"] == 0
    assert found["supported"]["high"] < 1
    told = value(osler("consult", "library", "--limit=4", "--doctor", "oracle", "--json"))["measures"]
    assert (told["supported"]["value"], told["concluded_without_evidence"]["value"]) == (1, 0)
    shown = osler("consult", "library", "--limit=4", "--doctor", "always-conclude").stdout
    head, _, rest = shown.split("├─", maxsplit=2)
    for words in ("correct and", "concluded without"):  # the cell is as narrow as the terminal
        assert words in head
        assert words not in rest


def test_two_doctors_on_the_same_worlds(osler: Osler) -> None:
    first, second = consulted(osler, "always-conclude"), consulted(osler, "baseline")
    found = value(osler("compare", first, second, "--margin", "0.05", "--json"))
    assert set(found["difference"]) == {"value", "low", "high", "n_pairs"}
    assert found["sign"] == "second minus first"
    assert found["difference"]["n_pairs"] == 8
    assert found["difference"]["value"] == found["second_mean"] - found["first_mean"]
    assert (found["refused"], found["unpaired"], found["unscored"]) == ([], 0, 0)
    assert found["equivalent"] is False
    assert found["differs"] == {"doctor": ["always-conclude", "baseline"]}
    assert list(found["further"]) == ["supported", "concluded_without_evidence"], "they stand beside it"
    assert found["further"]["concluded_without_evidence"]["difference"]["value"] == -1
    both = value(osler("compare", first, second, "--score=correct", "--score=turns", "--json"))
    assert both["difference"] == found["difference"]
    assert both["further"]["turns"]["difference"]["value"] > 0
    shown = osler("compare", first, second, "--score=cost", "--margin=1").stdout
    assert "second minus first" in shown
    anchor = found["human_anchor"]["line"]
    assert anchor.startswith("No human anchor")
    assert " ".join(shown.split()).count(anchor) == 1
    assert "doctor: always-conclude in the first, baseline in the second" in shown


def test_a_refusal_is_an_object_a_sentence_and_an_exit_code(osler: Osler) -> None:
    first, second = consulted(osler, "null"), consulted(osler, "oracle")
    done = osler("compare", first, second, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["difference"] is None
    assert "privileged" in found["refused"][0]
    assert "refused: the doctor of" in " ".join(done.stderr.split())
    plain = osler("compare", first, second)
    assert (plain.exit_code, plain.stdout) == (1, "")


def test_comparisons_say_a_and_b_for_each_pair_and_score(osler: Osler) -> None:
    runs = [
        value(osler("play", "library", "--limit=3", "--examinee", who, "--json"))["run"]
        for who in ("baseline", "null", "repeat-everything")
    ]
    two = value(osler("compare", *runs[:2], "--json"))
    (line,) = two["comparisons"]
    assert (line["a"], line["b"], line["score"]) == (*runs[:2], "net")
    assert line["difference"] == two["difference"]
    assert line["difference"]["value"] == pytest.approx(two["second_mean"] - two["first_mean"], abs=2e-6)
    assert (line["p"], line["p_adjusted"], line["unscored"]) == (two["p"], None, two["unscored"])
    three = value(osler("compare", *runs, "--score=net", "--score=completion_micro", "--json"))
    assert [(one["a"], one["b"], one["score"]) for one in three["comparisons"]] == [
        (*pair, score) for pair in combinations(runs, 2) for score in ("net", "completion_micro")
    ]
    for one in three["comparisons"]:
        assert one["p"] is None or one["p_adjusted"] >= one["p"]
    assert (three["score"], three["runs"], three["refused"]) == ("net", runs, [])
    assert [one["run"] for one in three["ranks"]] == runs
    for one in three["ranks"]:
        assert 1 <= one["low"] <= one["rank"] <= one["high"] <= 3
    shown = osler("compare", *runs).stdout
    assert shown.count("row minus column") == 1
    assert all(name in shown for name in runs)
    assert all(f"examinee: {who}" in shown for who in ("baseline", "null", "repeat-everything"))


def test_two_runs_are_ranked_and_repeats_passed(osler: Osler) -> None:
    first, second = consulted(osler, "always-conclude"), consulted(osler, "baseline")
    found = value(osler("compare", first, second, "--json"))
    assert [one["run"] for one in found["ranks"]] == [first, second]
    assert [(one["run"], one["k"]) for one in found["pass_k"]] == [(first, 2), (second, 2)]
    shown = " ".join(osler("compare", first, second).stdout.split())
    assert "pass^2" in shown
    assert "not told apart" in shown or "is better than" in shown or "score the same" in shown


def test_what_cannot_be_compared_is_named(osler: Osler) -> None:
    scenario = value(osler("play", "library", "--limit=1", "--json"))["run"]
    consultation = consulted(osler, "null")
    for words, why in (
        ((scenario, consultation), "one of consultations"),
        ((scenario,), "cannot be compared"),
        ((scenario, scenario, "--score=accuracy"), "not scored by 'accuracy' (known: net,"),
    ):
        done = osler("compare", *words)
        assert done.exit_code == 1
        assert why in " ".join(done.stderr.split())


@pytest.mark.parametrize("margin", ["nan", "inf", "-1"])
def test_a_margin_is_a_number(osler: Osler, margin: str) -> None:
    run = consulted(osler, "null")
    done = osler("compare", run, run, "--margin", margin)
    assert done.exit_code in (1, 2)
    assert "margin" in done.stderr


def test_how_many_cases_for_which_difference(osler: Osler) -> None:
    found = value(osler("power", "--difference", "0.1", "--base", "0.5", "--json"))
    assert found["cases"] == pytest.approx(390, abs=10)
    assert found["episodes_each"] == found["cases"]
    back = value(osler("power", "--cases", str(found["cases"]), "--base", "0.5", "--json"))
    assert back["difference"] == pytest.approx(0.1, abs=0.001)
    fewer = value(osler("power", "--difference=0.1", "--correlation=0.4", "--repeats=3", "--json"))
    assert fewer["cases"] < found["cases"]
    assert "cases detect a difference of +10.0%" in osler("power", "--difference", "0.1").stdout
    assert value(osler("power", "--cases=5", "--base=0.99", "--json"))["difference"] is None


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "either --difference or --cases"),
        (["--difference", "0.1", "--cases", "9"], "either --difference or --cases"),
        (["--difference", "0.7"], "at most 0.5"),
        (["--difference", "nan"], "--difference"),
        (["--difference", "0.4", "--correlation", "0.9"], "cannot correlate that much"),
        (["--cases", "50", "--base", "nan"], "--base"),
        (["--cases", "50", "--correlation", "0.5", "--repeat-correlation", "0.1"], "give 0.5 or more"),
    ],
)
def test_what_makes_no_sense_is_named(osler: Osler, words: list[str], named: str) -> None:
    done = osler("power", *words)
    assert done.exit_code in (1, 2)
    assert named in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
