"""The results of a sampled patient: what would be ordered, and the report of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from osler.cases.generator.drawing import SampledPerson
from osler.cases.generator.wording import (
    CHILD_UNDER_YEARS,
    Wording,
    normal_report,
    result_words,
    visible,
    wording,
)
from osler.cases.model import Finding as Result
from osler.knowledge.coherence import cleared, coherent, entailed
from osler.knowledge.conditions import Knowledge
from osler.knowledge.findings import finding, findings
from osler.knowledge.formulary import formulary
from osler.knowledge.vocabulary import FindingKind
from osler.text.findings_in_text import mentions

BASICS: Final = (
    "Vital signs",
    "General examination",
    "Full blood count",
    "C-reactive protein",
    "Urea and electrolytes",
)
"""What is done in everybody."""
PANELS: Final = frozenset(
    {
        "Vital signs",
        "Full blood count",
        "Urea and electrolytes",
        "Liver function tests",
        "Venous blood gas",
        "Urinalysis",
    }
)
"""Results that give every value, normal or not."""
_TELLING: Final = 0.7
"""A finding at least this likely in a disease is looked for where the disease is thought of."""
_MAY_SHOW: Final = 0.2
"""A test that at least so many of the disease's patients would show is done."""
_EACH: Final = 2
"""The most orders that one other disease adds."""

_Order = tuple[FindingKind, dict[str, Wording]]


class Reports:
    """The orders and reports of one sampled patient.

    `keys` are the key findings, `denied` those to be denied, `nearest` the rows of the diseases that would be
    thought of as well.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        person: SampledPerson,
        keys: frozenset[str],
        denied: frozenset[str],
        nearest: Sequence[int],
    ) -> None:
        self.known, self.drawn, self.keys, self.denied, self.nearest = (
            knowledge,
            person,
            keys,
            denied,
            nearest,
        )
        self.seen_on = coherent(person.condition.id).seen_on
        self.beside = person.present.union(*map(entailed, person.present))

    def written(self, write: Callable[[str], str]) -> tuple[tuple[Result, ...], dict[str, str]]:
        """The results, and for each finding that is present the id of the result that shows it."""
        made: list[Result] = []
        shown: dict[str, str] = {}
        wanted = self._wanted()
        for number, (order, (kind, items)) in enumerate(_orders().items(), start=1):
            text = self._report(order, items) if order in wanted else ""
            if not text:
                continue
            here = self.drawn.present & items.keys()
            shown |= dict.fromkeys(here, f"x{number}")
            made.append(
                Result(
                    id=f"x{number}",
                    kind=kind,
                    name=order,
                    result=write(text),
                    abnormal=bool(here) or text == self.seen_on.get(order) or bool(self._seen(order)),
                    key=bool(self.keys & here),
                )
            )
        return tuple(made), shown

    def _wanted(self) -> frozenset[str]:
        """The tests that the story calls for: those of the disease, of its nearest rivals, and the basics."""
        own = coherent(self.drawn.condition.id).own
        orders = {finding(name).order for name in (*(self.drawn.present & own), *self.denied)}
        listed = self.drawn.condition.findings.items()
        orders |= {
            finding(name).order for name, p in listed if finding(name).kind == "test" and p >= _MAY_SHOW
        }
        orders |= {order for name, (order, _) in visible().items() if name in self.drawn.present}
        for row in self.nearest:
            orders |= set(_telling(self.known, row)[:_EACH])
        return frozenset(order for order in (*orders, *BASICS) if order)

    def _report(self, order: str, items: dict[str, Wording]) -> str:
        if order in PANELS:
            return " ".join(self._values(items))
        here = [name for name in items if name in self.drawn.present]
        implied = {other for name in here for other in finding(name).implies}
        normal = [self._present(name, items[name]) for name in here if name not in implied]
        denied = [name for name in items if name in self.denied]
        if not normal and order in self.seen_on:
            return self.seen_on[order]
        normal = normal or self._seen(order)
        if not normal and not (denied and len(items) == 1):
            normal = self._normal(order, items)
        already = mentions(" ".join(normal))
        normal += [self._absent(items[name]) for name in denied if name not in already]
        return " ".join(dict.fromkeys(normal))

    def _seen(self, order: str) -> list[str]:
        """Return the visible signs of this order's findings; one that another implies is left out."""
        here = [name for name, (at, _) in visible().items() if at == order and name in self.drawn.present]
        implied = {other for name in here for other in finding(name).implies}
        return [visible()[name][1] for name in here if name not in implied]

    def _present(self, name: str, words: Wording) -> str:
        usual = result_words(words, self.drawn.age_years, there=True)
        return usual if usual == words.child_present else words.present_in.get(self.drawn.condition.id, usual)

    def _absent(self, words: Wording) -> str:
        for other, text in words.absent_beside.items():
            if other in self.drawn.present and not (
                words.child_absent and self.drawn.age_years < CHILD_UNDER_YEARS
            ):
                return text
        return result_words(words, self.drawn.age_years, there=False)

    def _values(self, items: dict[str, Wording]) -> Iterator[str]:
        """Every value of a panel: of findings that share a place one sentence."""
        there = sorted(items, key=lambda name: name not in self.drawn.present)
        places = dict[str, str]()
        for name in there:
            if items[name].can_occur(self.drawn.age_years, self.drawn.sex) or name in self.denied:
                places.setdefault(items[name].slot or name, name)
        left = {name for name in items if name in self.beside - self.drawn.present}
        for name in sorted(set(places.values()) - left, key=list(items).index):
            present = name in self.drawn.present
            yield self._present(name, items[name]) if present else self._absent(items[name])

    def _normal(self, order: str, items: dict[str, Wording]) -> list[str]:
        """The sentences of a normal report that hold in this patient; none where it cannot be normal."""
        if cleared(order) & self.drawn.present:
            return []
        can = [words for words in items.values() if words.can_occur(self.drawn.age_years, self.drawn.sex)]
        if not can or (self.beside - self.drawn.present) & items.keys():
            return []
        if all(finding(name).analytes for name in items):
            return list(dict.fromkeys(self._absent(words) for words in can))
        text = normal_report(order, self.drawn.age_years, self.drawn.sex)
        sentences = [f"{part.rstrip('.')}." for part in text.split(". ")]
        return [part for part in sentences if not mentions(part).keys() & self.beside]


@lru_cache(maxsize=1)
def _orders() -> dict[str, _Order]:
    """Everything orderable, with its kind and the wording of the findings it may show."""
    grouped = defaultdict[str, dict[str, Wording]](dict)
    for item in findings():
        if item.order:
            grouped[item.order][item.id] = wording(item.id)
    entries = {order: formulary().find(order) for order in grouped}
    return {
        order: (entry.kind if (entry := entries[order]) else "test", items)
        for order, items in grouped.items()
    }


@lru_cache(maxsize=512)
def _telling(known: Knowledge, row: int) -> tuple[str, ...]:
    """The tests that would best show a disease, by name of the order, best first."""
    lift = known.present[row] / known.present.mean(axis=0)
    result = dict[str, float]()
    for at, item in enumerate(known.findings):
        if item.order and item.kind == "test" and known.present[row, at] >= _TELLING:
            result[item.order] = max(result.get(item.order, 0), float(lift[at]))
    return tuple(sorted(result, key=lambda order: -result[order]))
