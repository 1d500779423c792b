"""Hostile visitors: every kind of person whom a shared server must keep apart, and what they must not read.

For the tests of a plug-in that adds routes or a protocol to `osler serve`. `scene` sets people into a house:
a teacher's room, a learner in it who permits practice alone, and strangers of every kind. `Scene.ask` asks an
operation as one of them, and `leaks` finds the learner's marked words in what was answered. Needs the extra
`web`, and httpx.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from typing import Any, Final, Literal, get_args

import httpx
from fastapi import FastAPI

from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store import practice
from osler.store.passes import Passes
from osler.store.records import RunInfo
from osler.web.app import application
from osler.web.door import door
from osler.web.house import House
from osler.web.rights import ALL, Right
from osler.web.visitors import COOKIE

Kind = Literal["nobody", "other_learner", "watcher", "other_teacher", "revoked", "member", "owner", "teacher"]
"""A kind of visitor: one who has not come in, a learner of another room, somebody with the right to watch, a
teacher with another room, a teacher whose pass was revoked, another learner of the same room, the learner
whose encounters they are, and the teacher of that learner's room. The learner permits practice alone."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

Canary = Literal["words", "diagnosis", "pseudonym", "room"]
"""What is marked: the learner's words, diagnosis and pseudonym, and the name of the room."""
CANARIES: Final[Mapping[Canary, str]] = {name: f"zq{name}qz" for name in get_args(Canary)}
"""The marked strings. They are letters alone, so that quoting an address or a file's name changes none."""

MAY_READ: Final[Mapping[Kind, frozenset[Canary]]] = {
    "nobody": frozenset(),
    "other_learner": frozenset(),
    "watcher": frozenset(),
    "other_teacher": frozenset(),
    "revoked": frozenset(),
    "member": frozenset(("room",)),
    "owner": frozenset(CANARIES),
    "teacher": frozenset(("room", "pseudonym")),
}
"""The canaries that each kind of visitor may read anywhere. The code of a room shows its name to whoever has
it."""

CASE: Final = "cardiology-01"
HERE: Final = "http://127.0.0.1"
_SHARED_S: Final = 3600.0
_PATIENCE_S: Final = 60.0
_TRACE: Final = "ECG"


def leaks(answer: httpx.Response) -> list[Canary]:
    """The canaries that stand in an answer's body or headers."""
    heads = " ".join(f"{name}: {value}" for name, value in answer.headers.multi_items())
    text = f"{heads} {answer.text}".casefold()
    return [name for name, mark in CANARIES.items() if mark in text]


def revoke(house: House, visitor: str) -> None:
    """Take a visitor's rights away, by the visitor's id, as `osler visitors revoke` does."""
    Passes(house.store).revoke_visitor(visitor)  # the one place that revokes


class Scene:
    """People in a shared house, whose application runs in this process.

    `places` are the real ids that addresses need, by name: `room` with its `code`, the learner's `ended` and
    `open` sitting, the `ticket` of the question that waits in the latter, the `run` and `open_run` of both,
    `n` and `k`, the teacher's handle `learner` on the owner, the `sitting_code` that resumes the open one, an
    `item` of the debrief, the `picture` shown, `other_room` with its `other_code`, and `programs`, a run
    without people.
    """

    def __init__(self, house: House, app: FastAPI, loop: asyncio.Runner) -> None:
        self.house = house
        self.app = app
        self.places: dict[str, str] = {}
        self._loop = loop
        self._addresses = itertools.count(1)
        self._people: dict[Kind, httpx.AsyncClient] = {
            kind: self._browser() for kind in KINDS if kind != "nobody"
        }

    def ask(
        self,
        who: Kind,
        method: str,
        path: str,
        body: object = None,
        *,
        headers: Mapping[str, str] | None = None,
        address: str = "",
    ) -> httpx.Response:
        """The answer to one request by a visitor. `{name}` in the path is filled in from `places`; `body` is
        sent as JSON, and `address` is a network address in place of the visitor's own. A stream never ends,
        so ask a real server for it."""
        where = path.format_map(self.places)
        return self._loop.run(self._send(who, method, where, body, headers, address))

    def secret(self, who: Kind) -> str:
        """The secret in a visitor's cookie; "" for nobody."""
        jar = self._people[who].cookies.jar if who in self._people else ()
        return next((one.value or "" for one in jar if one.name.endswith(COOKIE)), "")

    def visitor(self, who: Kind) -> str:
        """The id of a visitor."""
        return self.house.visitors.who(self.secret(who)).id

    async def _send(
        self,
        who: Kind,
        method: str,
        path: str,
        body: object,
        headers: Mapping[str, str] | None,
        address: str,
    ) -> httpx.Response:
        if who != "nobody" and not address:
            return await self._people[who].request(method, path, json=body, headers=headers)
        async with self._browser(address) as other:
            if who != "nobody":
                other.cookies = httpx.Cookies(self._people[who].cookies)
            return await other.request(method, path, json=body, headers=headers)

    def _browser(self, address: str = "") -> httpx.AsyncClient:
        """A browser without a cookie, at this network address or at one of its own."""
        high, low = divmod(next(self._addresses), 250)
        client = (address or f"10.0.{high}.{low + 1}", 50_000)
        transport = httpx.ASGITransport(app=self.app, client=client)
        return httpx.AsyncClient(transport=transport, base_url=HERE, headers={"origin": HERE})

    def _expect(self, who: Kind, method: str, path: str, body: object = None) -> Any:
        """The JSON of an answer that must be a good one."""
        answer = self.ask(who, method, f"/api{path}", body)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def _enters(self, who: Kind, *rights: Right) -> None:
        self._expect(who, "POST", "/enter", {"token": self.house.visitors.link(set(rights))})

    def _joins(self, who: Kind, code: str, pseudonym: str) -> None:
        self._expect(who, "POST", f"/join/{code}", {"pseudonym": pseudonym, "uses": []})

    def _sits(self, who: Kind, room: str) -> str:
        return str(self._expect(who, "POST", f"/rooms/{room}/sittings", {"case": "c1"})["sitting"])

    def turn(self, who: Kind, sitting: str) -> dict[str, object]:
        """The state of a visitor's sitting, once a reply is asked for or it is over. Raises TimeoutError."""
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until:
            state: dict[str, object] = self._expect(who, "GET", f"/sittings/{sitting}")
            if state["status"] in ("yours", "paused", "ended"):
                return state
            self._loop.run(asyncio.sleep(0.01))
        raise TimeoutError(f"sitting {sitting} waits for others")

    def moves(self, who: Kind, sitting: str, **move: object) -> dict[str, object]:
        """Give a reply in a visitor's sitting; the state at the visitor's next turn. Raises
        httpx.HTTPStatusError for one that is refused."""
        ticket = self.turn(who, sitting)["ticket"]
        self._expect(who, "POST", f"/sittings/{sitting}/moves", {"ticket": ticket, "move": move})
        return self.turn(who, sitting)

    def concludes(self, who: Kind, sitting: str) -> None:
        """Say the marked words in a consultation, and end it with the marked diagnosis."""
        self.moves(who, sitting, action="ASK", question=f"Do you know {CANARIES['words']}?")
        self.moves(who, sitting, action="REQUEST_TEST", test_name=_TRACE)
        self.moves(who, sitting, action="WAIT")
        plan = {"plan": [CANARIES["words"]], "followup": CANARIES["words"]}
        self.moves(who, sitting, action="FINALIZE", diagnosis=CANARIES["diagnosis"], **plan)

    def _enter_all(self) -> None:
        """Let everybody come in, and play."""
        self._enters("teacher", *ALL)
        self._enters("other_teacher", *ALL)
        self._enters("revoked", *ALL)
        self._enters("watcher", "watch")
        plan = {"name": CANARIES["room"], "cases": [{"case": CASE}]}
        room = self._expect("teacher", "POST", "/rooms", plan)
        other = self._expect("other_teacher", "POST", "/rooms", {**plan, "name": "elsewhere"})
        self.places |= {"room": room["id"], "code": room["code"]}
        self.places |= {"other_room": other["id"], "other_code": other["code"]}
        self._joins("owner", room["code"], CANARIES["pseudonym"])
        self._joins("member", room["code"], "Robin")
        self._joins("other_learner", other["code"], "Wren")
        ended = self._sits("owner", room["id"])
        self.concludes("owner", ended)
        self._note(ended)
        revoke(self.house, self.visitor("revoked"))

    def _note(self, ended: str) -> None:
        """Begin the second encounter of the learner, and a run of programs, and note all ids."""
        kept = self._open_another()
        feed = self._expect("owner", "GET", f"/sittings/{ended}")["feed"]
        debrief = self._expect("owner", "GET", f"/sittings/{ended}/debrief")
        entries = [entry for section in debrief["sections"] for entry in section["entries"]]
        board = self._expect("teacher", "GET", f"/rooms/{self.places['room']}/state")
        named = {one["pseudonym"]: one["id"] for one in board["learners"]}
        self.places |= {
            "ended": ended,
            "open": str(kept["id"]),
            "ticket": str(kept["ticket"]),
            "sitting_code": str(kept["code"]),
            "run": self._run_of(ended).name,
            "open_run": self._run_of(str(kept["id"])).name,
            "n": "0",
            "k": "1",
            "learner": named[CANARIES["pseudonym"]],
            "item": next((one["item"] for one in entries if one["item"]), ""),
            "picture": next((one["id"] for one in feed if one["picture"]), ""),
            "programs": _play_programs(self.house).name,
        }

    def _open_another(self) -> dict[str, object]:
        """Begin another encounter of the learner in the room, with the marked words; its state."""
        sitting = self._sits("owner", self.places["room"])
        return self.moves("owner", sitting, action="ASK", question=f"Is it {CANARIES['words']}?")

    def _run_of(self, sitting: str) -> RunInfo:
        person_sitting = practice.sitting(self.house.store, sitting)
        assert person_sitting is not None
        return self.house.store.info(person_sitting.run)


@contextmanager
def scene(house: House, build: Callable[[House], FastAPI] = application) -> Iterator[Scene]:
    """The scene in a house over a store of its own, which is shared for an hour. `build` makes the
    application: give one that adds the routes of a plug-in to `osler.web.app.application`."""
    house.door = door(80, until=time.time() + _SHARED_S)
    app = build(house)
    with asyncio.Runner() as loop:
        open_ = AsyncExitStack()
        loop.run(open_.enter_async_context(app.router.lifespan_context(app)))
        try:
            made = Scene(house, app, loop)
            made._enter_all()
            yield made
        finally:
            loop.run(open_.aclose())


def _play_programs(house: House) -> RunInfo:
    """A run of one consultation by built-in players."""
    config = protocol_named("consultation").config(limit=1)
    source = house.source(config)
    run = runs.begin(config, house.store, source=source)
    return runs.play(run, house.store, concurrency=1, source=source).run
