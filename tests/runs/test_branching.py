"""Branches: the same beginning, another end; nobody is asked again for what is kept."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.core.contract import OwnReply
from osler.core.events import Said, Seat
from osler.core.factory import Factory
from osler.core.trace import Trace
from osler.errors import BadInput, Status
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.runs import branching
from osler.runs import run as runs
from osler.store.export import export_lines
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.compare import compare
from tests.runs.conftest import asked, logged

PARENT = RunConfig(cases="library", limit=2, repeats=2, seed=5, consultant="baseline", persona="talkative")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, RunInfo]]:
    """A store with one run of four episodes."""
    with open_store(tmp_path_factory.mktemp("branches") / "osler.db") as store:
        run = runs.begin(PARENT, store)
        yield store, runs.play(run, store).run


def branched(
    store: Store,
    parent: RunInfo,
    ordinal: int,
    at: int,
    *,
    repeats: int = 1,
    say: str | None = None,
    more: dict[str, Factory] | None = None,
    doctor: str | None = None,
    patient: str | None = None,
) -> RunInfo:
    """A branch, played to its end."""
    named: dict[Seat, str | None] = {"doctor": doctor, "patient": patient}
    seats = {seat: name for seat, name in named.items() if name}
    found = branching.branch(store, parent.id, ordinal, at, seats=seats, say=say, repeats=repeats)
    run = branching.begin(found, store, found.config, more)
    sitting = runs.play(run, store, more=more)
    assert sitting.status == "done", sitting.why
    return sitting.run


def words(trace: Trace, by: Seat) -> list[str]:
    return [said.text for said in trace.of(Said) if said.by == by]


@given(data=st.data())
def test_the_same_doctor_at_any_point_plays_the_same_episode(
    played: tuple[Store, RunInfo], data: st.DataObject
) -> None:
    store, parent = played
    ordinal = data.draw(st.integers(0, parent.planned - 1))
    whole = store.trace(parent.id, ordinal)
    at = data.draw(st.integers(0, len(whole.rows)))
    run = branched(store, parent, ordinal, at)
    assert store.trace(run.id, 0) == whole
    (mine,) = store.judgements(run.id)
    (theirs,) = [one for one in store.judgements(parent.id) if one.ordinal == ordinal]
    assert mine.body == theirs.body
    store.delete_run(run.name)


def test_another_doctor_goes_on_from_what_was_said_and_asks_nobody_again(
    played: tuple[Store, RunInfo], tmp_path: Path
) -> None:
    store, parent = played
    whole, log = store.trace(parent.id, 1), tmp_path / "log"
    at = 6
    run = branched(store, parent, 1, at, more=dict(logged(log)), doctor="logged", patient="logged")
    trace = store.trace(run.id, 0)
    assert trace.rows[:at] == whole.rows[:at]
    kept = [row.seat for row in whole.rows[:at]]
    before = [(seat, count) for _, seat, count in asked(log)]
    assert {seat: min(n for s, n in before if s == seat) for seat in ("doctor", "patient")} == {
        seat: kept.count(seat) for seat in ("doctor", "patient")
    }
    other = branched(store, parent, 1, at, doctor="null")
    assert store.trace(other.id, 0).rows[:at] == whole.rows[:at]
    assert store.trace(other.id, 0) != whole


def test_words_put_into_the_doctors_mouth_are_said_once_and_then_the_doctor_goes_on(
    played: tuple[Store, RunInfo],
) -> None:
    store, parent = played
    question = "Have you been abroad? \x1b[31m"
    for at in (0, 3, 4):
        trace = store.trace(branched(store, parent, 0, at, say=question).id, 0)
        before = sum(row.seat == "doctor" for row in trace.rows[:at])
        assert words(trace, "doctor")[before] == question
        assert words(trace, "doctor").count(question) == 1
        assert trace.outcome.status is Status.COMPLETED


def test_the_ends_of_the_range_have_a_plain_meaning(played: tuple[Store, RunInfo]) -> None:
    store, parent = played
    whole = store.trace(parent.id, 3)
    everything = branched(store, parent, 3, len(whole.rows), doctor="null")
    assert store.trace(everything.id, 0) == whole
    nothing = branched(store, parent, 3, 0, doctor="always-conclude")
    fresh = runs.begin(PARENT.model_copy(update={"doctor": "always-conclude"}), store)
    runs.play(fresh, store)
    assert store.trace(nothing.id, 0) == store.trace(fresh.id, 3)


def test_repeats_share_what_is_kept_and_differ_after_it(played: tuple[Store, RunInfo]) -> None:
    store, parent = played
    run = branched(store, parent, 0, 4, repeats=6)
    whole = store.trace(parent.id, 0)
    traces = [trace for _, trace in store.traces(run.id)]
    assert traces[0] == whole
    assert all(trace.rows[:4] == whole.rows[:4] for trace in traces)
    assert len({tuple(words(trace, "patient")) for trace in traces}) > 1, "a talkative patient's rng"
    assert len({row.key for row in store.episodes(run.id)}) == 6


def test_a_branch_of_a_branch_keeps_both_and_every_repeat_can_be_branched(
    played: tuple[Store, RunInfo],
) -> None:
    store, parent = played
    first = branched(store, parent, 0, 4, repeats=3, doctor="repeat-everything")
    for ordinal in range(3):
        whole = store.trace(first.id, ordinal)
        for at in (4, 6, len(whole.rows)):
            again = branched(store, first, ordinal, at)
            assert store.trace(again.id, 0) == whole
    second = branched(store, first, 1, 6, doctor="baseline")
    manifest = second.manifest["configuration"]["branch"]
    assert {"doctor=baseline", "doctor=repeat-everything"} <= set(manifest["kept_by"])


def test_a_branch_is_linked_and_lives_on_without_its_parent(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        parent = runs.play(runs.begin(PARENT, store), store).run
        run = branched(store, parent, 2, 5, doctor="null")
        assert branching.branch_of(run) == f"{parent.name}:2 at 5"
        before = list(export_lines(store, run.id))
        key = next(row.key for row in store.episodes(parent.id) if row.ordinal == 2)
        assert key in before[0]
        assert f'"branch":{{"at":5,"episode":"{key}","ordinal":2}}' in before[1]
        store.delete_run(parent.name)
        assert list(export_lines(store, run.id)) == before
        store.forget(run.id, 0, after=5)
        assert len(store.recorded(run.id, 0)) == 5
        runs.play(store.run(run.name), store)
        assert list(export_lines(store, run.id)) == before


class Halting(BaselineDoctor):
    """The built-in doctor, who from the `nth` question on waits until `go` is set."""

    name, durable = "halting", True  # type: ignore[misc]

    def __init__(self, nth: int) -> None:
        super().__init__()
        self.nth, self.go = nth, threading.Event()

    async def reply(self, request: Any) -> Any:
        if sum(isinstance(item, OwnReply) for item in request.feed) >= self.nth:
            await asyncio.to_thread(self.go.wait)
        return await super().reply(request)


def test_a_running_episode_is_branched_and_never_notices(tmp_path: Path) -> None:
    config = RunConfig(cases="library", limit=3, seed=5, doctor="halting")
    with open_store(tmp_path / "osler.db") as store:
        plain = Halting(10**6)
        control = runs.begin(config, store, {"halting": lambda asked: plain})
        runs.play(control, store, more={"halting": lambda asked: plain})
        held = Halting(3)
        more: dict[str, Factory] = {"halting": lambda asked: held}
        parent = runs.begin(config, store, more)
        thread = threading.Thread(target=runs.play, args=(parent, store), kwargs={"more": more})
        thread.start()
        try:
            while not (all(len(store.recorded(parent.id, n)) == 6 for n in range(3))):
                assert thread.is_alive()
                time.sleep(0.01)
            before = [store.recorded(parent.id, n) for n in range(3)]
            found = branched(store, parent, 1, 6, doctor="baseline")
            earlier = branched(store, parent, 2, 2, doctor="null")
            with pytest.raises(BadInput, match="has 6 exchanges"):
                branching.branch(store, parent.id, 1, 7)
            assert [store.recorded(parent.id, n) for n in range(3)] == before
        finally:
            held.go.set()
            thread.join()
        assert list(export_lines(store, parent.id)) == list(export_lines(store, control.id))
        assert branching.branch_of(found) == f"{parent.name}:1 at 6"
        assert store.trace(found.id, 0) == store.trace(parent.id, 1)
        assert store.trace(earlier.id, 0).rows[:2] == store.trace(parent.id, 2).rows[:2]


def test_an_interrupted_episode_is_branched_where_it_stands(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        whole = runs.play(runs.begin(PARENT, store), store).run
        begun = runs.begin(PARENT, store)
        with store.writer(begun.id) as writer:
            case = list(store.episodes(whole.id))[3].case_hash
            writer.case(case, store.case(case) or "")
            for row in store.recorded(whole.id, 3)[:5]:
                writer.exchange(3, row)
        run = branched(store, begun, 3, 5)
        assert store.trace(run.id, 0) == store.trace(whole.id, 3)


def test_what_cannot_be_branched_is_refused_in_words(played: tuple[Store, RunInfo]) -> None:
    store, parent = played
    many = len(store.trace(parent.id, 0).rows)
    before = len(store.runs())
    for at in (-1, many + 1, 10**9):
        with pytest.raises(BadInput, match=f"has {many} exchanges.*to {many}"):
            branching.branch(store, parent.id, 0, at)
    with pytest.raises(BadInput, match="no one sat there"):
        branching.branch(store, parent.id, 0, 1, seats={"describer": "scripted:x"})
    with pytest.raises(BadInput, match="sat there"):
        branching.branch(store, parent.id, 0, 1, seats={"consultant": "none"})
    with pytest.raises(BadInput, match="nothing can be said"):
        branching.branch(store, parent.id, 0, many, say="One more thing")
    for silence in ("", "  ", "x" * 4001, "a\udc80"):
        with pytest.raises(BadInput, match="not valid text"):
            branching.branch(store, parent.id, 0, 1, say=silence)
    found = branching.branch(store, parent.id, 0, 1, seats={"doctor": "nobody-we-know"})
    with pytest.raises(BadInput, match="no doctor is called"):
        branching.begin(found, store, found.config)
    assert len(store.runs()) == before


def test_a_record_that_no_longer_fits_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        parent = runs.play(runs.begin(PARENT, store), store).run
        rows = store.recorded(parent.id, 0)
        store.forget(parent.id, 0)
        with store.writer(parent.id) as writer:
            for row in rows:
                writer.exchange(0, row._replace(request="0" * 16) if row.n == 5 else row)
        runs.play(store.run(parent.name), store)
        with pytest.raises(BadInput, match="can no longer be replayed: exchange 5"):
            branching.branch(store, parent.id, 0, 6)
        assert store.trace(branched(store, parent, 0, 4).id, 0).outcome.status is Status.COMPLETED


def test_branches_are_compared_only_where_they_left_the_same_episode_at_one_point(
    played: tuple[Store, RunInfo],
) -> None:
    store, parent = played
    base = branched(store, parent, 0, 4)
    other = branched(store, parent, 0, 4, doctor="null")
    spoken = branched(store, parent, 0, 4, say="Any travel?")
    later, elsewhere = branched(store, parent, 0, 5), branched(store, parent, 2, 4)
    assert compare(base, other, store).refused == ()
    assert compare(base, other, store).scores[0].difference.n_pairs == 1
    assert compare(base, spoken, store).differs == {"say": (None, "Any travel?")}
    for refused in (later, elsewhere, parent):
        (why,) = [one for one in compare(base, refused, store).refused if "branch" in one]
        assert "same episode at the same exchange" in why


def test_what_a_privileged_player_has_kept_is_not_compared(played: tuple[Store, RunInfo]) -> None:
    store, _ = played
    told = runs.begin(PARENT.model_copy(update={"doctor": "oracle"}), store)
    runs.play(told, store)
    one, other = (branched(store, told, 0, 6, doctor=name) for name in ("baseline", "null"))
    assert any("privileged" in why for why in compare(one, other, store).refused)
    clean = [branched(store, told, 0, 0, doctor=name) for name in ("baseline", "null")]
    assert compare(clean[0], clean[1], store).refused == ()
