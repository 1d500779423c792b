"""Deleting an encounter that a person played, with whatever was begun from it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from osler.errors import Stale
from osler.store import practice
from osler.store.deletion import copies_of, delete_words
from osler.store.leases import BeingPlayed
from osler.store.practice import PersonSitting
from osler.store.store import Store
from osler.web.house import House
from osler.web.practise.encounter import GROUP
from osler.web.practise.sittings import Sittings
from osler.web.watch.hub import hub_of


async def forget(house: House, sittings: Sittings, sitting: PersonSitting) -> None:
    """Delete the encounter of a sitting, wherever the store holds it: with what this person said goes what
    others said to it, and what was begun from it. Raises Stale, and deletes nothing, while a program plays on
    from it."""
    store = house.store
    there = await asyncio.to_thread(_gone_with, store, sitting)
    # Marked first: another tab that asks for one of them now must not begin it anew.
    await asyncio.to_thread(_mark, store, there, True)
    try:
        for one in there:
            await sittings.put_down(one)
        await asyncio.to_thread(_delete, store, sitting)
    except BaseException:
        await asyncio.to_thread(_mark, store, there, False)
        raise
    hub_of(house).ask_again()
    for one in there:
        sittings.tell(one)


def _gone_with(store: Store, sitting: PersonSitting) -> list[PersonSitting]:
    """All sittings of an encounter, those that went on without this one and those begun from it, too."""
    runs = [sitting.run, *(run for run, _ in copies_of(store, sitting.run, [sitting.ordinal]))]
    result = {one.id: one for run in runs for one in practice.sittings_of_run(store, run)}
    if GROUP in sitting.more:
        others = practice.sittings_in(store, sitting.room)
        result |= {one.id: one for one in others if sitting.run in one.more.get(practice.EARLIER, ())}
    return [one for one in result.values() if not one.more.get(practice.DELETED)]


def _mark(store: Store, there: Sequence[PersonSitting], to: bool) -> None:
    practice.change_all(store, {one.id: {"more": {practice.DELETED: to}} for one in there})


def _delete(store: Store, sitting: PersonSitting) -> None:
    try:
        delete_words(store, sitting.run, [sitting.ordinal])
    except BeingPlayed:  # the error names the machine
        what = "a program plays on from it at this moment"
        raise Stale(what, where="sitting", hint="try again when it has ended") from None
