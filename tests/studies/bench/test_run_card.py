"""The card of shared runs: every field that others need is there, on the page as in the data."""

from __future__ import annotations

import html as markup
import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.errors import BadInput
from osler.files import sha256_of
from osler.models.prices import Prices
from osler.store.store import open_store
from osler.studies.bench.card_fields import Card, RunOnCard, read_card
from osler.studies.bench.card_hashes import card_hash
from osler.studies.bench.run_card import Statement
from osler.studies.bench.shared_run import line_hashes
from osler.studies.bench.spending import spending
from osler.studies.bench.submission import CARD, PAGE, submit
from tests.endpoints import running

Json = dict[str, Any]


@pytest.fixture(scope="module")
def card(consultations: Path) -> Json:
    return read_card(consultations / CARD)


def test_the_card_says_who_was_measured_on_what_at_what_price_and_beside_whom(
    consultations: Path, card: Json
) -> None:
    model, trivial, oracle, _ = card["runs"]
    assert [one["role"] for one in card["runs"]] == ["under test", "trivial", "oracle", "under test"]
    for part, run, name in (("floors", trivial, "always-conclude"), ("oracle", oracle, "oracle")):
        head = run["measures"]["correct"]
        figures = {one: head[one] for one in ("value", "low", "high", "n", "unscored")}
        assert model["beside"][part] == {f"{name}, {run['run']}": figures}
    assert model["standing"] == "custom"
    assert model["patient"] == {"player": "model:ward", "models": ["other-2"]}
    assert trivial["patient"] == {"player": "baseline", "models": []}
    (sampling,) = model["models"]["fake"]["sampling"]
    assert sampling["temperature"] == 0.7
    assert sampling["calls"] == sampling["seeds"] == model["spent"]["doctor"]["fake"]["calls"]
    assert model["spent"]["doctor"]["fake"]["cost"] > 0
    assert (model["worlds"], model["episodes"], model["withheld"]) == (2, 2, 0)
    judge = model["judges"]["baseline"]
    assert "399 answers" in judge["agreement"]
    assert judge["labelled_by"].startswith("language models, not clinicians")
    assert judge["kin"] == judge["models"] == []
    assert card["contamination"] == {"cutoff": "2026-01", "trained_on": "no"}


def test_every_trace_has_its_hash(consultations: Path, card: Json) -> None:
    for run in card["runs"]:
        export = consultations / f"runs/{run['run']}.jsonl"
        assert run["export"] == sha256_of(export)
        assert run["traces"] == {str(at): value for at, value in line_hashes(export)}
        assert len(run["traces"]) == run["episodes"]


def _said(value: Any) -> set[str]:
    """The names and texts of data, and whole numbers."""
    if isinstance(value, dict):
        return {said for one in value.values() for said in _said(one)}
    if isinstance(value, list):
        return {said for one in value for said in _said(one)}
    if isinstance(value, bool | float) or value is None:
        return set()
    return {f"{value:,}" if isinstance(value, int) else str(value)}


def test_the_page_says_what_the_data_say(consultations: Path, card: Json) -> None:
    page = (consultations / PAGE).read_text()
    text = markup.unescape(re.sub("<wbr>", "", page))
    assert {said for said in _said(card) if said.lower() not in text.lower()} == set()
    for run in card["runs"]:
        for one in run["measures"].values():
            for end in ("value", "low", "high"):
                assert one[end] is None or f"{one[end]:.4g}" in text
    assert "A <team>" not in page
    assert not re.search(r"<script|https?://|src=|@import|url\(", page)


FIELDS = [
    *(("", name) for name, field in Card.model_fields.items() if name not in ("runs", "schema_")),
    *(("run", name) for name in RunOnCard.model_fields),
    *(("submitter", name) for name in ("submitter", "relation", "made_on")),
    *(("contamination", name) for name in ("cutoff", "trained_on")),
]


@pytest.mark.parametrize(("part", "name"), FIELDS)
def test_a_card_that_lacks_a_field_is_refused_by_its_name(
    card: Json, tmp_path: Path, part: str, name: str
) -> None:
    value = json.loads(json.dumps(card))
    held = value["runs"][0] if part == "run" else value[part] if part else value
    del held[name]
    if name != "hash":
        value["hash"] = card_hash(value)
    (tmp_path / CARD).write_text(json.dumps(value))
    with pytest.raises(BadInput, match=rf"\b{name}\b"):
        read_card(tmp_path / CARD)


@pytest.mark.parametrize("given", [{}, {"cutoff": "2026-01"}, {"trained_on": "no"}])
def test_nothing_stated_of_a_models_training_is_refused_by_name(
    consultations: Path, tmp_path: Path, given: Json
) -> None:
    statement = Statement(submitter="us", relation="third-party", made_on=date(2026, 11, 29), **given)
    absent = {"cutoff": "--cutoff", "trained_on": "--trained-on"}
    with open_store(consultations.parent / "store.db") as store:
        with pytest.raises(BadInput) as refused:
            submit([store.run("model")], store, tmp_path / "out", statement, {})
        assert all((option in refused.value.what) == (name not in given) for name, option in absent.items())
        assert list(tmp_path.iterdir()) == []
        card = submit([store.run("trivial")], store, tmp_path / "out", statement, {})
    assert card["contamination"]["trained_on"] == given.get("trained_on", "unknown")


def test_an_empty_submitter_is_refused_by_name(consultations: Path, tmp_path: Path) -> None:
    store = f"{consultations.parent}/store.db"
    arguments = ["bench", "submit", "trivial", "--out", str(tmp_path / "out"), "--submitter", ""]
    done = CliRunner().invoke(app, [*arguments, "--store", store])
    assert done.exit_code == 1
    assert "submitter" in done.output
    assert "Traceback" not in done.output


def test_latency_is_of_answers_that_came_from_no_cache() -> None:
    calls = [
        ("doctor", {"endpoint": "a", "calls": 1, "latency_s": float(wait), "from_cache": wait == 100})
        for wait in (*range(1, 12), 100)
    ]
    spent = spending(calls, {"a": Prices(price_in=1, price_out=1)})["doctor"]["a"]
    assert (spent.median_s, spent.p90_s) == (6.0, 10.0)


def test_a_run_is_shared_at_the_prices_that_it_was_begun_with(tmp_path: Path) -> None:
    def osler(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, [*arguments, "--store", str(tmp_path / "osler.db")])
        return done.exit_code, done.output

    toml, names = tmp_path / "osler.toml", []
    with running() as url:
        toml.write_text(
            f'[endpoints.fake]\nbase_url = "{url}"\nmodel = "lab/fake-1"\nprice_in = 1\nprice_out = 1\n'
        )
        for price in ("fake=1000,2000", "fake=10,20"):
            seats = ("--doctor", "model:fake", "--price", price, "--config", str(toml))
            assert osler("consult", "generated:1:5", *seats)[0] == 0
            with open_store(f"sqlite:///{tmp_path / 'osler.db'}") as store:
                names.append(store.run("last").name)
    stated = ("--submitter", "x", "--cutoff", "unknown", "--trained-on", "unknown", "--config", str(toml))
    code, _ = osler("bench", "submit", names[0], "--out", str(tmp_path / "out"), *stated)
    assert code == 0
    spent = read_card(tmp_path / "out" / CARD)["runs"][0]["spent"]["doctor"]["fake"]
    sent = (spent["prompt_tokens"] * 1000 + spent["completion_tokens"] * 2000) / 1e6
    assert spent["cost"] == pytest.approx(sent)
    code, words = osler("bench", "submit", *names, "--out", str(tmp_path / "both"), *stated)
    assert code == 1
    assert "fake had other prices" in words
