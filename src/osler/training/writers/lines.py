"""Our own lines: each row whole, as a JSON object, with its pictures beside them by hash."""

from __future__ import annotations

import json
from collections.abc import Iterator

from osler.training.pictures import name_of
from osler.training.samples import Sample, as_row
from osler.training.writers.form import Content, lines_file

PICTURES = "images"


def write(content: Content) -> None:
    """Write the rows, and every picture that one of them shows."""
    for kind, split in content.parts:
        path = content.folder / lines_file(kind, split)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for sample in content.rows(kind, split):
                file.write(json.dumps(as_row(sample), ensure_ascii=False, sort_keys=True) + "\n")
    write_pictures(content)


def write_pictures(content: Content) -> None:
    """Write every picture that a row shows into the folder `images`."""
    folder = content.folder / PICTURES
    for sample in _all(content):
        for image in sample.images:
            path = folder / name_of(image)
            if not path.exists():
                folder.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.album.bytes_of(image))


def _all(content: Content) -> Iterator[Sample]:
    for kind, split in content.parts:
        yield from content.rows(kind, split)
