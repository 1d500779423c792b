"""Mixed teams: doctors of different kinds that vote or discuss, named where a number would stand."""

from __future__ import annotations

from typing import Any

import pytest

from osler.core.contract import Request
from osler.core.episode import identity
from osler.core.names import player_name
from osler.errors import BadInput
from osler.players.casting import casting_of
from osler.players.scripted import Scripted
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.protocol import PROTOCOL
from osler.protocols.consultation.seats import Finalize
from osler.protocols.consultation.story import conclusion_of
from osler.protocols.consultation.wrappers.ensemble import Discussion, Ensemble
from osler.runs.seating import models_named
from osler.testing.cases import small_case
from osler.testing.players import Watching
from tests.protocols.consultation.conftest import Play

GOUT, FLU = Finalize(diagnosis="Gout"), Finalize(diagnosis="Influenza")


class Stubborn:
    """Concludes with the same diagnosis, whatever it is told."""

    durable = False

    def __init__(self, name: str, diagnosis: str) -> None:
        self.name, self._diagnosis = name, diagnosis

    async def reply(self, request: Request[Any]) -> Finalize:
        return Finalize(diagnosis=self._diagnosis)


def test_each_of_an_ensemble_votes_and_the_others_may_outvote_the_first(consult: Play) -> None:
    others = [Watching(Stubborn("b", "Influenza")), Watching(Stubborn("c", "Influenza"))]
    trace = consult(small_case(), doctor=Ensemble(Stubborn("a", "Gout"), others))
    assert (conclusion_of(trace) or {})["diagnosis"] == "Influenza"
    assert [len(one.seen) for one in others] == [1, 1]


def test_those_who_discuss_are_themselves_in_every_round(consult: Play) -> None:
    others = [Watching(Stubborn("b", "Influenza")), Watching(Stubborn("c", "Sprain"))]
    trace = consult(small_case(), doctor=Discussion(Stubborn("a", "Gout"), others))
    assert [len(one.seen) for one in others] == [3, 3], "a conclusion, and two revisions"
    assert (conclusion_of(trace) or {})["diagnosis"] == "Gout", "a tie, which the earliest decides"


def test_a_team_is_part_of_its_name_and_fingerprint() -> None:
    first, other = Stubborn("a", "Gout"), Scripted([FLU], "b")
    changed = Ensemble(first, [Scripted([GOUT], "b")])
    team = Ensemble(first, [other])
    assert team.name == "a+ensemble:b"
    assert identity(team) != identity(changed), "the same names, and another script"
    assert team.durable, "a reply of one of them costs something"
    assert identity(Ensemble(first, 2)) == identity(Ensemble(first, 2))


def test_a_team_is_named_in_the_grammar_of_players_and_its_models_are_known() -> None:
    config = RunConfig(doctor="model:a+cot+discuss:model:b/baseline")
    assert config.everyone()[1:3] == ("model:b", "baseline")
    assert models_named(config) == ["model:a", "model:b"]
    named = player_name(PROTOCOL.role("doctor"), config.doctor)
    assert named.around_another("baseline") == "baseline+cot+discuss:3", "a dry run counts heads"
    assert config.weighed().doctor == "baseline+cot+discuss:3"
    assert RunConfig(doctor="baseline+discuss:model:b").weighed().doctor == "baseline+discuss:2"


def test_built_in_doctors_form_a_team_by_name(consult: Play) -> None:
    config = RunConfig(doctor="always-conclude+ensemble:baseline/opening-only")
    doctor = casting_of(config).cast(small_case())["doctor"]
    assert doctor.name == "always-conclude+ensemble:baseline/opening-only"
    trace = consult(small_case(), doctor=doctor)
    assert len(trace.inner) == 3


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("baseline+ensemble:person", "cannot be one of a team"),
        ("baseline+ensemble:baseline/", "cannot be one of a team"),
        ("baseline+ensemble:nobody-such", "no doctor is called"),
        ("baseline+ensemble:" + "/".join(["baseline"] * 9), "at most 9"),
        ("baseline+ensemble", "how many"),
        ("baseline+ensemble:1", "how many"),
        ("baseline+best-of:baseline", "how many"),
    ],
)
def test_a_team_that_cannot_be_is_refused_in_words(name: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        casting_of(RunConfig(doctor=name))
