"""The calls to models of an episode as text for a terminal: what each message adds, reply and thought."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from osler.runs.prompts import Prompt

PROVED: Final = {
    True: "as it was sent",
    False: "NOT what was sent: the code, the case or the players have changed since",
    None: "built again; no hash of what was sent is stored",
}


def prompt_lines(prompts: Sequence[Prompt]) -> Iterator[str]:
    """The lines, without markup. Messages that a call shares with an earlier one of its seat are counted, not
    repeated. Texts are not made safe for a terminal."""
    if not prompts:
        yield "no model was asked in this episode"
    before: dict[str, list[list[dict[str, Any]]]] = {}
    for one in prompts:
        place = f"{one.n}.{one.path}" if one.path else str(one.n)
        who = f"{one.seat} ({one.role})" if one.role else one.seat
        call = f", call {one.call}" if one.call > 1 else ""
        yield ""
        if one.messages is None:
            yield f"== exchange {place}{call}: {who}; the prompt cannot be built again"
        else:
            yield f"== exchange {place}{call}: {who}; {PROVED[one.proved]}"
            earlier = before.setdefault(who, [])
            yield from _messages(
                one.messages, max((_shared(each, one.messages) for each in earlier), default=0)
            )
            earlier.append(one.messages)
        if one.reasoning:
            yield from _said("thought", one.reasoning)
        yield from _said("reply" if one.outcome == "ok" else f"reply, {one.outcome}", one.reply)


def _messages(messages: Sequence[dict[str, Any]], shared: int) -> Iterator[str]:
    if shared:
        yield f"({shared} messages as above)"
    for message in messages[shared:]:
        yield from _said(message["role"], message["text"])
        yield from (f"    [picture {name}]" for name in message.get("pictures", ()))


def _said(who: str, text: str) -> Iterable[str]:
    yield f"-- {who}"
    yield from (f"    {line}" for line in text.split("\n"))


def _shared(one: Sequence[dict[str, Any]], other: Sequence[dict[str, Any]]) -> int:
    """The number of messages at the beginning that are the same."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))
