"""The kind of what was ordered, in the events of orders and results."""

from __future__ import annotations

import pytest

from osler.core.events import EVENTS
from osler.core.order_events import Resulted, Taken

TAKEN = '{"kind":"taken","minute":5,"to":["doctor"],"order":1,"name":"ECG","ready_minute":15}'
RESULT = (
    '{"kind":"result","minute":15,"to":["doctor"],"order":1,"name":"ECG","returned":true,"text":"Normal."}'
)


@pytest.mark.parametrize("line", [TAKEN, RESULT])
def test_a_record_from_before_the_kind_was_told_reads_and_writes_as_it_was(line: str) -> None:
    (event,) = EVENTS.read(f"[{line}]", "a record")
    assert isinstance(event, Taken | Resulted)
    assert event.finding_kind == ""
    assert event.line == line


def test_a_kind_that_is_known_stands_in_the_record_and_is_read_again() -> None:
    event = Taken(minute=5, order=1, name="Chest X-ray", ready_minute=15, finding_kind="image")
    assert '"finding_kind":"image"' in event.line
    assert EVENTS.read(f"[{event.line}]", "a record") == (event,)
