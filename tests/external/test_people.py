"""A person may begin at the terminal and go on elsewhere, or the other way: same name, key and record."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from osler.core.config import Config
from osler.core.role import Seating
from osler.players.casting import players_of
from osler.players.external import Pending
from osler.runs import run as runs
from osler.runs.played import EndedEpisode
from osler.store.store import Store, open_store
from tests.external.conftest import CONSULTATION, ROUND, SCENARIO, exported

TYPED: dict[str, tuple[Config, list[list[str]]]] = {
    "doctor": (
        CONSULTATION,
        [
            ["/help", "When did it start?"],
            ["/ddx angina 60; reflux 20", "/history", "ECG please", "y"],
            ["/left", "/done angina", "80", "pain; ECG", "aspirin", "call if worse"],
        ],
    ),
    "patient": (CONSULTATION, [["/facts", "I feel ill."], ["I do not know."], ["No."]]),
    "tutor": (ROUND, [["/steps", "What do you think of first?", "1"], ["What else?", ""]]),
    "examinee": (
        SCENARIO,
        [["Hello.", "do: attach the monitor", ""], ["/people", "/wait"], *[["/wait"]] * 8],
    ),
}


class Typed:
    """A channel on which lines are typed; then nothing more."""

    def __init__(self, replies: Sequence[Sequence[str]]) -> None:
        self._lines = [line for lines in replies for line in lines]
        self.shown: list[str] = []

    async def read(self, prompt: str) -> str:
        if not self._lines:
            raise EOFError
        return self._lines.pop(0)

    def write(self, text: str) -> None:
        self.shown.append(text)

    def picture(self, name: str, png: bytes) -> None:
        self.shown.append(name)


def at_the_terminal(store: Store, replies: Sequence[Sequence[str]]) -> str:
    """Sit down at the terminal as `osler run` and `osler resume` do; how that ended."""
    run = store.run("last")
    more = players_of(Seating(runs.config_of(run), None, Typed(replies)))
    return runs.play(run, store, concurrency=1, more=more).status


async def by_program(store: Store, replies: Sequence[Any]) -> Pending | EndedEpisode:
    """Sit down from outside and give these replies."""
    async with await runs.sit(store.run("last"), store, 0) as sitting:
        now = await sitting.next()
        for reply in replies:
            assert isinstance(now, Pending)
            now = await sitting.step(reply, now.ticket)
        return now


@pytest.mark.parametrize("seat", TYPED)
def test_a_sitting_begun_in_one_place_is_gone_on_with_in_another(seat: str, tmp_path: Path) -> None:
    config, typed = TYPED[seat]
    config = config.seated({seat: "person"})
    with open_store(tmp_path / "whole.db") as store:
        runs.begin(config, store)
        assert at_the_terminal(store, typed) == "done"
        whole = exported(store, "last", tmp_path / "whole.jsonl")
        rows = store.recorded(store.run("last").id, 0)
        said = [json.loads(row.reply) for row in rows if row.seat == seat]
    for at in range(len(said) + 1):
        with open_store(tmp_path / f"{at}.db") as store:
            runs.begin(config, store)
            if at:
                assert at_the_terminal(store, typed[:at]) == ("done" if at == len(said) else "interrupted")
            assert isinstance(asyncio.run(by_program(store, said[at:])), EndedEpisode)
            assert exported(store, "last", tmp_path / "out.jsonl") == whole
        with open_store(tmp_path / f"{at}-other.db") as store:
            runs.begin(config, store)
            asyncio.run(by_program(store, said[:at]))
            assert at_the_terminal(store, typed[at:]) == "done"
            assert exported(store, "last", tmp_path / "out.jsonl") == whole


def test_who_comes_back_to_the_terminal_sees_all_that_was_said_elsewhere(tmp_path: Path) -> None:
    with open_store(tmp_path / "o.db") as store:
        run = runs.begin(CONSULTATION.seated({"doctor": "person"}), store)
        asyncio.run(by_program(store, [{"action": "ASK", "question": "When did it start?"}]))
        channel = Typed([["/history"]])
        more = players_of(Seating(runs.config_of(run), None, channel))
        assert runs.play(run, store, more=more).status == "interrupted"
        assert "Doctor: When did it start?" in "\n".join(channel.shown)
