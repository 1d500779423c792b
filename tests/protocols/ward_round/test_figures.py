"""What came of rounds: counted by hand on scripted ones, and the instrument checked over the library."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from math import log

import pytest

from osler.cases.model import Case, TeachingPlan
from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.core.contract import Player
from osler.core.events import Seat
from osler.core.measure import Scored
from osler.core.trace import Trace
from osler.errors import Status
from osler.judging.scores import Score
from osler.players.scripted import Scripted
from osler.protocols.ward_round.episode import RoundEpisode
from osler.protocols.ward_round.judge.built_in_marks import PROXIES
from osler.protocols.ward_round.judge.outcomes import PARTS, Outcomes, outcomes_of
from osler.protocols.ward_round.judge.round_judgement import RoundJudgement
from osler.protocols.ward_round.measures import MEASURES
from osler.protocols.ward_round.notes import rejections
from osler.protocols.ward_round.settings import RoundSettings, Theory
from osler.runs.measure_sums import MeasureSums
from osler.stats.intervals import Estimate
from tests.protocols.ward_round.casts import built_in_cast, tutor_named
from tests.protocols.ward_round.conftest import Play, cohort, plain_cast, taught_case
from tests.protocols.ward_round.players import Failing, PlainStudent, PlainTutor, Reviewer

LIBRARY = list(open_source("library"))
RIGHT = {"case": "Pneumonia", "sibling-1": "B", "sibling-2": "C"}
WRONG = {"case": "Asthma", "sibling-1": "A", "sibling-2": "A"}


def sitting(before: Mapping[str, str], after: Mapping[str, str], *, asks: bool = False) -> Scripted:
    """A student of one round who answers the two exams so."""
    act = {"query_for_patient": "When did it start?"} if asks else {}
    return Scripted(
        [{"answers": dict(before)}, {"analysis_for_teacher": "Hm."}, act, {"answers": dict(after)}]
    )


def one_round(teach: Play, cast: Mapping[Seat, Player], **settings: object) -> Outcomes:
    trace = teach({**plain_cast(), **cast}, exam="unseen", max_rounds=1, **settings)
    return outcomes_of(taught_case(), trace)


def _unread() -> Trace:
    raise AssertionError("a measure that is not declared as traced reads a trace")


def figures(found: Sequence[Outcomes]) -> dict[str, Estimate]:
    """The estimates of the measures over rounds of which only the outcomes are known."""
    unmarked = dict.fromkeys(PROXIES, Score(None, "not_scored"))
    measures = [measure for measure in MEASURES if measure.judged and not measure.traced]
    sums = MeasureSums(measures)
    for one in found:
        scored = Scored(None, None, _unread, RoundJudgement(one, unmarked))
        sums.add(one.case, [measure.of(scored) for measure in measures])
    return sums.results()


# By hand


def test_a_gain_is_corrected_for_guessing_and_normalized(teach: Play) -> None:
    half = {**WRONG, "sibling-1": "B"}
    session = one_round(
        teach,
        {
            "student_1": sitting(WRONG, RIGHT),
            "student_2": sitting(half, half),
            "student_3": sitting(RIGHT, RIGHT),
        },
    )
    # Shares right: 0, 1/2, 1 before and 1, 1/2, 1 after; with three options a is (a - 1/3) / (2/3).
    assert session.before["siblings"] == pytest.approx((0.5 - 1 / 3) / (2 / 3))
    assert session.after["siblings"] == pytest.approx((5 / 6 - 1 / 3) / (2 / 3))
    assert session.before["case"] == pytest.approx(1 / 3)
    assert session.after["case"] == pytest.approx(2 / 3)
    assert session.before["steps"] is None  # not in this exam
    found = figures([session])["learning_gain"]
    assert found.value == pytest.approx((0.75 - 0.25) / (1 - 0.25), abs=1e-6)
    assert (found.low, found.high, found.n) == (None, None, 1)  # one case gives no spread
    assert figures([session])["answer_gain"].value == pytest.approx(0.5)


def test_a_gain_is_one_of_means_not_a_mean_of_gains() -> None:
    few = _outcome("a", 0.0, 0.4)
    many = _outcome("b", 0.9, 0.9)
    assert figures([few, many])["learning_gain"].value == pytest.approx(0.4 / 1.1, abs=1e-6)


def test_where_all_was_known_before_there_is_no_gain_to_speak_of() -> None:
    known = figures([_outcome("a", 1.0, 1.0), _outcome("b", 1.0, 1.0)])["learning_gain"]
    assert known.value is None


def test_what_cannot_be_scored_is_counted_and_not_a_zero() -> None:
    fault = _outcome("a", 0.0, 1.0)._replace(scored=False)
    lacking = _outcome("a", 0.0, 1.0)._replace(before=dict.fromkeys(PARTS))
    found = figures([fault, lacking, _outcome("a", 0.0, 0.5)])["learning_gain"]
    assert (found.value, found.n, found.unscored) == (0.5, 1, 2)


def test_a_fault_of_the_simulation_is_unscored_and_an_invalid_tutor_taught_nothing(teach: Play) -> None:
    fault = one_round(teach, {"supervisor": Failing()})
    assert not fault.scored
    assert fault.why_not.startswith("supervisor: no valid reply")
    invalid = one_round(teach, {"tutor": Failing(), "student_1": sitting(WRONG, RIGHT)})
    assert invalid.scored
    assert invalid.after == invalid.before


def test_a_leak_is_guidance_that_names_the_answer_before_any_student_did(teach: Play) -> None:
    told = PlainTutor("Think of community-acquired pneumonia.")
    session = one_round(teach, {"tutor": told})
    assert session.leak == (1, "Think of community-acquired pneumonia.")
    named = one_round(teach, {"tutor": told, "student_2": PlainStudent("Might it be pneumonia?")})
    assert named.leak is None
    kept = one_round(teach, {"tutor": told, "specialist": Reviewer("specialist", rejects=9)})
    assert kept.leak is None  # what was not spoken leaks nothing
    assert one_round(teach, {"tutor": PlainTutor("What does pneumonic mean?")}).leak is None


def test_the_gain_on_the_cases_own_question_leaves_out_sessions_that_gave_the_answer(teach: Play) -> None:
    cast: dict[Seat, Player] = {"tutor": PlainTutor("It is pneumonia."), "student_1": sitting(WRONG, RIGHT)}
    found = figures([one_round(teach, cast)])["answer_gain"]
    assert (found.value, found.n, found.unscored) == (None, 0, 1)


def test_participation_is_the_entropy_of_what_each_asked(teach: Play) -> None:
    asks, quiet = sitting(WRONG, WRONG, asks=True), sitting(WRONG, WRONG)
    two = one_round(teach, {"student_1": asks, "student_2": asks, "student_3": quiet})
    assert two.participation == pytest.approx(log(2) / log(3))
    alone = one_round(teach, {"student_1": asks, "student_2": quiet, "student_3": quiet})
    assert alone.participation == 0
    none = one_round(teach, dict.fromkeys(("student_1", "student_2", "student_3"), quiet))
    assert none.participation is None
    single = outcomes_of(taught_case(), teach(plain_cast(1), number=1, max_rounds=1))
    assert single.participation is None


def test_uptake_counts_the_students_that_guidance_names(teach: Play) -> None:
    both = one_round(teach, {"tutor": PlainTutor("Ann, and Ben's idea: what follows? Annual checks?")})
    assert both.uptake == pytest.approx(log(2) / log(3))
    assert one_round(teach, {"tutor": PlainTutor("What follows?")}).uptake is None


def test_sessions_with_revisions_count_and_say_who_rejected_what(teach: Play) -> None:
    cast: dict[Seat, Player] = {
        "specialist": Reviewer("specialist", rejects=1),
        "supervisor": Reviewer("supervisor", rejects=2),
        "student_1": sitting(WRONG, RIGHT),
    }
    session = one_round(teach, cast)
    assert session.scored
    assert session.unguided == 0
    assert session.rejected == Counter({("specialist", "facts"): 1, ("supervisor", "tone"): 2})
    assert rejections([session]) == {"specialist: facts": 1, "supervisor: tone": 2}
    assert figures([session])["learning_gain"].n == 1


def test_steps_are_counted_once_and_only_when_spoken(teach: Play) -> None:
    tutor = PlainTutor(covers=((1,), (1,), (1, 2), ()))
    specialist = Reviewer("specialist", 1, confirms=True)
    trace = teach({**plain_cast(), "tutor": tutor, "specialist": specialist}, max_rounds=3)
    # The first draft is rejected; the rounds' guidances then cover (1), (1, 2) and nothing.
    assert outcomes_of(taught_case(), trace).new_steps == (1, 1, 0)


# The instrument, over the library


@cache
def over_the_library(tutor: str, theory: Theory, *, shuffled: bool = False) -> Mapping[str, Estimate]:
    """Three rounds with three students on each case; `shuffled`: the tutor has another case's plan."""
    found = []
    for n, case in enumerate(LIBRARY):
        plan = _plan(LIBRARY[(n + 7) % len(LIBRARY)]) if shuffled else None
        rules = RoundSettings()
        whole = RoundEpisode(n, case, persona("plain"), cohort(), rules, "1", plan)
        trace = asyncio.run(whole.play(built_in_cast(case, cohort(), tutor_named(tutor), theory)))
        assert trace.outcome.status is Status.COMPLETED
        found.append(outcomes_of(case, trace))
    return figures(found)


def _plan(case: Case) -> TeachingPlan:
    assert case.teaching
    return case.teaching


CHANCE = 0.02
"""The largest step gain that words which were not meant to teach may bring about by chance."""


def close_to_nothing(gain: Estimate) -> bool:
    """Whether a gain cannot be told from none. Where all gains are 0 nothing varies: there is no interval."""
    assert gain.value is not None
    return abs(gain.value) < CHANCE and (gain.value == 0 if gain.low is None else gain.low <= 0)


def test_a_silent_tutor_gives_no_gain() -> None:
    found = over_the_library("silent", "construct")
    assert reaches_zero(found["learning_gain"])
    assert found["step_gain"].value == 0
    assert found["answer_gain"].value == 0


def test_a_parrot_gives_no_gain_but_by_the_patients_own_questions() -> None:
    """The parrot repeats what the patient said, and a patient may ask: "If you stop me driving, how does she
    get to her machine?" (neurology-02) leads to the step about driving as well as a tutor's question does, so
    under `construct` students learn that one. A gain is as good as none, then, and not always exactly 0."""
    found = over_the_library("parrot", "construct")
    assert reaches_zero(found["learning_gain"])
    assert close_to_nothing(found["step_gain"])
    assert found["answer_gain"].value == 0


def test_steps_of_another_case_teach_nothing() -> None:
    """Two cases may share a question such as what to do next; a question that is not about any step of the
    case is not answered with one, or at least nothing is learnt by it."""
    assert close_to_nothing(over_the_library("socratic", "construct", shuffled=True)["step_gain"])
    assert over_the_library("lecturer", "telling", shuffled=True)["step_gain"].value == 0


def reaches_zero(found: Estimate) -> bool:
    """Whether the interval of an estimate holds 0."""
    assert found.low is not None
    assert found.high is not None
    return found.low <= 0 <= found.high


def test_no_tutor_wins_by_construction() -> None:
    """Which of two tutors does better depends on the theory of learning."""
    steps = {
        (tutor, theory): over_the_library(tutor, theory)["step_gain"].value or 0.0
        for tutor in ("socratic", "lecturer")
        for theory in ("telling", "construct")
    }
    assert steps["lecturer", "telling"] >= steps["socratic", "telling"]
    assert steps["lecturer", "construct"] < steps["socratic", "construct"]


def test_the_announcer_is_caught_and_the_socratic_tutor_is_not() -> None:
    assert (over_the_library("announcer", "telling")["leak_rate"].value or 0) >= 0.95
    assert (over_the_library("socratic", "construct")["leak_rate"].value or 0) <= 0.05
    assert over_the_library("announcer", "telling")["step_gain"].value == 0


def _outcome(case: str, before: float, after: float) -> Outcomes:
    return Outcomes(
        case=case,
        scored=True,
        why_not="",
        rounds=1,
        unguided=0,
        before=dict.fromkeys(PARTS, before),
        after=dict.fromkeys(PARTS, after),
        leak=None,
        named=False,
        participation=None,
        uptake=None,
        new_steps=(0,),
        rejected=Counter(),
    )
