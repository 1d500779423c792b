"""What a model judge costs: told before and after, limited, cached, and recorded with who judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.store.store import open_store
from tests.cases.rubrics.samples import published_of, write
from tests.cli.commands import Osler, configure, reset, said, stats, value
from tests.endpoints import running
from tests.protocols.scenario.playing import SMALL


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as base_url:
        yield base_url


@pytest.mark.parametrize(
    "played",
    [
        ("consult", "library", "--limit=3", "--doctor=always-conclude"),
        ("round", "library", "--limit=3", "--students=1", "--max-rounds=1"),
        ("scenario", "play", str(SMALL), "--repeats=3", "--max-turns=3"),
    ],
)
def test_a_model_judge_tells_what_it_cost_and_who_it_was(
    osler: Osler, url: str, played: tuple[str, ...]
) -> None:
    configure(url, price_in=1.0, price_out=2.0)
    value(osler(*played, "--json"))
    words = ("judge", "run", "last", "--judge=model:fake", "--temperature=0.5")
    weighed = value(osler(*words, "--dry-run", "--json"))
    assert weighed["episodes"] >= 3
    assert weighed["cost"] > 0
    reset(url)
    found = value(osler(*words, "--concurrency=2", "--json"))
    assert found["judged"] == weighed["episodes"]
    used, counted = found["usage"]["judge"]["fake"], stats(url)["seats"]["judge"]
    assert used["calls"] == counted["requests"] >= weighed["calls"] > 0
    assert used["prompt_tokens"] == counted["prompt_tokens"]
    assert used["cost"] > 0
    by = found["judged_by"]
    assert (by["endpoint"], by["model"], by["settings"]) == ("fake", "fake-model", {"temperature": 0.5})
    assert value(osler(*words, "--dry-run", "--json"))["episodes"] == 0, "all are judged now"
    with open_store("osler.db") as store:
        kept = list(store.judge_calls(store.run("last").id))
    assert kept
    for row in kept:
        assert row.body["settings"] == {"temperature": 0.5}
        assert row.body["text"] or row.body["outcome"] != "ok"
        assert "messages" not in row.body
    assert {row.grader for row in kept} == {found["judge"]}
    table = " ".join(osler(*words).stdout.split())
    assert "temperature 0.5" in table
    assert "Tokens of the judge" in table


@pytest.mark.parametrize("command", [("rubric", "judge", "last"), ("judge", "run", "last")])
def test_a_judge_by_rubric_tells_the_same(osler: Osler, url: str, command: tuple[str, ...]) -> None:
    configure(url, price_in=1.0, price_out=2.0)
    write(Path("rubrics"), published_of())
    value(osler("consult", "library", "--limit=1", "--max-turns=3", "--json"))
    words = (*command, "--rubric", "rubrics", "--judge=model:fake", "--temperature=0.5")
    weighed = value(osler(*words, "--dry-run", "--json"))
    assert (weighed["episodes"], weighed["calls"] > 0) == (1, True)
    found = value(osler(*words, "--json"))
    assert found["usage"]["judge"]["fake"]["calls"] >= weighed["calls"]
    assert found["judged_by"]["settings"] == {"temperature": 0.5}


def test_a_budget_pauses_judging_and_what_it_took_is_counted(osler: Osler, url: str) -> None:
    configure(url, price_in=1.0, price_out=1.0)
    value(osler("consult", "library", "--limit=5", "--doctor=always-conclude", "--json"))
    words = ("judge", "run", "last", "--judge=model:fake", "--concurrency=1")
    each = value(osler(*words, "--dry-run", "--json"))
    budget = round((each["prompt_tokens"] + each["completion_tokens"]) * 0.6)
    for _ in range(2):
        paused = osler(*words, f"--token-budget={budget}")
        assert paused.exit_code != 0
        assert "tokens budget" in said(paused)
    with open_store("osler.db") as store:
        kept = {row.ordinal for row in store.judge_calls(store.run("last").id)}
    assert 0 < len(kept) < 5, "what was judged is kept, and counts towards the budget"
    found = value(osler(*words, "--max-money=1", "--json"))
    assert found["judged"] == 5 - len(kept)


def test_judging_again_from_the_cache_asks_nobody(osler: Osler, url: str) -> None:
    configure(url)
    value(osler("consult", "library", "--limit=2", "--doctor=always-conclude", "--json"))
    words = ("judge", "run", "last", "--judge=model:fake", "--cache=write", "--json")
    value(osler(*words))
    with open_store("osler.db") as store, store.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM judge_calls")
        connection.exec_driver_sql("DELETE FROM judgements WHERE grader LIKE '%%model%%'")
    reset(url)
    found = value(osler(*words))
    assert found["judged"] == 2
    assert stats(url)["seats"] == {}
    assert found["usage"]["judge"]["fake"]["calls"] == 0


def test_a_judge_that_asks_no_model_has_nothing_to_estimate_or_to_set(osler: Osler, url: str) -> None:
    configure(url)
    value(osler("consult", "library", "--limit=1", "--json"))
    assert "asks no model" in said(osler("judge", "run", "last", "--dry-run"))
    assert "no model is under test" in said(osler("judge", "run", "last", "--temperature=1"))
