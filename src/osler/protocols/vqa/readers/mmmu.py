"""MMMU: `id`, `question` and `options` with places of pictures (`<image 1>`), `image_1` to `image_7`,
`answer`, `question_type` and `subfield`. `options` is a list, or a list written as text.

Of its subjects those of health and medicine are read, by the `id` ("validation_Clinical_Medicine_7"); a row
without a subject is taken. Open questions have no options: they are left out and counted.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from osler.protocols.vqa.item import BadRow, LeftOut, Pictured, VqaItem
from osler.protocols.vqa.readers.fields import identity, index_of, needed, picture, text, texts
from osler.protocols.vqa.readers.rows import Read, Row, items

MOST_PICTURES: Final = 7
HEALTH: Final = (
    "Basic_Medical_Science",
    "Clinical_Medicine",
    "Diagnostics_and_Laboratory_Medicine",
    "Pharmacy",
    "Public_Health",
)
"""The subjects of the discipline "Health and Medicine"."""
OPEN: Final = "open questions"
ELSEWHERE: Final = "of subjects outside health and medicine"
_ID: Final = re.compile(r"(?:dev|validation|test)_([A-Za-z_]+)_\d+")
_CHOICE: Final = ("multiple-choice", "multiple_choice", "multiple choice", "")


def read(path: Path) -> Read:
    """The items of a file. Raises BadInput for a fault of the file as a whole."""
    return items(path, _item)


def _item(number: int, row: Row) -> VqaItem | LeftOut:
    own = identity(row, number)
    match = _ID.fullmatch(own)
    subject = text(row, "subject") or (match[1] if match else "")
    subject = subject.replace(" ", "_")
    if subject and subject not in HEALTH:
        return LeftOut(number, ELSEWHERE)
    options = texts(row.get("options") or [])
    kind = text(row, "question_type").casefold()
    if kind not in (*_CHOICE, "open", "short-answer"):
        raise BadRow(f"question_type is {kind[:40]!r}, neither multiple-choice nor open")
    if kind not in _CHOICE or (kind == "" and not options):
        return LeftOut(number, OPEN)
    subjects = (("subject", subject), ("subfield", text(row, "subfield")))
    return VqaItem(
        row=number,
        id=own,
        question=needed(row, "question"),
        options=options,
        right=index_of(needed(row, "answer"), len(options), "answer"),
        pictures=_pictures(row),
        subjects=tuple((about, name) for about, name in subjects if name),
    )


def _pictures(row: Row) -> tuple[Pictured, ...]:
    numbers = range(1, MOST_PICTURES + 1)
    if not any(f"image_{at}" in row for at in numbers):  # some exports have one picture alone
        pictures = [picture(row.get("image"), 1, "image")]
    else:
        pictures = [picture(row.get(f"image_{at}"), at, f"image_{at}") for at in numbers]
    return tuple(one for one in pictures if one is not None)
