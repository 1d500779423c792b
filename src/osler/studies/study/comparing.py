"""What a study is of: how the runs of a protocol are read back, summed up and compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from osler.judging.pairing import Difference
from osler.seats.events import Frozen
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.study.design import Study


class Kind(NamedTuple):
    """One protocol's way. `read` reads a run back (judged anew where an earlier judge has), `summary` sums it
    up, `difference` compares two on one figure, second minus first, on the worlds that both could score;
    `figure` names the figure that the primary comparison is made on, and `compared` those of the others."""

    read: Callable[[RunInfo, Store], Any]
    summary: Callable[[str, Any], Frozen]
    difference: Callable[[str, Any, Any], Difference]
    figure: Callable[[Study, Mapping[str, Any]], str]
    compared: tuple[str, ...]
