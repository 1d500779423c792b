"""PMC-VQA: `Figure_path`, `Question`, `Choice A` to `Choice D` (often written " A: ..."), and the right
letter as `Answer_label`, with its text as `Answer`; the second release has the letter as `Answer`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from osler.protocols.vqa.item import LETTERS, BadRow, VqaItem, plain
from osler.protocols.vqa.readers.fields import identity, index_of, needed, picture, text
from osler.protocols.vqa.readers.rows import Read, Row, items

CHOICES: Final = 4


def read(path: Path) -> Read:
    """The items of a file. Raises BadInput for a fault of the file as a whole."""
    return items(path, _item)


def _item(number: int, row: Row) -> VqaItem:
    choices = [_choice(row, letter) for letter in LETTERS[:CHOICES]]
    figure = picture(needed(row, "figure_path"), 1, "figure_path")
    return VqaItem(
        row=number,
        id=identity(row, number),
        question=needed(row, "question"),
        options=tuple(choices),
        right=_right(row, choices),
        pictures=(figure,) if figure is not None else (),
    )


def _choice(row: Row, letter: str) -> str:
    """An option's text without the letter that is written before it."""
    said = needed(row, f"choice_{letter.lower()}")
    return re.sub(rf"^\s*{letter}\s*[:.)]\s*(?=\S)", "", said).strip()


def _right(row: Row, choices: list[str]) -> int:
    """The index of the right choice. Raises BadRow where letter and text contradict each other."""
    label, answer = text(row, "answer_label"), text(row, "answer")
    if not label and not answer:
        raise BadRow("it has no answer_label and no answer")
    same = [at for at, choice in enumerate(choices) if plain(choice) == plain(_bare(answer))]
    if label:
        at = index_of(label, len(choices), "answer_label")
        if same and at not in same:
            raise BadRow(f"answer_label is {label[:10]}, but answer is the text of {LETTERS[same[0]]}")
        return at
    if len(same) != 1:
        return index_of(answer, len(choices), "answer")
    if len(answer) == 1 and answer.upper() != LETTERS[same[0]] and answer.upper() in LETTERS[:CHOICES]:
        raise BadRow(f"answer is {answer}, which is a letter and the text of another choice")
    return same[0]


def _bare(answer: str) -> str:
    return re.sub(r"^\s*[A-D]\s*[:.)]\s*(?=\S)", "", answer)
