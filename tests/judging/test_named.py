"""A package's verdict is complete and named, or nothing of it is scored, whatever it returns or raises."""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import EntryPoint
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.core.judge import Judge, Verdict
from osler.core.measure import share_of
from osler.core.trace import Trace
from osler.errors import BadInput, InfrastructureFault, Status
from osler.judging.named import INCOMPLETE, plugged
from osler.judging.opening import JudgeModel
from osler.plugins import Plugin
from tests.judging.episodes import trace_with

SCORES = (share_of("clear", "clear", "share of clear ones"), share_of("kind", "kind", "share of kind ones"))
PLAYED = trace_with()
GOOD = {
    "clear": {"value": 0.5, "reason": "", "evidence": ["words"]},
    "kind": {"value": None, "reason": "no"},
}


class Found:
    """An entry point that gives this object."""

    def __init__(self, found: object) -> None:
        self.found = found

    def load(self) -> object:
        return self.found


def plugin(found: object) -> Plugin:
    entry: EntryPoint = Found(found)  # type: ignore[assignment]  # all that is used of one
    return Plugin("judges", "tone", "tones:TONE", "tones", entry)


def body(scores: object = GOOD, **more: object) -> str:
    return json.dumps({"grader": "tone", "version": "1", "scores": scores, **more})


def said(verdict: object, trace: Trace = PLAYED) -> dict[str, Any]:
    """What is stored of a package's verdict."""
    held = plugged(plugin(Judge("tone", lambda episode, trace: verdict, ("tone",), SCORES, ("any",))))  # type: ignore[arg-type, return-value]  # a package may return anything
    assert isinstance(held, Judge)
    kept = held.judge(None, trace)
    found: dict[str, Any] = json.loads(kept.body)
    assert (kept.grader, kept.version) == (found["grader"], found["version"])
    assert found["scores"].keys() == {"clear", "kind"}
    return found


def test_a_complete_verdict_is_kept_with_what_else_it_says() -> None:
    assert said(Verdict("tone", "1", body(note="more"))) == json.loads(body(note="more"))


@pytest.mark.parametrize(
    "verdict",
    [
        None,
        ("tone", "1", body()),
        Verdict("baseline", "1", body()),
        Verdict("tone", "", body()),
        Verdict("tone", "2", body()),
        Verdict("tone", "1", "no JSON"),
        Verdict("tone", "1", "[]"),
        Verdict("tone", "1", body([])),
        Verdict("tone", "1", body({"clear": GOOD["clear"]})),
        Verdict("tone", "1", body({**GOOD, "more": GOOD["clear"]})),
        Verdict("tone", "1", body({**GOOD, "kind": {"value": None}})),
        Verdict("tone", "1", body({**GOOD, "kind": {"value": True}})),
        Verdict("tone", "1", body({**GOOD, "kind": {"value": "1"}})),
        Verdict("tone", "1", body({**GOOD, "kind": {"value": float("nan")}})),
        Verdict("tone", "1", body({**GOOD, "kind": {"value": 1, "evidence": [1]}})),
        Verdict("tone", "1", body({**GOOD, "kind": 1})),
        Verdict("tone", "1", body().replace("words", "\ud800")),
    ],
)
def test_an_incomplete_verdict_scores_nothing(verdict: object) -> None:
    scores = said(verdict)["scores"].values()
    assert {(score["value"], score["reason"]) for score in scores} == {(None, INCOMPLETE)}


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(), lambda inner: st.dictionaries(st.text(), inner)
)


@given(ANY_JSON | st.fixed_dictionaries({"value": ANY_JSON}, optional={"reason": ANY_JSON}))
def test_whatever_a_package_scores_is_a_finite_number_or_nothing_with_a_reason(score: object) -> None:
    scores = said(Verdict("tone", "1", body({"clear": score, "kind": GOOD["clear"]})))["scores"]
    assert isinstance(scores["clear"]["value"], int | float) or scores["clear"]["reason"]


def test_what_the_simulation_spoilt_has_no_score() -> None:
    spoilt = Trace(PLAYED.rows, PLAYED.outcome._replace(status=Status.SIMULATOR_FAULT))
    scores = said(Verdict("tone", "1", body()), spoilt)["scores"].values()
    assert {(score["value"], score["reason"]) for score in scores} == {(None, "simulator_fault")}


class Asking:
    """A package's model judge: it does what its `client` says."""

    protocols, scores, grader = ("any",), SCORES, "tone:x"

    def __init__(self, model: JudgeModel) -> None:
        self.does = model.client

    def version_of(self, episode: Any) -> str:
        return "1"

    async def judge(self, episode: Any, trace: Trace) -> Any:
        if isinstance(self.does, Exception):
            raise self.does
        return self.does


def asked(does: object) -> dict[str, Any]:
    opens = plugged(plugin(Asking))
    assert not isinstance(opens, Judge)
    kept = asyncio.run(opens(JudgeModel(cast(Any, does), cast(Any, None))).judge(None, PLAYED))
    assert (kept.grader, kept.version) == ("tone:x", "1")
    found: dict[str, Any] = json.loads(kept.body)["scores"]["clear"]
    return found


def test_a_model_judge_of_a_package_is_held_to_the_same_and_its_faults_pause() -> None:
    whole = body().replace('"tone"', '"tone:x"')
    assert asked(Verdict("tone:x", "1", whole))["value"] == 0.5
    assert asked(Verdict("tone:x", "2", whole.replace('"1"', '"2"')))["reason"] == INCOMPLETE
    assert asked(ValueError("no"))["reason"] == "judge_failed: ValueError"
    with pytest.raises(InfrastructureFault):
        asked(InfrastructureFault("quota"))


def test_what_is_no_judge_says_so() -> None:
    for found, why in ((3, "is not a Judge"), (lambda model: None, "which protocols it is for")):
        with pytest.raises(BadInput, match=why):
            plugged(plugin(found))
