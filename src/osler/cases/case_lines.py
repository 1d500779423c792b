"""The whole of a case in lines, for whoever judges an encounter with it and must check facts against it.

Judges, raters' sheets and published sessions take the case from here, so that all of them know the same. No
line holds the question, its options or the plan, which stand beside it; a line may give the answer away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from osler.cases.model import Case, Fact
from osler.cases.pictures import images_of
from osler.core.pictures import Picture

MISTAKEN: Final = "mistaken belief"
"""The label of something that its speaker believes, and that is not so."""
_LABEL: Final = re.compile(r"Image \d+")
"""The neutral name of an image, which is no sentence."""
UNTOLD: Final = "told to nobody"
"""The label of a sentence of the vignette that no seat is told."""


class CaseLine(NamedTuple):
    """One line of a case. `label` is ours, of small letters and blanks; `text` is the case's. `image` is the
    id under which every seat knows an image, with its `picture` if there is one to look at."""

    label: str
    text: str
    image: str = ""
    picture: Picture | None = None


def case_lines(case: Case) -> tuple[CaseLine, ...]:
    """The vignette (patient, door, first words, history), the chart (examinations, tests, images), and what
    else the vignette's prose says that no seat is told."""
    return (*_vignette(case), *_chart(case), *_untold(case))


def _vignette(case: Case) -> Iterator[CaseLine]:
    years = f"{case.age_years:g} years" if case.age_years is not None else ""
    if who := ", ".join(each for each in (years, case.sex) if each):
        yield CaseLine("patient", who)
    for label, text in (
        ("setting", case.setting),
        ("on the door", case.opening.door_note),
        ("first words", case.opening.words),
    ):
        if text and text.strip():
            yield CaseLine(label, text)
    yield from map(_history, case.facts)


def _history(fact: Fact) -> CaseLine:
    by = "" if fact.known_by == "patient" else f" (told by the {fact.known_by})"
    return CaseLine("history" if fact.believed_truly else MISTAKEN, f"{fact.text}{by}")


def _chart(case: Case) -> Iterator[CaseLine]:
    ids = {finding.id: ident for ident, finding in images_of(case).items()}
    for finding in case.findings:
        image = ids.get(finding.id, "")
        name = f"{finding.name} ({image})" if image else finding.name
        yield CaseLine(finding.kind, f"{name}: {finding.result}", image, finding.picture)


def _untold(case: Case) -> Iterator[CaseLine]:
    """Yield the sentences of an imported vignette that are withheld, such as a treatment that gives the
    answer away, without its question and its options."""
    prose = {path.partition("[")[0] for path, holder in case.leaves() if holder != "withheld" and "[" in path}
    question, options = case.task.question, (case.task.options or {}).values()
    for leaf in case.withheld:
        text = leaf.text.strip()
        listed = bool(options) and all(option in text for option in options)
        match = text in question or question in text or _LABEL.fullmatch(text)
        if "[" in leaf.source and leaf.source.partition("[")[0] in prose and text and not (listed or match):
            yield CaseLine(UNTOLD, text)
