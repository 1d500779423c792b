"""Inspect's own options: epochs, roles, limits, cache, retries, parts of the cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval_retry
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog

from osler.adapters.inspect_ai.importing import import_log
from osler.adapters.inspect_ai.reading import read_log
from osler.runs.run import config_of
from osler.runs.totals import totals
from osler.store.store import open_store
from tests.adapter_tools.inspect.conftest import MODEL, Inspect, Recorder, metric, played, samples, scored


def models_asked(recorder: Recorder) -> set[str]:
    return {json.loads(body)["model"] for body in recorder.taken()}


def ended(log: EvalLog) -> list[tuple[object, int]]:
    return sorted((one.id, one.epoch) for one in samples(log) if "osler" in one.store)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"nosuch": 1}, "no such argument"),
        ({"limit": "many"}, "valid integer"),
        ({"settings": {"limits": {"max_turns": -1}}}, "max_turns"),
        ({"repeats": 2}, "--epochs"),
        ({"doctor": "baseline"}, "--model"),
        ({"patient": "person"}, "cannot sit here"),
        ({"patient": "nobody"}, "no patient is called"),
        ({"patient": "model:a/b"}, "a role's name"),
        ({"cases": "nowhere.yaml"}, "nowhere.yaml"),
        ({"only": "no-such-case"}, "nothing to play"),
        ({"memory": {}}, "osler consult"),
        ({"only": 7}, "quotes"),
    ],
)
def test_an_argument_that_cannot_be_meant_is_refused_in_words_before_anything_is_asked(
    given: dict[str, Any], said: str, inspect: Inspect, recorder: Recorder
) -> None:
    inspect.at(recorder.url)
    with pytest.raises(PrerequisiteError) as refused:
        inspect.eval("consultation", given)
    assert said in str(refused.value.message)
    assert recorder.taken() == []


def test_another_seat_is_played_by_the_role_that_it_names(inspect: Inspect, recorder: Recorder) -> None:
    inspect.at(recorder.url)
    given = {"limit": 1, "patient": "model:actor"}
    log = inspect.eval("consultation", given, model_roles={"actor": "openai-api/fake/other"})
    assert log.status == "success"
    assert models_asked(recorder) == {"fake", "other"}
    (sample,) = samples(log)
    spoken = [json.loads(one["reply"]) for one in sample.store["osler"]["rows"] if one["seat"] == "patient"]
    assert spoken
    assert sample.messages[0].text.startswith("You are the doctor")
    with open_store(inspect.folder / "its.db") as store:
        run = import_log(read_log(Path(log.location)), store).run
        assert config_of(run).models == {"actor": "openai-api/fake/other", "fake": MODEL}


def test_the_model_under_test_never_takes_another_seat_by_default(
    inspect: Inspect, recorder: Recorder
) -> None:
    inspect.at(recorder.url)
    log = inspect.eval("consultation", {"patient": "model:patient"})
    assert log.status == "error"
    assert log.error
    assert "--model-role patient=MODEL" in log.error.message
    assert recorder.taken() == []
    assert scored(log) == 0


LIMITS: dict[str, dict[str, Any]] = {
    "message": {"message_limit": 5},
    "token": {"token_limit": 2000},
    "time": {"time_limit": 1, "model": "openai-api/fake/slow"},
}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_of_inspects_leaves_an_encounter_unscored_and_says_so(limit: str, inspect: Inspect) -> None:
    log = inspect.eval("consultation", **LIMITS[limit])
    assert [one.limit.type for one in samples(log) if one.limit] == [limit, limit]
    assert scored(log) == 0
    for one in samples(log):
        (score,) = (one.scores or {}).values()
        assert score.value != score.value
        assert "stopped before its end" in (score.explanation or "")


def test_part_of_the_cases_is_imported_as_that_part(inspect: Inspect) -> None:
    log = inspect.eval("consultation", {"limit": 5}, sample_id=["dermatology-01", "cardiology-02"], epochs=2)
    cases = ["cardiology-02", "dermatology-01"]
    assert ended(log) == [(case, epoch) for case in cases for epoch in (1, 2)]
    with open_store(inspect.folder / "its.db") as store:
        run = import_log(read_log(Path(log.location)), store).run
        assert (run.status, run.planned, run.done) == ("done", 4, 4)
        assert [(row.ordinal, row.case_id) for row in store.episodes(run.id)] == [
            (2, cases[0]), (3, cases[0]), (6, cases[1]), (7, cases[1])
        ]  # fmt: skip


def test_limit_and_shuffle_change_no_encounter(inspect: Inspect) -> None:
    plain = inspect.eval("consultation", {"limit": 3}, limit=2)
    mixed = inspect.eval("consultation", {"limit": 2}, sample_shuffle=5)
    records = [{one.id: played(one) for one in samples(log)} for log in (plain, mixed)]
    assert records[0] == records[1]
    with open_store(inspect.folder / "its.db") as store:
        runs = [import_log(read_log(Path(log.location)), store).run for log in (plain, mixed)]
        assert [config_of(run).limit for run in runs] == [2, 2]
        keys = [[row.key for row in store.episodes(run.id)] for run in runs]
        assert keys[0] == keys[1]


def test_settings_of_the_model_are_part_of_its_identity(inspect: Inspect) -> None:
    logs = [inspect.eval("consultation", {"limit": 1}, temperature=heat) for heat in (0.2, 0.9)]
    one, other = (samples(log)[0].store["osler"] for log in logs)
    assert one["key"] != other["key"]
    assert [row["request"] for row in one["rows"]] == [row["request"] for row in other["rows"]]


def test_the_cache_keeps_epochs_apart_and_changes_nothing(
    inspect: Inspect, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(inspect.folder / "cache"))
    inspect.at(recorder.url)
    first = inspect.eval("consultation", {"limit": 1}, epochs=2, cache=True)
    asked = len(recorder.taken())
    again = inspect.eval("consultation", {"limit": 1}, epochs=2, cache=True)
    assert recorder.taken() == []
    records = [list(map(played, samples(log))) for log in (first, again)]
    assert records[0] == records[1]
    assert records[0][0] != records[0][1]
    assert asked == sum(one[0] == "doctor" for rows in records[0] for one in rows), (
        "an answer of one epoch was taken for another"
    )


def test_a_failed_log_is_retried_and_then_imported_whole(inspect: Inspect, endpoint: str) -> None:
    inspect.at("http://127.0.0.1:9/v1")
    failed = inspect.eval("consultation", retry_on_error=1)
    assert failed.status == "error"
    inspect.at(endpoint)
    (mended,) = eval_retry(failed.location, log_dir=str(inspect.folder), display="none")
    assert mended.status == "success"
    with open_store(inspect.folder / "its.db") as store:
        assert import_log(read_log(Path(mended.location)), store).run.done == 2


def test_a_measure_that_some_encounters_lack_is_the_mean_of_the_others_and_says_of_how_many(
    inspect: Inspect,
) -> None:
    cases = ["cardiology-01", "dermatology-01", "ent-02"]
    log = inspect.eval("consultation", {"limit": 12}, sample_id=cases)
    values = [one.store["osler"]["measures"]["contraindicated_tests"] for one in samples(log)]
    there = [value for value in values if value is not None]
    assert len(there) == 2, "ent-02 says nothing of contraindicated tests"
    assert metric(log, "contraindicated_tests", "mean") == pytest.approx(sum(there) / len(there))
    assert metric(log, "contraindicated_tests", "osler/n") == len(there)
    assert metric(log, "turns", "osler/n") == 3
    assert metric(log, "provisional_correct", "mean") != metric(log, "provisional_correct", "mean")
    with open_store(inspect.folder / "its.db") as store:
        found = totals(import_log(read_log(Path(log.location)), store).run, store, traced=True).measures
    for name, one in found.items():
        if one.n and name != "cost_per_correct":
            assert metric(log, name, "mean") == pytest.approx(one.value, abs=1e-6), name
            assert metric(log, name, "osler/n") == one.n, name


def test_a_ratio_is_one_of_sums_as_osler_has_it(inspect: Inspect) -> None:
    log = inspect.eval("ward_round", {"limit": 3, "settings": {"max_rounds": 2}}, epochs=2)
    assert log.results
    assert log.results.headline
    assert log.results.headline.score == "learning_gain"
    with open_store(inspect.folder / "its.db") as store:
        found = totals(import_log(read_log(Path(log.location)), store).run, store, traced=True).measures
    for name in ("learning_gain", "valid_turns", "guidance_words"):
        assert metric(log, name, "osler/pooled") == pytest.approx(found[name].value, abs=1e-6)
