"""Prompts for reinforcement with verl: a Parquet file for each split, from the single rows alone.

    prompt        the messages that the seat was given, each with a marker for each of its pictures; the turn
                  that was then said is nowhere in the row
    images        the pictures' bytes, in the order of the markers
    reward_model  style "rule", and as `ground_truth` the case's answer, empty where the protocol has none
    extra_info    the state's names, and `context` (JSON): facts that a reward needs, which are in no prompt
    data_source   the protocol and the seat

The same prompt, asked in two runs, is one row.

Source: verl, Prepare Data for Post-Training.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from osler.core.episode import digest
from osler.training.samples import Sample
from osler.training.writers.form import Content, marked, splits_in, verl_file
from osler.training.writers.parquet import GROUP, OPTIONS, arrow

_NAMES: Final = ("id", "protocol", "seat", "run", "episode", "world", "case_id", "case_hash", "cluster")


def write(content: Content) -> None:
    """Write the files. Raises BadInput where pyarrow is missing."""
    pa = arrow()
    schema = _schema(pa)
    for split in splits_in([one for one in content.parts if one[0] == "single"]):
        path = content.folder / verl_file(split)
        path.parent.mkdir(parents=True, exist_ok=True)
        each = _prompts(content, split)
        with pa.parquet.ParquetWriter(path, schema, **OPTIONS) as writer:
            while some := list(islice(each, GROUP)):
                writer.write_table(pa.Table.from_pylist(some, schema))


def _prompts(content: Content, split: str) -> Iterator[dict[str, Any]]:
    known = set[str]()
    for sample in content.rows("single", split):
        prompt = marked(sample, sample.messages)
        whole = digest(json.dumps(prompt), *(image.sha256 for image in sample.images))
        if whole not in known:
            known.add(whole)
            images = [{"bytes": content.album.bytes_of(image)} for image in sample.images]
            yield _row(sample, len(known) - 1, prompt, images)


def _row(sample: Sample, index: int, prompt: list[dict[str, str]], images: list[Any]) -> dict[str, Any]:
    answer = sample.context.get("answer")
    extra = {name: getattr(sample, name) for name in _NAMES}
    extra |= {"index": index, "split": sample.split, "turn": sample.turn}
    extra["context"] = json.dumps(sample.context, ensure_ascii=False, sort_keys=True)
    return {
        "data_source": f"osler/{sample.protocol.partition('/')[0]}/{sample.seat}",
        "prompt": prompt,
        "images": images,
        "ability": sample.seat,
        "reward_model": {"style": "rule", "ground_truth": answer if isinstance(answer, str) else ""},
        "extra_info": extra,
    }


def _schema(pa: Any) -> Any:
    text = pa.string()
    extra = [(name, text) for name in (*_NAMES, "split", "context")]
    return pa.schema(
        [
            ("data_source", text),
            ("prompt", pa.list_(pa.struct([("role", text), ("content", text)]))),
            ("images", pa.list_(pa.struct([("bytes", pa.binary())]))),
            ("ability", text),
            ("reward_model", pa.struct([("style", text), ("ground_truth", text)])),
            ("extra_info", pa.struct([("index", pa.int64()), ("turn", pa.int64()), *extra])),
        ]
    )
