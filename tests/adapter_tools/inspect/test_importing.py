"""A log of Inspect as a stored run: read like any other, checked by replay, refused where it was changed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log

import osler.cases
from osler import open_cases
from osler.adapters.inspect_ai.importing import import_log
from osler.adapters.inspect_ai.reading import read_log
from osler.errors import BadInput
from osler.store.store import open_store
from tests.adapter_tools.inspect.conftest import Inspect, samples

Change = Callable[[EvalLog], object]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, endpoint: str) -> EvalLog:
    """A log of two consultations, the second with a patient of a role."""
    with pytest.MonkeyPatch.context() as environ:
        inspect = Inspect(tmp_path_factory.mktemp("kept"), endpoint, environ)
        given = {"limit": 2, "patient": "model:actor"}
        log = inspect.eval("consultation", given, model_roles={"actor": "openai-api/fake/other"})
    assert log.status == "success"
    return log


def test_the_command_stores_a_run_that_every_reader_reads(kept: EvalLog, inspect: Inspect) -> None:
    store = ("--store", str(inspect.folder / "its.db"))
    done = inspect.osler("adapters", "import-inspect", kept.location, *store, "--json")
    assert done.code == 0, done.said
    told = json.loads(done.said)
    assert (told["planned"], told["episodes"], told["left_out"]) == (2, 2, {})
    assert told["inspect"]["metrics"]["turns"]["mean"] == told["measures"]["turns"]["value"]
    assert told["measures"]["fact_coverage"]["low"] is not None
    run = told["run"]
    shown = inspect.osler("show", f"{run}:0", *store)
    assert shown.code == 0, shown.said
    assert "patient" in shown.said
    assert "model:fake" in inspect.osler("runs", "summary", run, *store).said
    assert inspect.osler("judge", "run", run, *store).code == 0
    out = inspect.folder / "run.jsonl"
    assert inspect.osler("export", run, "--out", str(out), *store).code == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3
    again = inspect.osler("adapters", "import-inspect", kept.location, *store)
    assert again.code == 1
    assert f"imported before, as run {run}" in again.said


def test_it_is_compared_with_a_native_run(kept: EvalLog, inspect: Inspect) -> None:
    url = f"sqlite:///{inspect.folder / 'its.db'}"
    with open_store(url) as store:
        imported = import_log(read_log(Path(kept.location)), store).run
    store_of = ("--store", url)
    assert inspect.osler("consult", "library", "--limit", "2", *store_of).code == 0
    compared = inspect.osler("compare", imported.name, "last", *store_of)
    assert compared.code == 0, compared.said


def record(log: EvalLog, at: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = samples(log)[at].store["osler"]
    return found


def head(log: EvalLog) -> dict[str, Any]:
    assert log.eval.metadata
    found: dict[str, Any] = log.eval.metadata["osler"]
    return found


def put(field: str, value: object) -> Change:
    return lambda log: record(log).update({field: value})


def in_row(n: int, field: str, value: str) -> Change:
    return lambda log: record(log)["rows"][n].update({field: value})


def configured(**fields: object) -> Change:
    return lambda log: head(log)["configuration"].update(fields)


CHANGES: dict[str, tuple[Change, str]] = {
    "a better judgement": (
        lambda log: put("judgement", record(log)["judgement"].replace('"value":0.0', '"value":1.0', 1))(log),
        "its judgement",
    ),
    "another question": (in_row(0, "reply", '{"action":"ASK","question":"Well?"}'), "not what was played"),
    "another answer of the patient": (in_row(1, "reply", '{"answer":"I have gout."}'), "not what was played"),
    "no answer": (in_row(1, "reply", '"nonsense'), "not what was played"),
    "another request": (in_row(2, "request", "0" * 16), "not what was played"),
    "other events": (in_row(2, "events", "[]"), "not what was played"),
    "rows cut off": (lambda log: put("rows", record(log)["rows"][:3])(log), "breaks off"),
    "another end": (put("tail", "[]"), "its end"),
    "another status": (put("status", "out_of_turns"), "its end"),
    "another key": (put("key", "0" * 32), "its key"),
    "another epoch": (put("repeat", 1), "another epoch"),
    "another case": (put("place", 1), "another case"),
    "a case that is not there": (put("place", 10**9), "no row"),
    "a fault called a score": (put("unscored", "no"), "may be scored"),
    "another player": (put("player", "gpt-x"), "its key"),
    "a player that is a path": (put("player", "../../etc/passwd"), "no log of Osler's"),
    "more than Osler writes": (put("more", 1), "no log of Osler's"),
    "a record that is a list": (lambda log: samples(log)[0].store.update(osler=[1]), "no log of Osler's"),
    "serving that is no JSON": (
        lambda log: [one.store["osler"].update(serving="{") for one in samples(log)], "what a model served",
    ),
    "the same sample twice": (
        lambda log: samples(log)[1].store.update(osler=record(log)), "another case",
    ),
    "no head": (lambda log: log.eval.metadata and log.eval.metadata.clear(), "no log of Osler's"),
    "another version": (lambda log: head(log).update(osler="0.0.1"), "0.0.1"),
    "other cases": (lambda log: head(log).update(cases_fingerprint="0" * 32), "not the cases"),
    "cases at a path": (configured(cases="/etc/passwd"), "--cases FILE"),
    "cases without end": (configured(cases="generated:900000:1"), "not the cases"),
    "code to import": (configured(patient="python:os:getcwd"), "code"),
    "a script": (configured(patient="scripted:/etc/passwd"), "code"),
    "a folder": (configured(images="/etc"), "folder"),
    "a protocol that is not there": (lambda log: head(log).update(protocol="poker/1"), "poker"),
    "a configuration that cannot be": (configured(settings={"limits": {"max_turns": -1}}), "max_turns"),
    "a setting that was not": (configured(settings={"limits": {"max_turns": 3}}), "not what was played"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_log_that_was_changed_is_refused_and_nothing_is_stored(
    change: str, kept: EvalLog, tmp_path: Path
) -> None:
    log = read_eval_log(kept.location)
    spoil, said = CHANGES[change]
    spoil(log)
    spoilt = tmp_path / "spoilt.json"
    write_eval_log(log, str(spoilt))
    with open_store(tmp_path / "its.db") as store:
        with pytest.raises(BadInput) as refused:
            import_log(read_log(spoilt), store)
        assert said in str(refused.value)
        assert store.runs() == []


def test_cases_without_end_are_refused_though_the_log_says_they_were_played(
    kept: EvalLog, tmp_path: Path
) -> None:
    log, endless = read_eval_log(kept.location), "generated:900000:1"
    head(log)["configuration"].update(cases=endless, limit=None)
    head(log).update(cases_fingerprint=open_cases(endless).fingerprint)
    write_eval_log(log, str(tmp_path / "endless.json"))
    with open_store(tmp_path / "its.db") as store, pytest.raises(BadInput, match="more than 100,000"):
        import_log(read_log(tmp_path / "endless.json"), store)


def test_measures_in_a_log_are_not_taken(kept: EvalLog, tmp_path: Path) -> None:
    log = read_eval_log(kept.location)
    record(log)["measures"]["correct"] = 1.0
    write_eval_log(log, str(tmp_path / "claims.json"))
    with open_store(tmp_path / "its.db") as store:
        run = import_log(read_log(tmp_path / "claims.json"), store).run
        bodies = [json.loads(one.body) for one in store.judgements(run.id)]
        assert [body["scores"]["correct"]["value"] for body in bodies] == [0.0, 0.0]


@pytest.mark.parametrize("held", [b"", b"PK\x03\x04 no archive", b'{"version": 2}', b"\x00" * 100, None])
def test_a_file_that_is_no_log_is_refused_in_words(held: bytes | None, inspect: Inspect) -> None:
    for name in ("a.eval", "a.json", "a.txt"):
        path = inspect.folder / name
        if held is not None:
            path.write_bytes(held)
        with pytest.raises(BadInput):
            read_log(path)


def test_cases_of_ones_own_are_named_again(inspect: Inspect) -> None:
    cases = inspect.folder / "mine"
    cases.mkdir()
    shutil.copy(Path(osler.cases.__file__).parent / "library" / "ent-01.yaml", cases)
    log = inspect.eval("consultation", {"cases": str(cases), "limit": 1})
    with open_store(inspect.folder / "its.db") as store:
        with pytest.raises(BadInput, match="--cases FILE"):
            import_log(read_log(Path(log.location)), store)
        assert import_log(read_log(Path(log.location)), store, str(cases)).run.done == 1
