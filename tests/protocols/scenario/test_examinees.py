"""Built-in examinees: an honest baseline, an oracle that proves a scenario playable, floors beneath both."""

from __future__ import annotations

import asyncio

import pytest

from osler.cases.rubrics.model import Traits
from osler.cases.scenarios.model import Evidence, RubricLine, Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.core.contract import OwnReply, Request
from osler.core.events import TurnBegan
from osler.core.order_events import Resulted
from osler.errors import BadInput, Status
from osler.protocols.scenario.events import Happened, Observed, Present, Spoke
from osler.protocols.scenario.judge.keyed import judge_scenario
from osler.protocols.scenario.oracle_plan import scenario_plan
from osler.protocols.scenario.players.examinee import ACTS, SENTENCES, BaselineExaminee
from osler.protocols.scenario.players.oracle import OracleExaminee, ScenarioPlan
from osler.protocols.scenario.players.trivial import (
    NullExaminee,
    OpeningOnlyExaminee,
    RepeatEverythingExaminee,
)
from osler.protocols.scenario.players.view_state import shown
from osler.protocols.scenario.seats import ExamineeMove, ExamineeView, PersonView
from tests.protocols.scenario.playing import judged, move, played, small

VIEW = ExamineeView(
    instructions="You are the doctor on the ward.",
    setting="A bay with a monitor.",
    opening="A 4-year-old girl has come out in hives and is wheezing after a peanut biscuit.",
    people=(PersonView(id="patient", name="Ada", role="patient"),),
    max_turns=12,
)
CALM = VIEW.model_copy(update={"opening": "A 40-year-old man has come for the result of a blood test."})


def asked(*feed: object, view: ExamineeView = VIEW) -> Request[ExamineeView]:
    return Request(view, feed, "world")  # type: ignore[arg-type]


def replied(*feed: object, view: ExamineeView = VIEW) -> ExamineeMove:
    return asyncio.run(BaselineExaminee().reply(asked(*feed, view=view)))


def library() -> list[Scenario]:
    return list(open_scenarios("library"))


# The baseline


def test_the_baseline_treats_what_it_recognizes_with_a_dose_for_the_age() -> None:
    first = replied()
    assert any("adrenaline 0.15 mg" in act and "intramuscular" in act for act in first.actions)
    assert "my name is" in first.speak
    assert not first.eos
    adult = VIEW.model_copy(update={"opening": VIEW.opening.replace("4-year-old girl", "44-year-old woman")})
    assert any("0.5 mg (0.5 mL of 1 mg/mL)" in act for act in replied(view=adult).actions)


def test_the_baseline_gives_no_adrenaline_to_somebody_well() -> None:
    assert not any("adrenaline" in act for act in replied(view=CALM).actions)


def test_a_move_is_no_flood_and_nothing_is_said_or_done_twice() -> None:
    said: list[object] = []
    acts: list[str] = []
    for _ in range(12):
        now = replied(*said)
        assert len(now.actions) <= ACTS
        assert now.speak.count(". ") <= 4 * SENTENCES
        said.append(OwnReply(now))
        acts += now.actions
        if now.eos:
            break
    assert isinstance(said[-1], OwnReply)
    assert said[-1].reply.eos, "with nothing new to see, the list comes to its end"  # type: ignore[attr-defined]
    assert len(acts) == len(set(acts))


def test_it_reassesses_when_the_patient_changes() -> None:
    everything: list[str] = []
    feed: list[object] = [Observed(minute=1, status="She wheezes."), OwnReply(replied())]
    for _ in range(8):
        now = replied(*feed)
        feed.append(OwnReply(now))
        everything += now.actions
    again = [act for act in everything if act.startswith("Reassess")]
    changed = replied(*feed, Observed(minute=9, status="She is grey and floppy."))
    assert len(again) == 1
    assert again[0] in changed.actions


def test_vital_signs_are_read_for_the_age() -> None:
    fast = Observed(minute=1, status="She sits up.", vitals={"heart rate": "120/min"})
    quiet = VIEW.model_copy(update={"opening": "A 4-year-old girl is here."})
    grown = VIEW.model_copy(update={"opening": "A 44-year-old woman is here."})
    assert not any("pulse" in act for act in replied(fast, view=quiet).actions)
    assert any("pulse" in act for act in replied(fast, view=grown).actions)


def test_who_is_there_is_spoken_to() -> None:
    nurse = Present(minute=2, who="Nurse Kemp", role="team", here=True)
    assert "Nurse Kemp" in replied(nurse).speak
    left = nurse.model_copy(update={"here": False})
    assert "Nurse Kemp" not in replied(nurse, left).speak


def test_bad_news_comes_in_steps() -> None:
    told = CALM.model_copy(update={"instructions": "Tell him that his biopsy result shows cancer."})
    feed: list[object] = []
    turns = []
    for _ in range(8):
        now = replied(*feed, view=told)
        feed.append(OwnReply(now))
        turns.append(now.speak)
    place = {
        words: next(at for at, said in enumerate(turns) if words in said)
        for words in ("what you understand", "not good", "shows cancer", "a shock")
    }
    assert list(place.values()) == sorted(set(place.values())), "each in a turn of its own"


def test_players_keep_nothing_between_calls() -> None:
    one, feed = BaselineExaminee(), [TurnBegan(minute=0, turn=1, turns_left=11)]
    first = asyncio.run(one.reply(asked(*feed)))
    later = [*feed, OwnReply(first), Happened(minute=2, text="He groans.", source="state")]
    fresh = asyncio.run(BaselineExaminee().reply(asked(*later)))
    assert asyncio.run(one.reply(asked(*later))) == fresh


# The others


def test_null_and_repeat_everything() -> None:
    feed = (
        Spoke(minute=1, by="patient", who="Ada", text="It itches."),
        Resulted(minute=2, order=1, name="chest", returned=True, text="Wheeze all over."),
        Resulted(minute=2, order=2, name="wand", returned=False, text="Nothing comes of this."),
    )
    assert asyncio.run(NullExaminee().reply(asked(*feed))) == ExamineeMove()
    said = asyncio.run(RepeatEverythingExaminee().reply(asked(*feed)))
    assert {"It itches.", "Wheeze all over.", VIEW.opening} <= set(said.actions)
    assert "Nothing comes of this." not in said.actions
    assert "Wheeze all over." in said.speak


def test_opening_only_acts_once_whatever_happens() -> None:
    late = (Observed(minute=3, status="She has stopped breathing."),)
    first = asyncio.run(OpeningOnlyExaminee().reply(asked(*late)))
    assert first == asyncio.run(OpeningOnlyExaminee().reply(asked()))
    assert asyncio.run(OpeningOnlyExaminee().reply(asked(OwnReply(first), *late))) == move(eos=True)


def test_the_oracle_shows_every_item_of_the_small_scenario() -> None:
    trace = played(OracleExaminee(scenario_plan(small())))
    found = judge_scenario(small(), trace)
    assert trace.outcome.status is Status.COMPLETED
    assert found.scores.net.value == 1.0


def test_the_oracle_speaks_in_several_turns_where_one_would_say_too_much() -> None:
    together = RubricLine(
        competency="PROF",
        text="Names himself and asks about tablets in one breath",
        traits=Traits(negative=True),
        shown_by=(Evidence(said=("lane", "tablets"), together=True),),
    )
    harder = small().model_copy(update={"rubric": (*small().rubric, together)})
    assert len(scenario_plan(harder).moves) > len(scenario_plan(small()).moves)
    assert judged(OracleExaminee(scenario_plan(harder)), harder).scores.net.value == 1.0


def test_the_oracle_plays_a_longer_scenario_than_its_plan_and_the_static_arm() -> None:
    plan = ScenarioPlan(moves=(move("Hello.", "look"), move("Bye.", "look", "write")))
    oracle = OracleExaminee(plan)
    assert asyncio.run(oracle.reply(asked(OwnReply(move()), OwnReply(move())))) == move(eos=True)
    whole = VIEW.model_copy(update={"whole_case": "everything"})
    assert asyncio.run(oracle.reply(asked(view=whole))) == move("Hello. Bye.", "look", "write", eos=True)


def test_no_oracle_without_declared_evidence() -> None:
    with pytest.raises(BadInput, match="declares its evidence"):
        scenario_plan(small().model_copy(update={"rubric": ()}))


def test_what_an_examinee_has_been_shown() -> None:
    feed = (
        TurnBegan(minute=0, turn=1, turns_left=3),
        OwnReply(move("Hello.")),
        Observed(minute=1, status="Pale.", vitals={"pulse": "90"}),
        TurnBegan(minute=1, turn=2, turns_left=2, last_chance=True),
    )
    seen = shown(asked(*feed))
    assert seen.now == ("Pale.", "pulse 90", "Pale.", "pulse 90")
    assert seen.moves == (move("Hello."),)
    assert seen.since_change == ()
    assert (seen.turns_left, seen.last_chance) == (2, True)
    assert seen.named("patient") == "Ada"


# On our own scenarios


@pytest.mark.parametrize("scenario", library(), ids=lambda scenario: scenario.case_id)
def test_our_scenarios_tell_sense_from_none(scenario: Scenario) -> None:
    oracle = judged(OracleExaminee(scenario_plan(scenario)), scenario)
    missed = [
        item.text
        for item, verdict in zip(oracle.rubric.items, oracle.verdicts, strict=True)
        if verdict.holds is item.traits.negative
    ]
    assert missed == []
    assert oracle.scores.net.value == 1.0
    null = judged(NullExaminee(), scenario).scores.net.value
    assert null is not None
    assert null <= 0.02


@pytest.mark.slow
def test_the_baseline_is_above_its_floors_on_our_scenarios() -> None:
    nets: dict[str, list[float]] = {}
    for player in (BaselineExaminee(), RepeatEverythingExaminee(), OpeningOnlyExaminee()):
        for scenario in library():
            value = judged(player, scenario).scores.net.value
            assert value is not None
            nets.setdefault(player.name, []).append(value)
    means = {name: sum(values) / len(values) for name, values in nets.items()}
    assert means["baseline"] >= 0.2
    assert means["repeat-everything"] < means["baseline"]
    assert means["opening-only"] < means["baseline"]
