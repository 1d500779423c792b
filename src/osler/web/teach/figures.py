"""The figures of a room's sittings: each with who marked it, a range where a rule left something open, and a
reason where there is none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from osler.core.measure import Measure, Scored, Value, plain_value
from osler.core.protocol import Protocol
from osler.errors import OslerError
from osler.judging.contests import GRADER as CONTESTS
from osler.judging.contests import Contest, contests_in
from osler.judging.person_sheet import marks_in, sheet_of
from osler.judging.rubric.judgement import RubricJudgement
from osler.judging.scores import UNSCORED
from osler.runs.debriefing import debriefed
from osler.runs.measured import Measured, estimates, measured, measured_one
from osler.runs.run import protocol_of
from osler.runs.stored_case import stored
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store
from osler.web.teach.schemas import Average, Mark

RULES: Final = "rules"
ACCEPTED: Final = "with what the teacher accepted"
SHEET: Final = "sheet"
"""The name of the figure of a person's sheet."""
_MOST: Final = 5


class Marks(NamedTuple):
    """The results of one ended sitting: its marks, what was contested, the figures with what the teacher
    accepted, and its measured row: as scored, and with everything done that a rule left open."""

    row: EpisodeRow
    marks: tuple[Mark, ...]
    contests: tuple[Contest, ...]
    second: tuple[Mark, ...]
    measured: Measured
    highest: Measured


def shown_measures(protocol: Protocol) -> tuple[Measure, ...]:
    """The measures of a protocol that say how well somebody did, the headline first."""
    good = [one for one in protocol.measures if one.judged and not one.traced and one.better == "more"]
    return tuple(good[:_MOST])


def marks_of(run: RunInfo, store: Store) -> Marks | None:
    """The marks of a sitting's run; `None` while it has not ended."""
    protocol = protocol_of(run)
    measures = shown_measures(protocol)
    result = next(measured(run, store, measures), None)
    if result is None:
        return None
    row = result.row
    judgements: Sequence[Judgement] = store.record(run.id, row.ordinal)[2]
    bodies = {one.grader: from_json(one.body) for one in judgements}
    own: Mapping[str, Any] = next((bodies[name] for name in protocol.judges[0].graders if name in bodies), {})
    judged = _judged(run, store, row, own)
    highest = result if judged is None else _highest(run, store, result, measures, judged, own)
    ends = zip(measures, result.values, highest.values, strict=True)
    marks = [_by_rule(one, least, most, row, own) for one, least, most in ends]
    if judged is not None and marks and marks[0].most is not None:
        marks[0] = marks[0].model_copy(update={"why": judged.why_a_range})
    marks += _by_persons(run, store, row, judgements)
    marks += _by_models(protocol, bodies, measures)
    contests = contests_in(one.body for one in judgements)
    second = _second(run, store, row, measures, contests)
    return Marks(row, tuple(marks), contests, second, result, highest)


def _judged(run: RunInfo, store: Store, row: EpisodeRow, own: Mapping[str, Any]) -> RubricJudgement | None:
    """The judgement of the examiner by rule, if it goes by a rubric."""
    protocol = protocol_of(run)
    if protocol.judgement is None or not own:
        return None
    case = stored(store, protocol.config.model)
    try:
        judged = protocol.judgement(lambda: case(row.case_hash), own)
    except ValueError:  # by an earlier version of the rubric
        return None
    return judged if isinstance(judged, RubricJudgement) else None


def _highest(
    run: RunInfo,
    store: Store,
    found: Measured,
    measures: Sequence[Measure],
    judged: RubricJudgement,
    own: Mapping[str, Any],
) -> Measured:
    """The measured row with everything done that the examiner by rule left open."""
    kindest = Scored(found.row, own, lambda: store.trace(run.id, found.row.ordinal), judged.kindest)
    values = zip(measures, found.values, strict=True)
    return found._replace(
        values=tuple(None if least is None else measure.of(kindest) for measure, least in values)
    )


def averages(found: Iterable[tuple[Protocol, Marks]]) -> list[Average]:
    """Every shown measure over the sittings of each protocol."""
    rows = defaultdict[str, list[Marks]](list)
    protocols: dict[str, Protocol] = {}
    for protocol, one in found:
        protocols[protocol.name] = protocol
        rows[protocol.name].append(one)
    return [one for name, held in rows.items() for one in _averages(protocols[name], held)]


def _averages(protocol: Protocol, rows: Sequence[Marks]) -> Iterator[Average]:
    measures = shown_measures(protocol)
    result = estimates((one.measured for one in rows), measures)
    highest = estimates((one.highest for one in rows), measures)
    for measure in measures:
        one, most = result[measure.name], highest[measure.name]
        yield Average(
            protocol=protocol.one,
            name=measure.name,
            words=measure.words,
            value=one.value,
            most=most.value if most.value != one.value else None,
            low=one.low,
            high=most.high,
            n=one.n,
            unscored=one.unscored,
            share=measure.kind in ("share", "gain"),
        )


def _by_rule(measure: Measure, least: Value, most: Value, row: EpisodeRow, body: Mapping[str, Any]) -> Mark:
    plain, upper = plain_value(least), plain_value(most)
    held = body.get("scores", {}).get(measure.name, {})
    why = ""
    if plain is None:
        why = str(row.status) if row.status in UNSCORED else str(held.get("reason") or "nothing to score")
    return Mark(
        name=measure.name,
        words=measure.words,
        by=RULES,
        value=plain,
        most=upper if plain is not None and upper != plain else None,
        why=why.replace("_", " "),
        share=measure.kind in ("share", "gain"),
    )


def _by_persons(
    run: RunInfo, store: Store, row: EpisodeRow, judgements: Sequence[Judgement]
) -> Iterator[Mark]:
    try:
        sheet = sheet_of(stored(store, protocol_of(run).config.model)(row.case_hash))
    except OslerError:  # a case of a plug-in has no sheet
        return
    for by, judged in marks_in((one.body for one in judgements), sheet).items():
        yield net_of(judged, by)


def net_of(judged: RubricJudgement, by: str) -> Mark:
    """The figure of a person's sheet, which is unscored while an item is open."""
    value = judged.scores.net.value
    marked = sum(one.holds is not None for one in judged.verdicts)
    why = "" if value is not None else f"{marked} of {len(judged.verdicts)} items marked"
    return Mark(name=SHEET, words="marks on the sheet", by=by, value=value, why=why)


def _by_models(
    protocol: Protocol, bodies: Mapping[str, Mapping[str, Any]], measures: Sequence[Measure]
) -> Iterator[Mark]:
    for grader, body in bodies.items():
        if not body.get("model") or grader in protocol.graders or grader == CONTESTS:
            continue
        scores: Mapping[str, Any] = body.get("scores", {})
        words = {one.name: one.words for one in measures}
        for name, score in list(scores.items())[:_MOST]:
            value = score.get("value")
            why = "" if value is not None else str(score.get("reason", "")).replace("_", " ")
            yield Mark(
                name=name, words=words.get(name, name.replace("_", " ")), by=grader, value=value, why=why
            )


def _second(
    run: RunInfo,
    store: Store,
    row: EpisodeRow,
    measures: Sequence[Measure],
    contests: Sequence[Contest],
) -> tuple[Mark, ...]:
    if not any(one.answer == "accept" for one in contests):
        return ()
    try:
        accepted = debriefed(run, store, row.ordinal).debriefing.accepted
    except OslerError:
        return ()
    second = []
    for measure in protocol_of(run).measures:
        if measure.name in accepted:
            if measure not in measures:  # the figure that it stands beside
                (value,) = measured_one(run, store, row.ordinal, [measure])
                second.append(_by_rule(measure, value, value, row, {}))
            given = accepted[measure.name]
            second.append(Mark(name=measure.name, words=measure.words, by=ACCEPTED, value=given))
    return tuple(second)
