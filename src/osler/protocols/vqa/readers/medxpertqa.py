"""MedXpertQA: `id`, `question`, `options` by letter, `label`, `images` (file names, in order), and by which
subjects it is counted: `medical_task`, `body_system`, `question_type`.

As published, the text of a question ends with its options again ("Answer Choices: (A) ... (B) ..."). That
list is taken off, because options are shown in an order of their own.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from osler.protocols.vqa.item import LETTERS, BadRow, Pictured, VqaItem
from osler.protocols.vqa.readers.fields import identity, index_of, lettered, needed, picture, text, unpacked
from osler.protocols.vqa.readers.rows import Read, Row, items

SUBJECTS: Final = ("medical_task", "body_system", "question_type")
_LISTED: Final = re.compile(r"\s*\bAnswer Choices:\s*(?=\(A\))", re.IGNORECASE)


def read(path: Path) -> Read:
    """The items of a file. Raises BadInput for a fault of the file as a whole."""
    return items(path, _item)


def _item(number: int, row: Row) -> VqaItem:
    options = lettered(row.get("options"))
    subjects = ((name, text(row, name)) for name in SUBJECTS)
    return VqaItem(
        row=number,
        id=identity(row, number),
        question=_without_options(needed(row, "question"), options),
        options=options,
        right=index_of(needed(row, "label", "answer"), len(options), "label"),
        pictures=_pictures(row.get("images")),
        subjects=tuple((kind, name) for kind, name in subjects if name),
    )


def _pictures(value: Any) -> tuple[Pictured, ...]:
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        value = unpacked(value, "images")
    listed = value if isinstance(value, list) else [value]
    pictures = (picture(one, at, f"images[{at - 1}]") for at, one in enumerate(listed, 1))
    return tuple(one for one in pictures if one is not None)


def _without_options(question: str, options: tuple[str, ...]) -> str:
    """The question without the list of its options at its end. Raises BadRow for a list of other ones."""
    starts = list(_LISTED.finditer(question))
    if not starts:
        return question
    listed = _bare(question[starts[-1].end() :])
    own = _bare(" ".join(f"({letter}) {one}" for letter, one in zip(LETTERS, options, strict=False)))
    if listed != own:
        raise BadRow("the options listed at the end of the question are not its options")
    return question[: starts[-1].start()].rstrip()


def _bare(said: str) -> str:
    return "".join(said.split())
