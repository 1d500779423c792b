"""The measures of ward rounds: learning gains, leaks, participation, proxy marks, a model judge's marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from pydantic_core import from_json

from osler.core.attempts import Answer
from osler.core.measure import (
    INF,
    NOTHING,
    Better,
    Measure,
    Missed,
    Need,
    Ratio,
    Reading,
    Scored,
    Value,
    score,
    share_of,
    with_needs,
)
from osler.core.trace import ExchangeRow, InnerRow, Trace
from osler.protocols.shared.claim_counts import CLAIMED_NOT_TOLD, TOLD_NOT_CLAIMED
from osler.protocols.ward_round.events import RoundLine
from osler.protocols.ward_round.judge.outcomes import Outcomes, Part, less_named, not_learnt, quieter
from osler.protocols.ward_round.judge.round_judgement import VERSION, RoundJudgement, judgement_in
from osler.protocols.ward_round.seats import TUTOR


def judgement(case: object, body: Mapping[str, Any]) -> RoundJudgement:
    """Parse a stored judgement. Raises ValueError if another version of the judge made it."""
    if body.get("version") != VERSION:
        raise ValueError("another version of the judge judged it")
    return judgement_in(body)


def _outcomes(found: Scored) -> Outcomes | None:
    """The outcomes of a round, or `None` if it was not scored."""
    judged: RoundJudgement | None = found.judgement
    return judged.outcomes if judged and judged.outcomes.scored else None


def _gain(part: Part, *, not_named: bool = False) -> Reading:
    """A reader of a normalized gain: the amount learnt out of what could be learnt. With `not_named`, rounds
    in which guidance named the answer are unscored."""

    def read(found: Scored) -> Value:
        outcomes = _outcomes(found)
        if outcomes is None or (not_named and (outcomes.named or not outcomes.english)):
            return None
        before, after = outcomes.before[part], outcomes.after[part]
        return None if before is None or after is None else Ratio(after - before, 1 - before)

    return read


def _of_outcomes(of: Callable[[Outcomes], float | None], *, by_words: bool = False) -> Reading:
    """A reader of outcomes; those that are found `by_words` are unscored in other languages than English."""

    def read(found: Scored) -> Value:
        outcomes = _outcomes(found)
        return None if outcomes is None or (by_words and not outcomes.english) else of(outcomes)

    return read


def _proxy(name: str) -> Reading:
    def read(found: Scored) -> Value:
        judged: RoundJudgement | None = found.judgement
        return judged.proxies[name].value if judged else None

    return read


def _mean_of(names: Sequence[str], one: Callable[[str], Reading]) -> Reading:
    """A reader of the mean of several marks, unscored if one of them is."""
    readers = tuple(map(one, names))

    def read(found: Scored) -> Value:
        marks = [value for value in (of(found) for of in readers) if isinstance(value, float)]
        return fmean(marks) if len(marks) == len(readers) else None

    return read


def _missed_of(names: Sequence[str]) -> Missed:
    """A reader of what several scores of the judgement missed."""

    def read(found: Scored) -> Iterator[str]:
        scores = (found.body or {}).get("scores", {})
        for name in names:
            yield from scores.get(name, {}).get("missed", ())

    return read


def _leaked(found: Scored) -> Iterator[str]:
    """The guidance that gave the answer away."""
    outcomes = _outcomes(found)
    if outcomes and outcomes.leak:
        yield f"round {outcomes.leak.round}: {outcomes.leak.quote}"


def _answers(found: Scored) -> list[ExchangeRow | InnerRow]:
    """The tutor's exchanges; of a tutor that asks others inside it, theirs."""
    trace = found.trace()
    rows: list[ExchangeRow | InnerRow] = []
    for row in trace.rows:
        if row.seat == TUTOR.seat:
            rows.extend(trace.inside(row.n) or (row,))
    return rows


def _refused(found: Scored) -> Iterator[str]:
    """Yield the reasons why answers of the tutor could not be read as a turn."""
    for row in _answers(found):
        for one in Answer(None, row.reply, from_json(row.attempts)).refused:
            yield f"exchange {row.n}: {one['error']}"


def _valid(found: Scored) -> Value:
    """The tutor's answers that were read as a turn, of all that it gave: each retry is an answer as well. Of
    a tutor that asks others inside it, theirs count."""
    rows = _answers(found)
    valid = sum(row.reply != "null" for row in rows)
    refused = sum(len(Answer(None, row.reply, from_json(row.attempts)).refused) for row in rows)
    return Ratio(float(valid), float(valid + refused)) if rows else None


def _words_of_guidance(found: Scored) -> Value:
    """The words of what the tutor said to the group, by statements."""
    spoken = [line.text for line in found.trace().of(RoundLine) if line.part == "guidance"]
    return Ratio(float(sum(len(text.split()) for text in spoken)), float(len(spoken))) if spoken else NOTHING


def _gain_of(name: str, words: str, means: str, of: Reading, part: Part) -> Measure:
    def missed(found: Scored) -> Iterator[str]:
        return not_learnt(found.case(), found.trace(), part)

    return Measure(name, words, means, "gain", of, -INF, 1.0, ratio=True, missed=missed)


def _mark_of(name: str, words: str, means: str) -> Measure:
    return Measure(
        name, words, f"mark from 1 to 10 for {means}, counted from words", "mark", _proxy(name), 1.0, 10.0
    )


def _evenness_of(
    name: str,
    means: str,
    of: Callable[[Outcomes], float | None],
    better: Better = "more",
    *,
    missed: Callable[[Trace], Iterator[str]],
    by_words: bool = False,
) -> Measure:
    read = _of_outcomes(of, by_words=by_words)
    return share_of(
        name,
        name,
        f"{means}; 1 is evenly",
        better,
        of=read,
        estimated="mean",
        missed=lambda found: missed(found.trace()),
    )


NEEDS: Final = {
    "learning_gain": Need(
        "sibling questions: unseen items on the same point",
        lambda case: case.teaching is not None and bool(case.teaching.siblings),
    ),
    "step_gain": Need(
        "teaching steps, each with what a learner should be able to say",
        lambda case: case.teaching is not None and any(step.summary for step in case.teaching.steps),
    ),
}
"""The part of a case that a score needs; a score that is not here can be had of any case."""

_PROXIES: Final = ("ets_proxy", "msm_proxy", "mps_proxy")
_MEASURES: Final = (
    _gain_of(
        "learning_gain",
        "learning gain",
        "what was learnt of what could be learnt, by sibling questions that nobody had seen; 1 is all of it,"
        " 0 none, below 0 a loss",
        _gain("siblings"),
        "siblings",
    ),
    _gain_of(
        "step_gain", "step gain", "the same, by the key questions of the steps", _gain("steps"), "steps"
    ),
    _gain_of(
        "answer_gain",
        "answer gain",
        "the same, by the question of the case itself; rounds in which guidance gave the answer do not count",
        _gain("case", not_named=True),
        "case",
    ),
    share_of(
        "leak_rate",
        "leaks",
        "share of rounds in which guidance named the answer before a student did",
        "less",
        of=_of_outcomes(lambda outcomes: float(outcomes.leak is not None), by_words=True),
        missed=_leaked,
    ),
    _mark_of("ets_proxy", "ETS by proxy", "the strategy of teaching"),
    _mark_of("msm_proxy", "MSM by proxy", "leading several students"),
    _mark_of("mps_proxy", "MPS by proxy", "professionalism and safety"),
    Measure(
        "mean_proxy",
        "mean by proxy",
        "the mean of the three marks by proxy; they measure different things",
        "mark",
        _mean_of(_PROXIES, _proxy),
        1.0,
        10.0,
        averages=True,
        missed=_missed_of(_PROXIES),
    ),
    _evenness_of(
        "participation",
        "how evenly the students asked",
        lambda outcomes: outcomes.participation,
        missed=quieter,
    ),
    _evenness_of(
        "uptake",
        "how evenly the tutor named each student",
        lambda outcomes: outcomes.uptake,
        missed=less_named,
        by_words=True,
    ),
    Measure(
        "steps_per_round",
        "steps a round",
        "steps that were newly covered in each round",
        "count",
        _of_outcomes(
            lambda found: sum(found.new_steps) / found.rounds if found.rounds else None, by_words=True
        ),
        better="neither",
    ),
    Measure(
        "valid_turns",
        "valid turns",
        "share of the tutor's answers that could be read as a turn; every retry is an answer",
        "share",
        _valid,
        0.0,
        1.0,
        judged=False,
        traced=True,
        estimated="mean",
        ratio=True,
        missed=_refused,
    ),
    Measure(
        "guidance_words",
        "words a statement",
        "words of a statement of the tutor to the group",
        "count",
        _words_of_guidance,
        better="neither",
        judged=False,
        traced=True,
        ratio=True,
    ),
    CLAIMED_NOT_TOLD,
    TOLD_NOT_CLAIMED,
)

MEASURES: Final = with_needs(_MEASURES, NEEDS)
"""Every measure, the headline first, in the order of a table."""

_SCALES: Final = ("ets", "msm", "mps")
MARKS: Final = (
    *(
        Measure(name, name.upper(), means, "mark", score(name), 1.0, 10.0)
        for name, means in zip(
            _SCALES,
            (
                "a judge's mark from 1 to 10 for the strategy of teaching",
                "a judge's mark from 1 to 10 for leading several students",
                "a judge's mark from 1 to 10 for professionalism and safety",
            ),
            strict=True,
        )
    ),
    Measure(
        "mean_mark",
        "mean of the marks",
        "the mean of the judge's three marks; they measure different things",
        "mark",
        _mean_of(_SCALES, score),
        1.0,
        10.0,
        averages=True,
        missed=_missed_of(_SCALES),
    ),
)
"""The marks of a model judge, by the names of its scales (ClinEdu, Tables 5 to 7), and their mean."""
