"""What the published code gets wrong about strategies and about what models are sent: not ours."""

from __future__ import annotations

from typing import Any

import pytest

from osler.models.types import CompletionRequest
from tests.protocols.scenario.modelled import by_models
from tests.protocols.scenario.playing import small
from tests.protocols.scenario.test_strategies import BestOf, ExpertPanel, SelfConsistency

VARIED = [
    {"match": {"schema_name": "examinee_move", "contains": f"Turn {turn},"}, "reply": reply}
    for turn, reply in (
        (1, {"speak": "Which tablets does he take?", "actions": ["monitor and vital signs"], "eos": False}),
        (2, {"speak": "", "actions": ["check the capillary glucose"], "eos": False}),
    )
]


def text_of(request: CompletionRequest) -> str:
    return "\n".join(message.text for message in request.messages)


@pytest.mark.parametrize("kind", [BestOf, ExpertPanel, SelfConsistency])
def test_whoever_is_asked_inside_a_strategy_has_the_whole_conversation_before_them(kind: Any) -> None:
    trace, overheard = by_models(small(), wrapped=lambda inside: kind(inside, 2), script=VARIED, max_turns=3)
    in_third_turn = [r for r in overheard.asked["examinee"] if "Turn 3," in text_of(r)]
    assert len(in_third_turn) == sum(row.n == trace.rows[-3].n for row in trace.inner) > 1
    for request in in_third_turn:
        for part in (
            small().opening,
            "Turn 1, minute 0",
            "Which tablets does he take?",
            "I am not sure about that.",
            "heart rate 112/min",
            "check the capillary glucose",
        ):
            assert part in text_of(request)


def test_the_critic_has_it_too_with_the_candidates_at_its_end() -> None:
    one_differs = {"match": {"schema_name": "examinee_move", "contains": "Turn 2,", "nth": 1}}
    other = {**one_differs, "reply": {"speak": "I wait.", "actions": [], "eos": False}}
    _, overheard = by_models(
        small(), wrapped=lambda inside: BestOf(inside, 2), script=[other, *VARIED], max_turns=2
    )
    (critic,) = (r for r in overheard.asked["examinee"] if r.output and r.output.name == "examinee_choice")
    for part in (small().opening, "Which tablets does he take?", "heart rate 112/min"):
        assert part in text_of(critic)
    last = critic.messages[-1].text
    assert last.index("Turn 2,") < last.index("<candidate>")
    assert "Says: I wait." in last
    assert "Does: check the capillary glucose" in last


def test_what_was_used_is_kept_for_every_call() -> None:
    trace, overheard = by_models(small())
    calls = sum(row.attempts.count('"at": "used"') for row in trace.rows)
    assert calls == sum(map(len, overheard.asked.values()))
