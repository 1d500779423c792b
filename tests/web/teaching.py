"""A shared house with people in it: each a browser of its own, with its own cookie."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx

from osler.web.app import application
from osler.web.door import door
from osler.web.house import House
from osler.web.rights import ALL, Right
from tests.web.conftest import HERE

PATIENCE_S = 120.0
CASE = {"case": "cardiology-01"}


class Person:
    """Somebody's browser. `get` and the others return the answer's JSON, after checking its status."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client

    async def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return await self.client.request(method, f"/api{path}", json=body)

    async def get(self, path: str, status: int = 200) -> Any:
        return self._checked(await self.ask("GET", path), status)

    async def post(self, path: str, body: Any, status: int = 200) -> Any:
        return self._checked(await self.ask("POST", path, body), status)

    async def put(self, path: str, body: Any, status: int = 200) -> Any:
        return self._checked(await self.ask("PUT", path, body), status)

    async def patch(self, path: str, body: Any, status: int = 200) -> Any:
        return self._checked(await self.ask("PATCH", path, body), status)

    @staticmethod
    def _checked(answer: httpx.Response, status: int) -> Any:
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    async def opens(self, **more: Any) -> dict[str, Any]:
        """Open a room with one case."""
        plan = {"name": "Monday", "cases": [CASE], **more}
        return await self.post("/rooms", plan, 201)  # type: ignore[no-any-return]

    async def joins(self, room: dict[str, Any], name: str, *uses: str) -> dict[str, Any]:
        """Join a room under a pseudonym."""
        return await self.post(f"/join/{room['code']}", {"pseudonym": name, "uses": uses})  # type: ignore[no-any-return]

    async def sits(self, room: dict[str, Any], case: str = "c1") -> str:
        """Sit down with a case of a room one has joined."""
        begun = await self.post(f"/rooms/{room['id']}/sittings", {"case": case}, 201)
        return str(begun["sitting"])

    async def turn(self, sitting: str) -> dict[str, Any]:
        """The state of a sitting once it is this person's turn, or it stands still, or is over."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            state: dict[str, Any] = await self.get(f"/sittings/{sitting}")
            if state["status"] in ("yours", "paused", "ended"):
                return state
            assert time.monotonic() < deadline, state
            await asyncio.sleep(0.02)

    async def moves(self, sitting: str, **move: Any) -> dict[str, Any]:
        """Give a reply, and wait for one's next turn."""
        state = await self.turn(sitting)
        await self.post(f"/sittings/{sitting}/moves", {"ticket": state["ticket"], "move": move}, 202)
        return await self.turn(sitting)

    async def concludes(self, sitting: str, diagnosis: str = "heart attack") -> dict[str, Any]:
        """Conclude a consultation."""
        plan = {"plan": ["aspirin"], "followup": "tomorrow"}
        return await self.moves(sitting, action="FINALIZE", diagnosis=diagnosis, **plan)


class Hall:
    """A running application, and the people who come in."""

    def __init__(self, house: House, transport: httpx.ASGITransport, held: AsyncExitStack) -> None:
        self.house, self._transport, self._held = house, transport, held

    async def stranger(self) -> Person:
        """Somebody who has not come in."""
        client = httpx.AsyncClient(transport=self._transport, base_url=HERE, headers={"origin": HERE})
        return Person(await self._held.enter_async_context(client))

    async def teacher(self) -> Person:
        """Somebody who came in by a teacher's link."""
        return await self.let_in(*ALL)

    async def let_in(self, *rights: Right) -> Person:
        """Somebody who came in by a link with these rights."""
        found = await self.stranger()
        await found.post("/enter", {"token": self.house.visitors.link(rights)})
        return found


@asynccontextmanager
async def hall(house: House, **more: Any) -> AsyncIterator[Hall]:
    """The application of a shared house."""
    house.door = door(80, until=time.time() + 3600, **more)
    app = application(house)
    transport = httpx.ASGITransport(app=app)
    async with app.router.lifespan_context(app), AsyncExitStack() as held:
        yield Hall(house, transport, held)
