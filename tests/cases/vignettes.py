"""What every importer of prose vignettes is held to: the whole source, each part with one holder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from osler.cases.importers import ImportReport, Rejected, Tally
from osler.cases.importers.json_paths import words_of
from osler.cases.importers.leaks import plain
from osler.cases.importers.vignette.pieces import Vignette, by_rules, pieces_of
from osler.cases.importers.vignette.roles import measured
from osler.cases.model import Case, Holder
from tests.cases.importing import holder_of

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests/fixtures"
DATA = ROOT / "../shared/data"
SHORTEST_NAME = 4
Read = Callable[[Path, str], Iterator[Case | Rejected]]
# What joins a clause to the one before it may go where they are parted.
JOINING = frozenset("and or nor but however while whereas although though which who also then".split())


def imported(read: Read, path: Path) -> tuple[list[Case], ImportReport]:
    tally = Tally()
    cases = list(tally.watch(read(path, "test")))
    report = tally.report()
    assert report.read == report.imported + report.rejected
    return cases, report


def refused(report: ImportReport) -> dict[int, str]:
    return {reason.record: reason.reason for reason in report.reasons if reason.kind == "rejected"}


def held_under(case: Case) -> dict[str, str]:
    """What the case holds of each place in its source, as one text."""
    told: dict[str, list[str]] = {}
    for fact in case.facts:
        told.setdefault(fact.source or "", []).append(fact.text)
    for finding in case.findings:
        told.setdefault(finding.source or "", []).append(finding.result)
    for leaf in case.withheld:
        told.setdefault(leaf.source, []).append(leaf.text)
    for place in case.opening.sources:
        told.setdefault(place, []).append(f"{case.opening.door_note} {case.opening.words}")
    return {place: " ".join(texts).lower() for place, texts in told.items()}


def assert_all_is_held(vignette: Vignette, case: Case) -> None:
    """Every leaf and every clause has one holder, and none of its words is lost there."""
    holders: dict[str, set[Holder]] = {}
    for path, holder in case.leaves():
        holders.setdefault(path, set()).add(holder)
    assert all(len(them) == 1 for them in holders.values())
    told = held_under(case)
    prose = {leaf.path for leaf in vignette.prose}
    pieces = [(piece.path, piece.text) for piece in pieces_of(vignette, by_rules(vignette))]
    rest = [(leaf.path, words_of(leaf.value)) for leaf in vignette.leaves if leaf.path not in prose]
    for path, text in [*pieces, *rest]:
        assert holder_of(case, path) is not None, f"nobody holds {path}"
        if path.startswith("images["):
            continue  # a source's file name goes nowhere, and what the prose calls the image is its name
        for word in re.findall(r"\w+", text.lower()):
            assert word in told[path] or word in JOINING, f"{word!r} of {path} is lost"


def assert_nobody_recites_values(case: Case) -> None:
    said = [case.opening.words, *(fact.text for fact in case.facts)]
    assert not [text for text in said if measured(text)]


def assert_the_answer_is_hidden_or_flagged(case: Case) -> None:
    """A diagnosis asked for stands nowhere but in an opening that is flagged for it."""
    if case.diagnosis is None or len(plain(case.diagnosis.name)) < SHORTEST_NAME:
        return
    name = f" {plain(case.diagnosis.name)} "
    visible = [fact.text for fact in case.facts] + [finding.result for finding in case.findings]
    assert not [text for text in visible if name in f" {plain(text)} "]
    if name in f" {plain(case.opening.door_note)} ":
        assert any(flag.startswith("given") for flag in case.provenance.flags)


def assert_sound(vignettes: Iterator[Vignette | Rejected], cases: list[Case]) -> None:
    """All that holds for every case of a file."""
    found = {case.provenance.record: case for case in cases}
    for item in vignettes:
        if isinstance(item, Rejected):
            continue
        case = found.pop(str(item.record), None)
        assert case is not None, f"record {item.record} is not imported"
        assert_all_is_held(item, case)
        assert_nobody_recites_values(case)
        assert_the_answer_is_hidden_or_flagged(case)
        assert Case.model_validate_json(case.model_dump_json()) == case
    assert not found
