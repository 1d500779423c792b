"""LLaMA-Factory's ShareGPT form: `messages` with a marker for each image, `images` as paths, and
`dataset_info.json`.

A message is its text and then its markers, one for each of its images. Loss there is on every assistant
message; those that are no target of ours say so in the row's own record, under `osler`.
"""

from __future__ import annotations

import json
from typing import Any, Final

from osler.training.pictures import name_of
from osler.training.samples import Sample, as_row
from osler.training.writers.form import Content, marked, sharegpt_file
from osler.training.writers.lines import PICTURES, write_pictures

INFO: Final = "sharegpt/dataset_info.json"
RECORD: Final = "osler"
_TAGS: Final = {
    "role_tag": "role",
    "content_tag": "content",
    "user_tag": "user",
    "assistant_tag": "assistant",
    "system_tag": "system",
}


def write(content: Content) -> None:
    """Write a file for each kind and split, the pictures, and `dataset_info.json`."""
    info = dict[str, Any]()
    (content.folder / INFO).parent.mkdir(parents=True, exist_ok=True)
    for kind, split in content.parts:
        path = content.folder / sharegpt_file(kind, split)
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write("[")
            for at, sample in enumerate(content.rows(kind, split)):
                row = json.dumps(row_of(sample), ensure_ascii=False, sort_keys=True)
                file.write(f"{',' if at else ''}\n{row}")
            file.write("\n]\n")
        info[f"osler_{kind}_{split}"] = {
            "file_name": path.name,
            "formatting": "sharegpt",
            "columns": {"messages": "messages", "images": "images"},
            "tags": _TAGS,
        }
    text = json.dumps(info, indent=2, sort_keys=True)
    (content.folder / INFO).write_text(f"{text}\n", encoding="utf-8", newline="\n")
    write_pictures(content)


def row_of(sample: Sample) -> dict[str, Any]:
    """A row in this form. Raises ValueError if its markers are not its images."""
    record = {name: value for name, value in as_row(sample).items() if name not in ("messages", "target")}
    return {
        "messages": marked(sample, sample.chat),
        "images": [f"../{PICTURES}/{name_of(image)}" for image in sample.images],
        RECORD: json.dumps(record, ensure_ascii=False, sort_keys=True),
    }
