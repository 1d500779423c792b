"""Submissions: what is shared is enough to compute every figure again, and no change in it goes unseen.

Each way of tampering is tried twice: as a careless editor leaves the files, and as somebody who writes every
hash anew.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from osler.cases.model import Case
from osler.cases.scenarios.model import Scenario
from osler.errors import BadInput
from osler.files import sha256_of
from osler.models.prices import Prices
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.runs import run as runs
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import Store, open_store
from osler.studies.bench.run_card import Statement, card_hash, card_of_runs
from osler.studies.bench.shared_run import CASES, read_back
from osler.studies.bench.submission import (
    CARD,
    PAGE,
    SUBMISSION,
    Submission,
    files_in,
    html,
    json_text,
    line_hashes,
    submit,
)
from osler.studies.bench.verify import verify
from tests.endpoints import running

STATEMENT = Statement(submitter="A <team>", relation="third-party", made_on=date(2026, 11, 29))
PRICES = {"fake": Prices(price_in=1.0, price_out=2.0)}
Edit = Callable[[Path], None]
_LAST_WORD = re.compile(r'([a-z]{3,}[.?!]?)("(?:[,}\]]|$))')


def _played(store: Store, config: Any, name: str, options: ModelOptions = ModelOptions()) -> Any:  # noqa: B008
    opened = open_cast(config, options)
    run = runs.begin(opened.config, store, opened.more, name=name, about=opened.about)
    return runs.play(run, store, more=opened.more, around=opened.around).run


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A submission of four short runs: a model, a trivial doctor, a round and a station."""
    folder = tmp_path_factory.mktemp("shared")
    with running() as url, open_store(folder / "store.db") as store:
        toml = folder / "osler.toml"
        toml.write_text(f'[endpoints.fake]\nbase_url = "{url}"\nmodel = "fake-1"\n')
        found = [
            _played(store, config, name, ModelOptions(config=toml))
            for name, config in {
                "model": RunConfig(cases="generated:2:5", doctor="model:fake", seed=4),
                "trivial": RunConfig(cases="generated:2:5", doctor="always-conclude", seed=4),
                "round": RoundConfig(cases="library", limit=1, tutor="lecturer"),
                "station": ScenarioConfig(cases="library", limit=1, examinee="null"),
            }.items()
        ]
        submit(found, store, folder / "out", STATEMENT, PRICES)
    return folder / "out"


@pytest.fixture
def folder(shared: Path, tmp_path: Path) -> Path:
    """A copy of the submission, to be tampered with."""
    return Path(shutil.copytree(shared, tmp_path / "copy"))


def test_what_was_shared_can_be_computed_again(shared: Path) -> None:
    found = verify(shared)
    assert found.failures == []
    assert found.checked["replay"] == found.checked["episode"] == 6
    assert found.unchecked == [
        "model: which model answered, its words, tokens, times and sampling are as submitted"
    ]


def test_the_card_says_who_was_measured_on_what_at_what_price_and_beside_whom(shared: Path) -> None:
    card = json.loads((shared / CARD).read_text())
    model, trivial = card["runs"][:2]
    assert (model["role"], trivial["role"]) == ("under test", "trivial")
    assert model["beside"]["floors"] == {
        "always-conclude, trivial": trivial["measures"][trivial["headline"]]["value"]
    }
    assert model["standing"] == "custom"
    (spent,) = (endpoints["fake"] for seat, endpoints in model["spent"].items() if seat == "doctor")
    assert spent["calls"] > 0
    assert spent["cost"] > 0
    assert model["models"]["fake"]["model"] == "fake-1"
    assert "A <team>" not in (shared / PAGE).read_text()


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _write(path: Path, lines: list[dict[str, Any]]) -> None:
    text = (json.dumps(one, sort_keys=True, separators=(",", ":")) for one in lines)
    path.write_text("".join(f"{line}\n" for line in text))


def _episode(change: Callable[[dict[str, Any]], object], name: str = "trivial") -> Edit:
    """Change the first encounter of a run's export."""

    def edit(folder: Path) -> None:
        lines = _lines(folder / f"runs/{name}.jsonl")
        change(lines[1])
        _write(folder / f"runs/{name}.jsonl", lines)

    return edit


def _head(change: Callable[[dict[str, Any]], object], name: str = "trivial") -> Edit:
    def edit(folder: Path) -> None:
        lines = _lines(folder / f"runs/{name}.jsonl")
        change(lines[0]["configuration"])
        _write(folder / f"runs/{name}.jsonl", lines)

    return edit


def _drop(at: int, name: str = "trivial") -> Edit:
    def edit(folder: Path) -> None:
        lines = _lines(folder / f"runs/{name}.jsonl")
        del lines[at]
        _write(folder / f"runs/{name}.jsonl", lines)

    return edit


def _twice(folder: Path) -> None:
    lines = _lines(folder / "runs/trivial.jsonl")
    _write(folder / "runs/trivial.jsonl", [*lines, lines[1]])


def _both(*edits: Edit) -> Edit:
    def edit(folder: Path) -> None:
        for one in edits:
            one(folder)

    return edit


def _again(folder: Path) -> None:
    shutil.copy(folder / "runs/trivial.jsonl", folder / "runs/trivial2.jsonl")
    _told(lambda told: told["runs"].append({**told["runs"][1], "name": "trivial2"}))(folder)
    _told(lambda told: told["episodes"].update(trivial2=told["episodes"]["trivial"]))(folder)


def _drop_and_plan_less(folder: Path) -> None:
    _drop(2)(folder)
    _told(lambda told: told["runs"][1].update(planned=1))(folder)


def _json(name: str, change: Callable[[dict[str, Any]], object]) -> Edit:
    def edit(folder: Path) -> None:
        value = json.loads((folder / name).read_text())
        change(value)
        (folder / name).write_text(json.dumps(value))

    return edit


def _card(change: Callable[[dict[str, Any]], object]) -> Edit:
    return _json(CARD, change)


def _told(change: Callable[[dict[str, Any]], object]) -> Edit:
    return _json(SUBMISSION, change)


def _figure(name: str, value: Any) -> Edit:
    def change(card: dict[str, Any]) -> None:
        run = card["runs"][0]
        run["measures"][run["headline"]][name] = value

    return _card(change)


def _judgement(episode: dict[str, Any]) -> dict[str, Any]:
    judgement: dict[str, Any] = next(iter(episode["judgements"].values()))
    return judgement


def _score_all(episode: dict[str, Any]) -> None:
    for score in _judgement(episode)["scores"].values():
        score["value"] = 1.0


def _other_reply(seat: str) -> Callable[[dict[str, Any]], None]:
    def change(episode: dict[str, Any]) -> None:
        exchange = next(one for one in episode["exchanges"] if one["seat"] == seat)
        text = json.dumps(exchange["reply"])
        exchange["reply"] = json.loads(_LAST_WORD.sub(r"\1 indeed\2", text, count=1))
        assert json.dumps(exchange["reply"]) != text

    return change


def _calls(change: Callable[[dict[str, Any]], object]) -> Edit:
    def edit(folder: Path) -> None:
        path = folder / "runs/model.calls.jsonl"
        lines = _lines(path)
        change(lines[0])
        _write(path, lines)

    return edit


def _spaced(folder: Path) -> None:
    path = folder / "runs/trivial.jsonl"
    path.write_text(path.read_text().replace('":', '": ', 1))


def _other_case(folder: Path) -> None:
    lines = _lines(folder / "cases.jsonl")
    lines[0]["title"] = "Another"
    _write(folder / "cases.jsonl", lines)


def _first_byte(name: str) -> Edit:
    def edit(folder: Path) -> None:
        raw = bytearray((folder / name).read_bytes())
        raw[len(raw) // 2] ^= 1
        (folder / name).write_bytes(bytes(raw))

    return edit


TAMPERING: Mapping[str, Edit] = {
    "an episode is left out": _drop(2),
    "an episode is left out and fewer were planned": _drop_and_plan_less,
    "an episode stands there twice": _twice,
    "a score": _episode(_score_all),
    "a verdict's reason": _episode(lambda one: _judgement(one).update(reason="edited")),
    "a judge's version": _episode(lambda one: _judgement(one).update(version="9/9")),
    "a judge's name": _episode(lambda one: one["judgements"].update(other=one["judgements"].popitem()[1])),
    "a judgement is left out": _episode(lambda one: one["judgements"].clear()),
    "how it ended": _episode(lambda one: one.update(status="max_turns")),
    "why it ended": _episode(lambda one: one.update(reason="another reason")),
    "how long it took": _episode(lambda one: one.update(minutes=one["minutes"] + 1)),
    "how much it cost": _episode(lambda one: one.update(cost=one.get("cost", 0) + 1), "station"),
    "its last events": _episode(lambda one: one.update(tail=[])),
    "its key": _episode(lambda one: one.update(episode="0" * 32)),
    "its case": _episode(lambda one: one.update(case="0" * 32)),
    "a built-in player's reply": _episode(_other_reply("student_1"), "round"),
    "a model's reply": _episode(_other_reply("doctor"), "model"),
    "an event": _episode(
        lambda one: one["exchanges"][0]["events"].append(dict(one["exchanges"][0]["events"][0]))
    ),
    "a request": _episode(lambda one: one["exchanges"][0].update(request="0" * 16)),
    "an exchange is left out": _episode(lambda one: one["exchanges"].pop(), "round"),
    "the seed": _head(lambda one: one.update(seed=5)),
    "a setting": _head(lambda one: one["settings"].update(max_turns=99)),
    "the player's name": _head(lambda one: one.update(doctor="model:mine")),
    "the version": _head(lambda one: one.update(osler="0.0.1")),
    "the knowledge": _head(lambda one: one.update(knowledge="0" * 32)),
    "the cases' fingerprint": _head(lambda one: one.update(cases_fingerprint="0" * 32)),
    "the spelling of the export": _spaced,
    "a case": _other_case,
    "a value on the card": _figure("value", 0.987),
    "the low end of an interval": _figure("low", 0.9),
    "the number scored": _figure("n", 200),
    "the number unscored": _figure("unscored", 3),
    "the standing": _card(lambda card: card["runs"][0].update(standing="standard", differs=[])),
    "the floor": _card(lambda card: card["runs"][0]["beside"]["floors"].clear()),
    "the judge's agreement": _card(
        lambda card: next(iter(card["runs"][0]["judges"].values())).update(agreement="agrees with all")
    ),
    "a price": _told(lambda told: told["prices"]["fake"].update(price_in=0.1)),
    "the tokens of a call": _calls(lambda call: call.update(prompt_tokens=1)),
    "memory, to be left alone": _head(lambda one: one.update(doctor="always-conclude+memory")),
    "images, to be left alone": _both(
        _head(lambda one: one.update(images_fingerprint="0" * 32)), _episode(_score_all)
    ),
    "a case of another number": _episode(lambda one: one.update(ordinal=7)),
    "a setting is left out": _head(lambda one: one.pop("settings")),
    "a claim in the configuration": _head(lambda one: one.update(certified_by="somebody")),
    "the cases' name": _head(lambda one: one.update(cases="harder ones")),
    "attempts of a built-in player": _episode(
        lambda one: one["exchanges"][0]["attempts"].append({"at": "rule", "error": "x", "reply": "y"}),
        "round",
    ),
    "the same run under two names": _again,
    "the statement": _told(lambda told: told["statement"].update(trained_on="no")),
}


ON_THE_CARD = {
    *("a value on the card", "the low end of an interval", "the number scored", "the number unscored"),
    *("the standing", "the floor", "the judge's agreement"),
}
"""What only the card says: computing it anew mends it."""
UNPROVABLE = ("a price", "the tokens of a call", "the statement", "memory, to be left alone")


def _computed(folder: Path) -> dict[str, Any] | None:
    """The card of what stands in a folder, as a forger would compute it; none if it cannot be."""
    told = Submission.model_validate_json((folder / SUBMISSION).read_bytes())
    cases = {}
    for line in (folder / CASES).read_text().splitlines():
        for model in (Case, Scenario):
            with suppress(ValueError):
                cases[model.model_validate_json(line).content_hash] = line
    with open_store(folder.parent / "forged.db") as store, suppress(BadInput, ValueError, KeyError):
        pairs = [(read_back(one, folder, store, cases), one) for one in told.runs]
        return card_of_runs(pairs, store, folder, told.statement, told.prices)
    return None


def _reseal(folder: Path, *, forge: bool) -> None:
    """Write every hash of a folder anew, and compute its card (`forge`), as somebody who knows how would."""
    card = (_computed(folder) if forge else None) or json.loads((folder / CARD).read_text())
    for one in card["runs"]:
        one["export"] = sha256_of(folder / f"runs/{one['run']}.jsonl")
    card["hash"] = card_hash(card)
    (folder / CARD).write_text(json_text(card))
    (folder / PAGE).write_text(html(card))
    told = json.loads((folder / SUBMISSION).read_text())
    told["files"] = {path.relative_to(folder).as_posix(): sha256_of(path) for path in files_in(folder)}
    for one in told["runs"]:
        export = folder / f"runs/{one['name']}.jsonl"
        told["episodes"][one["name"]] = {str(at): value for at, value in line_hashes(export)}
    (folder / SUBMISSION).write_text(json.dumps(told))


@pytest.mark.parametrize("what", UNPROVABLE)
def test_what_cannot_be_proved_is_said(folder: Path, what: str) -> None:
    TAMPERING[what](folder)
    assert not verify(folder).ok, "careless"
    _reseal(folder, forge=True)
    found = verify(folder)
    assert found.ok
    assert any("as submitted" in line or "not played again" in line for line in found.unchecked)


@pytest.mark.parametrize("resealed", [False, True], ids=["as it was left", "with new hashes"])
@pytest.mark.parametrize("what", [one for one in TAMPERING if one not in UNPROVABLE])
def test_tampering_is_seen(folder: Path, what: str, resealed: bool) -> None:
    TAMPERING[what](folder)
    if resealed:
        _reseal(folder, forge=what not in ON_THE_CARD)
    try:
        found = verify(folder)
    except BadInput:
        return
    assert not found.ok, what


@pytest.mark.parametrize("name", [CARD, PAGE, "cases.jsonl", "runs/round.jsonl", "runs/model.calls.jsonl"])
def test_one_changed_byte_of_any_file_is_named(folder: Path, name: str) -> None:
    _first_byte(name)(folder)
    assert name in {one.where for one in verify(folder).failures if one.what == "file"}


def test_a_file_too_many_and_one_too_few_are_named(folder: Path) -> None:
    (folder / "more.txt").write_text("x")
    (folder / PAGE).unlink()
    found = {(one.where, one.found) for one in verify(folder).failures if one.what == "file"}
    assert found == {("more.txt", "is there"), (PAGE, "missing")}


@pytest.mark.parametrize("name", [CARD, SUBMISSION, "runs/trivial.jsonl", "runs/more"])
def test_a_link_and_a_pipe_are_not_followed(folder: Path, tmp_path: Path, name: str) -> None:
    path = folder / name
    if path.exists():
        path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="neither a file"):
        verify(folder)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(BadInput, match="neither a file"):
        verify(folder)


@pytest.mark.parametrize("cases", ["library-x/../secret", "/etc", "generated:99999999:5", "../cases"])
def test_no_case_is_looked_for_outside_osler(folder: Path, cases: str) -> None:
    _told(lambda told: told["runs"][1].update(cases_given_as=cases))(folder)
    _head(lambda one: one.update(only="x"))(folder)
    _reseal(folder, forge=True)
    found = verify(folder)
    assert not found.ok or any("no part of Osler" in line for line in found.unchecked)


@pytest.mark.parametrize("value", ["[" * 100_000, '{"hash": NaN}', "null", '{"hash": 1e999}'])
def test_a_card_that_is_none_is_named(folder: Path, value: str) -> None:
    (folder / CARD).write_text(value)
    assert {"card", "card hash"} & {one.what for one in verify(folder).failures}


def test_a_path_out_of_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    _told(lambda told: told["files"].update({"../secret": sha256_of(tmp_path / "secret")}))(folder)
    assert "../secret" in {one.where for one in verify(folder).failures}
    _told(lambda told: told["runs"][0].update(name="../secret"))(folder)
    with pytest.raises(BadInput, match="name"):
        verify(folder)


def test_a_submission_never_overwrites(shared: Path) -> None:
    with open_store(shared.parent / "store.db") as store, pytest.raises(BadInput, match="there already"):
        submit([store.run("trivial")], store, shared, STATEMENT, {})
