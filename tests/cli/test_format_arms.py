"""The formats of a case as a user meets them, with models at a fake endpoint; and the study of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.runs.rebuilt import requests_of
from osler.store.store import open_store
from osler.studies.study.design import study_named
from osler.studies.study.running import RunOptions, conditions
from tests.cli.commands import Osler, configure, episodes, said, value
from tests.endpoints import running

SUMMARY = "A middle-aged person with pain in the chest since this morning. Nothing else was told."
WRITES = [{"match": {"anywhere": "You write down what a consultation"}, "reply": SUMMARY}]
FERRITIN = "Ferritin 88 micrograms/L (reference 15 to 150)."


@pytest.mark.parametrize(
    ("arm", "moves"),
    [("vignette", "text"), *((arm, "json") for arm in ("vignette", "single", "one-step", "summarized"))],
)
def test_a_model_concludes_in_every_format_and_its_requests_are_proved(
    osler: Osler, arm: str, moves: str
) -> None:
    script: list[dict[str, Any]] = [*WRITES]
    if moves == "text":
        script.append({"match": {"seat": "doctor"}, "reply": "DIAGNOSIS READY: [Angina]"})
    with running(script=script) as url:
        configure(url)
        words = (f"--arm={arm}", "--doctor=model:fake", "--limit=1", f"--moves={moves}")
        found = value(osler("consult", "library", *words, "--json"))
    assert found["ended"] == {"completed": 1}
    assert ("summarizer" in found["usage"]) == (arm == "summarized")
    with open_store(None) as store:
        run = store.run("last")
        seen = requests_of(run, store, 0)
    assert all(one.proved for one in seen), [one.why for one in seen]
    if arm == "summarized":
        last = seen[-1]
        assert last.seat == "doctor"
        assert SUMMARY in str(last.feed)
        rows = json.loads(json.dumps([one.id for one in last.feed]))
        assert all(id_.startswith(f"{last.n - 1}.") for id_ in rows), "the ids name what was told since"


def test_a_model_makes_up_a_result_once(osler: Osler) -> None:
    order = {"action": "REQUEST_TEST", "test_name": "Ferritin"}
    wait, done = {"action": "WAIT"}, {"action": "FINALIZE", "diagnosis": "unknown"}
    Path("moves.json").write_text(json.dumps([order, wait, order, done]))
    script = [{"match": {"anywhere": "You write results for a simulated patient"}, "reply": FERRITIN}]
    with running(script=script) as url:
        configure(url)
        words = ("--doctor=scripted:moves.json", "--unknown=synthesize", "--synthesizer=model:fake")
        found = value(osler("consult", "library", *words, "--limit=1", "--json"))
    assert found["usage"]["synthesizer"]["fake"]["calls"] == 1
    (episode,) = episodes(osler)
    events = [event for x in episode["exchanges"] for event in x["events"]]
    assert {event["text"] for event in events if event["kind"] == "result"} == {FERRITIN}
    released = [event for event in events if event["kind"] == "released"]
    assert [event["provenance"] for event in released] == ["synthetic"]


def test_made_up_results_need_somebody_to_make_them_up(osler: Osler) -> None:
    done = osler("consult", "library", "--limit=1", "--unknown=synthesize")
    assert done.exit_code == 1
    assert "make nothing up" in said(done)


def test_a_team_of_two_models_is_asked_at_both_endpoints(osler: Osler) -> None:
    with running() as url:
        configure(url)
        with Path("osler.toml").open("a") as file:
            file.write(f'[endpoints.other]\nbase_url = "{url}"\nmodel = "fake-model"\nkey_env = "MY_KEY"\n')
        words = ("--doctor=model:fake+ensemble:model:other", "--limit=1", "--json")
        found = value(osler("consult", "library", *words))
    assert found["ended"] == {"completed": 1}
    assert found["usage"]["doctor"]["other"]["calls"] == 1


def test_the_study_pairs_the_formats_by_case_and_says_what_built_in_players_are(osler: Osler) -> None:
    found = value(osler("study", "run", "conversation", "--limit=2", "--json"))
    primary = found["primary"]
    assert (primary["condition"], primary["against"], primary["n_pairs"]) == ("one step", "multi turn", 2)
    assert primary["figure"] == "accuracy"
    assert "no language models" in found["note"]
    assert len(found["conditions"]) == 10
    asked = {one["condition"]: one["n_pairs"] for one in found["contrasts"] if one["figure"] == "questions"}
    assert (asked["vignette"], asked["summarized"]) == (0, 2), "unscored where nobody could ask"


@pytest.mark.parametrize("name", ["conversation", "strategies"])
def test_the_conditions_of_a_shipped_study_hold_together(name: str) -> None:
    assert len(conditions(study_named(name), RunOptions(limit=1))) >= 10
