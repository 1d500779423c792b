"""Runs of ward rounds in both stores: the same bytes at any concurrency, after any stop, by any number of
processes; and nothing in what is stored that a seat had not earned."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest

from osler.core.contract import OwnReply, Player, Request
from osler.core.events import Seat
from osler.core.factory import Factory, PlayerRequest
from osler.errors import BadInput
from osler.protocols.ward_round.casting import curriculum
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.players.student import BaselineStudent
from osler.protocols.ward_round.players.tutors import Socratic
from osler.protocols.ward_round.rules import kind_of
from osler.protocols.ward_round.settings import RoundSettings
from osler.runs import run as runs
from osler.runs.totals import totals
from osler.store.export import export_run
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.testing.cases import canary_case
from osler.testing.players import Watching
from tests.protocols.ward_round.conftest import plain_cast
from tests.protocols.ward_round.players import PlainExpert, PlainStudent
from tests.protocols.ward_round.test_visibility import CASE, shown
from tests.store.conftest import url as url

ROOT = Path(__file__).parents[3]
CONFIG = RoundConfig(cases="library", students=2, limit=2, repeats=2, seed=3)
MANY = CONFIG.model_copy(update={"limit": 4, "repeats": 3})


def exported(store: Store, run: RunInfo, out: Path) -> bytes:
    export_run(store, run.id, out)
    return out.read_bytes()


def undisturbed(config: RoundConfig, folder: Path) -> bytes:
    """The export of a run in a store of its own, one round at a time."""
    with open_store(folder / "undisturbed.db") as store:
        sitting = runs.play(runs.begin(config, store), store, concurrency=1)
        assert sitting.status == "done", sitting.why
        return exported(store, sitting.run, folder / "undisturbed.jsonl")


@pytest.mark.parametrize("concurrency", [1, 16])
def test_the_bytes_are_the_same_at_any_concurrency(url: str, tmp_path: Path, concurrency: int) -> None:
    with open_store(url) as store:
        sitting = runs.play(runs.begin(CONFIG, store), store, concurrency=concurrency)
        assert exported(store, sitting.run, tmp_path / "out.jsonl") == undisturbed(CONFIG, tmp_path)


class Unplugged(BaseException):
    """The process is gone."""


class Counted:
    """Counts what it is asked, as durable as a model; at question `last` the plug is pulled."""

    durable = True

    def __init__(self, inner: Player, asked: Counter[tuple[str, str, int]], last: int) -> None:
        self._inner, self._asked, self._last = inner, asked, last

    @property
    def name(self) -> str:
        return self._inner.name

    async def reply(self, request: Request[Any]) -> Any:
        if self._asked.total() == self._last:
            raise Unplugged
        before = sum(type(item) is OwnReply for item in request.feed)
        self._asked[request.world, request.view.model_dump_json(), before] += 1
        return await self._inner.reply(request)


def counted(asked: Counter[tuple[str, str, int]], last: int = -1) -> dict[str, Factory]:
    """The player `counted`, as tutor or student."""

    def build(asking: Any) -> Player:
        inner: Player = Socratic()
        if asking.seat != "tutor":
            inner = BaselineStudent(curriculum(asking.case), "construct")
        return Counted(inner, asked, last)

    return {"counted": build}


@pytest.mark.parametrize("last", [0, 1, 7, 16, 33])
def test_unplugged_and_resumed_equals_undisturbed_and_asks_nothing_twice(
    url: str, tmp_path: Path, last: int
) -> None:
    config = CONFIG.model_copy(update={"tutor": "counted", "student": ("counted",), "limit": 1})
    asked: Counter[tuple[str, str, int]] = Counter()
    with open_store(url) as store, pytest.raises(Unplugged):
        runs.play(runs.begin(config, store, counted(asked)), store, concurrency=1, more=counted(asked, last))
    with open_store(url) as store:
        assert asked.total() == last
        sitting = runs.play(store.run("last"), store, concurrency=1, more=counted(asked))
        assert sitting.status == "done", sitting.why
        resumed = exported(store, sitting.run, tmp_path / "resumed.jsonl")
    with open_store(tmp_path / "whole.db") as store:
        alone: Counter[tuple[str, str, int]] = Counter()
        whole = runs.play(
            runs.begin(config, store, counted(alone)), store, concurrency=1, more=counted(alone)
        )
        assert exported(store, whole.run, tmp_path / "whole.jsonl") == resumed
    assert asked == alone
    assert set(asked.values()) == {1}


@contextmanager
def joining(url: str, number: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that join the last run, all at the same moment."""
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-m", "tests.protocols.ward_round.sharing", url]
    found = [subprocess.Popen(command, cwd=ROOT, text=True, **pipes) for _ in range(number)]
    try:
        for process in found:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield found
    finally:
        for process in found:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The export of the larger run when nothing disturbs it."""
    return undisturbed(MANY, tmp_path_factory.mktemp("many"))


@pytest.mark.slow
def test_two_processes_share_a_run_without_a_duplicate(url: str, tmp_path: Path, many: bytes) -> None:
    with open_store(url) as store:
        run = runs.begin(MANY, store)
    with joining(url, 2) as found:
        for process in found:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        ends = [json.loads(process.communicate(timeout=300)[0]) for process in found]
    assert [end["status"] for end in ends] == ["done", "done"]
    assert sum(end["played"] for end in ends) == 12
    with open_store(url) as store:
        assert exported(store, run, tmp_path / "shared.jsonl") == many
        summary = totals(run, store)
    assert (summary.episodes, summary.ended) == (12, {"completed": 12})


@pytest.mark.slow
def test_a_killed_process_leaves_a_run_that_ends_as_if_undisturbed(
    url: str, tmp_path: Path, many: bytes
) -> None:
    with open_store(url) as store:
        run = runs.begin(MANY, store)
    with joining(url, 1) as (process,):
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        with open_store(url) as store:
            while not store.info(run.id).done and process.poll() is None:
                time.sleep(0.01)
        process.kill()
        process.wait()
    with open_store(url) as store:
        sitting = runs.play(store.run("last"), store)
        assert sitting.status == "done", sitting.why
        assert exported(store, run, tmp_path / "killed.jsonl") == many


# Who is shown what, from a file to a request


@pytest.mark.parametrize("exam", ["all", "unseen"])
def test_no_player_of_a_run_is_shown_what_is_not_its_own(
    url: str, tmp_path: Path, exam: Literal["all", "unseen"]
) -> None:
    """Every seat is taken by a player that knows nothing and keeps what it is shown; its
    case is read from a file, its persona and cohort are those of a run."""
    file = tmp_path / "canary.jsonl"
    file.write_text(canary_case().model_dump_json() + "\n")
    seen: dict[Seat, list[Watching]] = {}

    def watched(asked: PlayerRequest) -> Player:
        player: Player = PlainExpert() if asked.seat == "expert" else plain_cast()[asked.seat]
        if asked.seat.startswith("student"):
            player = PlainStudent(to_expert="What is a cough?")
        seen.setdefault(asked.seat, []).append(Watching(player))
        return seen[asked.seat][-1]

    seats = dict.fromkeys(("tutor", "patient", "specialist", "supervisor", "expert"), "watched")
    settings = RoundSettings(max_rounds=2, exam=exam)
    config = RoundConfig(cases=str(file), student=("watched",), settings=settings, **seats)
    with open_store(url) as store:
        sitting = runs.play(runs.begin(config, store, {"watched": watched}), store, more={"watched": watched})
        ((_, trace),) = store.traces(sitting.run.id)
    assert trace.outcome.status == "completed", trace.outcome.reason
    assert len(seen) == 8
    for seat, players in seen.items():
        allowed = CASE[kind_of(seat)] - (
            {"key-question"} if "student" in seat and exam == "unseen" else set()
        )
        marks = set().union(*map(shown, players))
        assert marks <= allowed, f"{seat} was shown {marks - allowed}"
        assert any(player.seen for player in players)
    assert "summary" in set().union(*map(shown, seen["tutor"])), "the test can see what it looks for"


# Who cannot sit where


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"specialist": "person"}, "a person has no form to fill as the specialist"),
        ({"expert": "person"}, "a person has no form to fill as the expert"),
        ({"tutor": "none"}, "no tutor is called 'none'"),
        ({"student": ("none",)}, "no student is called 'none'"),
        ({"student": ("baseline", "nobody"), "students": 1}, "no student is called 'nobody'"),
    ],
)
def test_a_seat_that_cannot_be_taken_is_refused_before_anything_is_stored(
    tmp_path: Path, more: dict[str, Any], says: str
) -> None:
    config = RoundConfig(limit=1, **more)
    with open_store(tmp_path / "osler.db") as store:
        with pytest.raises(BadInput, match=says):
            runs.begin(config, store, {"person": lambda asked: Socratic()})
        assert store.runs() == []


@pytest.mark.parametrize(
    "name", ["agentclinic_small.jsonl", "mediq_small.jsonl", "craftmd_small.csv", "medtutor_small.json"]
)
def test_a_case_of_every_form_can_be_taught(tmp_path: Path, name: str) -> None:
    file = str(ROOT / "tests" / "fixtures" / name)
    config = RoundConfig(cases=file, students=1, limit=2, without_images=True)
    with open_store(tmp_path / "osler.db") as store:
        sitting = runs.play(runs.begin(config, store), store)
        assert {str(row.status) for row in store.episodes(sitting.run.id)} == {"completed"}
