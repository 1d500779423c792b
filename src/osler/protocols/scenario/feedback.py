"""The feedback to a person after a scenario, as data: every item with its quotes, and where to try again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor
from typing import Final, NamedTuple

from osler.cases.rubrics.model import COMPETENCIES, NAMES, Item
from osler.core.said_in import SaidIn
from osler.core.summary import Feedback, Kind, Part, Remark
from osler.judging.contests import with_accepted
from osler.judging.rubric.judgement import RubricJudgement
from osler.judging.rubric.scores import Verdict
from osler.protocols.scenario.debrief import Turn, due, first_missed, outcome_words, turns_of
from osler.protocols.scenario.debrief_run import Played, played_once
from osler.protocols.scenario.measures import MEASURES
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.text.hostile import inert, safe

_LONGEST: Final = 160
_MOMENTS: Final = 3
_NEXT: Final = 3
_HEADINGS: Final[dict[Kind, str]] = {
    "good": "seen",
    "missed": "not seen",
    "unsafe": "done, and better left out",
    "other": "rightly left out",
}
BY_RULE: Final = (
    "Formative. A built-in examiner reads words, not meaning: what it did not see you may have done all the"
    " same. Say so below; a teacher can look."
)
BY_MODEL: Final = (
    "Formative. A language model marked this; it can be wrong. Say so below; a teacher can look."
)


def feedback(run: RunInfo, store: Store, ordinal: int | None = None) -> Feedback:
    """Return the feedback on one episode, the first if none is given.

    Raises BadInput if the episode has not been played to its end.
    """
    played = played_once(run, store, ordinal)
    said, turns = SaidIn(played.trace, "examinee"), turns_of(played.trace)
    judged = played.judgement
    second = with_accepted(judged, played.contests)
    remarks = {item.id: _remark(played, said, turns, item) for item in judged.rubric.items}
    return Feedback(
        sentence=safe(_sentence(judged)),
        examiner=BY_RULE if judged.by_rule else BY_MODEL,
        moments=tuple(_moments(judged, remarks)),
        next_time=tuple(_next_time(played)),
        parts=tuple(_parts(played, second, remarks)),
        scores={name: score.value for name, score in judged.scores._asdict().items()},
        contests=played.contests,
        accepted={} if second is judged else {"net": second.scores.net.value},
    )


class _Seen(NamedTuple):
    """How many items were seen, of how many that have a verdict; and how many have none."""

    met: int
    scored: int
    unscored: int


def _seen(judged: RubricJudgement, *, critical: bool = False) -> _Seen:
    """The items that were seen, negative ones apart."""
    verdicts = [
        judged.by_id[item.id]
        for item in judged.rubric.items
        if not item.traits.negative and (item.traits.critical or not critical)
    ]
    scored = [one for one in verdicts if one.holds is not None]
    return _Seen(sum(one.holds is True for one in scored), len(scored), len(verdicts) - len(scored))


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


def _sentence(judged: RubricJudgement) -> str:
    seen, critical = _seen(judged), _seen(judged, critical=True)
    if not seen.scored:
        return f"Not scored: {_items(seen.unscored)}."
    told = f"{seen.met} of {_items(seen.scored)} were seen"
    told += f", {critical.met} of the {critical.scored} critical ones" if critical.scored else ""
    told += f"; {judged.untold} could not be told by rules" if judged.untold else ""
    harm = sum(judged.by_id[item.id].holds is True for item in judged.rubric.items if item.traits.negative)
    return f"{told}; {harm} that count against you." if harm else f"{told}."


def _figures(judged: RubricJudgement, second: RubricJudgement) -> Iterator[str]:
    """The score as a teacher sees it, the sentence's figures, and what a teacher accepted."""
    seen, critical = _seen(judged), _seen(judged, critical=True)
    least, most = judged.scores.net.value, judged.highest.net.value
    if least is not None:
        told = _per_cent(least)
        if most is not None and most != least:
            told += f" to {_per_cent(most)}: {judged.why_a_range}"
        yield f"{MEASURES[0].words}: {told}"
    if seen.scored:
        yield f"items seen: {seen.met} of {seen.scored}"
    if critical.scored:
        yield f"critical items seen: {critical.met} of {critical.scored}"
    if seen.unscored:
        yield f"unscored: {_items(seen.unscored)} without a verdict"
    if second is not judged and (value := second.scores.net.value) is not None:
        yield f"{MEASURES[0].words}, with what a teacher accepted: {_per_cent(value)}"


def _per_cent(value: float) -> str:
    """A share in per cent, half of one rounded up as the browser rounds it."""
    return f"{floor(100 * value + 0.5)}\u00a0%"


def _remark(played: Played, said: SaidIn, turns: Sequence[Turn], item: Item) -> Remark:
    verdict = played.judgement.by_id[item.id]
    text = f"{outcome_words(item, verdict, played.judgement.by_rule)}: {' '.join(item.text.split())}"
    when = due(played.scenario, turns, item, verdict)
    if verdict.quotes:
        quote = inert(verdict.quotes[0].text, _LONGEST)
        at = said.turn(verdict.quotes[0].turn) or said.exchange(verdict.quotes[0].text)
    else:
        quote, at = "", when[0].exchange if when else 0
    contestable = "" if item.traits.negative or verdict.holds else item.id
    keep = when[0].exchange - 1 if when and _went_wrong(item, verdict) else None
    return Remark(safe(text), quote, at, contestable, keep)


def _went_wrong(item: Item, verdict: Verdict) -> bool:
    return verdict.holds is item.traits.negative


def _moments(judged: RubricJudgement, remarks: dict[str, Remark]) -> Iterator[Remark]:
    """What went well first, critical items before others; then one to look at again."""
    items = sorted(judged.rubric.items, key=lambda item: not item.traits.critical)
    good = [
        remarks[item.id]
        for item in items
        if judged.by_id[item.id].holds and not item.traits.negative and remarks[item.id].quote
    ]
    harm = [remarks[item.id] for item in items if judged.by_id[item.id].holds and item.traits.negative]
    chosen = [*good[: _MOMENTS - min(1, len(harm))], *harm[:1]]
    yield from sorted(chosen, key=lambda one: one.exchange)


def _next_time(played: Played) -> Iterator[str]:
    judged = played.judgement
    wrong = [
        item
        for item in judged.rubric.items
        if _went_wrong(item, judged.by_id[item.id]) and judged.by_id[item.id].open != "not_by_rule"
    ]
    first = first_missed(played.scenario, played.trace, judged)
    ordered = sorted(
        wrong, key=lambda item: (first is None or item is not first.item, not item.traits.critical)
    )
    for item in ordered[:_NEXT]:
        yield safe(" ".join(item.text.split()))


def _parts(played: Played, second: RubricJudgement, remarks: dict[str, Remark]) -> Iterator[Part]:
    judged = played.judgement
    yield Part("Your score", "score", tuple(Remark(safe(line)) for line in _figures(judged, second)))
    for competency in COMPETENCIES:
        items = [item for item in judged.rubric.items if item.competency == competency]
        groups: dict[Kind, list[Remark]] = {"good": [], "missed": [], "unsafe": [], "other": []}
        for item in items:
            groups[_kind(item, judged.by_id[item.id])].append(remarks[item.id])
        for kind, found in groups.items():
            if found:
                yield Part(f"{NAMES[competency].capitalize()}: {_HEADINGS[kind]}", kind, tuple(found))
    scenario = played.scenario
    if scenario.debrief:
        yield Part("To take away", "lesson", tuple(Remark(safe(note)) for note in scenario.debrief))
    if sources := scenario.provenance.sources:
        yield Part("Sources", "lesson", tuple(Remark(safe(source.told())) for source in sources))


def _kind(item: Item, verdict: Verdict) -> Kind:
    if item.traits.negative:
        return "unsafe" if verdict.holds else "other"
    return "good" if verdict.holds else "missed"
