"""A person's reply as a form: made into one of its seat, with what is to be confirmed before it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from osler.errors import in_words
from osler.players.external import Pending
from osler.players.person import Concern as Worry
from osler.players.person import Form
from osler.text.distress import own_distress
from osler.web.practise.schemas import Concern
from osler.web.problems import Unusable

DISTRESS = (
    "Before this is said to anybody: is it you, or the case? If it is you, a person can help; this program"
    " cannot judge how you are."
)
FINAL = "This is final: you cannot ask or order anything after it."


def reply_of(pending: Pending, form: Form | None, fields: Mapping[str, Any]) -> Any:
    """The reply that a form holds. Raises Unusable if it is none of this seat."""
    contract = pending.request.contract
    try:
        completed = form.completed(pending, fields) if form else fields
        return contract.reply.validate_python(completed) if contract else completed
    except ValidationError as error:
        raise Unusable(in_words(error), where="move", hint="see `wanted.reply` of the sitting") from None


def sendable(pending: Pending, form: Form | None, fields: Mapping[str, Any]) -> Any:
    """The reply that a form holds, to be given now. Raises Unusable for one that may not be given."""
    reply = reply_of(pending, form, fields)
    if any(one.blocks for one in _worries(pending, form, reply)):
        raise Unusable("this may not be told yet", where="move", hint="say something else for now")
    return reply


def concerns_of(pending: Pending, form: Form | None, fields: Mapping[str, Any]) -> list[Concern]:
    """List what is to be confirmed before a reply is given. Raises Unusable."""
    reply = reply_of(pending, form, fields)
    concerns = [
        Concern(
            kind=one.kind,
            text=one.text,
            instead=one.instead.model_dump(mode="json") if one.instead else None,
            blocks=one.blocks,
        )
        for one in _worries(pending, form, reply)
    ]
    if any(isinstance(text, str) and own_distress(text) for text in fields.values()):
        concerns.insert(0, Concern(kind="distress", text=DISTRESS))
    if fields.get("action") == "FINALIZE":
        concerns.append(Concern(kind="conclude", text=FINAL))
    return concerns


def _worries(pending: Pending, form: Form | None, reply: Any) -> list[Worry]:
    return list(form.concerns(pending, reply)) if form else []
