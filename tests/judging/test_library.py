"""The judge and our own cases agree: what a case asks for in words is met by those words."""

from __future__ import annotations

import asyncio

import pytest

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.core.contract import Player
from osler.core.events import Seat
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.judge.built_in import judge
from osler.protocols.consultation.judge.named_acts import Terms
from osler.protocols.consultation.oracle_plan import oracle_plan
from osler.protocols.consultation.players.examination import BaselineExamination
from osler.protocols.consultation.players.oracle import Oracle
from osler.protocols.consultation.settings import Settings
from osler.protocols.shared.players.patient import BaselinePatient

LIBRARY = tuple(open_source("library"))


@pytest.mark.parametrize("case", LIBRARY, ids=lambda case: str(case.id))
def test_the_words_of_a_key_feature_meet_it(case: Case) -> None:
    assert case.management
    for feature in case.management.key_features:
        assert Terms({feature.id: feature.terms}).named([feature.what]), feature.what


@pytest.mark.parametrize("case", LIBRARY, ids=lambda case: str(case.id))
def test_the_plan_of_the_case_itself_is_complete_and_safe(case: Case) -> None:
    """The oracle concludes in the case's own words."""
    cast: dict[Seat, Player] = {
        "doctor": Oracle(oracle_plan(case)),
        "patient": BaselinePatient(),
        "examination": BaselineExamination(),
    }
    trace = asyncio.run(Episode(0, case, persona("plain"), Settings(), "0").play(cast))
    scores = judge(case, trace, options_shown=False).scores
    reached = {name: scores[name].value for name in ("management_met", "critical_missed", "unsafe_acts")}
    assert reached == {"management_met": 1, "critical_missed": 0, "unsafe_acts": 0}
