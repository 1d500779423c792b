"""The built-in controller: it says what acts mean, and leaves what becomes of them to the script."""

from __future__ import annotations

from osler.core.events import Event
from osler.protocols.scenario.events import Assessed
from osler.protocols.scenario.players.controller import BaselineController
from osler.testing.players import Rebuilt
from tests.protocols.scenario.playing import move, small
from tests.protocols.scenario.stage import staged


def assessed(*acts: str) -> list[tuple[str, str, str]]:
    events: list[Event] = list(staged(small(), examinee=[move("", *acts)]).events)
    return [(each.raw, each.action, each.status) for each in events if isinstance(each, Assessed)]


def test_acts_are_recognized_in_the_examinees_own_words() -> None:
    assert assessed("put the monitor on him: attach it", "BM check please") == [
        ("put the monitor on him: attach it", "attach_monitor", "executed"),
        ("BM check please", "check_glucose", "executed"),
    ]


def test_a_refused_act_is_not_done_and_one_for_later_is_pending() -> None:
    assert assessed("do not give insulin", "if he fits again, give glucose iv") == [
        ("do not give insulin", "", "unsupported"),
        ("if he fits again, give glucose iv", "give_glucose", "pending"),
    ]


def test_it_keeps_nothing_between_calls() -> None:
    listed = [move("Hello", "check the glucose"), move("", "give glucose iv"), move(eos=True)]
    rebuilt = staged(small(), examinee=listed, controller=Rebuilt(BaselineController))
    assert rebuilt == staged(small(), examinee=listed)
