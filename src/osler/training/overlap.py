"""Cases of an evaluation that a data set holds for training or validation, itself or nearly.

A case was seen if the data set's training or validation split has it by its content hash, or has one of the
same cluster (`osler.training.splits`): they share a passage, or half of their runs of words. A case of the
test split was not. Pictures are not compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from osler.errors import BadInput
from osler.training.reading import case_lines, manifest_of
from osler.training.splits import SPLITS, TEST, CaseText, case_text, clusters
from osler.training.written import CASES


class DataSetCases(NamedTuple):
    """The cases of a data set in their own words, and the split of each, by content hash."""

    cases: Mapping[str, CaseText]
    split: Mapping[str, str]


def held_in(folder: Path) -> DataSetCases:
    """Read the cases of a data set. Raises BadInput for a folder that holds none, or cannot be read."""
    manifest_of(folder)
    path = folder / CASES
    cases: dict[str, CaseText] = {}
    split: dict[str, str] = {}
    try:
        for one in case_lines(path):
            name, place = str(one["case_hash"]), str(one["split"])
            if place not in SPLITS:
                raise ValueError(f"there is no split {place[:40]!r}")
            cases[name] = case_text(name, str(one["case_id"]), map(str, one["texts"]))
            split[name] = place
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"cannot be read: {error}"[:300], where=str(path)) from None
    return DataSetCases(cases, split)


class SeenCase(NamedTuple):
    """A case that training has seen: the split it was seen in, and why it counts as seen."""

    split: str
    why: str


def seen(folder: Path, cases: Sequence[CaseText]) -> dict[str, SeenCase]:
    """Return the cases that a data set holds for training or validation, by content hash. Raises BadInput."""
    data_set_cases = held_in(folder)
    texts = {name: one for name, one in data_set_cases.cases.items() if data_set_cases.split[name] != TEST}
    own = {case.hash: case for case in cases}
    cluster_of = clusters({**texts, **own}.values())
    first: dict[str, str] = {}
    for name in sorted(texts):
        first.setdefault(cluster_of[name], name)
    seens = {}
    for name in own:
        if name in texts:
            seens[name] = SeenCase(data_set_cases.split[name], "the case itself")
        elif other := first.get(cluster_of[name]):
            seens[name] = SeenCase(data_set_cases.split[other], f"nearly {texts[other].id}")
    return seens
