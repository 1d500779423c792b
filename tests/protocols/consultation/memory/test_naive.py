"""The doctor who knows nothing of disease: what it can do, its cards have taught it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from osler.cases.sources import open_source
from osler.core.composite import AnyPlayer
from osler.core.trace import Trace
from osler.core.wrapper_events import Hint
from osler.players.casting import casting_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.naive import ORDERS, QUESTIONS, UNKNOWN, NaiveDoctor
from osler.protocols.consultation.players.naive_cards import Experience, story_of
from osler.protocols.consultation.story import conclusion_of
from osler.protocols.consultation.wrappers.interventions import Lesson, SecondAttempt
from osler.protocols.consultation.wrappers.memory import Remembering, RetrievalQuery, RetrievedCard

CASES = list(open_source("generated:12:3"))
GOUT = Hint(text="a", diagnosis="Gout", told="My big toe is swollen and very painful.", found="")
FLU = Hint(text="b", diagnosis="Influenza", told="I have a fever. I have a cough. My muscles ache.", found="")


class Always:
    """Finds the same cards whatever is seen."""

    def __init__(self, *hints: Hint) -> None:
        self.name, self._found = (
            "always",
            [RetrievedCard(f"{at:032d}", hint) for at, hint in enumerate(hints)],
        )

    async def __call__(self, seen: RetrievalQuery, /) -> Sequence[RetrievedCard]:
        return self._found


def consulted(doctor: AnyPlayer, at: int = 0) -> Trace:
    config = RunConfig(cases="generated:12:3")
    cast = {**casting_of(config).cast(CASES[at]), "doctor": doctor}
    return asyncio.run(config.episode(at, CASES[at], open_source(config.cases)).play(cast))


def final(trace: Trace) -> str:
    concluded = conclusion_of(trace)
    assert concluded is not None
    return str(concluded["diagnosis"])


def test_without_a_card_it_knows_no_diagnosis() -> None:
    assert {final(consulted(NaiveDoctor(), at)) for at in range(4)} == {UNKNOWN}


def test_without_cards_everybody_is_asked_and_ordered_the_same() -> None:
    for at in range(3):
        moves = consulted(NaiveDoctor(), at).replies("doctor")
        assert [move["question"] for move in moves if move["action"] == "ASK"] == list(QUESTIONS)
        assert [move["test_name"] for move in moves if move["action"] == "REQUEST_TEST"] == list(ORDERS)


def test_it_concludes_with_what_the_likest_card_says() -> None:
    story = story_of(["I've had a fever and a cough."], {})
    assert Experience(story, [GOUT, FLU]).ranked()[0][0] == "Influenza"
    assert Experience(story, []).ranked() == []


def test_many_like_cards_beat_one() -> None:
    story = story_of(["I have a fever. I have a cough."], {})
    cold = FLU.model_copy(update={"diagnosis": "Common cold"})
    assert Experience(story, [FLU, cold, cold]).ranked()[0][0] == "Common cold"


def test_it_orders_what_was_abnormal_in_its_cards() -> None:
    found = "Chest X-ray: Consolidation in the right lower zone.\nThyroid function tests: Normal."
    telling = Experience(story_of(["I have a cough."], {}), [FLU.model_copy(update={"found": found})])
    assert telling.telling({}, 4) == ["Chest X-ray"]
    assert telling.telling({"Chest X-ray": "known"}, 4) == []


def test_of_options_it_takes_the_one_its_cards_name() -> None:
    options = {"A": "Gout of the toe", "B": "Seasonal influenza"}
    assert Experience(story_of(["I have a fever and a cough."], {}), [GOUT, FLU]).option(options) == "B"


def test_told_the_answer_it_concludes_so_at_the_second_attempt_and_looks_wider() -> None:
    again = SecondAttempt(NaiveDoctor(), Lesson("e1", "unknown", "Asthma"))
    trace = consulted(again)
    assert final(trace) == "Asthma"
    assert len(trace.replies("doctor")) > len(consulted(NaiveDoctor()).replies("doctor"))


def test_told_only_that_it_was_wrong_it_takes_its_next_best() -> None:
    told = " ".join(fact.text for fact in CASES[0].facts)
    like = [hint.model_copy(update={"told": words}) for hint, words in ((GOUT, told), (FLU, told[:200]))]
    doctor = Remembering(NaiveDoctor(), Always(*like))
    first = final(consulted(doctor))
    second = final(consulted(SecondAttempt(doctor, Lesson("e1", first))))
    assert {first, second} == {"Gout", "Influenza"}


def test_the_second_attempt_is_another_episode_linked_to_the_first() -> None:
    config, doctor = RunConfig(cases="generated:12:3"), NaiveDoctor()
    episode = config.episode(0, CASES[0], open_source(config.cases))
    cast = casting_of(config).cast(CASES[0])
    keys = {
        episode.key({**cast, "doctor": who})
        for who in (
            doctor,
            SecondAttempt(doctor, Lesson("e1", "x")),
            SecondAttempt(doctor, Lesson("e2", "x")),
        )
    }
    assert len(keys) == 3


@pytest.mark.slow
def test_it_concludes_the_same_in_every_process() -> None:
    """Sets have another order in another process; what is summed over them must not."""
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "from tests.protocols.consultation.memory import test_naive; print(test_naive.concluded())",
        ],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        cwd=Path(__file__).parents[4],
        check=True,
        capture_output=True,
        text=True,
    )
    assert said.stdout == f"{concluded()}\n"


def concluded() -> str:
    """The ranking of each case's diagnoses by one who remembers them all."""
    told = [[fact.text for fact in case.facts] for case in CASES]
    cards = [
        Hint(text="x", diagnosis=case.task.answer, told=" ".join(texts))
        for case, texts in zip(CASES, told, strict=True)
    ]
    return repr([Experience(story_of(mine, {}), cards).ranked() for mine in told])
