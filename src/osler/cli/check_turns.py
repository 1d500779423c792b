"""`osler check` for models in their seats: each takes one real turn, and what came is shown."""

from __future__ import annotations

from typing import Final

from osler.cli.check_result import Check
from osler.core.registry import protocols
from osler.errors import BadInput
from osler.models.client import EndpointClient
from osler.models.config import Endpoint
from osler.models.secret import Secret, sanitized
from osler.models.types import Completion, Rung
from osler.runs.real_turns import Took, Turn, remedy, shown, take, turns

EVERY: Final = "all"
_WORDS: Final[dict[Rung, str]] = {
    "json_schema": "a JSON schema",
    "json_object": "JSON mode, the schema in the prompt",
    "text": "plain text, the schema in the prompt",
}
_PLACES: Final = {"tool_call": ", read from its tool call", "reasoning": ", read from its reasoning"}


def chosen(named: str | None) -> list[Turn]:
    """The turns to try: those named, with commas between; else the seats under test, and the patient.

    Raises BadInput for a seat that there is not.
    """
    known = turns()
    if named is None:
        under_test = {protocol.under_test for protocol in protocols()}
        return [turn for turn in known.values() if turn.seat in under_test or turn.seat == "patient"]
    if named == EVERY:
        return list(known.values())
    names = [name.strip() for name in named.split(",")]
    if strange := [name for name in names if name not in known]:
        raise BadInput(f"no turn of {strange[0]!r} can be tried", where="--seats", hint=", ".join(known))
    return [known[name] for name in names]


async def take_turn(turn: Turn, client: EndpointClient, endpoint: Endpoint, key: Secret | None) -> Check:
    """The check of one seat: the model's answer to the seat's first request. Raises EndpointFault."""
    return check_of(
        f"endpoint {endpoint.name}: as {turn.seat}", await take(turn, client, endpoint), endpoint, key
    )


def check_of(name: str, took: Took, endpoint: Endpoint, key: Secret | None) -> Check:
    """The check of a turn that was taken."""
    if isinstance(took.heard, Completion):
        return _answered(name, took.heard, key, took.refused)
    if took.heard is None:
        return Check(
            name=name, ok=False, what="was not asked anything", mend="report this as a fault of Osler"
        )
    came = shown(took.text, key) or "nothing"
    what = f"no answer that could be used, asked by {_WORDS[took.rung]}: {took.heard}; it said: {came}"
    return Check(name=name, ok=False, what=what, mend=remedy(took.heard, endpoint, took.rung, took.text))


def _answered(name: str, answer: Completion, key: Secret | None, refused: str) -> Check:
    counted = (answer.usage.prompt_tokens, answer.usage.completion_tokens)
    tokens = "" if None in counted else f", {counted[0]} + {counted[1]} tokens"
    what = (
        f"asked by {_WORDS[answer.rung]}{_PLACES.get(answer.found_in, '')} ({answer.latency_s:.2f} s{tokens})"
    )
    what += f", it said: {shown(answer.text, key)}"
    if refused:
        what += f"; a run would ask again, since {sanitized(refused, key)}"
    return Check(name=name, ok=True, what=what)
