"""A policy without a model: letters as tokens, a plain template, and answers that a test decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.monologue import Thought, Turn, render
from osler.runs import run as runs
from osler.runs.cached_source import InMemory
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.training.batcher import Answer, TokenPrompt
from osler.training.policy import Chat

END = 0
TURN = "\x00"


class Letters:
    """A token is a letter; the end of a turn is 0. The template: role, colon, text, end."""

    end = END
    sees = False
    control = ("<|end|>",)

    def begun(self, chat: Chat) -> str:
        return f"{''.join(map(_message, chat))}assistant:"

    def asked(self, chat: Chat, pictures: Sequence[bytes] = ()) -> list[int]:
        return ids(self.begun(chat))

    def since(self, chat: Chat) -> list[int]:
        last = max(n for n, message in enumerate(chat) if message["role"] == "assistant")
        return ids(f"\n{''.join(map(_message, chat[last + 1 :]))}assistant:")

    def said(self, given: Sequence[int]) -> str:
        return text(given).partition(TURN)[0]


def _message(message: dict[str, Any]) -> str:
    words = " ".join(block["text"] for block in message["content"] if block["type"] == "text")
    return f"{message['role']}:{words}{TURN}\n"


def ids(words: str) -> list[int]:
    return [ord(one) for one in words]


def text(given: Sequence[int]) -> str:
    return "".join(map(chr, given))


def turn(students: Sequence[str], question: str) -> str:
    """A tutor's turn that parses."""
    each = tuple((name, f"{name} said something.") for name in students)
    return render(Turn(Thought("So far.", "Next.", each, "All.", None), question))


Says = Callable[[int, str], str]
"""An answer from the place of its prompt in the batch, and the prompt."""


class Speaker:
    """An engine whose words a test decides; `asked` are the batches it got."""

    def __init__(self, says: Says) -> None:
        self.says = says
        self.asked: list[list[str]] = []

    def __call__(self, prompts: list[TokenPrompt]) -> list[Answer]:
        self.asked.append([text(one.ids) for one in prompts])
        return [Answer([*ids(self.says(n, text(one.ids))), END]) for n, one in enumerate(prompts)]


def played(
    store: Store, *, rounds: int = 3, students: int = 2, repeats: int = 1, name: str = "one"
) -> RunInfo:
    """Ward rounds without pictures, led by the built-in tutor and reviewed by nobody."""
    cases = [case for case in RoundConfig().opened() if case.id in ("paediatrics-03", "psychiatry-01")]
    source = InMemory("made up", tuple(cases), "made up")
    none = dict.fromkeys(("specialist", "supervisor", "expert"), "none")
    config = {"cases": "made up", "students": students, "repeats": repeats, "seed": 3, **none}
    whole = RoundConfig.model_validate({**config, "settings": {"max_rounds": rounds}})
    run = runs.begin(whole, store, None, source, name="one")
    runs.play(run, store, source=source)
    return store.run("one")
