"""Learners of a room beside a player: its code names their sittings, and each learner is one person."""

from __future__ import annotations

import asyncio
import shlex

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.permitted import NotPermitted
from osler.errors import BadInput
from osler.store.store import Store
from osler.studies.people.beside import AGAIN, NOT_PERMITTED, beside
from osler.studies.people.instructions import commands_like
from osler.studies.people.sittings import runs_of_people
from osler.web.house import House
from tests.web.teaching import hall

ASKS = ["practice", "teacher", "research"]
PLAN = {"cases": [{"case": "cardiology-01"}, {"case": "cardiology-02"}], "asks": ASKS}


def played(store: Store, line: str) -> None:
    """Play the command that was printed, with a built-in player."""
    words = shlex.split(line.removeprefix("osler ").replace("model:NAME", "baseline"))
    done = CliRunner().invoke(app, [*words, "--store", store.label])
    assert done.exit_code == 0, done.output


def test_the_learners_of_a_room_are_people_beside_a_player(house: House) -> None:
    async def story() -> str:
        async with hall(house) as found:
            teacher = await found.teacher()
            room = await teacher.opens(**PLAN)
            for name, uses in (("Ada", ["research"]), ("Bo", ["research"]), ("Cy", ["teacher"])):
                learner = await found.stranger()
                await learner.joins(room, name, *uses)
                for case in ("c1", "c2", "c1"):
                    sitting = await learner.sits(room, case)
                    await learner.concludes(sitting)
            return str(room["code"])

    code = asyncio.run(story())
    store = house.store
    mine = runs_of_people(store, [code.lower()])
    assert len(mine) == 9
    (line,) = commands_like(mine)
    played(store, f"{line} --limit 3")
    player = next(run for run in store.runs() if run not in mine)
    found = beside(store, mine, [player], ["correct"])
    assert (found.sittings, found.people, found.cases) == (4, 2, 2)
    assert found.left_out == {NOT_PERMITTED: 3, AGAIN: 2}
    (one,) = found.beside
    assert (one.pairs, one.people, one.cases, one.refused) == (4, 2, 2, ())
    assert one.scores[0].difference.n_pairs == 4
    text = found.model_dump_json()
    assert not [name for name in ("Ada", "Bo", "Cy") if name in text]


def test_a_room_where_nobody_permits_research_is_refused_and_a_wrong_code_is_no_room(house: House) -> None:
    async def story() -> str:
        async with hall(house) as found:
            teacher, learner = await found.teacher(), await found.stranger()
            room = await teacher.opens(**PLAN)
            await learner.joins(room, "Ada", "teacher")
            await learner.concludes(await learner.sits(room, "c1"))
            return str(room["code"])

    code = asyncio.run(story())
    mine = runs_of_people(house.store, [code])
    with pytest.raises(NotPermitted, match="needs research"):
        beside(house.store, mine, [])
    with pytest.raises(BadInput):
        runs_of_people(house.store, ["BBB-BBB"])
