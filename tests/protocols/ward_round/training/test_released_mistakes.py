"""Every mistake of the released reward: a check that ours passes and the released behaviour does not."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence

import pytest

from osler.judging.opening import JudgeModel
from osler.models.types import CompletionRequest
from osler.protocols.ward_round.training.rubric import Rubric, Vanilla
from osler.training.reward.batch import score_all
from osler.training.reward.score import RewardOptions
from osler.training.reward.weighing import PAPER
from tests.judging.model.judges import ENDPOINT, Scripted
from tests.protocols.ward_round.training import released
from tests.protocols.ward_round.training.states import ANSWER, perfect, state_of, text_of

Scores = Callable[[Sequence[str], Callable[[str], str]], Sequence[float | None]]
"""Rewards of turns by a judge: the judge is given the prompt's text, and answers with text."""
GOOD = text_of(perfect())
SEES = text_of(perfect(images=True))
ALL = ("IS-2", "IS-3", "AQ-1", "AQ-2", "CS-1", "CS-2")


def by_ours(texts: Sequence[str], judge: Callable[[str], str]) -> Sequence[float | None]:
    """Our reward, whose judge has the marks of `judge` put into the form that is asked for."""

    def answer(number: int, request: CompletionRequest) -> object:
        assert request.output is not None
        said = judge(request.messages[1].text)
        try:
            given = json.loads(said)
        except ValueError:
            return said
        if not isinstance(given, dict):
            return said
        asked = request.output.json_schema["required"]
        own = {name: mark for name, mark in given.items() if name in asked or name not in ALL}
        return {name: {"quote": "side by side", "why": "", "score": mark} for name, mark in own.items()}

    reward = Rubric(RewardOptions(veto="paper", judge=JudgeModel(Scripted(answer), ENDPOINT)))
    scored = asyncio.run(score_all(reward, [(state_of(), text) for text in texts]))
    return [score.total for score in scored]


def by_released(texts: Sequence[str], judge: Callable[[str], str]) -> Sequence[float | None]:
    """The released reward, which is handed the reference answer as the context."""
    return released.batch(texts, [ANSWER] * len(texts), judge)


def marks(**given: object) -> str:
    """A judge's marks, 2 unless given."""
    return json.dumps(dict.fromkeys(ALL, 2) | {name.replace("_", "-"): mark for name, mark in given.items()})


# The checks


def no_tag_soup(scores: Scores) -> None:
    """Five opening tags anywhere are no form."""
    soup = "Hello <think_image <think_group <think_student <think_question <think_history !"
    assert scores([soup], lambda prompt: marks())[0] == PAPER


def names_count(scores: Scores) -> None:
    """A student without a thought is a breach, whatever context is at hand."""
    text = SEES.replace('<think_student student_id="Ann">', "<think_student>")
    assert scores([text], lambda prompt: marks())[0] == PAPER


def unclosed_tags_do_not_pass(scores: Scores) -> None:
    text = re.sub(r"</think_\w+>", "", SEES)
    assert scores([text], lambda prompt: marks())[0] == PAPER


def order_counts(scores: Scores) -> None:
    text = "\n".join(reversed(SEES.splitlines()))
    assert scores([text], lambda prompt: marks())[0] == PAPER


def no_image_tag_without_an_image(scores: Scores) -> None:
    """A perfect turn on a text case has no thought on images, and earns all there is."""
    assert scores([GOOD], lambda prompt: marks())[0] == 14


def no_key_overwrites_the_rule(scores: Scores) -> None:
    """A judge's own IS-1 lifts no broken turn."""
    assert scores(["no tags at all"], lambda prompt: marks(IS_1=2))[0] in (PAPER, None)


def no_key_adds_reward(scores: Scores) -> None:
    found = scores([GOOD, SEES], lambda prompt: marks(bonus=100))
    assert all(one is None or one <= 16 for one in found)


def no_mark_out_of_range(scores: Scores) -> None:
    found = scores([GOOD, SEES], lambda prompt: marks(**{"AQ-1": 50}))
    assert all(one is None or one <= 16 for one in found)


def a_null_moves_no_reward(scores: Scores) -> None:
    """Sample 1 is spoilt; what sample 2 earns is still in place 2."""
    texts = [GOOD, GOOD.replace("first round", "second round"), GOOD.replace("first round", "third round")]

    def judge(prompt: str) -> str:
        return marks(**{"AQ-1": None}) if "second round" in prompt else marks()

    found = scores(texts, judge)
    assert len(found) == len(texts)
    assert found[1] is None


def a_judge_without_an_answer_is_no_pass(scores: Scores) -> None:
    """Unreadable is unscored: neither 0 without a veto, nor a sum of the rest."""
    assert scores([GOOD], lambda prompt: "I cannot say.")[0] is None


def a_cut_answer_is_no_pass(scores: Scores) -> None:
    assert scores([GOOD], lambda prompt: marks(**{"CS-1": -2})[:40])[0] is None


def the_judge_is_shown_the_case_and_not_only_the_answer(scores: Scores) -> None:
    seen: list[str] = []

    def judge(prompt: str) -> str:
        seen.append(prompt)
        return marks()

    scores([SEES, GOOD], judge)
    assert any("crushing chest pain" in prompt and "metformin worry me" in prompt for prompt in seen)


CHECKS = (
    no_tag_soup,
    names_count,
    unclosed_tags_do_not_pass,
    order_counts,
    no_image_tag_without_an_image,
    no_key_overwrites_the_rule,
    no_key_adds_reward,
    no_mark_out_of_range,
    a_null_moves_no_reward,
    a_judge_without_an_answer_is_no_pass,
    a_cut_answer_is_no_pass,
    the_judge_is_shown_the_case_and_not_only_the_answer,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_ours_does_not_make_the_mistake(check: Callable[[Scores], None]) -> None:
    check(by_ours)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_released_behaviour_makes_it(check: Callable[[Scores], None]) -> None:
    with pytest.raises(AssertionError):
        check(by_released)


def test_form_is_all_or_nothing_where_the_released_mark_is_continuous() -> None:
    """With 3 students, 2 names found earned +0.67, and one name anywhere counted for every block."""
    context = "Current Student Analyses\n- Ann: a\n- Bo: b\n- Cyd: c\n- Note: the next visit"
    short = SEES.replace("Bo", "Xx")
    assert released.is_1(short, context) == pytest.approx(-2 + 4 * 2 / 4), "'- Note:' is taken for a student"
    reward = Rubric(RewardOptions(veto="paper"))
    found = asyncio.run(reward.score(state_of(images=True), short))
    assert found.items == {"IS-1": -2}


def test_a_fenced_answer_is_read_and_not_counted_as_0() -> None:
    fenced = f"```json\n{marks()}\n```"
    assert released.total(SEES, ANSWER, lambda prompt: fenced) == 2, "IS-1 alone: the rest is lost"

    def answer(number: int, request: CompletionRequest) -> object:
        assert request.output is not None
        names = request.output.json_schema["required"]
        return "```json\n" + json.dumps({n: {"quote": "", "why": "", "score": 2} for n in names}) + "\n```"

    reward = Rubric(RewardOptions(judge=JudgeModel(Scripted(answer), ENDPOINT)))
    assert asyncio.run(reward.score(state_of(), GOOD)).total == 14


def test_vanilla_is_asked_for_by_its_name_and_has_no_veto() -> None:
    """The script called `veto` ran the vanilla reward, which stopped at an undefined path."""
    unkind = GOOD.replace(perfect().guidance, f"That was stupid, Bo. {perfect().guidance}")
    scored = asyncio.run(Vanilla(RewardOptions()).score(state_of(), unkind))
    assert (scored.total, scored.vetoed) == (1, False)
    assert asyncio.run(Rubric(RewardOptions()).score(state_of(), unkind)).vetoed


def test_no_prompt_of_another_trade_is_appended_to_a_state() -> None:
    """The released configuration appended a mathematics prompt; a reward here reads, and writes nothing."""
    state = state_of()
    before = state.model_dump_json()
    asyncio.run(Rubric(RewardOptions()).score(state, GOOD))
    assert state.model_dump_json() == before
    assert "boxed" not in before
