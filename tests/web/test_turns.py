"""Turns at computing: short work waits for no long work, and a move that sets off too much is stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from osler.core.composite import answer_of
from osler.core.pace import PACE
from osler.web.house import House
from osler.web.practise import turns
from osler.web.practise.turns import LONG_S, Lately, Limits, MovePace, TooSlow, Turns
from tests.web.conftest import calling
from tests.web.test_practise import ASK, Person


class Said(BaseModel):
    text: str = ""


class Speaker:
    """A player whose replies take no time."""

    def __init__(self, *, durable: bool = False, from_outside: bool = False, text: str = "yes") -> None:
        self.name, self.durable, self.from_outside, self.text = "speaker", durable, from_outside, text
        self.threads: list[str] = []

    async def reply(self, request: Any, /) -> Any:
        self.threads.append(threading.current_thread().name)
        return Said(text=self.text)


def lately(**seconds: float) -> Lately:
    """What visitors have used, in one piece of work each, at a time that stands still."""
    found = Lately(lambda: 0.0)
    for visitor, each in seconds.items():
        found.add([visitor], each)
    return found


def together(used: Lately, *asked: tuple[str, Callable[[], Any]]) -> None:
    """Let visitors ask at one time, in this order, and wait until all have had their turn."""

    async def story() -> None:
        there = Turns(used)
        await asyncio.gather(*[there.compute([visitor], work) for visitor, work in asked])
        there.close()

    asyncio.run(story())


def test_whoever_has_used_the_least_comes_first() -> None:
    order: list[str] = []
    used = lately(first=LONG_S * 2, heavy=LONG_S * 9, light=LONG_S * 3, middle=LONG_S * 5)
    together(
        used, *[(one, lambda one=one: order.append(one)) for one in ("first", "heavy", "middle", "light")]
    )
    assert order == ["first", "light", "middle", "heavy"], "the first had begun before the others asked"


def test_a_short_reply_waits_for_no_long_one() -> None:
    answered = threading.Event()
    waited: list[bool] = []

    def long_reply() -> None:
        waited.append(answered.wait(60))  # ends only once the short reply has been given beside it

    together(
        lately(long=LONG_S * 2, longer=LONG_S * 3),
        ("long", long_reply),
        ("longer", long_reply),
        ("short", answered.set),
    )
    assert waited == [True, True]


def test_what_was_used_is_forgotten() -> None:
    now = [0.0]
    used = Lately(lambda: now[0])
    used.add(["ann", "ben"], 2.0)
    assert used.seconds(["ann"]) == used.seconds(["ben"]) == 1.0, "they share it"
    now[0] = turns.HALVED_S
    assert used.seconds(["ann"]) == 0.5
    for n in range(30_000):
        now[0] += 1
        used.add([str(n)], 0.001)
    assert len(used._used) < 11_000


def test_an_error_of_the_work_is_the_callers() -> None:
    def broken() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        together(lately(), ("ann", broken))


def test_whoever_leaves_gives_up_the_turn() -> None:
    async def story() -> list[str]:
        there, done = Turns(lately()), list[str]()
        begun, end = threading.Event(), threading.Event()

        def first() -> None:
            begun.set()
            end.wait(60)
            done.append("first")

        one = asyncio.ensure_future(there.compute(["ann"], first))
        left = asyncio.ensure_future(there.compute(["ben"], lambda: done.append("left")))
        last = asyncio.ensure_future(there.compute(["cid"], lambda: done.append("last")))
        await asyncio.to_thread(begun.wait, 60)
        one.cancel()
        left.cancel()
        await asyncio.sleep(0)
        end.set()
        await last
        await asyncio.wait([one, left])
        there.close()
        return done

    assert asyncio.run(story()) == ["first", "last"], "what has begun is waited for, the rest is dropped"


def moves(most: Limits, *players: Any) -> None:
    """Ask players one after another in one encounter."""

    async def story() -> None:
        there = Turns()
        PACE.set(MovePace(there, lambda: ["ann"], most))
        try:
            for player in players:
                await answer_of(player, None, None)  # type: ignore[arg-type]  # neither is looked at
        finally:
            there.close()

    asyncio.run(story())


@pytest.mark.parametrize("most", [Limits(calls=3), Limits(size=60), Limits(cpu_s=0.0), Limits(wall_s=0.0)])
def test_a_move_that_sets_off_too_much_is_stopped_in_one_sentence(most: Limits) -> None:
    with pytest.raises(TooSlow) as raised:
        moves(most, *[Speaker(text="x" * 10)] * 4)
    assert raised.value.what.startswith("This move took too long here")
    assert raised.value.what.endswith("nothing is lost.")
    assert raised.value.hint


def test_each_reply_of_a_person_begins_a_new_move() -> None:
    one, person = Speaker(), Speaker(durable=True, from_outside=True)
    moves(Limits(calls=2), one, one, person, one, one, person, one, one)
    assert len(one.threads) == 6


def test_who_waits_for_others_keeps_nobody_elses_turn() -> None:
    built_in, model = Speaker(), Speaker(durable=True)
    moves(Limits(), built_in, model)
    assert built_in.threads[0].startswith("turn")
    assert model.threads == ["MainThread"], "a model is asked in the loop, where all wait at once"


@pytest.mark.anyio
async def test_a_move_too_slow_pauses_loses_nothing_and_is_not_tried_again_by_itself(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with calling(house) as client:
        person = Person(client)
        state = await person.sits("ward_round", "cardiology-01", "tutor")
        with monkeypatch.context() as tight:
            tight.setattr(MovePace.__init__, "__defaults__", (Limits(calls=1),))
            taken = house.rooms["practise"].sittings
            put = (await client.post(f"/api/sittings/{person.id}/leave", json={})).status_code
            assert put == 204
            state = await person.state("yours", "paused")
            while state["status"] == "yours":
                given = {"ticket": state["ticket"], "move": {"guidance": "What do you see?"}}
                assert (await person.posts("moves", given)).status_code == 202
                state = await person.state("yours", "paused")
            assert state["pause"]["what"].startswith("This move took too long here")
            playing = taken.now(person.id)
            assert not taken._is_tried_again(playing.encounter)
        before = [item["id"] for item in state["feed"]]
        on = (await client.post(f"/api/sittings/{person.id}/resume", json={})).json()
        assert on["id"] == person.id
        state = await person.state("yours")
        assert [item["id"] for item in state["feed"]][: len(before)] == before, "nothing is lost"


@pytest.mark.anyio
async def test_the_loop_of_all_encounters_computes_no_reply(house: House) -> None:
    """A built-in patient's reply is computed beside the loop, in which everybody's encounters live."""
    async with calling(house) as client:
        person = Person(client)
        state = await person.sits("consultation", "cardiology-01")
        seen: list[str] = []
        real = turns._timed

        def timed(work: Callable[[], Any]) -> Any:
            seen.append(threading.current_thread().name)
            return real(work)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(turns, "_timed", timed)
            await person.replies(ASK, state)
        assert seen
        assert all(name.startswith("turn") for name in seen)
