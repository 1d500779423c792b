"""The generic form of a person, for seats without a specific one: views and replies field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import yaml

from osler.core.contract import Contract, OwnReply
from osler.core.events import Event, View, json_of
from osler.core.wording import Words, spoken_line, wordings
from osler.players.external import Desk, External, Pending
from osler.players.person import Channel, Form, Talk, person_at

HELP: Final = """\
Your reply is asked for field by field; an empty line leaves a field as it is.
  /help     this        /history  everything so far
  /quit     stop here; the run can be resumed"""


def plain_person(outside: Channel | Desk, contracts: Sequence[Contract[Any, Any]], words: Words) -> External:
    """Build the player of a person in a seat with these contracts. Events are shown in the protocol's
    `words`."""

    def told(item: Event | OwnReply) -> Iterator[str]:
        if isinstance(item, OwnReply):
            yield f"You: {_in_short(json.loads(json_of(item.reply)))}"
        else:
            yield from map(spoken_line, wordings(item, words))

    form = Form(help=HELP, briefing=_briefing, words=told, read=_read)
    return person_at(outside, {contract.view: form for contract in contracts})


def _briefing(view: View) -> list[str]:
    text: str = yaml.safe_dump(json.loads(view.text), sort_keys=False, allow_unicode=True, width=80)
    return text.splitlines()


async def _read(pending: Pending, talk: Talk) -> object:
    schema = pending.schema
    fields: Mapping[str, Any] = schema.get("properties", {})
    required = schema.get("required", ())
    if not fields:  # a union of reply types: the person has to write JSON
        return _value(await talk.line("reply> "))
    if len(fields) == 1:
        return {
            name: await _field(talk, name, one, pending.seat, needed=True) for name, one in fields.items()
        }
    said = {}
    for name, one in fields.items():
        value = await _field(talk, name, one, name.replace("_", " "), needed=name in required)
        if value is not None:
            said[name] = value
    return said


async def _field(talk: Talk, name: str, schema: Mapping[str, Any], prompt: str, *, needed: bool) -> object:
    """Read the value of a field; `None` if the line is empty and the field has a default."""
    shown = "" if needed else f" [{_in_short(schema.get('default'))}]"
    while True:
        line = await talk.line(f"{prompt}{shown}> ")
        if line:
            return line if schema.get("type") == "string" else _value(line)
        if not needed:
            return None
        talk.show([f"There has to be a {name.replace('_', ' ')}."])


def _value(line: str) -> object:
    """Parse a value as YAML. Invalid YAML is passed on as it is; the table refuses it with the reason."""
    try:
        return yaml.safe_load(line)
    except (yaml.YAMLError, ValueError, RecursionError):
        return line


def _in_short(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_in_short(one)}" for name, one in value.items() if one not in (None, ""))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
