"""Retries: ask one player one question until its reply is valid or its attempts are used up."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pydantic import BaseModel, ValidationError

from osler.core.contract import AnyForm, Cause, NoUsableReply, Refuser, ReplyWithUsage
from osler.core.events import NOT_VALID, Json, JsonObject, json_of
from osler.errors import Diverged, InfrastructureFault, PlayerFault, TimeUp, in_short

REFUSED: Final = "refused"
"""The `at` of a refused attempt; `by` says what refused it. Other entries of a record are notes and costs."""
_BEFORE: Final = frozenset({"player", "form", "rule"})
"""The `at` of attempts that the table refused in stores of the first schema; `model` and `grounding` refused
within such an attempt, and the seat was not told of it."""
Attempt = JsonObject
_SHOWN: Final = frozenset({"unparsable", "invalid", "rule", "truncated"})
"""The causes of refusal after which a seat is shown its own answer again; others hold nothing to put right,
and older records name no cause."""
_MOST_SHOWN: Final = 1500
Ask = Callable[[Sequence["Refusal"]], Awaitable[object]]


class Refusal(NamedTuple):
    """The notice to a seat about a refused attempt: the reason, and what it had said, cut short."""

    text: str
    said: str


@dataclass(slots=True)
class Answer:
    """The result of one question: the reply (`None` if none was valid), its JSON text, the attempts, and the
    calls to models that were made for it now (none if it was read from a record)."""

    reply: BaseModel | None
    line: str
    attempts: list[Attempt]
    calls: tuple[JsonObject, ...] = ()

    @property
    def attempts_line(self) -> str:
        """The attempts as JSON text."""
        return json.dumps(self.attempts) if self.attempts else "[]"

    @property
    def refused(self) -> list[Attempt]:
        """The refused attempts."""
        return [one for one in self.attempts if one["at"] == REFUSED or one["at"] in _BEFORE]

    @property
    def failure(self) -> str:
        """The reason there is no reply, in words."""
        refused = self.refused
        times = "1 attempt" if len(refused) == 1 else f"{len(refused)} attempts"
        return f"no valid reply in {times}; the last: {refused[-1]['error']}"

    @property
    def cause(self) -> Cause:
        """The cause of the last refused attempt."""
        return cause_of(self.refused[-1])


async def answered(ask: Ask, read: Callable[[object], BaseModel], most: int, player: str) -> Answer:
    """Ask up to `most` times. `ask` gets the refusal notices of all attempts so far; `read` parses what was
    said into a reply, or raises ValueError. `player` names who is asked.

    Raises InfrastructureFault and Diverged, which are not the player's fault, and PlayerFault for whatever
    the player raises that is no ValueError: a program's error is not an answer.
    """
    answer = Answer(None, "null", [])
    refusals: list[Refusal] = []
    again = True
    while again and len(refusals) < most:
        try:
            said = await ask(refusals)
        except (InfrastructureFault, Diverged, TimeUp):
            raise
        except NoUsableReply as error:
            answer.attempts += _taken(error.noted, error.used)
            answer.calls += error.calls
            refused, again = _attempt(error.by, error.cause, str(error), error.said), error.again
        except ValueError as error:
            refused = _attempt("player", "invalid", f"{type(error).__name__}: {error}", None)
        except Exception as error:  # a player may raise anything
            raise PlayerFault(player, error) from error
        else:
            if isinstance(said, ReplyWithUsage):
                answer.attempts += _taken(said.noted, said.used)
                answer.calls += said.calls
                said = said.reply
            try:
                reply = read(said)
                answer.line, answer.reply = json_of(reply), reply
                break
            except ValidationError as error:
                refused = _attempt("form", "invalid", in_short(error, "reply"), said)
            except ValueError as error:
                refused = _attempt("rule", "rule", str(error), said)
        answer.attempts.append(refused)
        refusals.append(refusal(refused))
    return answer


def recorded(reply: str, attempts: str, form: AnyForm, where: str) -> Answer:
    """Read the answer in a record's JSON texts; `null` is no reply. Raises Diverged if it cannot be read."""
    try:
        answer = None if reply == "null" else form.validate_json(reply)
        return Answer(answer, reply, json.loads(attempts))
    except ValueError as error:
        raise Diverged(f"{where} of the record cannot be read") from error


def refusal(attempt: Json) -> Refusal:
    """The notice to a seat about a refused attempt; a failure inside the player is never described."""
    by = attempt.get("by", attempt["at"])
    why = attempt["error"] if by != "player" else "no answer could be read"
    said = str(attempt.get("reply") or "") if attempt.get("cause") in _SHOWN else ""
    return Refusal(f"{NOT_VALID}: {why}", said if len(said) <= _MOST_SHOWN else f"{said[:_MOST_SHOWN]} …")


def _taken(noted: tuple[dict[str, str], ...], used: tuple[dict[str, str | int | None], ...]) -> list[Attempt]:
    """The notes and the cost of a reply, as entries of the record."""
    return [*noted, *({"at": "used", **one} for one in used)]


def cause_of(attempt: Json) -> Cause:
    """The cause of a refused attempt; older records have none, so it is told from what refused it."""
    by = attempt.get("by", attempt["at"])
    known: Cause = "rule" if by == "rule" else "grounding" if by == "grounding" else "invalid"
    cause: Cause = attempt.get("cause", known)
    return cause


def _attempt(by: Refuser, cause: Cause, error: str, said: object) -> Attempt:
    """Record a refused attempt: what refused it, why, and what was said."""
    if isinstance(said, BaseModel):
        shown = said.model_dump_json()
    elif isinstance(said, str):
        shown = said
    elif isinstance(said, dict | list | int | float):
        shown = repr(said)
    else:  # other objects' own words may differ from session to session
        shown = "" if said is None else f"<{type(said).__name__}>"
    return {"at": REFUSED, "by": by, "cause": cause, "error": error[:500], "reply": shown[:4000]}
