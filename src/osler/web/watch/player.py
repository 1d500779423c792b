"""The transcript player as one file: an episode in the views it may be seen in, playable without a server.

The page carries its script, its style and its pictures; its own policy allows them by their hashes and
nothing else, no network at all. All words are data, which the script sets as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib import resources
from string import Template
from typing import Any, Final, NamedTuple

from osler.core.events import Event
from osler.core.protocol import Protocol
from osler.core.wording import clock
from osler.pictures import alt, data_uri
from osler.runs.run import protocol_of
from osler.store.permissions import refuse_unless
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.text.hostile import safe
from osler.web.schemas import LogItem
from osler.web.watch.log import ALL, ROOM, Recorded, entries, items, recorded, view_of

PATIENT: Final = "patient"
_NOTE: Final = "A simulated encounter, for education and research only. Nobody here is a real patient."


class Player(NamedTuple):
    """A page, and the policy under which it works."""

    text: str
    policy: str


def player_html(store: Store, run: RunInfo, ordinal: int, view: str) -> Player:
    """The player of an episode in one view; made for `all`, it holds the four views to choose from.

    A file leaves the house, so a person whose words it holds must permit them to be shared. Whether the
    view may be seen is the caller's to decide. Raises NotPermitted, and BadInput if there is no such view.
    """
    refuse_unless(store, run.id, "share", ordinal)
    plays, record = protocol_of(run), recorded(store, run.id, ordinal)
    names = [view] if view != ALL else _four(plays)
    pictures: dict[str, dict[str, str]] = {}
    shown = [
        {"name": name, "words": _words(name, plays), "items": _items(record, name, plays, pictures)}
        for name in names
    ]
    data = {"views": shown, "pictures": pictures}
    return _page(f"{plays.one.capitalize()} {run.name}:{ordinal}", data)


def _four(plays: Protocol) -> list[str]:
    seats = [role.name for role in plays.roles]
    return [plays.under_test, *([PATIENT] if PATIENT in seats else []), ROOM, ALL]


def _words(name: str, plays: Protocol) -> str:
    return {ROOM: "everybody in the room", ALL: "all, also what was not said"}.get(name, f"the {name}")


def _items(
    record: Recorded, view: str, plays: Protocol, pictures: dict[str, dict[str, str]]
) -> list[dict[str, Any]]:
    found = items(record, view_of(plays, view), plays, picture=lambda id_: id_)
    events = {f"{entry.at[0]}.{entry.at[1]}": entry.event for entry in entries(record)}
    for item in found:
        if item.picture and item.picture not in pictures:
            pictures[item.picture] = _picture(events[item.id])
    return [_item(item) for item in found if item.lines or item.picture]


def _item(item: LogItem) -> dict[str, Any]:
    lines = [
        {"label": safe(one.label), "kind": one.kind, "text": safe(one.text), "public": one.public}
        for one in item.lines
    ]
    return {
        "id": item.id,
        "clock": clock(item.minute),
        "mark": item.mark,
        "lines": lines,
        "picture": item.picture,
    }


def _picture(event: Event | None) -> dict[str, str]:
    held = getattr(event, "picture", None)
    assert held is not None, "the log says that it has one"
    return {"source": data_uri(held), "alt": alt(held)}


def _page(title: str, data: object) -> Player:
    files = resources.files("osler.web.watch")
    script, style, page = (
        files.joinpath(name).read_text(encoding="utf-8")
        for name in ("player.js", "player.css", "player.html")
    )
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    text = Template(page).substitute(
        policy=policy,
        title=escape(title),
        note=escape(_NOTE),
        style=style,
        script=script,
        data=_inert(json.dumps(data)),
    )
    return Player(text, policy)


def _inert(text: str) -> str:
    """JSON that holds nothing by which a script element could end, or a comment begin."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
