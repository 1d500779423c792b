"""Memories searched by an endpoint's vectors, as a user meets them on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.memory.card import Card
from osler.memory.sql_memory import SqlKeeper
from osler.models import open_models
from osler.models.faults import Retry
from osler.models.manners import Manners
from osler.models.open_models import Models
from osler.store.store import Store, open_store
from tests.endpoints import running

Osler = Callable[..., Result]
NEAREST = ("--memory=lived", "--retrieve=nearest", "--embedder=model:embeds")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as base_url:
        yield base_url


@pytest.fixture
def osler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> Osler:
    """Runs a command in a folder of its own, in which a memory `lived` was written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", "m.db")
    monkeypatch.setattr(open_models, "Models", partial(Models, manners=Manners(retry=Retry(base_s=0.001))))
    configure(url)

    def run(*words: str) -> Result:
        return CliRunner().invoke(app, [*words], catch_exceptions=False)

    assert run("consult", "generated:6:3", "--doctor=oracle").exit_code == 0
    assert run("memory", "snapshot", "lived", "--from=last").exit_code == 0
    return run


def cards_of(store: Store, arm: str) -> list[Card]:
    keeper = SqlKeeper(store.engine)
    (name,) = [name for name in keeper.names() if name.endswith(f"/{arm}")]
    return list(keeper.load(keeper.steps(name)[-1].snapshot).cards.values())


def configure(url: str) -> None:
    lines = [f'[endpoints.{name}]\nbase_url = "{url}"\nmodel = "fake"\n' for name in ("embeds", "fake")]
    Path("osler.toml").write_text("\n".join(lines))


def asked(url: str) -> int:
    with urlopen(f"{url.removesuffix('/v1')}/stats") as answer:
        return int(json.loads(answer.read())["requests"])


def consult(osler: Osler, *words: str) -> Result:
    return osler("consult", "generated:4:4", "--doctor=baseline-naive+memory", "--json", *words)


def test_a_run_is_searched_by_the_endpoint_and_a_second_one_embeds_nothing_again(
    osler: Osler, url: str
) -> None:
    found = consult(osler, *NEAREST)
    assert found.exit_code == 0, found.stderr
    value = json.loads(found.stdout)
    assert value["audit"]["clean"]
    assert value["audit"]["cards"] > 0
    assert "nearest by model:embeds" in value["memory"]
    before = asked(url)
    again = json.loads(consult(osler, *NEAREST).stdout)
    assert asked(url) == before, "every vector was kept"
    assert again["measures"]["correct"] == value["measures"]["correct"]


def test_an_endpoint_that_cannot_embed_pauses_the_run_and_it_goes_on_later(osler: Osler, url: str) -> None:
    with running(faults={"kinds": {"wrong-model": 1.0}}) as broken:
        configure(broken)
        found = consult(osler, *NEAREST)
    assert found.exit_code == 3, found.stderr
    said = " ".join(found.stderr.split())
    assert "embeds" in said
    assert "Traceback" not in said
    configure(url)
    resumed = json.loads(osler("resume", "last", "--json").stdout)
    assert (
        resumed["measures"]["correct"] == json.loads(consult(osler, *NEAREST).stdout)["measures"]["correct"]
    )


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--retrieve=nearest",), "there is no memory to search"),
        (("--memory=lived", "--embedder=embeds"), "write model:NAME"),
        (("--memory=lived", "--embedder=model:nobody"), "no endpoint 'nobody'"),
        (("--memory=lived", "--looks=never"), "looks"),
        (("--memory=lived", "--retrieve=lexical", "--embedder=model:embeds"), "of no use to lexical"),
    ],
)
def test_what_cannot_be_searched_is_said_in_words(osler: Osler, words: tuple[str, ...], wrong: str) -> None:
    found = consult(osler, *words)
    assert found.exit_code == 1
    assert wrong in " ".join(found.stderr.split())


def test_a_model_summarizes_what_a_run_leaves_if_it_is_named(osler: Osler, url: str) -> None:
    words = ("memory", "snapshot", "told", "--from=last", "--summarizer=model:fake", "--json")
    found = osler(*words)
    assert found.exit_code == 0, found.stderr
    assert "6 of 6 consultations left a card" in found.stderr
    with open_store("m.db") as store:
        keeper = SqlKeeper(store.engine)
        by_model, by_rule = (keeper.load(keeper.steps(name)[-1].snapshot).cards for name in ("told", "lived"))
        mine = {card.summary for card in by_model.values()}
        assert mine.isdisjoint(card.summary for card in by_rule.values())
        assert all(mine)
    assert "is not a model" in osler("memory", "snapshot", "m", "--from=last", "--summarizer=fake").stderr
    assert "add --from RUN" in osler("memory", "snapshot", "told", "--summarizer=model:fake").stderr


def test_a_model_that_learns_is_told_only_right_or_wrong_and_writes_its_own_summaries(
    osler: Osler, url: str
) -> None:
    study = "study run longitudinal --cases generated:14:1 --by random --blocks 2 --orders 1 --seeds 1"
    more = "--taught 2 --probes 1 --points 2 --doctor model:fake --json"
    found = osler(*study.split(), *more.split())
    assert found.exit_code == 0, found.stderr
    value: dict[str, Any] = json.loads(found.stdout)
    assert value["design"]["feedback"] == "judge"
    assert "feedback judge" in value["headline"]
    assert "Intervals are withheld" in value["resampling"]
    assert sum(stage["discarded"] for stage in value["fates"]) > 0, "wrong again is discarded"
    with open_store("m.db") as store:
        (again,) = [run for run in store.runs() if run.name.endswith("-again0")]
        assert again.manifest["configuration"]["again"]["anew"] is False
        turns = [episode.turns for episode in store.episodes(again.id)]
        assert set(turns) == {1}, "it thinks over the record, and asks nobody"
        summaries = [card.summary for name in ("memory",) for card in cards_of(store, name)]
        assert all(summaries)
    before = asked(url)
    assert json.loads(osler(*study.split(), *more.split()).stdout) == value
    assert asked(url) == before, "the same command asks nobody"
