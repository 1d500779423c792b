"""Pictures: with their report or to be read, by a doctor with eyes or through the describer's words."""

from __future__ import annotations

from osler.cases.model import Case
from osler.core.order_events import Resulted
from osler.core.pictures import Ecg
from osler.players.scripted import Scripted
from osler.protocols.consultation.orders import LOOK
from osler.protocols.consultation.seats import Description, Finalize, RequestTest, Wait
from osler.protocols.consultation.settings import Settings
from osler.testing.cases import small_case
from osler.testing.players import Watching
from tests.protocols.consultation.conftest import Play

ECG = Ecg(rate_per_min=96, st_mm={"II": 2})
WORDS = "Twelve leads; in II the segment after the QRS is raised."


def with_picture() -> tuple[Case, str]:
    """A case whose first test has a picture, and the name it is ordered by."""
    case = small_case()
    test = next(finding for finding in case.findings if finding.kind == "test")
    findings = [f.model_copy(update={"picture": ECG}) if f is test else f for f in case.findings]
    return case.model_copy(update={"findings": tuple(findings)}), test.name


def seen(consult: Play, pictures: str, **players: object) -> list[Resulted]:
    """What the doctor gets when it orders the picture twice."""
    case, name = with_picture()
    order = RequestTest(test_name=name)
    doctor = Watching(Scripted([order, Wait(), order, Finalize(diagnosis="unknown", answer="A")]))
    trace = consult(case, doctor=doctor, settings=Settings(pictures=pictures), **players)
    assert trace.outcome.status == "completed"
    return [item for item in doctor.seen[-1].feed if isinstance(item, Resulted)]


def test_a_picture_comes_with_its_report(consult: Play) -> None:
    case, name = with_picture()
    report = next(finding.result for finding in case.findings if finding.name == name)
    assert [(item.text, item.picture) for item in seen(consult, "reported")] == [(report, ECG)] * 2


def test_or_has_to_be_read(consult: Play) -> None:
    assert [(item.text, item.picture) for item in seen(consult, "shown")] == [(LOOK, ECG)] * 2


def test_a_describer_is_asked_once_and_its_words_stand_in_the_picture_s_place(consult: Play) -> None:
    describer = Watching(Scripted([Description(text=WORDS)]))
    got = seen(consult, "shown", describer=describer)
    assert [(item.text, item.picture) for item in got] == [(WORDS, None)] * 2
    assert len(describer.seen) == 1
