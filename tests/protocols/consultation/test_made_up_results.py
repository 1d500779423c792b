"""`--unknown synthesize`: a result the case lacks is made up once, marked, and no evidence of the case."""

from __future__ import annotations

from typing import Any

import pytest

from osler.core.events import Released
from osler.core.order_events import Resulted
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.players.casting import casting_of
from osler.players.scripted import Scripted
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.events import Unheld
from osler.protocols.consultation.seats import (
    ExaminationReply,
    Finalize,
    RequestTest,
    Wait,
    WrittenText,
)
from osler.protocols.consultation.settings import Settings
from osler.testing.cases import canary_case, small_case
from osler.testing.players import Watching
from tests.protocols.consultation.conftest import Play
from tests.protocols.consultation.test_canary import marks, shown

DONE = Finalize(diagnosis="Pneumonia")
FERRITIN = WrittenText(text="Ferritin 88 micrograms/L (15 to 150).")
SYNTHESIZE = Settings.model_validate({"unknown": "synthesize"})


def ordered(*names: str) -> Scripted:
    return Scripted([*(RequestTest(test_name=name) for name in names), Wait(), Wait(), DONE])


def met(consult: Play, *names: str, **more: Any) -> Trace:
    more.setdefault("synthesizer", Scripted([FERRITIN]))
    return consult(more.pop("case", small_case()), settings=SYNTHESIZE, doctor=ordered(*names), **more)


def test_a_missing_result_is_made_up_marked_and_told_as_a_result(consult: Play) -> None:
    trace = met(consult, "ferritin")
    (result,) = trace.of(Resulted)
    assert result.returned
    assert result.text == FERRITIN.text
    (entry,) = trace.of(Released)
    assert entry.provenance == "synthetic"
    assert entry.item not in {finding.id for finding in small_case().findings}


def test_asked_for_again_it_is_the_same_and_nobody_is_asked_again(consult: Play) -> None:
    writer = Watching(Scripted([FERRITIN]))
    trace = met(consult, "ferritin", "serum ferritin", synthesizer=writer)
    assert len(writer.seen) == 1
    assert {result.text for result in trace.of(Resulted)} == {FERRITIN.text}
    assert trace.outcome.counts["tests"] == 1, "paid for once"


def test_what_the_case_holds_is_read_from_the_case(consult: Play) -> None:
    trace = met(consult, "CXR", synthesizer=Scripted([]))
    assert [result.text for result in trace.of(Resulted)] == ["Consolidation of the right lower lobe."]


def test_a_real_test_that_the_formulary_lacks_can_be_made_up_too(consult: Play) -> None:
    service = Scripted([ExaminationReply(match_type="none", unheld=("Serum zonulin",))] * 2)
    trace = met(consult, "serum  zonulin", "Serum zonulin", examination=service)
    assert {result.text for result in trace.of(Resulted) if result.returned} == {FERRITIN.text}
    assert len(trace.of(Unheld)) == 1


def test_nothing_is_made_up_of_what_the_diagnosis_would_show_in(consult: Play) -> None:
    """The case forgot to write it: a normal result would speak against its own diagnosis."""
    case = small_case()
    case = case.model_copy(
        update={"findings": tuple(one for one in case.findings if one.id != "x2"), "workup": None}
    )
    trace = met(consult, "CXR", case=case, synthesizer=Scripted([]))
    (result,) = trace.of(Resulted)
    assert not result.returned


def test_the_writer_sees_age_sex_and_the_order_and_nothing_of_the_case(consult: Play) -> None:
    writer = Watching(Scripted([FERRITIN]))
    met(consult, "ferritin", case=canary_case(), synthesizer=writer)
    assert marks("\n".join(shown(request) for request in writer.seen)) == set()


def test_killed_after_any_exchange_it_ends_as_it_would_have(consult: Play) -> None:
    whole = met(consult, "ferritin", "ferritin")
    for kept in range(1, len(whole.rows) + 1):
        assert met(consult, "ferritin", "ferritin", recorded=whole.rows[:kept]) == whole


def test_built_in_players_refuse_in_words_and_a_model_of_the_examination_writes() -> None:
    with pytest.raises(BadInput, match="make nothing up"):
        casting_of(RunConfig(settings=SYNTHESIZE))
    with pytest.raises(BadInput, match="no result is to be made up"):
        RunConfig(synthesizer="scripted:x").check_seating(None)
    modelled = RunConfig(settings=SYNTHESIZE, examination="model:one")
    assert modelled.players()["synthesizer"] == "model:one"
    weighed = modelled.weighed()
    assert weighed.settings.unknown == "standard", "nobody can make up results in a dry run"
    casting_of(weighed)
