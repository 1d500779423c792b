"""A sampled patient as a case: an opening, facts, a result for everything orderable, the gold standard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from math import log
from random import Random
from typing import Final

from osler.cases.generator.drawing import ONSETS, Drawn, draw
from osler.cases.generator.wording import Biography, Wording, biography, result_words, wording, writer
from osler.cases.model import Alternative, Case, Diagnosis, Fact, Opening, Provenance, Sex, Task, Workup
from osler.cases.model import Finding as Result
from osler.knowledge.conditions import Knowledge, likely_findings
from osler.knowledge.findings import finding, findings
from osler.knowledge.formulary import formulary
from osler.knowledge.vocabulary import FindingKind, Topic

QUESTION: Final = "What is the most likely diagnosis?"
AUTHOR: Final = "Osler generator"
GROWN_UP_YEARS: Final = 16
CARER_SPEAKS_UNDER_YEARS: Final = 12
_WRITTEN_FROM: Final = 0.3
"""A finding at least this likely in the disease is explicitly denied where it is absent."""
_KEY_FACTS, _KEY_RESULTS, _ALTERNATIVES = 5, 3, 3
_TELLS_FROM: Final = 1.0
"""A key finding is at least e times likelier in the disease than in the average one (natural logarithm)."""
_DAYS: Final = "It began {2..6} days ago."


def made(known: Knowledge, seed: int, number: int, origin: str) -> Case:
    """The case for a seed and number (from 0): a pure function of both and of the knowledge."""
    rng = Random(f"{seed}/{number}")  # noqa: S311 - simulation, not secrecy
    return _case(known, draw(known, rng), rng, f"made-{seed}-{number}", origin, number)


def _case(known: Knowledge, drawn: Drawn, rng: Random, ident: str, origin: str, number: int) -> Case:
    write = writer(drawn.sex, rng)
    child = drawn.age_years < CARER_SPEAKS_UNDER_YEARS
    keys = _telling(known, drawn)
    facts, told = _facts(known, drawn, keys, write, rng, child=child)
    results, shown = _results(known, drawn, keys, write)
    required = tuple((result.id,) for result in results if result.key)
    condition = drawn.condition
    complaint = wording(drawn.complaint.id)
    return Case(
        id=ident,
        specialty=condition.specialty,
        task=Task(kind="diagnosis", question=QUESTION, answer=condition.name, accepts=condition.synonyms),
        age_years=drawn.age_years,
        sex=drawn.sex,
        speaker="parent" if child else "patient",
        opening=Opening(
            door_note=f"{person(drawn.age_years, drawn.sex)} with {write(complaint.complaint or '')}.",
            words=write((complaint.text if child else complaint.says) or ""),
        ),
        facts=facts,
        findings=results,
        diagnosis=Diagnosis(
            name=condition.name,
            synonyms=condition.synonyms,
            alternatives=_alternatives(known, drawn, told | shown),
        ),
        workup=Workup(required=required) if required else None,
        provenance=Provenance(
            origin=origin,
            record=str(number + 1),
            author=AUTHOR,
            licence="MIT",
            flags=("note: made up from approximate knowledge; no patient",),
        ),
    )


def person(years: float, sex: Sex) -> str:
    """A person of an age and sex in a few words, such as "A woman of 52"."""
    if years < 2:
        months = round(years * 12)
        return f"A baby {'girl' if sex == 'female' else 'boy'} of {months} month{'s' * (months > 1)}"
    grown, young = ("woman", "girl") if sex == "female" else ("man", "boy")
    return f"A {grown if years >= GROWN_UP_YEARS else young} of {years:g}"


def _telling(known: Knowledge, drawn: Drawn) -> frozenset[str]:
    """The key findings: present and speaking for the disease, the best few to ask and the best to order."""
    average = known.present.mean(axis=0)
    weight = {
        name: log(known.present[drawn.row, known.column[name]] / average[known.column[name]])
        for name in drawn.present
    }
    best = sorted((name for name in weight if weight[name] >= _TELLS_FROM), key=lambda n: (-weight[n], n))
    # The complaint is volunteered before any question.
    told = [name for name in best if finding(name).ask and name != drawn.complaint.id]
    ordered = [name for name in best if finding(name).order]
    return frozenset(told[:_KEY_FACTS]) | frozenset(ordered[:_KEY_RESULTS])


def _facts(
    known: Knowledge,
    drawn: Drawn,
    keys: frozenset[str],
    write: Callable[[str], str],
    rng: Random,
    *,
    child: bool,
) -> tuple[tuple[Fact, ...], dict[str, str]]:
    """The facts, and for each finding that is present the id of the fact that states it."""
    made: list[Fact] = []
    told: dict[str, str] = {}

    def tell(topic: Topic, text: str, says: str, *, absent: bool = False, key: bool = False) -> None:
        made.append(
            Fact(
                id=f"f{len(made) + 1}",
                topic=topic,
                text=write(text),
                spoken=None if child else write(says),
                known_by="parent" if child else "patient",
                absent=absent,
                key=key,
            )
        )

    complaint = wording(drawn.complaint.id)
    tell("complaint", complaint.text or "", complaint.says or "")
    told[drawn.complaint.id] = made[-1].id
    onset = next((name for name in ONSETS if name in drawn.present), None)
    # Where nothing in the history is typical, the onset is still worth asking for.
    key = onset in keys or not any(finding(name).ask for name in keys)
    if onset:
        tell("course", wording(onset).text or "", wording(onset).says or "", key=key)
        told[onset] = made[-1].id
    else:
        days = write(_DAYS)
        tell("course", days, days, key=key)
    denied = _denied(known, drawn)
    others = [item for item in known.findings if item.ask and item.id != drawn.complaint.id]
    for item in others:
        words = wording(item.id)
        if item.id == onset:
            continue
        if item.id in drawn.present:
            tell(words.topic, words.text or "", words.says or "", key=item.id in keys)
            told[item.id] = made[-1].id
        elif item.id in denied:
            topic = "systems" if words.topic == "associated" else words.topic
            tell(topic, words.not_text or "", words.not_says or "", absent=True)
    for life in _life(rng, grown=drawn.age_years >= GROWN_UP_YEARS):
        tell(life.topic, life.text, life.says)
    return tuple(made), told


def _denied(known: Knowledge, drawn: Drawn) -> frozenset[str]:
    """The findings to be denied explicitly where absent: those the disease makes likely.

    Likely by the knowledge that generated the case, or by that of the built-in players, which count on
    everything that is more likely than not, at any age.
    """
    likely, counted_on = _likely(known, drawn.row)
    can = {name for name in likely if wording(name).can_occur(drawn.age_years, drawn.sex)}
    return frozenset(can) | {name for name in counted_on if wording(name).sex in (None, drawn.sex)}


@lru_cache(maxsize=512)
def _likely(known: Knowledge, row: int) -> tuple[frozenset[str], frozenset[str]]:
    name = known.conditions[row].name
    here = {item.id for item in known.findings if known.present[row, known.column[item.id]] >= _WRITTEN_FROM}
    known_to_players = {item.id for item in likely_findings(name, _WRITTEN_FROM)}
    return frozenset(here | known_to_players), frozenset(item.id for item in likely_findings(name))


def _life(rng: Random, *, grown: bool) -> list[Biography]:
    """One biographical statement for each topic; children have no occupation."""
    by_topic = defaultdict[Topic, list[Biography]](list)
    for life in biography():
        by_topic[life.topic].append(life)
    chosen = [rng.choice(several) for several in by_topic.values()]
    return [life for life in chosen if grown or life.topic != "occupation"]


def _results(
    known: Knowledge, drawn: Drawn, keys: frozenset[str], write: Callable[[str], str]
) -> tuple[tuple[Result, ...], dict[str, str]]:
    """A result for everything orderable in the knowledge, so that the list of orders gives nothing away.

    Also, for each finding that is present, the id of the result that shows it.
    """
    made = []
    shown: dict[str, str] = {}
    denied = _denied(known, drawn)
    for number, (order, kind, items) in enumerate(_orders(), start=1):
        sentences = dict[str, str]()
        for name, words in items.items():
            there = name in drawn.present
            if not (words.can_occur(drawn.age_years, drawn.sex) or name in denied):
                continue
            slot = words.slot or name
            if there or slot not in sentences:
                sentences[slot] = result_words(words, drawn.age_years, there=there)
        if not sentences:
            continue
        here = drawn.present & items.keys()
        shown |= dict.fromkeys(here, f"x{number}")
        made.append(
            Result(
                id=f"x{number}",
                kind=kind,
                name=order,
                result=write(" ".join(sentences.values())),
                abnormal=bool(here),
                key=bool(keys & here),
            )
        )
    return tuple(made), shown


@lru_cache(maxsize=1)
def _orders() -> tuple[tuple[str, FindingKind, dict[str, Wording]], ...]:
    """Everything orderable, with its kind and the wording of the findings it may show."""
    grouped = defaultdict[str, dict[str, Wording]](dict)
    for item in findings():
        if item.order:
            grouped[item.order][item.id] = wording(item.id)
    entries = {order: formulary().find(order) for order in grouped}
    return tuple(
        (order, entry.kind if (entry := entries[order]) else "test", items)
        for order, items in grouped.items()
    )


def _alternatives(known: Knowledge, drawn: Drawn, places: dict[str, str]) -> tuple[Alternative, ...]:
    """The differential: the other diseases that fit best, each with the finding that speaks most against it.

    `places` maps a finding to the fact or result that holds it.
    """
    there = [known.column[name] for name in sorted(drawn.present)]
    fit = known.prior(drawn.age_years, drawn.sex) + known.log_present[:, there].sum(axis=1)
    found = []
    for row in (int(row) for row in fit.argsort()[::-1] if row != drawn.row):
        against = known.log_present[drawn.row, there] - known.log_present[row, there]
        best = known.findings[there[int(against.argmax())]]
        other = known.conditions[row]
        found.append(
            Alternative(
                name=other.name,
                synonyms=other.synonyms,
                why_less_likely=f"Seldom found in it: {best.name}.",
                must_not_miss=other.must_not_miss,
                discriminators=(places[best.id],),
            )
        )
        if len(found) == _ALTERNATIVES:
            break
    return tuple(found)
