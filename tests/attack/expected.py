"""The table: what each kind of visitor is answered by every operation of the server, and by the stream."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

import httpx

from osler.testing.hostile_visitor import CASE, Canary, Kind
from osler.web.rights import ALL, NONE, Right

Answer = Literal["ok", "right", "refused", "hidden", "state", "fault"]
"""`right`: 403, for it needs a right; `refused`: 403 for another reason; `hidden`: 404, as if it were not
there; `state`: let in, but what the scene holds does not allow it, or no model is set up; `fault`: no row
expects it."""

RIGHTS: Final[Mapping[Kind, frozenset[Right]]] = {
    "nobody": NONE,
    "other_learner": frozenset(("learn",)),
    "watcher": frozenset(("watch",)),
    "other_teacher": ALL,
    "revoked": NONE,
    "member": frozenset(("learn",)),
    "owner": frozenset(("learn",)),
    "teacher": ALL,
}
_LACKING: Final = "this needs the right to"
_STATE: Final = frozenset((400, 409, 422, 503))


class Row(NamedTuple):
    """An operation as the schema names it, and who is answered what.

    `right` is the right it needs. Whoever has that is answered as `answers` says, the others of them
    `otherwise`. `at` says which place of the scene stands for a parameter, `body` would act if it were let
    in, and `shows` are canaries that whoever is let in may read there.
    """

    operation: str
    right: Right | None
    otherwise: Answer
    answers: Mapping[Kind, Answer] = {}
    body: Any = None
    at: Mapping[str, str] = {}
    shows: frozenset[Canary] = frozenset()
    query: str = ""

    @property
    def method(self) -> str:
        """The method."""
        return self.operation.split()[0]

    @property
    def path(self) -> str:
        """The address, with the places of a scene in braces."""
        path = self.operation.split()[1]
        return re.sub(r"\{(\w+)\}", lambda name: f"{{{self._place(name[1])}}}", path) + self.query

    def expected(self, who: Kind) -> Answer:
        """The answer that a visitor must get."""
        if self.right is not None and self.right not in RIGHTS[who]:
            return "right"
        return self.answers.get(who, self.otherwise)

    def _place(self, parameter: str) -> str:
        return self.at.get(parameter) or _PLACES.get(parameter, parameter)


_PLACES: Final = {"id": "ended", "sitting": "ended"}
"""Which place of the scene stands for a parameter of another name."""


def class_of(answer: httpx.Response) -> Answer:
    """The class of an answer."""
    if answer.status_code < 400:
        return "ok"
    if answer.status_code == 403:
        return "right" if answer.json()["what"].startswith(_LACKING) else "refused"
    if answer.status_code == 404:
        return "hidden"
    return "state" if answer.status_code in _STATE else "fault"


def for_everybody(operation: str, right: Right | None, answer: Answer = "ok", **more: Any) -> Row:
    """An operation for whoever has a right."""
    return Row(operation, right, answer, **more)


def for_owner(operation: str, answer: Answer = "ok", **more: Any) -> Row:
    """An operation on a learner's sitting: it is there for that learner alone."""
    return Row(operation, "learn", "hidden", {"owner": answer}, **more)


def for_members(operation: str, owner: Answer = "ok", member: Answer = "ok", **more: Any) -> Row:
    """An operation on a room, for those who have joined it."""
    return Row(operation, "learn", "hidden", {"owner": owner, "member": member}, **more)


def for_teacher(operation: str, answer: Answer = "ok", **more: Any) -> Row:
    """An operation on a room, for its teacher."""
    return Row(operation, "teach", "hidden", {"teacher": answer}, **more)


def for_run(
    operation: str,
    right: Right = "watch",
    body: Any = None,
    query: str = "",
    programs: Answer = "ok",
    at: Mapping[str, str] = {},
) -> Iterator[Row]:
    """An operation on a stored run: that of a learner who permits practice alone is there for nobody else,
    and one of programs for everybody with the right."""
    yield Row(operation, right, "hidden", body=body, query=query, at=at)
    other = {**body, "run": "{programs}"} if body else None
    query = query.replace("{run}", "{programs}")
    yield Row(operation, right, programs, body=other, at={**at, "run": "programs"}, query=query)


MOVE: Final = {"ticket": "{ticket}", "move": {"action": "ASK", "question": "Where is the pain?"}}
ROOM: Final = {"name": "Monday", "cases": [{"case": CASE}]}
RUN: Final = {"limit": 1, "only": CASE}
SHEET: Final = {"by": "Dr Grey", "items": [{"id": "{item}", "met": True}]}
BRANCH: Final = {"run": "{run}", "n": 0, "at": 1, "seat": "doctor", "player": "baseline"}
CIRCLE: Final = {"room": "circle", "sitting": "circle_sitting", "learner": "circle_learner", "group": "group"}
IN_CIRCLE: Final = {"id": "circle_sitting"}
OPEN: Final = {"id": "open"}

LEARNING: Final = (
    for_everybody("GET /api/shelf", "learn"),
    for_everybody("GET /api/orderables", "learn"),
    for_everybody("POST /api/sittings", "learn", body={"case": CASE}),
    for_owner("GET /api/sittings/{id}"),
    for_owner("GET /api/sittings/{id}/debrief"),
    for_owner("GET /api/sittings/{id}/pictures/{item}.png", at={"item": "picture"}),
    for_owner("POST /api/sittings/{id}/readings", body={"item": "{picture}", "words": "inferior"}),
    for_owner("POST /api/sittings/{id}/contests", body={"item": "{item}", "words": "I did that"}),
    for_owner("POST /api/sittings/{id}/moves/check", body=MOVE, at=OPEN),
    for_owner("POST /api/sittings/{id}/moves", body=MOVE, at=OPEN),
    for_owner("POST /api/sittings/{id}/leave", at=OPEN),
    for_owner("POST /api/sittings/{id}/resume", at=OPEN),
    for_owner("POST /api/sittings/{id}/again", body={"keep": 0}),
    for_owner("GET /api/sittings/{id}/questions", "state", at=IN_CIRCLE),
    for_owner("PUT /api/sittings/{id}/questions", "state", body={"marks": {"iq": 8}}, at=IN_CIRCLE),
    for_members("GET /api/rooms/{room}/groups", at=CIRCLE),
    for_members("POST /api/rooms/{room}/seat", "state", "state", body={"group": 1}, at=CIRCLE),
    for_members("GET /api/rooms/{room}/groups/{group}/assess", "refused", "refused", at=CIRCLE),
    for_members("GET /api/rooms/{room}/groups/{group}/follow", "refused", "refused", at=CIRCLE),
    for_members("DELETE /api/rooms/{room}/seat", "state", "state", at=CIRCLE),
    for_owner("POST /api/sittings/{id}/hand-back", "state", at=IN_CIRCLE),
    for_members("POST /api/rooms/{room}/sittings", body={"case": "c1"}),
    for_owner("PUT /api/sittings/{id}/permission", body={"uses": ["practice", "teacher"]}),
    for_owner("DELETE /api/sittings/{id}"),
)
"""Practising, in the order of the sweep: what deletes comes last. Nothing was said in the shared round yet,
so that there is nothing from which a built-in player could go on."""

TEACHING: Final = (
    for_everybody("GET /api/rooms", "teach"),
    for_everybody("GET /api/rooms/models", "teach"),
    for_everybody("POST /api/rooms/try", "teach", "state", body={"model": "model:fake"}),
    for_everybody("POST /api/rooms", "teach", body=ROOM),
    for_teacher("GET /api/rooms/{room}"),
    for_teacher("GET /api/rooms/{room}/qr.svg"),
    for_teacher("GET /api/rooms/{room}/state"),
    for_teacher("GET /api/rooms/{room}/results"),
    for_teacher("GET /api/rooms/{room}/results.csv"),
    for_teacher("GET /api/rooms/{room}/contests"),
    for_teacher("GET /api/rooms/{room}/answers", at=CIRCLE),
    for_teacher("GET /api/rooms/{room}/answers.csv", at=CIRCLE),
    for_teacher("GET /api/rooms/{room}/assess/{sitting}", "refused", at=CIRCLE),
    for_teacher("GET /api/rooms/{room}/read/{sitting}", "refused"),
    for_teacher("GET /api/rooms/{room}/show/{sitting}", "refused"),
    for_teacher("GET /api/rooms/{room}/sheet/{sitting}", "refused"),
    for_teacher("PUT /api/rooms/{room}/sheet/{sitting}", "refused", body=SHEET),
    for_teacher("POST /api/rooms/{room}/models/{sitting}", "refused"),
    for_teacher(
        "POST /api/rooms/{room}/contests",
        "refused",
        body={"sitting": "{ended}", "item": "{item}", "answer": "accept"},
    ),
    for_teacher("PUT /api/rooms/{room}/learners/{learner}/extra", body={"per_cent": 25}),
    for_teacher("POST /api/rooms/{room}/learners/{learner}/again", body={"case": "c1"}),
    for_teacher("PUT /api/rooms/{room}/learners/{learner}/assesses", "state", body={"on": True}, at=CIRCLE),
    for_teacher("POST /api/rooms/{room}/hand-back/{sitting}", "state", at=CIRCLE),
    for_teacher("POST /api/rooms/{room}/groups/{group}/begin", "state", at=CIRCLE),
    for_teacher("POST /api/rooms/{room}/hold", body={"words": "stop"}),
    for_teacher("POST /api/rooms/{room}/release", body={}),
    for_teacher("PATCH /api/rooms/{room}", body={"name": "Tuesday"}),
)
"""Teaching. The room's own teacher reads no words of a learner who permits practice alone."""

RUNS: Final = "?run={run}&run={programs}"
"""With one of programs; of programs the same run twice, which cannot be compared."""

RECORDS: Final = (
    for_everybody("GET /api/examples", "watch"),
    for_everybody("GET /api/plan", "watch"),
    for_everybody("GET /api/desks", "watch"),
    for_everybody("GET /api/desks/{key}", "watch", "hidden"),
    for_everybody("GET /api/runs", "watch"),
    for_everybody("GET /api/runs", "watch", query="?kind=practice"),
    *for_run("GET /api/runs/{run}"),
    *for_run("GET /api/runs/{run}/episodes"),
    *for_run("GET /api/runs/{run}/facets"),
    *for_run("GET /api/runs/{run}/figures"),
    *for_run("GET /api/runs/{run}/spending"),
    *for_run("GET /api/runs/{run}/failures"),
    for_everybody("GET /api/search", "watch", query="?q=pain"),
    for_everybody("GET /api/results", "watch"),
    for_everybody("GET /api/results/{name}", "watch", "hidden"),
    for_everybody("GET /api/results/{name}/card.html", "watch", "hidden"),
    for_everybody("GET /api/studies", "watch"),
    for_everybody("GET /api/ratings", "watch"),
    for_everybody("GET /api/ratings/{scale}", "watch", "hidden", query="?run={run}"),
    for_everybody("GET /api/judged", "watch"),
    *for_run("GET /api/judged/{run}"),
    *for_run("GET /api/runs/{run}/floors"),
    *for_run("GET /api/runs/{run}/floors/{floor}"),
    *for_run("GET /api/reports/{run}.html"),
    *for_run("GET /api/compare", query="?a={run}:0&b={run}:0"),
    *for_run("GET /api/compare-runs", query=RUNS, programs="state"),
    *for_run("GET /api/compare-runs/costs", query=RUNS, programs="state"),
    *for_run("GET /api/compare-runs/cases", query=RUNS, programs="state"),
    *for_run("GET /api/compare-runs/cases/{case}", query=RUNS, programs="state", at={"case": "programs"}),
    *for_run("GET /api/episodes/{run}/{n}"),
    *for_run("GET /api/episodes/{run}/{n}/log"),
    *for_run("GET /api/episodes/{run}/{n}/choreography"),
    *for_run("GET /api/episodes/{run}/{n}/exchanges"),
    *for_run("GET /api/episodes/{run}/{n}/exchanges/{k}"),
    *for_run("GET /api/episodes/{run}/{n}/pictures/{item}.png", programs="hidden", at={"item": "picture"}),
    *for_run("GET /api/episodes/{run}/{n}/player.html"),
    for_everybody("GET /api/start", "run"),
    for_everybody("POST /api/runs/plan", "run", body=RUN),
    for_everybody("POST /api/runs", "run", body=RUN),
    for_everybody("POST /api/models/turn", "run", "state", body={"model": "fake"}),
    *for_run("POST /api/branches", "run", body=BRANCH),
    *for_run("POST /api/runs/{run}/pause", "run"),
    *for_run("POST /api/runs/{run}/resume", "run"),
)
"""Stored runs: watching and starting them."""

JOIN: Final = {"pseudonym": "Rook", "uses": []}
RESUME: Final = {"code": "{sitting_code}"}
ELSE: Final[Mapping[Kind, Answer]] = {"member": "state"}
"""A code is the way on to another device, but not for whoever is in that room as somebody else."""

DOORS: Final = (
    for_everybody("GET /api/me", None),
    for_everybody("GET /api/join/{code}", None, shows=frozenset({"room"})),
    for_everybody("POST /api/enter", None, "refused", body={"token": "x"}),
    for_teacher("DELETE /api/rooms/{room}/learners/{learner}"),
    for_members("POST /api/rooms/{room}/leave"),
    Row("POST /api/sittings/resume", "learn", "ok", ELSE, body=RESUME),
    for_everybody("POST /api/join/{code}", None, body=JOIN, shows=frozenset({"room"})),
    for_everybody("POST /api/sign-out", None),
)
"""Coming in and going out, swept last: who comes in is somebody else afterwards."""

INSIDE: Final[tuple[Row, ...]] = (*TEACHING, *RECORDS, *LEARNING)
TABLE: Final[tuple[Row, ...]] = (*INSIDE, *DOORS)
UNTYPED: Final = ("GET /api/stream",)
"""Routes that send no JSON to be typed, and are left out of the schema; `TOPICS` is about them."""
NEEDED: Final[Mapping[str, Right | None]] = {row.operation: row.right for row in TABLE} | dict.fromkeys(
    UNTYPED
)
"""The right that each operation needs."""

_IN_ROOM: Final[frozenset[Kind]] = frozenset(("owner", "member", "teacher"))
_ELSEWHERE: Final[frozenset[Kind]] = frozenset(("other_learner", "other_teacher"))
_WATCHING: Final[frozenset[Kind]] = frozenset(("watcher", "teacher", "other_teacher"))
_OWN: Final[frozenset[Kind]] = frozenset(("owner",))

TOPICS: Final[Mapping[str, frozenset[Kind]]] = {
    "sitting:{ended}": _OWN,
    "sitting:{open}": _OWN,
    "room:{room}": _IN_ROOM,
    "room:{other_room}": _ELSEWHERE,
    "run:{run}": frozenset(),
    "run:{open_run}": frozenset(),
    "run:{programs}": _WATCHING,
    "episode:{run}:0:doctor": frozenset(),
    "episode:{run}:0:all": frozenset(),
    "episode:{open_run}:0:doctor": frozenset(),
    "episode:{open_run}:0:patient": frozenset(),
    "episode:{programs}:0:doctor": _WATCHING,
}
"""Who may listen to each topic of the stream, the places of the scene in braces."""
