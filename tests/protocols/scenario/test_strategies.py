"""Examinees made of an examinee: whoever is asked sees the whole encounter, every question is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from osler.core.contract import NoUsableReply, OwnReply, Request
from osler.core.deliberation import Approval, Choice, Comment, Recruits, wanted
from osler.core.trace import ExchangeRow, InnerRow, Trace
from osler.core.wrapper_events import Reconsidered
from osler.errors import BadInput
from osler.players.casting import casting_of
from osler.players.wrappers.asking import EXPERTS
from osler.players.wrappers.general import BestOf as AnyBestOf
from osler.players.wrappers.general import ExpertPanel as AnyExpertPanel
from osler.players.wrappers.general import SelfConsistency as AnySelfConsistency
from osler.players.wrappers.general import most_agreed as any_most_agreed
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.replies import EXAMINEES, alike
from osler.protocols.scenario.seats import ExamineeMove
from osler.protocols.scenario.settings import ScenarioSettings
from tests.cli.commands import Osler, configure, value
from tests.players.model.table import grows
from tests.protocols.consultation.memory.test_doctors import Asking
from tests.protocols.scenario.modelled import at_the_door, by_models
from tests.protocols.scenario.playing import SMALL, move, small
from tests.protocols.scenario.stage import staged

Mind = Callable[[Request[Any], str], Any]
BestOf = partial(AnyBestOf, replies=EXAMINEES)
ExpertPanel = partial(AnyExpertPanel, replies=EXAMINEES)
SelfConsistency = partial(AnySelfConsistency, replies=EXAMINEES)
most_agreed = partial(any_most_agreed, alike=alike)


@dataclass
class Thinking:
    """An examinee that moves, chooses, advises and votes by a rule; keeps what it was asked."""

    mind: Mind
    seen: list[Request[Any]] = field(default_factory=list)
    name: str = "thinking"
    durable: bool = True

    async def reply(self, request: Request[Any], /) -> BaseModel:
        self.seen.append(request)
        said = self.mind(request, wanted(request))
        if isinstance(said, Exception):
            raise said
        found: BaseModel = said
        return found


def number_of(request: Request[Any]) -> int:
    return int(request.world.partition("/")[2] or 1)


def told(request: Request[Any]) -> Reconsidered:
    return next(item for item in reversed(request.feed) if isinstance(item, Reconsidered))


def composed(strategy: Any, request: Request[Any] | None = None) -> Any:
    return asyncio.run(strategy.compose(request or at_the_door(), Asking()))


# Best of n


def choosing(words: str) -> Mind:
    """Candidate n says its number; the critic chooses the one that holds the words."""

    def mind(request: Request[Any], what: str) -> Any:
        if what == "move":
            return move(f"I am number {number_of(request)}.")
        texts = told(request).texts
        return Choice(reason="it fits", chosen=1 + next(at for at, text in enumerate(texts) if words in text))

    return mind


@pytest.mark.parametrize("best", [1, 2, 3])
def test_the_critic_chooses_among_candidates_of_worlds_of_their_own(best: int) -> None:
    inside = Thinking(choosing(f"number {best}."))
    assert composed(BestOf(inside, 3)) == move(f"I am number {best}.")
    assert [request.world for request in inside.seen] == ["world", "world/2", "world/3", "world"]


def test_candidates_stand_in_an_order_that_changes_with_the_world() -> None:
    orders = set()
    for world in "abcdefgh":
        inside = Thinking(choosing("number 1."))
        composed(BestOf(inside, 3), at_the_door()._replace(world=world))
        orders.add(told(inside.seen[-1]).texts)
    assert len(orders) > 1


def test_one_candidate_needs_no_critic_and_a_failing_critic_leaves_the_first() -> None:
    same = Thinking(lambda request, what: move("Hello."))
    assert composed(BestOf(same, 4)) == move("Hello.")
    assert [wanted(request) for request in same.seen] == ["move"] * 4
    blind = Thinking(lambda r, what: move(f"{number_of(r)}") if what == "move" else NoUsableReply("no"))
    assert composed(BestOf(blind, 3)) == move("1")
    outside = Thinking(lambda r, what: move(f"{number_of(r)}") if what == "move" else Choice(chosen=4))
    assert composed(BestOf(outside, 3)) == move("1")


def test_who_has_no_move_is_no_candidate_and_without_any_there_is_no_answer() -> None:
    only_second = Thinking(lambda r, what: move("Two.") if number_of(r) == 2 else NoUsableReply("silent"))
    assert composed(BestOf(only_second, 3)) == move("Two.")
    with pytest.raises(NoUsableReply, match="no candidate move"):
        composed(BestOf(Thinking(lambda r, what: NoUsableReply("silent")), 3))


# The panel


def panel(votes: Sequence[Any], recruits: Any = None) -> Thinking:
    """Experts that vote so; those of the list that are called, by number, or the first."""

    def mind(request: Request[Any], what: str) -> Any:
        match what:
            case "recruit":
                return recruits or Recruits(experts=tuple(range(1, int(told(request).texts[0]) + 1)))
            case "advise":
                return Comment(comment=f"Comment {number_of(request)}.")
            case "approve":
                vote = votes[number_of(request) - 1]
                return vote if isinstance(vote, Exception) else Approval(reason=f"Why {vote}.", approve=vote)
        return move("Anew." if told(request).how == "revise" else "Draft.")

    return Thinking(mind)


@pytest.mark.parametrize(
    ("votes", "says"),
    [
        ((True, True, True), "Draft."),
        ((True, True, False), "Draft."),
        ((True, False, False), "Anew."),
        ((True, NoUsableReply("?"), False), "Anew."),
        ((NoUsableReply("?"),) * 3, "Draft."),
    ],
)
def test_a_lost_vote_means_one_more_synthesis(votes: Sequence[Any], says: str) -> None:
    inside = panel(votes)
    assert composed(ExpertPanel(inside, 3)) == move(says)
    asked = [wanted(request) for request in inside.seen]
    assert asked == ["recruit"] + ["advise"] * 3 + ["move"] + ["approve"] * 3 + ["move"] * (says == "Anew.")


def test_experts_are_named_the_synthesis_reads_them_and_the_vote_reads_the_draft() -> None:
    inside = panel((False, False, False))
    composed(ExpertPanel(inside, 3))
    synthesis, revision = (r for r in inside.seen if wanted(r) == "move")
    for number, expert in enumerate(EXPERTS[:3], start=1):
        assert f"{expert.name}: Comment {number}." in told(synthesis).texts
        assert f"{expert.name}: Why False." in told(revision).texts
    votes = [request for request in inside.seen if wanted(request) == "approve"]
    for number, vote in enumerate(votes, start=1):
        assert "Says: Draft." in told(vote).texts[2]
        own = [item.reply for item in vote.feed if isinstance(item, OwnReply)]
        assert own == [Comment(comment=f"Comment {number}.")], "an expert has its own comment before it"
    assert OwnReply(move("Draft.")) in revision.feed


def test_experts_without_a_comment_are_left_out() -> None:
    def mind(request: Request[Any], what: str) -> Any:
        if what == "advise" and number_of(request) == 1:
            return NoUsableReply("?")
        return panel((True, True)).mind(request, what)

    inside = Thinking(mind)
    assert composed(ExpertPanel(inside, 2)) == move("Draft.")
    synthesis = next(request for request in inside.seen if wanted(request) == "move")
    assert [text.partition(":")[0] for text in told(synthesis).texts] == [EXPERTS[1].name]


def names_of(request: Request[Any]) -> list[str]:
    return [text.partition(":")[0] for text in told(request).texts]


def test_the_player_chooses_the_specialties_of_the_panel_for_the_case() -> None:
    by_name = {expert.name: number for number, expert in enumerate(EXPERTS, start=1)}
    called = Recruits(experts=(by_name["the toxicologist"], by_name["the nurse"]))
    inside = panel((True, True), called)
    assert composed(ExpertPanel(inside, 2)) == move("Draft.")
    recruiting, *_ = inside.seen
    assert told(recruiting).texts[0] == "2"
    assert len(told(recruiting).texts) == 1 + len(EXPERTS), "it is shown the whole list"
    synthesis = next(request for request in inside.seen if wanted(request) == "move")
    assert names_of(synthesis) == ["the toxicologist", "the nurse"]


@pytest.mark.parametrize(
    "choice",
    [
        NoUsableReply("?"),
        Recruits(experts=(1,)),
        Recruits(experts=(2, 2)),
        Recruits(experts=(1, 99)),
        Comment(comment="A witch doctor."),
    ],
)
def test_whoever_chooses_nobody_of_the_list_gets_its_first(choice: Any) -> None:
    inside = panel((True, True), choice)
    assert composed(ExpertPanel(inside, 2)) == move("Draft.")
    synthesis = next(request for request in inside.seen if wanted(request) == "move")
    assert names_of(synthesis) == [expert.name for expert in EXPERTS[:2]]


def test_the_panel_is_chosen_once_an_episode_also_if_nobody_could_be_chosen() -> None:
    for choice in (Recruits(experts=(4, 3, 12)), NoUsableReply("?")):
        inside = panel((True, True, True), choice)
        trace = staged(small(), examinee=ExpertPanel(inside, 3), settings=ScenarioSettings(max_turns=3))
        asked = [wanted(request) for request in inside.seen]
        assert len([row for row in trace.rows if row.seat == "examinee"]) == 3
        assert asked.count("advise") == 9
        assert asked.count("recruit") == (1 if isinstance(choice, Recruits) else 2), "its attempts at most"
        panels = {tuple(names_of(request)) for request in inside.seen if wanted(request) == "move"}
        assert len(panels) == 1


# Self-consistency


def test_the_move_that_most_agree_with_stands_whatever_its_words() -> None:
    moves = [
        move("", "order a chest x-ray"),
        move("", "measure the capillary blood glucose"),
        move("", "check capillary glucose"),
        move("", "check the glucose, capillary"),
    ]
    assert most_agreed(moves) in moves[1:]
    assert composed(SelfConsistency(Thinking(lambda r, what: moves[number_of(r) - 1]), 4)) in moves[1:]


@pytest.mark.parametrize(
    ("one", "other"),
    [("give glucose", "give insulin"), ("give glucose", "stop the glucose"), ("no insulin", "give insulin")],
)
def test_another_act_in_like_words_is_no_agreement(one: str, other: str) -> None:
    assert most_agreed([move("", one), move("", other), move("", other)]) == move("", other)


def test_ending_the_state_or_not_is_part_of_agreeing() -> None:
    going_on, ending = move("Hello there."), move("Hello there.", eos=True)
    assert most_agreed([ending, going_on, going_on]) == going_on


MOVES = st.lists(st.sampled_from(["listen to the chest", "give oxygen", "call a nurse"]), max_size=3).map(
    lambda acts: move("", *acts)
)


@given(st.lists(MOVES, min_size=1, max_size=6))
def test_the_move_is_one_of_the_candidates_and_unanimity_stands(moves: list[ExamineeMove]) -> None:
    assert most_agreed(moves) in moves
    assert most_agreed([moves[0]] * len(moves)) == moves[0]


# The record


SHORT = ScenarioSettings(max_turns=2)
STRATEGIES: dict[str, Callable[[Any, int], Any]] = {
    "+best-of": BestOf,
    "+panel": ExpertPanel,
    "+self-consistency": SelfConsistency,
}


def thinking() -> Thinking:
    """An examinee whose candidates differ and whose first vote is lost."""

    def mind(request: Request[Any], what: str) -> Any:
        match what:
            case "choose":
                return Choice(reason="the second", chosen=2)
            case "advise":
                return Comment(comment="Look at the sugar.")
            case "recruit":
                return Recruits(experts=(2, 9, 20))
            case "approve":
                return Approval(reason="Too late.", approve=number_of(request) == 1)
        turn = sum(isinstance(item, OwnReply) for item in request.feed)
        return move(f"Turn {turn}, number {number_of(request)}.", "check the glucose")

    return Thinking(mind)


def in_order(trace: Trace) -> list[ExchangeRow | InnerRow]:
    """The record as it is committed: what was asked inside an exchange before the exchange."""
    rows: list[ExchangeRow | InnerRow] = []
    for row in trace.rows:
        rows += [*trace.inside(row.n), row]
    return rows


@pytest.mark.parametrize("name", STRATEGIES)
def test_killed_between_any_two_questions_none_is_asked_again(name: str) -> None:
    def played(inside: Thinking, rows: Sequence[Any]) -> Trace:
        outer = [row for row in rows if isinstance(row, ExchangeRow)]
        inner = [row for row in rows if isinstance(row, InnerRow)]
        return staged(
            small(), examinee=STRATEGIES[name](inside, 3), recorded=outer, inner=inner, settings=SHORT
        )

    first = thinking()
    whole = played(first, [])
    record = in_order(whole)
    questions = [row for row in record if isinstance(row, InnerRow)]
    assert len(questions) == len(first.seen)
    for kept in range(len(record) + 1):
        again = thinking()
        assert played(again, record[:kept]) == whole
        left = [row for row in record[kept:] if isinstance(row, InnerRow)]
        assert len(again.seen) == len(left)


@pytest.mark.parametrize("name", ["+best-of", "+panel"])
def test_critic_and_experts_are_in_the_record_with_their_words(name: str) -> None:
    trace = staged(small(), examinee=STRATEGIES[name](thinking(), 3), settings=SHORT)
    said = "\n".join(row.reply for row in trace.inner)
    assert (
        ("the second" in said)
        if name == "+best-of"
        else ("Look at the sugar." in said and "Too late." in said)
    )


def test_an_experts_vote_goes_on_from_its_comment() -> None:
    _, overheard = by_models(small(), wrapped=lambda inside: ExpertPanel(inside, 2), max_turns=1)
    by_name: dict[str, list[Any]] = {}
    for request in overheard.asked["examinee"]:
        by_name.setdefault(request.output.name if request.output else "", []).append(request.messages)
    for comment, vote in zip(by_name["examinee_comment"], by_name["examinee_approval"], strict=True):
        assert grows(comment, vote)


# Names


def test_a_name_builds_what_it_says() -> None:
    inside = Thinking(lambda r, what: move())
    config = ScenarioConfig(examinee="model:x+self-consistency:3+best-of:2")
    built = casting_of(config, {"model": lambda asked: inside}).cast(small())["examinee"]
    assert built.name == "thinking+self-consistency:3+best-of:2"
    assert isinstance(built, AnyBestOf)
    assert built.thinker is inside, "the critic is the examinee, not a crowd of them"
    assert config.insides()["examinee"] == "model:x"


def test_strategies_differ_in_their_fingerprints() -> None:
    inside = Thinking(lambda r, what: move())
    prints = {kind(inside, n).fingerprint for kind in STRATEGIES.values() for n in (2, 3)}
    assert len(prints) == 6


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("baseline+panel:3", "cannot judge a move"),
        ("null+best-of:3", "cannot judge a move"),
        ("person+self-consistency:3", "only one person"),
        ("oracle+self-consistency:3", "only one oracle"),
        ("model:x+panel", "how many"),
        ("model:x+panel:1", "how many"),
        ("model:x+best-of:99", "how many"),
        ("baseline+cot", "cannot judge a move or think again"),
        ("baseline+cto", "known: .best-of:N, .cot, .panel:N, .self-consistency:N"),
        ("nobody+self-consistency:3", "no examinee is called"),
    ],
)
def test_what_cannot_be_built_is_refused_in_words(name: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        casting_of(ScenarioConfig(examinee=name), {"model": lambda asked: BaselineDoctor()})


def test_a_built_in_examinee_agrees_with_itself() -> None:
    plain = casting_of(ScenarioConfig()).cast(small())["examinee"]
    wise = casting_of(ScenarioConfig(examinee="baseline+self-consistency:3")).cast(small())["examinee"]
    one, three = (staged(small(), examinee=player) for player in (plain, wise))
    assert [row.reply for row in one.rows] == [row.reply for row in three.rows]
    assert len(three.inner) == 3 * sum(row.seat == "examinee" for row in three.rows)


# From the command line


def test_a_strategy_is_played_and_what_it_used_is_counted(osler: Osler, url: str) -> None:
    configure(url)
    found = value(
        osler("scenario", "play", str(SMALL), "--examinee=model:fake+panel:2", "--max-turns=2", "--json")
    )
    assert found["ended"] == {"out_of_turns": 1}
    assert found["usage"]["examinee"]["fake"]["calls"] == 1 + 2 * (2 + 1 + 2), "the panel is chosen once"
