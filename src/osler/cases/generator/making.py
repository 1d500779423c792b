"""A sampled patient as a case: an opening, facts, the results of a sensible workup, the gold standard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import log
from random import Random
from typing import Final

from osler.cases.generator.drawing import ONSETS, USUAL, SampledPerson, draw
from osler.cases.generator.reports import Reports
from osler.cases.generator.wording import Biography, biography, onset_words, wording, writer
from osler.cases.made_up import MADE_UP
from osler.cases.model import Alternative, Case, Diagnosis, Fact, Opening, Provenance, Sex, Task, Workup
from osler.knowledge.coherence import coherent, entailed
from osler.knowledge.conditions import Condition, Knowledge, factor_of_age, likely_findings, name_key
from osler.knowledge.findings import finding
from osler.knowledge.vocabulary import Topic

QUESTION: Final = "What is the most likely diagnosis?"
AUTHOR: Final = "Osler generator"
GROWN_UP_YEARS: Final = 16
CARER_SPEAKS_UNDER_YEARS: Final = 12
_WRITTEN_FROM: Final = 0.4
"""A finding at least this likely in the disease is explicitly denied where it is absent."""
_PERTINENT_FROM, _PERTINENT = 0.8, 3
"""So many findings, at least so likely in a near disease, are denied where they are absent."""
_BRINGS: Final = 0.3
"""The least probability of the presenting complaint in a disease that is thought of."""
_FIRST: Final = 12
_PRIVATE: Final = frozenset({"mood", "sexual", "gynaecological", "drugs", "home"})
"""Topics of which nobody speaks unasked."""
_KEY_FACTS, _KEY_RESULTS, _ALTERNATIVES = 5, 3, 3
_TELLS_FROM: Final = 1.0
"""A key finding is at least e times likelier in the disease than in the average one (natural logarithm)."""


def made(knowledge: Knowledge, seed: int, number: int, origin: str) -> Case:
    """The case for a seed and number (from 0): a pure function of both and of the knowledge."""
    rng = Random(f"{seed}/{number}")  # noqa: S311 - simulation, not secrecy
    return _case(knowledge, draw(knowledge, rng), rng, f"made-{seed}-{number}", origin, number)


def _case(
    knowledge: Knowledge, sample: SampledPerson, rng: Random, ident: str, origin: str, number: int
) -> Case:
    write = writer(sample.sex, rng)
    child = sample.age_years < CARER_SPEAKS_UNDER_YEARS
    keys = _telling(knowledge, sample)
    nearest = _nearest(knowledge, sample)
    denied = _denied(knowledge, sample, nearest)
    facts, told = _facts(knowledge, sample, keys, denied, write, rng, child=child)
    results, shown = Reports(knowledge, sample, keys, denied, nearest).written(write)
    required = tuple((result.id,) for result in results if result.key)
    condition = sample.condition
    complaint = wording(sample.complaint.id)
    return Case(
        id=ident,
        specialty=condition.specialty,
        task=Task(kind="diagnosis", question=QUESTION, answer=condition.name, accepts=condition.synonyms),
        age_years=sample.age_years,
        sex=sample.sex,
        speaker="parent" if child else "patient",
        opening=Opening(
            door_note=f"{person(sample.age_years, sample.sex)} with {write(complaint.complaint or '')}.",
            words=write((complaint.text if child else complaint.says) or ""),
        ),
        facts=facts,
        findings=results,
        diagnosis=Diagnosis(
            name=condition.name,
            synonyms=condition.synonyms,
            alternatives=_alternatives(knowledge, sample, nearest, told | shown),
        ),
        workup=Workup(required=required) if required else None,
        provenance=Provenance(
            origin=origin,
            record=str(number + 1),
            author=AUTHOR,
            licence="MIT",
            flags=(MADE_UP,),
        ),
    )


def person(years: float, sex: Sex) -> str:
    """A person of an age and sex in a few words, such as "A woman of 52"."""
    if years < 2:
        months = round(years * 12)
        return f"A baby {'girl' if sex == 'female' else 'boy'} of {months} month{'s' * (months > 1)}"
    grown, young = ("woman", "girl") if sex == "female" else ("man", "boy")
    return f"A {grown if years >= GROWN_UP_YEARS else young} of {years:g}"


def _telling(knowledge: Knowledge, sample: SampledPerson) -> frozenset[str]:
    """The key findings: present and speaking for the disease, the best few to ask and the best to order."""
    average = knowledge.present.mean(axis=0)
    weight = {
        name: log(knowledge.present[sample.row, knowledge.column[name]] / average[knowledge.column[name]])
        for name in sample.present
    }
    best = sorted((name for name in weight if weight[name] >= _TELLS_FROM), key=lambda n: (-weight[n], n))
    # The complaint is volunteered before any question.
    told = [name for name in best if finding(name).ask and name != sample.complaint.id]
    ordered = [name for name in best if finding(name).order]
    return frozenset(told[:_KEY_FACTS]) | frozenset(ordered[:_KEY_RESULTS])


class _History:
    """The facts of a history in the order in which they are told, written in the patient's way."""

    def __init__(self, write: Callable[[str], str], *, child: bool) -> None:
        self.facts: list[Fact] = []
        self._write, self._child = write, child

    def tell(
        self,
        topic: Topic,
        text: str,
        says: str,
        *,
        absent: bool = False,
        key: bool = False,
        offers: bool = False,
    ) -> str:
        """Add a fact, and return its id. For a child a parent knows it, who has no words of their own."""
        fact = Fact(
            id=f"f{len(self.facts) + 1}",
            topic=topic,
            text=self._write(text),
            spoken=None if self._child else self._write(says),
            known_by="parent" if self._child else "patient",
            told="volunteered" if offers else "asked",
            absent=absent,
            key=key,
        )
        self.facts.append(fact)
        return fact.id


def _facts(
    knowledge: Knowledge,
    sample: SampledPerson,
    keys: frozenset[str],
    denied: frozenset[str],
    write: Callable[[str], str],
    rng: Random,
    *,
    child: bool,
) -> tuple[tuple[Fact, ...], dict[str, str]]:
    """The facts, and for each finding that is present the id of the fact that states it."""
    history = _History(write, child=child)
    complaint = wording(sample.complaint.id)
    first = history.tell("complaint", complaint.text or "", complaint.says or "")
    stated = {sample.complaint.id: first}
    onset = next((name for name in ONSETS if name in sample.present), None)
    # Where nothing in the history is typical, the onset is still worth asking for.
    key = onset in keys or not any(finding(name).ask for name in keys)
    text = write(onset_words(sample.began, sample.condition.id, sample.complaint.id, denied))
    began = history.tell("course", text, text, key=key)
    if onset:
        stated[onset] = began
    stated |= _tell_findings(history, first, knowledge, sample, keys, denied)
    for life in _life(rng, sample.age_years):
        history.tell(life.topic, life.text, life.says)
    return tuple(history.facts), stated


def _tell_findings(
    history: _History,
    first: str,
    knowledge: Knowledge,
    sample: SampledPerson,
    keys: frozenset[str],
    denied: frozenset[str],
) -> dict[str, str]:
    """Tell the findings that are asked for, present or denied. Returns the id of the fact that states each;
    one that another complaint implies is stated by the `first` fact."""
    stated: dict[str, str] = {}
    offered = _offered(knowledge, sample)
    # What another complaint implies is said with it.
    implied = {other for name in sample.present for other in finding(name).implies if finding(name).ask}
    for item in knowledge.findings:
        words = wording(item.id)
        if not item.ask or item.id in (sample.complaint.id, *ONSETS):
            continue
        if item.id in sample.present and item.id in implied and item.id not in keys:
            stated[item.id] = first
        elif item.id in sample.present:
            stated[item.id] = history.tell(
                words.topic,
                words.text or "",
                words.says or "",
                key=item.id in keys,
                offers=item.id == offered,
            )
        elif item.id in denied:
            topic = "systems" if words.topic == "associated" else words.topic
            history.tell(topic, words.not_text or "", words.not_says or "", absent=True)
    return stated


def _offered(knowledge: Knowledge, sample: SampledPerson) -> str | None:
    """The complaint that is told unasked beside the first: the commonest of the disease that is present."""
    own = coherent(sample.condition.id).own
    can = [
        item.id
        for item in knowledge.findings
        if item.kind == "symptom"
        and item.id in sample.present & own
        and item.id not in (sample.complaint.id, *ONSETS, *entailed(sample.complaint.id))
        and wording(item.id).topic not in _PRIVATE
    ]
    line = knowledge.present[sample.row]
    return max(can, key=lambda name: (line[knowledge.column[name]], name), default=None)


def _denied(knowledge: Knowledge, sample: SampledPerson, nearest: Sequence[int]) -> frozenset[str]:
    """The findings to be denied explicitly where absent: those that this disease or one like it makes likely.

    Likely by the knowledge that generated the case, or by that of the built-in players, which count on
    everything that is more likely than not. Nothing that goes with what is present.
    """
    may = coherent(sample.condition.id).may
    likely = _likely(knowledge, sample.row)
    can = {name for name, counted_on in likely.items() if counted_on or name in may}
    can = {name for name in can if wording(name).can_occur(sample.age_years, sample.sex)}
    beside = sample.present.union(*map(entailed, sample.present))
    return frozenset(can | set(_pertinent(knowledge, sample, nearest, beside))) - beside


def _pertinent(
    knowledge: Knowledge, sample: SampledPerson, nearest: Sequence[int], beside: frozenset[str]
) -> Iterator[str]:
    """The pertinent negatives: what would speak for the nearest other diseases and is not there."""
    left = _PERTINENT
    for row in nearest:
        for at in (-knowledge.present[row]).argsort(kind="stable")[:_FIRST]:
            item = knowledge.findings[int(at)]
            sure = knowledge.present[row, int(at)] >= _PERTINENT_FROM
            new = item.kind == "symptom" and item.id not in beside | set(ONSETS)
            if left and sure and new and wording(item.id).can_occur(sample.age_years, sample.sex):
                left -= 1
                yield item.id
                break


@lru_cache(maxsize=512)
def _likely(known: Knowledge, row: int) -> dict[str, bool]:
    """The findings that the disease makes likely, and whether the built-in players count on each."""
    name = known.conditions[row].name
    here = [item.id for item in known.findings if known.present[row, known.column[item.id]] >= _WRITTEN_FROM]
    counted_on = {item.id for item in likely_findings(name)}
    theirs = (item.id for item in likely_findings(name, _WRITTEN_FROM))
    return {name: name in counted_on for name in (*here, *theirs)}


def _life(rng: Random, age_years: float) -> list[Biography]:
    """One biographical statement for each topic, of those that fit the age."""
    by_topic = defaultdict[Topic, list[Biography]](list)
    for life in biography():
        if life.ages[0] <= age_years < life.ages[1]:
            by_topic[life.topic].append(life)
    return [rng.choice(several) for several in by_topic.values()]


def _nearest(knowledge: Knowledge, sample: SampledPerson) -> tuple[int, ...]:
    """The other diseases that are usual in the person and fit best, by row, best first."""
    there = [knowledge.column[name] for name in sorted(sample.present)]
    told = [at for at, item in enumerate(knowledge.findings) if item.ask and item.id not in sample.present]
    fit = knowledge.prior(sample.age_years, sample.sex) + knowledge.log_present[:, there].sum(axis=1)
    fit = fit + knowledge.log_absent[:, told].sum(axis=1)
    # Rounded and stable, so that no processor's last bit decides between equals.
    rows = (int(row) for row in (-fit.round(9)).argsort(kind="stable") if row != sample.row)
    usual = [
        row
        for row in rows
        if factor_of_age(knowledge.conditions[row], sample.age_years) >= USUAL
        and not _one_of_the_other(knowledge.conditions[row], sample.condition)
    ]
    # Those come first that bring what the person comes with.
    usual.sort(key=lambda row: knowledge.present[row, knowledge.column[sample.complaint.id]] < _BRINGS)
    return tuple(usual[:_ALTERNATIVES])


def _one_of_the_other(one: Condition, other: Condition) -> bool:
    """Whether one disease is by its name a kind of the other, such as migraine and migraine with aura."""
    words, others = (set(name_key(item.name).split()) for item in (one, other))
    return words <= others or others <= words


def _alternatives(
    knowledge: Knowledge, sample: SampledPerson, nearest: Sequence[int], places: dict[str, str]
) -> tuple[Alternative, ...]:
    """The differential: the nearest diseases, each with the finding that speaks most against it.

    `places` maps a finding to the fact or result that holds it.
    """
    there = [knowledge.column[name] for name in sorted(sample.present & places.keys())]
    alternatives = []
    for row in nearest:
        against = knowledge.log_present[sample.row, there] - knowledge.log_present[row, there]
        best = knowledge.findings[there[int(against.argmax())]]
        other = knowledge.conditions[row]
        alternatives.append(
            Alternative(
                name=other.name,
                synonyms=other.synonyms,
                why_less_likely=f"Seldom found in it: {best.name}.",
                must_not_miss=other.must_not_miss,
                discriminators=(places[best.id],),
            )
        )
    return tuple(alternatives)
