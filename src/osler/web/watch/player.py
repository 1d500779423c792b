"""The player as one file: an episode and its hospital in the views it may be seen in, playable without a
server.

The page carries the front end's own player, its style and its pictures; its policy allows them by their
hashes and nothing else, no network at all. All words are data, which the script sets as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib import resources
from string import Template
from typing import Any, Final, NamedTuple

from osler.choreography.plan import our_plan
from osler.core.pictures import Held
from osler.core.protocol import Protocol
from osler.errors import BadInput
from osler.pictures import data_uri
from osler.runs.run import protocol_of
from osler.store.permissions import refuse_unless
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.text.hostile import safe
from osler.web.policy import ARIA_STYLE
from osler.web.schemas import LogItem
from osler.web.watch.log import ALL, ROOM, UNDER_TEST, Recorded, entries, items, recorded, view_of
from osler.web.watch.scenes import PATIENT, choreography

_NOTE: Final = "A simulated encounter, for education and research only. Nobody here is a real patient."


class Player(NamedTuple):
    """A page, and the policy under which it works."""

    text: str
    policy: str


def player_html(store: Store, run: RunInfo, ordinal: int, view: str) -> Player:
    """The player of an episode in one view; made for `all`, it holds the four views to choose from.

    A file leaves the house, so a person whose words it holds must permit them to be shared. Whether the
    view may be seen is the caller's to decide. Call in a thread where an event loop runs. Raises
    NotPermitted, and BadInput if there is no such view.
    """
    refuse_unless(store, run.id, "share", ordinal)
    plays, record = protocol_of(run), recorded(store, run.id, ordinal)
    pictures: dict[str, str] = {}
    views = list[dict[str, Any]]()
    for name in _four(plays) if view == ALL else [_named(view, plays)]:
        result = items(record, view_of(plays, name), plays, picture=lambda id_: id_)
        made = choreography(store, run, ordinal, name, picture=lambda id_: id_)
        pictures |= _pictures(result, record, store.picture)
        told = [_harmless(item.model_dump(mode="json")) for item in result]
        views.append({"name": name, "items": told, "made": _harmless(made.as_json())})
    title = f"{plays.one.capitalize()} {run.name}:{ordinal}"
    return _page(
        title,
        {
            "title": title,
            "note": _NOTE,
            "ended": record.tail is not None,
            "plan": our_plan().as_json(),
            "views": views,
            "pictures": pictures,
        },
    )


def _four(plays: Protocol) -> list[str]:
    seats = [role.name for role in plays.roles]
    return [plays.under_test, *([PATIENT] if PATIENT in seats else []), ROOM, ALL]


def _named(view: str, plays: Protocol) -> str:
    return plays.under_test if view == UNDER_TEST else view


def _pictures(log_items: list[LogItem], record: Recorded, stored: Held) -> dict[str, str]:
    """The pictures of items as data, by the id of their item."""
    shown = {item.id for item in log_items if item.picture}
    found_at = ((f"{entry.at[0]}.{entry.at[1]}", entry.event) for entry in entries(record))
    pairs = ((id_, getattr(event, "picture", None)) for id_, event in found_at if id_ in shown)
    return {id_: data_uri(picture, stored) for id_, picture in pairs if picture is not None}


def _harmless(value: Any) -> Any:
    """JSON whose texts hold nothing that hides or reorders other text."""
    match value:
        case str():
            return safe(value)
        case dict():
            return {safe(name): _harmless(one) for name, one in value.items()}
        case list() | tuple():
            return [_harmless(one) for one in value]
    return value


def _page(title: str, data: object) -> Player:
    page = resources.files("osler.web.watch").joinpath("player.html").read_text(encoding="utf-8")
    script, style = _built("page.js"), _built("page.css")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)} {ARIA_STYLE}",
            "img-src data:",
            "font-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    text = Template(page).substitute(
        policy=policy,
        title=escape(title),
        style=style,
        script=script,
        data=_inert(json.dumps(data, separators=(",", ":"))),
    )
    return Player(text, policy)


def _built(name: str) -> str:
    file = resources.files("osler.web").joinpath("dist", "page", name)
    if not file.is_file():
        raise BadInput("the player of single files is not built", where=name, hint="run `make web`")
    return file.read_text(encoding="utf-8")


def _inert(text: str) -> str:
    """JSON that holds nothing by which a script element could end, or a comment begin."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
