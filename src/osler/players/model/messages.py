"""Rendering of a request as append-only chat messages, for prompt caching.

The rules and the view come first; then, in the order of the feed, the events between two replies of the seat
as one user message, and each of its replies as an assistant message. A refused attempt is a separate message,
in the seat's own words where there is something in them to put right, else with a placeholder. So the
messages of call n begin with those of call n-1, roles alternate, and nothing once sent is ever changed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

from pydantic import TypeAdapter

from osler.core.contract import OwnReply, Request
from osler.core.deliberation import Approval, Choice, Comment, Recruits
from osler.core.events import NOT_VALID, Event, Noticed, View
from osler.core.order_events import Pictured, Resulted
from osler.core.pictures import ImageFile, Picture
from osler.models.extraction import without_thought
from osler.models.types import Image, Message, Output
from osler.pictures import draw
from osler.players.model.opinions import opinion_shown
from osler.players.model.schemas import asked_in, example
from osler.players.model.seat import KeptBack, ModelSeat, Moves
from osler.text.hostile import block, neutral
from osler.text.languages import ENGLISH, instruction

STAND_IN: Final = "(This answer could not be used and is left out.)"
_NOTHING_NEW: Final = "Go on."


class _Begun(NamedTuple):
    """A cached prefix: the messages of a feed up to and including one of the seat's own replies, the facts it
    still withholds, and the pictures (as JSON) that were attached."""

    feed: tuple[Event | OwnReply, ...]
    messages: tuple[Message, ...]
    kept_back: KeptBack | None
    seen: frozenset[str] = frozenset()


_Key: TypeAlias = tuple[ModelSeat, str, str, Moves, bool, str]
_recent: OrderedDict[_Key, _Begun] = OrderedDict()
_MOST_RECENT: Final = 2048
_pictured: OrderedDict[_Key, None] = OrderedDict()
"""Those of the recent conversations that hold pictures, which may be large."""
_MOST_PICTURED: Final = 512
_PICTURE: Final[TypeAdapter[Picture]] = TypeAdapter(Picture)


def messages_of(
    request: Request[Any],
    seat: ModelSeat,
    moves: Moves = "json",
    *,
    eyes: bool = False,
    language: str = ENGLISH,
    form_at: Callable[[int], Output | None] = lambda at: None,
) -> tuple[Message, ...]:
    """Build the messages of one call: a pure function of the request and the seat's rendering. `moves` is the
    form that the model answers in, `language` the one it plays in; with `eyes`, pictures are drawn or read,
    and attached, each once. `form_at` is the form that was asked for at a place of the feed: after a refusal
    the seat is shown the shortest answer in it.

    The messages of the seat's previous call are cached and extended if the feed begins the same, so that a
    call costs only what is new in it.
    """
    view, feed = request.view, request.feed
    key = (seat, request.world, view.text, moves, eyes, language)
    begun = _recent.get(key)
    if begun is None or begun.feed != feed[: len(begun.feed)]:
        begun = _Begun((), (opening(view, seat, moves, language),), seat.kept_back(view))
    messages, kept_back, new = list(begun.messages), begun.kept_back, list[str]()
    images, seen = list[Image](), set(begun.seen)

    def attach(picture: Picture) -> None:
        line = picture.model_dump_json()
        if line not in seen:
            seen.add(line)
            images.append(drawn(picture))

    if eyes and not begun.feed:
        # The pictures in a seat's view are attached to the first message it is told.
        for picture in seat.pictures(view):
            attach(picture)
    for at in range(len(begun.feed), len(feed)):
        item = feed[at]
        if isinstance(item, OwnReply):
            _close(messages, new, images)
            if isinstance(item.reply, Choice | Comment | Approval | Recruits):
                own = neutral(opinion_shown(item.reply))
            else:
                own = seat.own(item.reply, moves, view, feed[:at])
                # A move in text may hold tags of its form, so its renderer neutralizes what is between them.
                own = own if moves == "text" else neutral(own)
            messages.append(Message(role="assistant", text=own))
            begun = _Begun(feed[: at + 1], tuple(messages), kept_back, frozenset(seen))
        elif isinstance(item, Noticed) and item.text.startswith(NOT_VALID):
            _close(messages, new, images)
            said = neutral(without_thought(item.said)) or STAND_IN
            messages.append(Message(role="assistant", text=said))
            new.append(_again(item, form_at(at)))
        else:
            if line := seat.line(item, view):
                new.append(line)
            if eyes and isinstance(item, Resulted | Pictured) and item.picture:
                attach(item.picture)
            if kept_back is not None:
                kept_back, handed = kept_back.after(item)
                new += handed
    _close(messages, new, images)
    _keep(key, begun)
    return tuple(messages)


def _again(notice: Noticed, output: Output | None) -> str:
    """The reason of a refusal in one line, and the shortest answer that would do."""
    shown = "" if output is None else f" The shortest answer of this form: {example(output, notice.said)}"
    return f"{block('notice', notice.text)}\nAnswer again.{shown}"


def _keep(key: _Key, begun: _Begun) -> None:
    _recent[key] = begun
    _recent.move_to_end(key)
    if len(_recent) > _MOST_RECENT:
        _recent.popitem(last=False)
    if begun.seen:
        _pictured[key] = None
        _pictured.move_to_end(key)
        if len(_pictured) > _MOST_PICTURED:
            _recent.pop(_pictured.popitem(last=False)[0], None)


def replies_before(messages: Sequence[Message]) -> int:
    """The number of earlier answers of this seat, refused attempts included."""
    return sum(message.role == "assistant" for message in messages)


def seed_of(world: str, seat: str, n: int) -> int:
    """The sampling seed of a seat's n-th answer in a world, from 0 to 2**31 - 1."""
    digest = blake2b(f"{world}\x1f{seat}\x1fmodel answer {n}".encode(), digest_size=4).digest()
    return int.from_bytes(digest) >> 1


def _close(messages: list[Message], new: list[str], images: list[Image]) -> None:
    """Finish the current user message. If nothing was told, a filler keeps the roles alternating."""
    if new or images:
        text = "\n".join(new) or _NOTHING_NEW
        messages.append(Message(role="user", text=text, images=tuple(images)))
        new.clear()
        images.clear()
    elif messages[-1].role != "user":
        messages.append(Message(role="user", text=_NOTHING_NEW))


@lru_cache(maxsize=256)
def _drawn_from(line: str) -> Image:
    return Image.of(draw(_PICTURE.validate_json(line)))


_files: WeakValueDictionary[str, Image] = WeakValueDictionary()
"""The image files in the conversations of now, which all of them share."""


def drawn(picture: Picture) -> Image:
    """A picture as the image that a model with eyes is sent. Raises BadInput if its file is not at hand."""
    if not isinstance(picture, ImageFile):
        return _drawn_from(picture.model_dump_json())
    file = _files.get(picture.sha256)
    if file is None:
        file = _files[picture.sha256] = Image.of(draw(picture))
    return file


def opening(view: View, seat: ModelSeat, moves: Moves = "json", language: str = ENGLISH) -> Message:
    """The system message: the seat's rules and its view, which never change during an encounter, and last the
    rule for a language other than English."""
    rules = _opening(type(view), view.text, seat, moves)
    spoken = instruction(language)
    return rules._replace(text=f"{rules.text}\n\n{spoken}") if spoken else rules


@lru_cache(maxsize=512)
def _opening(kind: type[View], text: str, seat: ModelSeat, moves: Moves) -> Message:
    # Keyed by the view's text: a string caches its hash, whereas a view of forty facts would be rehashed.
    view = kind.model_validate_json(text)
    output = seat.form(view) if moves == "json" else None
    rules = seat.prompt(moves).render(seat.values(view, moves))
    # No endpoint shows a model the schema that it is held to.
    return Message(role="system", text=f"{rules}\n\n{asked_in(output)}" if output else rules)
