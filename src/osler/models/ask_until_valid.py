"""Asking a model until its answer passes a check: faults are appended, earlier messages never change.

So an endpoint's prompt cache holds; the seed is another each time, lest the same answer come again. This is
about what an answer says; its form is the client's matter (`osler.models.structured`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar

from osler.models.faults import ModelAnswerError
from osler.models.types import Completion, CompletionRequest, Message, ModelClient, another
from osler.text.hostile import neutral

_MOST_TOLD: Final = 20
T = TypeVar("T")


class Attempt(NamedTuple, Generic[T]):
    """One answer: its value, `None` where it is unusable, and its faults, one line each."""

    value: T | None
    wrong: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether the answer can be used as it is."""
        return self.value is not None and not self.wrong


class Attempts(NamedTuple, Generic[T]):
    """All attempts in order, and why the model gave no further answer; empty if it did not fail to."""

    made: tuple[Attempt[T], ...]
    failed: str

    @property
    def sound(self) -> T | None:
        """The value of the last attempt if it is sound; else `None`."""
        return self.made[-1].value if self.made and self.made[-1].sound else None

    @property
    def wrong(self) -> tuple[tuple[str, ...], ...]:
        """The faults of each attempt."""
        return tuple(one.wrong for one in self.made)


async def ask_until_valid(
    client: ModelClient,
    request: CompletionRequest,
    check: Callable[[Completion], tuple[T | None, tuple[str, ...]]],
    *,
    most: int,
    again: str,
) -> Attempts[T]:
    """Ask at most `most` times (at least 1), until `check` finds a value and no fault.

    `again` is the message that asks anew, with `{}` for the list of faults. Raises InfrastructureFault where
    the endpoint cannot be used.
    """
    made: list[Attempt[T]] = []
    while len(made) < most:
        try:
            answer = await client.complete(request)
        except ModelAnswerError as error:
            return Attempts(tuple(made), str(error))
        made.append(Attempt(*check(answer)))
        if made[-1].sound:
            break
        told = "\n".join(f"- {neutral(line)}" for line in made[-1].wrong[:_MOST_TOLD])
        messages = Message(role="assistant", text=answer.text), Message(role="user", text=again.format(told))
        request = another(request._replace(messages=(*request.messages, *messages)), 1)
    return Attempts(tuple(made), "")
