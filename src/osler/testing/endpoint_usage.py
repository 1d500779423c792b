"""Usage statistics of the fake endpoint: tokens, cacheable prompt prefixes, requests and faults."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from osler.testing.endpoint_schema import Json

IMAGE_TOKENS: Final = 765
_CHARS_PER_TOKEN: Final = 4
_PER_MESSAGE: Final = 4
_MOST_PREFIXES: Final = 200_000
_LATEST: Final = 100


class Message(NamedTuple):
    """One message: `text` is its words, `raw` its content exactly as sent, `tokens` its estimated cost."""

    role: str
    text: str
    raw: str
    tokens: int


def tokens(text: str) -> int:
    """Estimate the tokens of a text: four characters to a token."""
    return -(-len(text) // _CHARS_PER_TOKEN)


def message_of(role: str, text: str, raw: str, images: int = 0) -> Message:
    """A message and an estimate of its cost."""
    return Message(role, text, raw, _PER_MESSAGE + tokens(text) + images * IMAGE_TOKENS)


class Prefixes:
    """The prompts seen so far, as chains of whole messages; the oldest are evicted.

    A conversation is identified by model, instructions and first user message. Nothing counts as cached
    before its second request, so that system prompts shared between conversations do not inflate the figure.
    """

    def __init__(self) -> None:
        self._seen: dict[int, None] = {}

    def count(self, model: str, messages: Sequence[Message]) -> tuple[int, int]:
        """A prompt's tokens, and how many of them form a prefix seen earlier in its conversation.

        Remembers this prompt for the next.
        """
        total = cached = 0
        link = hash(model)
        whole, opened = True, False
        for message in messages:
            link = hash((link, message.role, message.raw))
            total += message.tokens
            opened = opened or message.role == "user"
            if not opened:
                continue
            if whole and link in self._seen:
                cached = total
            else:
                whole = False
                self._seen[link] = None
        while len(self._seen) > _MOST_PREFIXES:
            del self._seen[next(iter(self._seen))]
        return total, cached


@dataclass(slots=True)
class Tally:
    """Sums over answered requests. `late` counts from a conversation's fourth answer on."""

    requests: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    late_prompt: int = 0
    late_cached: int = 0

    def add(self, prompt: int, cached: int, completion: int, turn: int) -> None:
        """Count one answer; `turn` is the number of earlier answers in the conversation."""
        self.requests += 1
        self.prompt += prompt
        self.cached += cached
        self.completion += completion
        if turn >= 3:
            self.late_prompt += prompt
            self.late_cached += cached

    def shown(self) -> dict[str, Json]:
        """The sums, and the share of prompt tokens in the common prefix, over all and after three turns."""
        return {
            "requests": self.requests,
            "prompt_tokens": self.prompt,
            "cached_tokens": self.cached,
            "completion_tokens": self.completion,
            "prefix_share": self.cached / self.prompt if self.prompt else None,
            "prefix_share_after_three": self.late_cached / self.late_prompt if self.late_prompt else None,
        }


@dataclass(slots=True)
class Stats:
    """All the counts shown at `/stats`."""

    paths: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    asked_of: Counter[str] = field(default_factory=Counter)
    all: Tally = field(default_factory=Tally)
    models: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    seats: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    latest: deque[int] = field(default_factory=lambda: deque(maxlen=_LATEST))

    def shown(self) -> dict[str, Json]:
        """The counts as JSON. `requests` are those received, faults included; the tallies are of answers."""
        return {
            "requests": self.paths.total(),
            "paths": dict(self.paths),
            "statuses": {str(status): count for status, count in self.statuses.items()},
            "faults": dict(self.faults),
            "requests_per_model": dict(self.asked_of),
            "answers": self.all.shown(),
            "models": {name: tally.shown() for name, tally in self.models.items()},
            "seats": {name: tally.shown() for name, tally in self.seats.items()},
            "last_prompt_tokens": list(self.latest),
        }
