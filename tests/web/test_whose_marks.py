"""Whose marks: what a person keeps is there for nobody else, by any route, and a refusal names nobody."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import httpx
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from osler.core.registry import protocol_named
from osler.runs import branching
from osler.runs import run as runs
from osler.store import practice
from osler.store.permissions import grant, withdraw
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.house import House
from tests.attack.expected import NEEDED
from tests.web.conftest import calling
from tests.web.teaching import CASE, Hall, Person, hall
from tests.web.test_shared_rounds import Member, opened, own, plays

NOBODY: Final = "nobody-here"
BOTH: Final = ("consultation", "ward_round")
UNTIL: Final = "2099-01-01"
FILLED: Final = {"n": "0", "k": "1", "item": "1.1", "floor": "0"}
READ: Final[dict[str, Any]] = {
    re.sub(r"\{(\w+)\}", lambda one: FILLED.get(one[1], "RUN"), route.replace("/api", "")): None
    for route, right in NEEDED.items()
    if right == "watch" and "{run}" in route
} | {"GET /compare?a=RUN:0&b=RUN:0": None}
CHANGED: Final[dict[str, Any]] = {
    "POST /branches": {"run": "RUN", "n": 0, "at": 1},
    "POST /runs/RUN/pause": {},
    "POST /runs/RUN/resume": {},
}
FOLLOWED: Final[dict[str, Any]] = {
    "GET /stream?topics=run:RUN": None,
    "GET /stream?topics=episode:RUN:0:doctor": None,
}
LISTS: Final = ("/runs", "/runs?kind=practice", "/runs?kind=branch", "/runs?q=r-", "/desks", "/examples")


def tried(house: House, story: Callable[[Hall], Awaitable[None]]) -> None:
    async def told() -> None:
        async with hall(house) as found:
            await story(found)

    asyncio.run(told())


async def answers(person: Person, run: str, asked: Mapping[str, Any]) -> dict[str, tuple[int, str]]:
    """What some routes answer, by route, with the run's name taken out."""
    found = {}
    for route, body in asked.items():
        method, path = route.split()
        given = None if body is None else {name: run if at == "RUN" else at for name, at in body.items()}
        answer = await person.ask(method, path.replace("RUN", run), given)
        found[route] = answer.status_code, answer.text.replace(run, "RUN")
    return found


async def is_there_for_nobody(person: Person, run: str, pseudonym: str) -> None:
    """Whether a run is as one that is not there."""
    for asked in (READ, CHANGED, FOLLOWED):  # a stream that is opened has no end: last
        here = await answers(person, run, asked)
        assert here == await answers(person, NOBODY, asked)
        assert asked == CHANGED or {status for status, _ in here.values()} == {404}
    for path in LISTS:
        text = (await person.ask("GET", path)).text
        assert run not in text
        assert pseudonym not in text


def run_of(found: Hall, sitting: str) -> RunInfo:
    taken = practice.sitting(found.house.store, sitting)
    assert taken is not None
    return found.house.store.info(taken.run)


async def practised(found: Hall, learner: Person) -> str:
    """An encounter of a learner outside a room, concluded."""
    shelf = await learner.get("/shelf")
    one = next(each for each in shelf["cases"] if each["protocol"] == "consultation")
    sat = await learner.post("/sittings", {"case": one["id"], "pseudonym": "Alma"}, 201)
    await learner.concludes(sat["id"])
    return str(sat["id"])


def test_what_a_learner_keeps_is_there_for_nobody_else(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, other = await found.teacher(), await found.teacher()
        watcher, learner = await found.let_in("watch", "run"), await found.stranger()
        room = await teacher.opens()
        await learner.joins(room, "Alma")
        sitting = await learner.sits(room)
        run = run_of(found, sitting).name
        await is_there_for_nobody(watcher, run, "Alma")
        await learner.concludes(sitting)
        for person in (watcher, teacher, other):
            await is_there_for_nobody(person, run, "Alma")
        assert (await learner.get(f"/sittings/{sitting}/debrief"))["sections"], "it stays their own"

    tried(house, story)


def test_what_a_learner_shows_a_teacher_is_on_the_room_s_pages_alone(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        await learner.joins(room, "Alma", "teacher")
        sitting = await learner.sits(room)
        await learner.concludes(sitting)
        assert (await teacher.get(f"/rooms/{room['id']}/results"))["rows"][0]["marks"]
        await is_there_for_nobody(teacher, run_of(found, sitting).name, "Alma")

    tried(house, story)


def test_what_is_shared_is_seen_while_it_is(house: House) -> None:
    async def story(found: Hall) -> None:
        watcher, learner = await found.let_in("watch", "run"), await found.let_in("learn")
        sitting = await practised(found, learner)
        run = run_of(found, sitting).name
        await is_there_for_nobody(watcher, run, "Alma")
        permission = f"/sittings/{sitting}/permission"
        await learner.put(permission, {"uses": ["share"], "until": UNTIL}, 204)
        listed = await watcher.get("/runs?kind=practice")
        assert [(one["name"], one["done"]) for one in listed["items"]] == [(run, 1)]
        assert (await watcher.get(f"/runs/{run}/figures"))["episodes"] == 1
        assert (await watcher.get(f"/runs/{run}/episodes"))["total"] == 1
        assert (await watcher.get(f"/episodes/{run}/0"))["judgements"]
        await learner.put(permission, {"uses": [], "until": ""}, 204)
        await is_there_for_nobody(watcher, run, "Alma")

    tried(house, story)


def test_whoever_sits_in_an_encounter_finds_it_and_sees_what_the_seat_sees(house: House) -> None:
    async def story(found: Hall) -> None:
        sitter, watcher = await found.teacher(), await found.let_in("watch")
        shelf = await sitter.get("/shelf")
        one = next(each for each in shelf["cases"] if each["protocol"] == "consultation")
        sat = await sitter.post("/sittings", {"case": one["id"]}, 201)
        await sitter.turn(sat["id"])
        info = run_of(found, sat["id"])
        run, case = info.name, info.manifest["configuration"]["only"]
        assert [each["name"] for each in (await sitter.get("/runs?kind=practice"))["items"]] == [run]
        assert (await sitter.get(f"/runs?kind=practice&q={case}"))["items"] == []
        whole = await sitter.get(f"/runs/{run}")
        assert case not in str(whole)
        episode = await sitter.get(f"/episodes/{run}/0")
        assert episode["views"] == ["doctor"]
        assert case not in str(episode)
        for view in ("patient", "room", "all"):
            await sitter.get(f"/episodes/{run}/0/log?view={view}", 403)
        await sitter.put(f"/sittings/{sat['id']}/permission", {"uses": ["share"], "until": UNTIL}, 204)
        assert (await sitter.get(f"/episodes/{run}/0"))["views"] == ["doctor"]

        await sitter.put(f"/sittings/{sat['id']}/permission", {"uses": [], "until": ""}, 204)
        await sitter.concludes(sat["id"])
        assert "all" in (await sitter.get(f"/episodes/{run}/0"))["views"]
        assert (await sitter.get(f"/runs/{run}/figures"))["episodes"] == 1
        assert case in str(await sitter.get(f"/runs/{run}"))
        await watcher.get(f"/runs/{run}", 404)

    tried(house, story)


def test_whoever_owns_the_machine_sees_everything_on_it(house: House) -> None:
    run = of_people(house.store)

    async def told() -> None:
        async with calling(house) as client:
            for path in (f"/runs/{run.name}/figures", f"/episodes/{run.name}/0", f"/runs/{run.name}/facets"):
                assert (await client.get(f"/api{path}")).status_code == 200
            assert (await client.get(f"/api/runs/{run.name}/figures")).json()["episodes"] == 3

    asyncio.run(told())


def of_people(store: Store, repeats: int = 3) -> RunInfo:
    """A run in whose every episode somebody sat as doctor."""
    config = protocol_named("consultation").config(only="cardiology-01", repeats=repeats)
    source = runs.opened(config)
    begun = runs.begin(config, store, source=source, about={"people": ["doctor"]})
    return runs.play(begun, store, source=source).run


def test_of_a_run_with_many_people_only_what_they_share_is_listed_and_counted(house: House) -> None:
    run = of_people(house.store)
    grant(house.store, run.id, [1], ["share"], expires=time.time() + 3600, pseudonym="Alma")

    async def story(found: Hall) -> None:
        watcher, name = await found.let_in("watch", "run"), run.name
        (line,) = (await watcher.get("/runs"))["items"]
        assert (line["done"], line["planned"]) == (1, 3)
        assert (await watcher.get(f"/runs/{name}"))["run"]["done"] == 1
        page = await watcher.get(f"/runs/{name}/episodes")
        assert ([one["ordinal"] for one in page["items"]], page["total"], page["going"]) == ([1], 1, [])
        for sort in ("score", "status", "cost"):
            page = await watcher.get(f"/runs/{name}/episodes?sort={sort}&descending=true&status=completed")
            assert ([one["ordinal"] for one in page["items"]], page["total"]) == ([1], 1)
        facets = await watcher.get(f"/runs/{name}/facets")
        assert [one["count"] for one in (*facets["statuses"], *facets["cases"])] == [1, 1]
        assert {one["count"] for one in facets["scores"]} == {1}
        figures = await watcher.get(f"/runs/{name}/figures")
        assert (figures["episodes"], sum(figures["ended"].values())) == (1, 1)
        assert figures["measures"][0]["n"] + figures["measures"][0]["unscored"] == 1
        floors = (await watcher.get(f"/runs/{name}/floors"))["items"]
        assert {one["n"]: one["status"] for floor in floors for one in floor["episodes"]} == {
            0: "planned",
            1: "completed",
            2: "planned",
        }
        played = (await watcher.get(f"/runs/{name}/floors/0"))["episodes"]
        assert {one["n"] for one in played if one["choreography"]} <= {1}
        assert all(not one["ended"] for one in played if one["n"] != 1)
        shown = await watcher.get(f"/episodes/{name}/1")
        assert (shown["previous"], shown["following"]) == (None, None)
        report = await watcher.ask("GET", f"/reports/{name}.html")
        assert report.status_code == 200
        assert "left out: not permitted" not in report.text
        for n in (0, 2):
            refused = await watcher.get(f"/episodes/{name}/{n}", 404)
            assert refused["what"] == f"the run has no episode {n} yet"
            assert refused["mend"] == "it plans 3, of which 1 have ended"
            await watcher.post("/branches", {"run": name, "n": n, "at": 2}, 404)
            await watcher.get(f"/compare?a={name}:1&b={name}:{n}", 404)
        withdraw(house.store, run.id, [1])
        await is_there_for_nobody(watcher, name, "Alma")

    tried(house, story)


def test_runs_are_compared_over_what_the_visitor_may_see_alone(house: House) -> None:
    run = of_people(house.store)
    config = protocol_named("consultation").config(only="cardiology-01", repeats=3, doctor="null")
    source = runs.opened(config)
    other = runs.play(runs.begin(config, house.store, source=source), house.store, source=source).run
    grant(house.store, run.id, [1], ["share"], expires=time.time() + 3600, pseudonym="Alma")

    async def story(found: Hall) -> None:
        learner, watcher = await found.let_in("learn"), await found.let_in("watch")
        both = f"run={run.name}&run={other.name}"
        paths = [f"/compare-runs{part}?{both}" for part in ("", "/cases", "/costs")]
        for path in paths:
            await learner.get(path, 403)
        compared = await watcher.get(paths[0])
        counts = [one[0]["n"] + one[0]["unscored"] for one in compared["figures"]]
        assert (counts, compared["pairs"][0]["unpaired"]) == ([1, 3], 2)
        (row,) = (await watcher.get(paths[1]))["items"]
        assert [cell["played"] for cell in row["cells"]] == [1, 3]
        worlds = await watcher.get(f"/compare-runs/cases/{row['hash']}?{both}")
        assert [one["runs"][0]["ordinal"] for one in worlds["worlds"]] == [None, 1, None]
        withdraw(house.store, run.id, [1])
        for path in paths:
            here = await watcher.get(path, 404)
            nobody = await watcher.get(path.replace(run.name, NOBODY), 404)
            assert {**here, "where": ""} == {**nobody, "where": ""}

    tried(house, story)


def test_a_branch_that_keeps_a_person_s_words_is_seen_as_long_as_they_are(house: House) -> None:
    store = house.store
    run = of_people(store, 1)
    grant(store, run.id, [0], ["share", "research"], expires=time.time() + 3600, pseudonym="Alma")
    made = branching.branch(store, run.id, 0, 2, seats={"doctor": "always-conclude"})
    branch = runs.play(branching.begin(made, store, made.config), store, source=made.source).run

    async def story(found: Hall) -> None:
        watcher = await found.let_in("watch", "run")
        assert [one["name"] for one in (await watcher.get("/runs"))["items"]] == [branch.name, run.name]
        assert (await watcher.get(f"/runs/{branch.name}/figures"))["episodes"] == 1
        withdraw(store, run.id, [0])
        for each in (run, branch):
            await is_there_for_nobody(watcher, each.name, "Alma")

    tried(house, story)


def test_whoever_branches_off_their_own_words_sees_the_branch_and_nobody_else_does(house: House) -> None:
    async def story(found: Hall) -> None:
        sitter, watcher = await found.teacher(), await found.let_in("watch", "run")
        await sitter.moves(second := await begun(sitter), action="ASK", question="How are you?")
        await sitter.concludes(second)
        seats = {"doctor": "always-conclude"}
        parent = run_of(found, second)
        made = await asyncio.to_thread(branching.branch, house.store, parent.id, 0, 1, seats=seats)
        branch = branching.begin(made, house.store, made.config)
        await asyncio.to_thread(runs.play, branch, house.store, source=made.source)
        assert "all" in (await sitter.get(f"/episodes/{branch.name}/0"))["views"]
        assert (await sitter.get(f"/runs/{branch.name}/figures"))["episodes"] == 1
        assert branch.name in str(await sitter.get("/runs"))
        await is_there_for_nobody(watcher, branch.name, "Alma")
        assert (await sitter.ask("DELETE", f"/sittings/{second}")).status_code == 204
        for person in (sitter, watcher):
            for each in (parent, branch):
                await is_there_for_nobody(person, each.name, "Alma")

    tried(house, story)


async def begun(person: Person) -> str:
    return str((await person.post("/sittings", {"case": CASE["case"], "pseudonym": "Alma"}, 201))["id"])


def test_whoever_shared_a_round_sees_what_their_seat_saw_unless_all_share_it(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, room = await opened(found)
        ada, ben = Member(await found.teacher(), "Ada"), Member(await found.let_in("learn"), "Ben")
        for one, seat in ((ada, "tutor"), (ben, "student_1")):
            await one.joins(room, one.name, "teacher")
            await one.post(f"/rooms/{room['id']}/seat", {"seat": seat})
        await teacher.post(f"/rooms/{room['id']}/groups/1/begin", {})
        sittings = [await own(one, room) for one in (ada, ben)]
        run = run_of(found, sittings[0]).name
        assert (await ada.get(f"/episodes/{run}/0"))["views"] == ["tutor"]
        await asyncio.gather(*(plays(one, at) for one, at in zip((ada, ben), sittings, strict=True)))
        episode = await ada.get(f"/episodes/{run}/0")
        assert (episode["views"], episode["judgements"], episode["line"]["score"]) == (["tutor"], [], None)
        assert (await ada.get(f"/runs/{run}/figures"))["episodes"] == 0
        assert (await ada.get(f"/runs/{run}/episodes"))["total"] == 0
        await ada.get(f"/episodes/{run}/0/log?view=all", 403)
        await is_there_for_nobody(teacher, run, "Ben")
        await ben.put(f"/sittings/{sittings[1]}/permission", {"uses": ["share"], "until": UNTIL}, 204)
        assert "all" in (await ada.get(f"/episodes/{run}/0"))["views"]
        assert (await ada.get(f"/runs/{run}/figures"))["episodes"] == 1

    tried(house, story)


def test_a_list_of_runs_of_programs_takes_no_query_for_each(house: House) -> None:
    store = house.store
    config = protocol_named("consultation").config(only="cardiology-01")
    source = runs.opened(config)

    def play() -> None:
        run = runs.play(runs.begin(config, store, source=source), store, source=source).run
        made = branching.branch(store, run.id, 0, 2, seats={"doctor": "always-conclude"})
        branching.begin(made, store, made.config)

    async def story(found: Hall) -> None:
        watcher = await found.let_in("watch")
        await asyncio.to_thread(play)
        await watcher.get("/runs")
        with counted(store.engine) as few:
            assert len((await watcher.get("/runs"))["items"]) == 2
        for _ in range(4):
            await asyncio.to_thread(play)
        with counted(store.engine) as many:
            assert len((await watcher.get("/runs"))["items"]) == 10
        assert len(many) == len(few)

    tried(house, story)


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    """The statements that are executed meanwhile."""
    found: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        found.append(statement)

    sa.event.listen(engine, "before_cursor_execute", note)
    yield found
    sa.event.remove(engine, "before_cursor_execute", note)


def test_refusals_name_nobody(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        await learner.joins(room, "Alma")
        sitting = await learner.sits(room)
        await learner.concludes(sitting)
        of = f"/rooms/{room['id']}"
        asked: list[tuple[str, str, Any]] = [
            ("GET", f"{of}/read/{sitting}", None),
            ("GET", f"{of}/show/{sitting}", None),
            ("GET", f"{of}/sheet/{sitting}?by=T", None),
            ("GET", f"{of}/assess/{sitting}", None),
            ("PUT", f"{of}/sheet/{sitting}", {"by": "T", "items": []}),
            ("POST", f"{of}/models/{sitting}", {}),
            ("POST", f"{of}/contests", {"sitting": sitting, "item": "i", "answer": "accept"}),
        ]
        for method, path, body in asked:
            answer: httpx.Response = await teacher.ask(method, path, body)
            assert answer.status_code in (403, 404), (path, answer.text)
            assert "Alma" not in answer.text, path

    tried(house, story)


def test_a_case_whose_answer_is_held_back_is_on_no_learner_s_shelf(house: House) -> None:
    refused = "your teacher keeps this case for a room until its debriefs are released"

    async def story(found: Hall) -> None:
        teacher, learner, other = await found.teacher(), await found.stranger(), await found.let_in("learn")
        before = len((await other.get("/shelf"))["cases"])
        held = [one["id"] for one in (await other.get("/shelf"))["cases"]]
        room = await teacher.opens(held_back=True)
        await learner.joins(room, "Alma", "teacher")
        left = [one["id"] for one in (await learner.get("/shelf"))["cases"]]
        gone = [one for one in held if one not in left]
        assert len(gone) == 2, "the consultation and the ward round of the same case"
        wanted = [{"case": CASE["case"], "protocol": name} for name in BOTH]
        wanted += [{"case": CASE["case"], "seat": "patient"}]
        wanted += [{"case": one, "protocol": name} for one, name in zip(gone, BOTH, strict=True)]
        for each in wanted:
            answer = await learner.post("/sittings", each, 403)
            assert answer["what"] == refused, each
        sitting = await learner.sits(room)
        await learner.concludes(sitting)
        assert (await learner.post("/sittings", wanted[0], 403))["what"] == refused
        await learner.post(f"/rooms/{room['id']}/leave", {}, 204)
        assert (await learner.post("/sittings", wanted[0], 403))["what"] == refused, "they played it"
        assert len((await other.get("/shelf"))["cases"]) == before
        await teacher.patch(f"/rooms/{room['id']}", {"held_back": False})
        assert len((await learner.get("/shelf"))["cases"]) == before
        await learner.post("/sittings", wanted[0], 201)

    tried(house, story)


def test_a_held_back_answer_is_in_no_record_that_its_learners_may_read(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, ada, ben = await found.teacher(), await found.teacher(), await found.teacher()
        asks = {"asks": ["practice", "share"], "share_until": time.time() + 3600}
        room = await teacher.opens(held_back=True, **asks)
        for one, name in ((ada, "Ada"), (ben, "Ben")):
            await one.joins(room, name, "share")
        sitting = await ada.sits(room)
        await ada.concludes(sitting)
        run = run_of(found, sitting).name
        for one in (ada, ben):
            await is_there_for_nobody(one, run, "Ada")
        await teacher.get(f"/runs/{run}/figures")
        await teacher.patch(f"/rooms/{room['id']}", {"held_back": False})
        for one in (ada, ben):
            await one.get(f"/runs/{run}/figures")

    tried(house, story)
