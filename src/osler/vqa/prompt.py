"""The prompt of a question: its text with the options as shown, and its pictures in the order of that text.

Pictures are attached after the text and cannot be named there, so they are numbered by their place among
those attached: what the source calls `<image 3>` is "picture 1" if the shown text names it first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from osler.models.types import Image, Message
from osler.prompts import prompt
from osler.vqa.item import IMAGE, Item
from osler.vqa.order import letters_of

PROMPT: Final = "osler.vqa:prompts/question.jinja"


class Asked(NamedTuple):
    """One question as it is asked: an item, the order of its options, and whether its pictures are withheld.
    `seed` and `rotation` are those of the order."""

    item: Item
    shown: tuple[int, ...]
    seed: int = 0
    rotation: int = 0
    blind: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The options' texts in the order shown."""
        return tuple(self.item.options[at] for at in self.shown)

    @property
    def letters(self) -> str:
        """The letters of the options in the order shown."""
        return letters_of(self.item)

    @property
    def right(self) -> int:
        """The place of the right option in the order shown, from 0."""
        return self.shown.index(self.item.right)


def prompt_hash() -> str:
    """The hash of the prompt's template."""
    return prompt(PROMPT).hash


def message(asked: Asked, pictures: Sequence[bytes]) -> Message:
    """The one message of a question; `pictures` are the bytes of the item's, in the order of its row."""
    place = _places(asked)

    def named(text: str) -> str:
        return IMAGE.sub(lambda found: f"[picture {place[int(found[1])]}]", text)

    options = {letter: named(text) for letter, text in zip(asked.letters, asked.options, strict=True)}
    count = len(asked.item.pictures)
    text = prompt(PROMPT).render(
        {
            "question": named(asked.item.question),
            "options": options,
            "attached": 0 if asked.blind else count,
            "withheld": count if asked.blind else 0,
        }
    )
    by_number = {one.number: raw for one, raw in zip(asked.item.pictures, pictures, strict=True)}
    sent = () if asked.blind else tuple(Image.of(by_number[number]) for number in place)
    return Message(role="user", text=text, images=sent)


def _places(asked: Asked) -> dict[int, int]:
    """The place of each picture among those attached, from 1, by its number, in order: as the shown text
    names them, then those it does not name."""
    text = "\n".join((asked.item.question, *asked.options))
    named = map(int, IMAGE.findall(text))
    return {
        number: at
        for at, number in enumerate(dict.fromkeys((*named, *(one.number for one in asked.item.pictures))), 1)
    }
