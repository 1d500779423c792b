"""Probes against every reward of a tutor, learning gain, and what a tutor's context says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from osler.errors import BadInput
from osler.judging.opening import JudgeModel
from osler.models.types import CompletionRequest
from osler.protocols.ward_round.training.bedside import bedside
from osler.protocols.ward_round.training.gain import NOT_HEARD, Gain, gain_of, heard
from osler.protocols.ward_round.training.of_tutor import OfTutor
from osler.protocols.ward_round.training.probes import FOREIGN, plain_turn
from osler.protocols.ward_round.training.rubric import NoThinking, Rubric, Rule, Vanilla
from osler.protocols.ward_round.training.seat import TUTOR_SEAT
from osler.training.reward.opening import controlled, open_reward
from osler.training.reward.probes import PLAIN, Probed, run_probes
from osler.training.reward.score import RewardOptions
from osler.training.state import State, said
from tests.judging.model.judges import ENDPOINT, Scripted, strictly_read
from tests.protocols.ward_round.training.states import ANALYSES, STEPS, perfect, state_of, text_of

THE_LIST = (
    "empty",
    "tags only",
    "all names without words",
    "copied analyses",
    "50 questions",
    "praise only",
    "the answer",
    "injected scores",
    FOREIGN,
)
"""The probes that the issue names."""
OTHER = state_of(
    ident="s2",
    case="A girl of 9 limps and has a fever.",
    answer="Septic arthritis of the hip",
    options=None,
    steps=[
        {
            "number": 1,
            "question": "Which joint is stiff when the child is examined?",
            "summary": "The hip is held bent and turned out.",
        }
    ],
    analyses={"Ann": "The knee may be bruised.", "Bo": "A fever and a limp worry me.", "Cyd": "I pass."},
).model_copy(update={"case_hash": "d" * 16})
STATES = [
    *(state_of(ident=f"s{k}", images=k % 2 == 1).model_copy(update={"world": f"w{k}"}) for k in range(20)),
    OTHER,
    state_of(ident="one", names=("Ann",)),
    state_of(ident="passed", analyses={}),
    state_of(ident="covered", covered=[1, 2]),
    state_of(ident="over", covered=[1, 2, 3]),
    state_of(ident="no options", options=None, history="The patient: It hurts."),
    state_of(ident="names it", steps=[{**STEPS[0], "question": "Why is this right ventricular infarction?"}]),
]


def probed(reward: Any, states: list[State] = STATES) -> dict[str, Probed]:
    return {one.name: one for one in asyncio.run(run_probes(reward, states, reward.probing))}


@pytest.mark.parametrize("opens", [Rubric, NoThinking, Vanilla, Rule], ids=lambda opens: opens.name)
def test_by_the_stand_ins_no_probe_scores_above_the_plain_turn_at_any_state(opens: type[Any]) -> None:
    found = probed(opens(RewardOptions()))
    assert set(THE_LIST) <= set(found)
    assert {name: one.above for name, one in found.items() if one.above} == {}
    assert not any(one.beats for one in found.values())


@pytest.mark.parametrize("veto", ["paper", "floor", "off"])
def test_under_every_veto(veto: str) -> None:
    found = probed(Rubric(RewardOptions(veto=veto)))
    assert {name for name, one in found.items() if one.above} == set()
    worst = min(found.values(), key=lambda one: one.total or 0)
    assert worst.name in ("empty", "tags only")


def test_gain_is_earned_by_no_probe_beyond_the_plain_turn() -> None:
    found = probed(Gain())
    assert not any(one.beats for one in found.values())
    assert (found[PLAIN].total or 0) > 0
    assert found["the answer"].total == 0
    assert found["praise only"].total == 0


def test_a_lecture_is_no_gain_by_construction_and_is_one_by_telling() -> None:
    """A reward under one theory teaches the theory: the probe says so where it is true."""
    telling = probed(Gain(RewardOptions(theory="telling")))
    assert telling["every point told"].beats
    assert not probed(Gain())["every point told"].beats


def _careful(request: CompletionRequest) -> object:
    """A judge that reads: 2 for the plain turn's parts, -1 with a quote where one is empty of the case."""
    assert request.output is not None
    turn = dict(strictly_read(request.messages).blocks["turn"])
    case = " ".join(text for _, text in strictly_read(request.messages).blocks["said"])
    guidance = turn["guidance"]
    shared = {word for word in guidance.lower().split() if len(word) > 5} & set(case.lower().split())
    mark = 2 if shared and guidance.count("?") in (1, 2) else -1
    names = request.output.json_schema["required"]
    quote = next(iter(turn.values()))
    return {name: {"quote": quote[:900], "why": "", "score": mark} for name in names}


def test_with_a_judge_that_reads_no_probe_beats_the_plain_turn() -> None:
    client = Scripted(lambda n, request: _careful(request))
    reward = Rubric(RewardOptions(judge=JudgeModel(client, ENDPOINT)))
    found = probed(reward, [state_of()])
    assert not any(one.beats for one in found.values())


def test_a_judge_that_pays_for_praise_is_found_out_by_the_probes() -> None:
    """What the probes are for: a reward with a hole is seen to have one before it trains anything."""

    def flattered(number: int, request: CompletionRequest) -> object:
        assert request.output is not None
        pleased = "proud of each of you" in request.messages[1].text
        names = request.output.json_schema["required"]
        return {name: {"quote": "", "why": "", "score": 2 if pleased else 0} for name in names}

    reward = Rubric(RewardOptions(judge=JudgeModel(Scripted(flattered), ENDPOINT)))
    found = probed(reward, [state_of()])
    assert [name for name, one in found.items() if one.beats] == ["praise only"]


def test_what_no_judge_answers_proves_nothing() -> None:
    reward = Rubric(RewardOptions(judge=JudgeModel(Scripted(lambda n, request: "no"), ENDPOINT)))
    found = probed(reward, [state_of()])
    assert (found[PLAIN].total, found[PLAIN].unscored) == (None, 1)
    assert not any(one.beats for one in found.values())
    with pytest.raises(BadInput, match="no state"):
        asyncio.run(run_probes(reward, [], reward.probing))


@pytest.mark.parametrize("state", STATES[-7:], ids=lambda state: state.id)
def test_the_plain_turn_is_a_whole_turn_at_every_state(state: State) -> None:
    score = asyncio.run(Rubric(RewardOptions()).score(state, text_of(plain_turn(bedside(state)))))
    assert not score.vetoed
    assert not Rubric(RewardOptions()).leaks(state, text_of(plain_turn(bedside(state))))


# Leaks


def test_leaks_are_seen_and_what_students_said_is_none() -> None:
    reward = Rubric(RewardOptions())
    turn = perfect()
    assert not reward.leaks(state_of(), text_of(turn))
    told = text_of(turn._replace(guidance="The answer is right ventricular infarction, agreed?"))
    assert reward.leaks(state_of(), told)
    assert not reward.leaks(state_of(said=["Is it right ventricular infarction?"]), told)
    point = text_of(turn._replace(guidance="Nitrates lower preload and are withheld."))
    assert reward.leaks(state_of(), point)


# Gain


def asked(question: str, **options: Any) -> Any:
    state = state_of(**options)
    turn = perfect()._replace(guidance=f"Ann, Bo and Cyd, {question}")
    return asyncio.run(Gain().score(state, text_of(turn)))


def test_a_question_towards_a_step_gains_by_construction_and_not_by_telling() -> None:
    found = [asyncio.run(Gain().score(state, text_of(plain_turn(bedside(state))))) for state in STATES[:20]]
    assert {tuple(score.axes) for score in found} == {("construct", "telling", "novice")}
    assert all(score.total == score.axes["construct"] for score in found)
    assert sum(score.axes["construct"] for score in found) > 0
    assert sum(score.axes["telling"] for score in found) == 0


def test_gain_lies_between_nothing_and_all_and_is_the_same_again() -> None:
    question = "which leads show the ST elevation, and which wall of the heart is that?"
    one, again = asked(question), asked(question)
    assert one == again
    assert 0 <= one.total <= 1


def test_a_turn_that_would_not_be_heard_is_below_any_gain() -> None:
    score = asyncio.run(Gain().score(state_of(), "no tags, no thought\n\nand two paragraphs"))
    assert score.total == NOT_HEARD
    assert set(score.axes.values()) == {NOT_HEARD}


def test_where_nothing_is_left_to_learn_there_is_no_score() -> None:
    taught = [said("assistant", f"Ann, {step['summary']}") for step in STEPS]
    state = state_of()
    state = state.model_copy(update={"messages": (*state.messages, *taught, said("user", "Round 2."))})
    score = asyncio.run(Gain(RewardOptions(theory="telling")).score(state, text_of(perfect())))
    assert (score.total, score.unscored) == (None, "nothing_left_to_learn")


def test_history_is_read_off_the_prompt_without_rejected_drafts() -> None:
    state = state_of()
    thought = text_of(perfect()).partition("\n\n")[0]
    told = (
        said("assistant", f"{thought}\n\nA rejected draft?"),
        said("user", "The specialist rejects it (facts): <feedback>no</feedback>\nYour draft was rejected."),
        said("assistant", f"{thought}\n\nAn approved one?"),
        said("user", "The specialist approves.\nAnn: <analysis>I see.</analysis>"),
    )
    found = list(heard(state.model_copy(update={"messages": (*state.messages, *told)})))
    assert [one.text for one in found if one.part == "guidance"] == ["An approved one?"]
    assert [one.text for one in found if one.who == "Ann"] == [ANALYSES["Ann"], "I see."]


def test_an_unknown_theory_is_refused() -> None:
    with pytest.raises(BadInput, match="construct, telling, novice"):
        Gain(RewardOptions(theory="osmosis"))


def test_a_plan_without_steps_teaches_nothing() -> None:
    state = state_of(steps=[])
    assert asyncio.run(gain_of(state, bedside(state), "Why?", "construct")) is None


# Opening by name, and contexts


def test_rewards_are_opened_by_name_and_the_rubric_is_the_usual_one() -> None:
    assert open_reward(TUTOR_SEAT).name == "rubric"
    for name in TUTOR_SEAT.rewards:
        assert open_reward(TUTOR_SEAT, name).name == name
    with pytest.raises(BadInput, match="rubric, rule, vanilla"):
        open_reward(TUTOR_SEAT, "joy")
    assert controlled(open_reward(TUTOR_SEAT, "gain")) is not None
    assert controlled(open_reward(TUTOR_SEAT, "outcome")) is None
    assert OfTutor().thinks


def test_a_context_of_another_seat_is_refused_in_words() -> None:
    state = state_of().model_copy(update={"context": {"question": "What now?"}})
    with pytest.raises(BadInput, match="not a tutor's: answer"):
        bedside(state)


def test_steps_count_as_covered_once_most_of_the_group_has_made_them() -> None:
    assert bedside(state_of()).made == frozenset()
    assert bedside(state_of(stated={"Ann": [1], "Bo": [1]})).made == {1}
    assert bedside(state_of(stated={"Ann": [1]})).made == frozenset()
    following = bedside(state_of(covered=[1], stated={"Ann": [2], "Cyd": [2]})).next_step
    assert following is not None
    assert following.number == 3


@pytest.mark.parametrize("opens", [Gain, Rule, Vanilla], ids=lambda opens: opens.name)
def test_a_turn_without_its_thought_is_no_turn_where_one_is_asked_for(opens: type[Any]) -> None:
    """Gain hears the guidance alone; at the bedside a turn without its thoughts would not be heard."""
    reward = opens(RewardOptions())
    bare = perfect().guidance
    for state in (state_of(), state_of(thinking=True)):
        whole, without = (asyncio.run(reward.score(state, text)) for text in (text_of(perfect()), bare))
        assert without.total < whole.total
    alone = asyncio.run(reward.score(state_of(thinking=False), bare))
    assert alone.total >= asyncio.run(reward.score(state_of(), text_of(perfect()))).total


def test_the_probes_take_the_form_that_a_state_asks_for() -> None:
    found = probed(Rule(), [state_of(thinking=False)])
    assert found[PLAIN].total == 1
    assert found["praise only"].total == 1
    assert probed(NoThinking(RewardOptions()), [state_of(thinking=False)])[PLAIN].total == 8


def test_a_rubric_of_the_other_form_is_refused_and_not_scored_lowest() -> None:
    with pytest.raises(BadInput, match="no-thinking"):
        asyncio.run(Rubric(RewardOptions()).score(state_of(thinking=False), perfect().guidance))
    with pytest.raises(BadInput, match="name rubric"):
        asyncio.run(NoThinking(RewardOptions()).score(state_of(thinking=True), perfect().guidance))
