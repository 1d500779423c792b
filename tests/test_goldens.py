"""Goldens: what was played, judged and asked before today's changes, in all three protocols, byte for byte.

They hold byte for byte through moves; a change of behaviour is a commit of its own that records them anew and
says what differs. `python -m tests.golden_runs [NAME...]` records; the plays in `tests/golden_runs/plays.py`
are public commands only, so that what is inside may move. Exports hold the version of Osler and the
hash of what built-in players know, so these hold too. The versions of graders are compared apart: a grader
that says the same under a new version changes one line of `versions.json`.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.golden_runs.playing import FOLDER, VERSIONS, Made, made_by, recorded
from tests.golden_runs.plays import PLAYS, SAMPLES


@cache
def made(name: str) -> Made:
    """What a play comes to today."""
    with TemporaryDirectory() as folder:
        return made_by(PLAYS[name], Path(folder))


def differing(was: Any, now: Any, where: str = "") -> str:
    """The first place where two values of JSON differ, and both values there."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in sorted(was.keys() | now.keys()):
            if was.get(key) != now.get(key):
                return differing(was.get(key), now.get(key), f"{where}.{key}")
    if isinstance(was, list) and isinstance(now, list):
        for n, (one, other) in enumerate(zip_longest(was, now)):
            if one != other:
                return differing(one, other, f"{where}[{n}]")
    return f"{where or 'the whole line'}\n  was: {json.dumps(was)[:1500]}\n  now: {json.dumps(now)[:1500]}"


def first_difference(was: list[str], now: list[str]) -> str:
    """The run, the episode and the place of the first difference between two lists of exported lines."""
    run = -1
    for number, (one, other) in enumerate(zip_longest(was, now, fillvalue="null"), start=1):
        old, new = json.loads(one), json.loads(other)
        run += "configuration" in (old or new)
        if one != other:
            episode = (old or new).get("ordinal", "-")
            return f"line {number}, run {run} of the play, episode {episode}: {differing(old, new)}"
    return "nowhere"


@pytest.mark.parametrize("name", PLAYS)
def test_what_is_played_and_judged_is_what_was_recorded(name: str) -> None:
    was, now = recorded(name)[0], "".join(made(name).runs).splitlines()
    if was != now:
        pytest.fail(f"{name}: {first_difference(was, now)}")


@pytest.mark.parametrize("name", [name for name, play in PLAYS.items() if play.asks_models])
def test_models_are_asked_what_was_recorded(name: str) -> None:
    was, now = recorded(name)[1], made(name)
    lost = [line for line in was["requests"] if line not in now.requests]
    new = [line for line in now.requests if line not in was["requests"]]
    texts = {**was["texts"], **now.texts}

    def shown(lines: list[str]) -> str:
        """The first request's texts that no request on the other side held."""
        common = set(was["texts"]) & set(now.texts)
        names = [one for line in lines[:1] for one in line.replace(":", "").split() if one not in common]
        return "\n".join(texts[one][:3000] for one in names)

    if lost or new:
        pytest.fail(
            f"{name}: {len(lost)} requests are not made any more, {len(new)} are new\n"
            f"was:\n{shown(lost)}\nnow:\n{shown(new)}"
        )
    assert list(now.requests) == was["requests"], "the same requests, but not as often"


def test_every_grader_has_the_version_it_had() -> None:
    assert {name: made(name).versions for name in PLAYS} == json.loads(VERSIONS.read_text())


def test_every_recorded_file_is_of_a_play_and_the_samples_are_what_is_packed() -> None:
    assert {path.name.split(".")[0] for path in FOLDER.iterdir()} == {*PLAYS, "versions"}
    for name in SAMPLES:
        sample = (FOLDER / f"{name}.sample.jsonl").read_text().splitlines()
        assert sample == recorded(name)[0][: len(sample)]


def test_the_first_difference_is_named_with_its_run_and_episode() -> None:
    lines, _ = recorded("consultation-branch")
    episode = json.loads(lines[3])
    episode["exchanges"][2]["reply"]["action"] = "CHANGED"
    said = first_difference(lines, [*lines[:3], json.dumps(episode), *lines[4:]])
    assert said.startswith("line 4, run 1 of the play, episode 0: .exchanges[2].reply.action")
    assert "CHANGED" in said
