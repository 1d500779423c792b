"""Tampering with a submission: each kind is named, by what it is, where, what is said and what is found.

Each is tried as somebody would who writes every hash anew and computes the card again; a careless editor is
given away by the hash of the file.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from osler.studies.bench.submission import CARD, PAGE, SUBMISSION
from osler.studies.bench.verify import verify
from tests.studies.bench.submissions import copied, lines_of, reseal, write_lines

Json = dict[str, Any]
Change = Callable[[Json], object]
Edit = Callable[[Path], None]
_LAST_WORD = re.compile(r'([a-z]{3,}[.?!]?)("(?:[,}\]]|$))')
_TRIVIAL = "runs/trivial.jsonl"
_CALLS = "runs/model.calls.jsonl"


class Tampering(NamedTuple):
    """An edit, and what is named `what` at `where` after every hash was written anew. `forge` also computes
    the card anew; without it, the lie stands on the card. `of` names the submission."""

    edit: Edit
    what: str
    where: str
    forge: bool = True
    of: str = "alone"


def _export(change: Callable[[list[Json]], object], name: str = "trivial") -> Edit:
    def edit(folder: Path) -> None:
        lines = lines_of(folder / f"runs/{name}.jsonl")
        change(lines)
        write_lines(folder / f"runs/{name}.jsonl", lines)

    return edit


def _episode(change: Change, name: str = "trivial") -> Edit:
    return _export(lambda lines: change(lines[1]), name)


def _head(change: Change, name: str = "trivial") -> Edit:
    return _export(lambda lines: change(lines[0]["configuration"]), name)


def _calls(change: Callable[[list[Json]], object]) -> Edit:
    def edit(folder: Path) -> None:
        lines = lines_of(folder / _CALLS)
        change(lines)
        write_lines(folder / _CALLS, lines)

    return edit


def _json(name: str, change: Change) -> Edit:
    def edit(folder: Path) -> None:
        value = json.loads((folder / name).read_text())
        change(value)
        (folder / name).write_text(json.dumps(value))

    return edit


def _described(change: Change) -> Edit:
    return _json(SUBMISSION, change)


def _each(*edits: Edit) -> Edit:
    def edit(folder: Path) -> None:
        for one in edits:
            one(folder)

    return edit


def _file(change: Callable[[Path], object]) -> Edit:
    def edit(folder: Path) -> None:
        change(folder)

    return edit


def _on_card(where: str, change: Change, of: str = "alone") -> Tampering:
    """A change of the card's first run, which stands nowhere else."""
    return Tampering(
        _json(CARD, lambda card: change(card["runs"][0])),
        "figure",
        f"card.runs[0].{where}",
        forge=False,
        of=of,
    )


def _figure(name: str, value: object) -> Tampering:
    return _on_card(f"measures.correct.{name}", lambda run: run["measures"]["correct"].update({name: value}))


def _judgement(episode: Json) -> Json:
    judgement: Json = next(iter(episode["judgements"].values()))
    return judgement


def _score_all(episode: Json) -> None:
    for score in _judgement(episode)["scores"].values():
        score["value"] = 1.0


def _other_reply(seat: str) -> Change:
    def change(episode: Json) -> None:
        exchange = next(one for one in episode["exchanges"] if one["seat"] == seat)
        text = json.dumps(exchange["reply"])
        exchange["reply"] = json.loads(_LAST_WORD.sub(r"\1 indeed\2", text, count=1))
        assert json.dumps(exchange["reply"]) != text

    return change


def _swap(lines: list[Json], *names: str) -> None:
    for name in names:
        lines[1][name], lines[2][name] = lines[2][name], lines[1][name]


def _reveal(episode: Json) -> None:
    """Let the patient's record say that it told another fact."""
    reply = next(one["reply"] for one in episode["exchanges"] if one["seat"] == "patient")
    reply["revealed_facts"] = ["f1"] if reply["revealed_facts"] != ["f1"] else ["f2"]


def _fault(episode: Json) -> None:
    """Pass a wrong answer off as a fault of the network, which is not scored."""
    episode["exchanges"].pop()
    episode.update(status="endpoint_fault", reason="no answer")


def _swap_files(folder: Path) -> None:
    one, other, passing = (folder / f"runs/{name}.jsonl" for name in ("trivial", "oracle", "passing"))
    one.rename(passing)
    other.rename(one)
    passing.rename(other)


def _same_run_twice(folder: Path) -> None:
    shutil.copy(folder / _TRIVIAL, folder / "runs/trivial2.jsonl")
    _described(lambda one: one["runs"].append({**one["runs"][0], "name": "trivial2"}))(folder)
    _described(lambda one: one["episodes"].update(trivial2=one["episodes"]["trivial"]))(folder)


def _text(name: str, old: str, new: str) -> Edit:
    def edit(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return edit


def _other_fact(folder: Path) -> None:
    lines = lines_of(folder / "cases.jsonl")
    lines[0]["facts"][0]["text"] = "another"
    write_lines(folder / "cases.jsonl", lines)


def _linked(folder: Path) -> None:
    (folder / PAGE).unlink()
    (folder / PAGE).symlink_to(CARD)


_DROP = _export(lambda lines: lines.pop(2))
TAMPERING: Mapping[str, Tampering] = {
    "an episode is left out": Tampering(_DROP, "ended", "trivial"),
    "an episode is left out, and fewer were planned": Tampering(
        _each(_DROP, _described(lambda one: one["runs"][0].update(planned=1))), "planned", "trivial"
    ),
    "a fault is left out": Tampering(
        _export(lambda lines: lines.pop(1), "faulty"), "ended", "faulty", of="consultations"
    ),
    "a fault is scored": Tampering(
        _episode(lambda one: one.update(status="completed"), "faulty"),
        "replay",
        "faulty:0",
        of="consultations",
    ),
    "a wrong answer is passed off as a fault": Tampering(_episode(_fault), "end: status", "trivial:0"),
    "an episode stands there twice": Tampering(
        _export(lambda lines: lines.append(lines[1])), "run", "trivial"
    ),
    "an episode is added": Tampering(
        _export(lambda lines: lines.append({**lines[1], "ordinal": 7})), "episode", "trivial:8"
    ),
    "two encounters change places": Tampering(
        _export(lambda lines: _swap(lines, "ordinal")), "export", "trivial, line 2"
    ),
    "two traces change places": Tampering(
        _export(lambda lines: _swap(lines, "exchanges")), "exchange request", "trivial:0, exchange 1"
    ),
    "two runs change places": Tampering(
        _swap_files, "figure", "card.runs[1].player", forge=False, of="consultations"
    ),
    "the same run stands there under two names": Tampering(_same_run_twice, "run", "trivial2"),
    "a score": Tampering(_episode(_score_all), "judgement", "trivial:0"),
    "a verdict's reason": Tampering(
        _episode(lambda one: _judgement(one).update(reason="edited")), "judgement", "trivial:0"
    ),
    "a judge's version": Tampering(
        _episode(lambda one: _judgement(one).update(version="9/9")), "judge version", "trivial:0"
    ),
    "a judge's name": Tampering(
        _episode(lambda one: one["judgements"].update(other=one["judgements"].popitem()[1])),
        "judgement",
        "trivial:0",
    ),
    "a judgement is left out": Tampering(
        _episode(lambda one: one["judgements"].clear()), "judgement", "trivial:0"
    ),
    "how it ended": Tampering(
        _episode(lambda one: one.update(status="out_of_turns")), "end: status", "trivial:0"
    ),
    "why it ended": Tampering(_episode(lambda one: one.update(reason="other")), "end: reason", "trivial:0"),
    "how long it took": Tampering(_episode(lambda one: one.update(minutes=99)), "end: minutes", "trivial:0"),
    "its last events": Tampering(_episode(lambda one: one.update(tail=[])), "end: tail", "trivial:0"),
    "its key": Tampering(_episode(lambda one: one.update(episode="0" * 32)), "key", "trivial:0"),
    "its case": Tampering(_episode(lambda one: one.update(case="0" * 32)), "case", "trivial:0"),
    "a model's reply": Tampering(
        _episode(_other_reply("doctor"), "model"),
        "exchange request",
        "model:0, exchange 2",
        of="consultations",
    ),
    "a fact that the patient's model did not tell": Tampering(
        _episode(_reveal, "model"), "exchange reply", "model:0, exchange 2", of="consultations"
    ),
    "an event": Tampering(
        _episode(lambda one: one["exchanges"][0]["events"].append(dict(one["exchanges"][0]["events"][0]))),
        "exchange events",
        "trivial:0, exchange 1",
    ),
    "a request": Tampering(
        _episode(lambda one: one["exchanges"][0].update(request="0" * 16)),
        "exchange request",
        "trivial:0, exchange 1",
    ),
    "an exchange is left out": Tampering(
        _episode(lambda one: one["exchanges"].pop()), "exchanges", "trivial:0"
    ),
    "a built-in player's reply": Tampering(
        _episode(_other_reply("student_1"), "round"), "exchange reply", "round:0", of="others"
    ),
    "a count": Tampering(
        _episode(lambda one: one.update(cost=one.get("cost", 0) + 1), "station"),
        "end: counts",
        "station:0",
        of="others",
    ),
    "attempts of a built-in player": Tampering(
        _episode(
            lambda one: one["exchanges"][0]["attempts"].append({"at": "rule", "error": "x", "reply": "y"}),
            "round",
        ),
        "exchange attempts",
        "round:0, exchange 1",
        of="others",
    ),
    "the seed": Tampering(_head(lambda one: one.update(seed=5)), "exchange request", "trivial:0, exchange 1"),
    "the limits": Tampering(
        _head(lambda one: one["settings"]["limits"].update(max_turns=99)),
        "exchange request",
        "trivial:0, exchange 1",
    ),
    "a setting is left out": Tampering(
        _head(lambda one: one.pop("settings")), "configuration", "trivial: settings"
    ),
    "the player's name": Tampering(_head(lambda one: one.update(doctor="baseline")), "exchange", "trivial:0"),
    "a claim in the configuration": Tampering(
        _head(lambda one: one.update(certified_by="somebody")), "configuration", "trivial: certified_by"
    ),
    "the cases' fingerprint": Tampering(
        _head(lambda one: one.update(cases_fingerprint="0" * 32)),
        "configuration",
        "trivial: cases_fingerprint",
    ),
    "the cases' name": Tampering(
        _head(lambda one: one.update(cases="harder ones")), "configuration", "trivial: cases"
    ),
    "the version": Tampering(_head(lambda one: one.update(osler="0.0.1")), "version", "trivial"),
    "the knowledge": Tampering(_head(lambda one: one.update(knowledge="0" * 16)), "version", "trivial"),
    "a model's name": Tampering(
        _head(lambda one: one["models"].update(fake="lab/best-9"), "model"),
        "model",
        "model: fake",
        of="consultations",
    ),
    "images, to be left alone": Tampering(
        _each(_head(lambda one: one.update(images_fingerprint="0" * 32)), _episode(_score_all)),
        "judgement",
        "trivial:0",
    ),
    "the spelling of an export": Tampering(_text(_TRIVIAL, '":', '": '), "export", "trivial, line 1"),
    "a case": Tampering(_other_fact, "case", "cases.jsonl"),
    "a call is left out": Tampering(
        _calls(lambda lines: lines.pop(0)), "calls", "model:0, exchange 1", of="consultations"
    ),
    "a call of no encounter is added": Tampering(
        _calls(lambda lines: lines.append({**lines[0], "ordinal": 9})),
        "calls",
        f"{_CALLS}, line",
        of="consultations",
    ),
    "a link": Tampering(
        _file(lambda folder: (folder / "more.txt").symlink_to("/etc/hostname")), "kind", "more.txt"
    ),
    "a file in place of another by a link": Tampering(_linked, "kind", PAGE),
    "another folder": Tampering(_file(lambda folder: (folder / "runs/more").mkdir()), "kind", "runs/more"),
    "a foreign file": Tampering(
        _file(lambda folder: (folder / "more.txt").write_text("x")), "file", "more.txt"
    ),
    "an export is gone": Tampering(_file(lambda folder: (folder / _TRIVIAL).unlink()), "run", "trivial"),
    "the page": Tampering(_text(PAGE, "third-party", "first-party"), "page", PAGE, forge=False),
    "a figure that stands there twice": Tampering(
        _text(CARD, '"unscored": 0,', '"value": 0.99,\n "unscored": 0,'), "spelling", CARD, forge=False
    ),
    "the training's cut-off is emptied": Tampering(
        _described(lambda one: one["statement"].update(cutoff="")), "submission", SUBMISSION, forge=False
    ),
    "the submitter is emptied": Tampering(
        _described(lambda one: one["statement"].update(submitter="")), "submission", SUBMISSION, forge=False
    ),
    "the contamination statement, on the card": Tampering(
        _json(CARD, lambda card: card["contamination"].update(trained_on="unknown")),
        "figure",
        "card.contamination.trained_on",
        forge=False,
    ),
    "the package, on the card": Tampering(
        _json(CARD, lambda card: card.update(package="0" * 32)), "figure", "card.package", forge=False
    ),
    "a price, on the card": _on_card(
        "spent.doctor.fake.cost",
        lambda run: run["spent"]["doctor"]["fake"].update(cost=0.0),
        of="consultations",
    ),
    "the tokens, on the card": _on_card(
        "spent.doctor.fake.prompt_tokens",
        lambda run: run["spent"]["doctor"]["fake"].update(prompt_tokens=1),
        of="consultations",
    ),
    "the latency, on the card": _on_card(
        "spent.doctor.fake.p90_s",
        lambda run: run["spent"]["doctor"]["fake"].update(p90_s=0.0),
        of="consultations",
    ),
    "the sampling, on the card": _on_card(
        "models.fake.sampling[0].temperature",
        lambda run: run["models"]["fake"]["sampling"][0].update(temperature=0.0),
        of="consultations",
    ),
    "the patient's model, on the card": _on_card(
        "patient.models[0]", lambda run: run["patient"].update(models=["gpt-9"])
    ),
    "a value": _figure("value", 0.987),
    "the low end of an interval": _figure("low", 0.9),
    "the high end of an interval": _figure("high", 0.2),
    "the number scored": _figure("n", 200),
    "the number unscored": _figure("unscored", 3),
    "the denominator": _on_card("planned", lambda run: run.update(planned=200)),
    "the worlds": _on_card("worlds", lambda run: run.update(worlds=200)),
    "the limits, on the card": _on_card(
        "limits.limits.max_turns", lambda run: run["limits"]["limits"].update(max_turns=5)
    ),
    "standard is claimed for custom": _on_card(
        "standing", lambda run: run.update(standing="standard", differs=["consultations, split test"])
    ),
    "the floor": _on_card("beside.floors", lambda run: run["beside"]["floors"].clear(), of="consultations"),
    "the oracle": _on_card("beside.oracle", lambda run: run["beside"]["oracle"].clear(), of="consultations"),
    "the judge's agreement": _on_card(
        "judges.baseline.agreement", lambda run: run["judges"]["baseline"].update(agreement="of all")
    ),
    "on whose labels": _on_card(
        "judges.baseline.labelled_by", lambda run: run["judges"]["baseline"].update(labelled_by="clinicians")
    ),
    "kinship is removed": _on_card("kinship", lambda run: run.update(kinship=["none"])),
    "a trace's hash": _on_card("traces.0", lambda run: run["traces"].update({"0": "0" * 64})),
    "a field is gone": _on_card("causes", lambda run: run.pop("causes")),
}


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the submission that a test names."""
    return copied(request.getfixturevalue(request.param), tmp_path)


@pytest.mark.parametrize(
    ("folder", "what"),
    [
        pytest.param(one.of, name, marks=[pytest.mark.slow] if place % 4 else [])
        for place, (name, one) in enumerate(TAMPERING.items())
    ],
    indirect=["folder"],
)
def test_tampering_is_named(folder: Path, what: str) -> None:
    tampering = TAMPERING[what]
    tampering.edit(folder)
    reseal(folder, forge=tampering.forge)
    found = verify(folder)
    places = [(one.what, one.where) for one in found.failures]
    assert any(
        kind.startswith(tampering.what) and where.startswith(tampering.where) for kind, where in places
    ), places
    assert all(one.said != one.found for one in found.failures)


UNPROVABLE: Mapping[str, Edit] = {
    "prices": _described(lambda one: one["prices"]["fake"].update(price_in=0.1)),
    "the model's training": _described(lambda one: one["statement"].update(trained_on="unknown")),
    "tokens": _calls(lambda lines: lines[0].update(prompt_tokens=1)),
    "what its players remember": _head(lambda one: one.update(doctor="always-conclude+memory")),
}


@pytest.mark.parametrize("folder", ["consultations"], indirect=True)
@pytest.mark.parametrize("what", UNPROVABLE)
def test_what_cannot_be_proved_is_said(folder: Path, what: str) -> None:
    UNPROVABLE[what](folder)
    assert not verify(folder).ok, "careless"
    reseal(folder, forge=True)
    found = verify(folder)
    assert found.failures == []
    assert any(what in line for line in found.unchecked)


@pytest.mark.parametrize("folder", ["consultations"], indirect=True)
@pytest.mark.parametrize("name", [CARD, PAGE, SUBMISSION, "cases.jsonl", _TRIVIAL, _CALLS])
def test_one_changed_byte_of_any_file_is_named(folder: Path, name: str) -> None:
    raw = bytearray((folder / name).read_bytes())
    before = bytes(raw)
    raw[len(raw) // 2] ^= 1
    (folder / name).write_bytes(bytes(raw))
    place = (_hash_changed(before, bytes(raw)) if name == SUBMISSION else "") or name
    assert place in {one.where for one in verify(folder).failures}


def _hash_changed(before: bytes, after: bytes) -> str:
    """The encounter whose hash differs between two descriptions, which hold no hash of their own; else ""."""
    try:
        first, second = (json.loads(one)["episodes"] for one in (before, after))
    except (ValueError, KeyError):
        return ""
    changed = (f"{run}:{at}" for run in first for at in first[run] if first[run][at] != second[run].get(at))
    return next(changed, "")
