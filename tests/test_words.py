"""The words of the documents: no page has more spoilt sentences than `tests/words_allowed.yaml` allows it.

An allowance may only shrink: a page with fewer must have it lowered. OSLER_WRITE_WORDS=1 lowers the
allowances to what is there; OSLER_WRITE_WORDS=all raises them too, for a page that is new or renamed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.words import LONG, PATTERNS, Hit, hits, sentences

ROOT = Path(__file__).parent.parent
ALLOWED = ROOT / "tests/words_allowed.yaml"
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")),
)
WRITE = os.environ.get("OSLER_WRITE_WORDS", "")
HEAD = """\
# Sentences that each page may have by pattern (tests/words.py); it may only shrink.
# OSLER_WRITE_WORDS=1 pytest -n 0 tests/test_words.py lowers the numbers to what is there.
"""
Counts = dict[str, dict[str, int]]


def allowances() -> Counts:
    return yaml.safe_load(ALLOWED.read_text("utf-8")) or {} if ALLOWED.is_file() else {}


def counts_of(page: str) -> Counter[str]:
    return Counter(hit.pattern for hit in hits((ROOT / page).read_text("utf-8")))


def lowered(allowed: Counts, there: Mapping[str, Counter[str]], *, raised: bool) -> Counts:
    """The allowances for what is there: no higher than before, unless they may be `raised`."""
    result: Counts = {}
    for page, counts in there.items():
        before = allowed.get(page, {})
        each = {name: n if raised else min(n, before.get(name, 0)) for name, n in sorted(counts.items())}
        if each := {name: n for name, n in each.items() if n}:
            result[page] = each
    return result


def objections(page: str, found: list[Hit], allowed: Mapping[str, int]) -> list[str]:
    """The differences between a page's hits and its allowances, in words."""
    counts = Counter(hit.pattern for hit in found)
    result = list[str]()
    for name in sorted(counts.keys() | allowed.keys()):
        there, may = counts[name], allowed.get(name, 0)
        if there > may:
            result.append(f"{page}: {there} of the pattern {name!r}, {may} allowed:")
            result += [f"  {hit}" for hit in found if hit.pattern == name]
        elif there < may:
            result.append(f"{page}: {may} of {name!r} are allowed and {there} there: run OSLER_WRITE_WORDS=1")
    return result


@pytest.fixture(scope="session", autouse=True)
def _written() -> None:
    if WRITE:
        there = {page: counts_of(page) for page in PAGES}
        allowed = lowered(allowances(), there, raised=WRITE == "all")
        ALLOWED.write_text(HEAD + yaml.safe_dump(allowed, sort_keys=True), "utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_as_many_spoilt_sentences_as_it_is_allowed(page: str) -> None:
    found = hits((ROOT / page).read_text("utf-8"))
    wrong = objections(page, found, allowances().get(page, {}))
    assert not wrong, "\n".join([*wrong, "OSLER_WRITE_WORDS=1 pytest -n 0 tests/test_words.py lowers them"])


def test_every_allowance_is_for_a_page_and_a_pattern() -> None:
    allowed = allowances()
    assert allowed.keys() <= set(PAGES), "run OSLER_WRITE_WORDS=1"
    assert {name for one in allowed.values() for name in one} <= {LONG, *PATTERNS}


def test_an_allowance_falls_and_never_rises_unless_it_is_asked_for() -> None:
    before = {"a.md": {"long": 3, "history": 1}, "gone.md": {"long": 1}}
    there = {"a.md": Counter({"long": 2, "history": 4}), "new.md": Counter({"long": 1})}
    assert lowered(before, there, raised=False) == {"a.md": {"long": 2, "history": 1}}
    assert lowered(before, there, raised=True) == {"a.md": {"long": 2, "history": 4}, "new.md": {"long": 1}}


def test_more_and_fewer_hits_than_allowed_are_both_objections() -> None:
    found = hits("It is no longer so.\n")
    assert objections("a.md", found, {"history": 1}) == []
    more, shown = objections("a.md", found, {})
    assert "1 of the pattern 'history', 0 allowed" in more
    assert "line 1" in shown
    [fewer] = objections("a.md", found, {"history": 2})
    assert "2 of 'history' are allowed and 1 there" in fewer


SPOILT = {
    "whoever": "Whoever gave neither counts as one person.",
    "what-is": "What nobody has said is unscored.",
    "what-came": "A run says what came of it.",
    "tells-of": "The page tells of every fault.",
    "is-to-be": "The seed is to be said.",
    "is-no": "Confidence is no probability.",
    "house-word": "The newest release is mended.",
    "history": "An episode that no longer fits is set aside.",
    "list-number": "This was asked for in issue 36.",
    "making": "Labels come from language-model sessions.",
    LONG: " ".join(["word"] * 41) + ".",
}
PLAIN = """\
# What is scored is a heading
A run is resumed, and there is no limit. What is a seat? It is used to train a model.

```sh
osler play   # whoever plays now
```

| pattern | `whoever` |
| --- | --- |
| a cell | another cell |
"""


@pytest.mark.parametrize("pattern", SPOILT)
def test_each_pattern_is_found_where_it_stands(pattern: str) -> None:
    assert [hit.pattern for hit in hits(f"Before it. {SPOILT[pattern]}\n")] == [pattern]
    assert SPOILT.keys() == {LONG, *PATTERNS}


def test_headings_code_questions_and_plain_sentences_are_left_alone() -> None:
    assert hits(PLAIN) == []


def test_sentences_of_paragraphs_items_and_cells_are_told_apart() -> None:
    page = (
        "One, e.g. this.\nTwo `a. B` here. [Three](x.md#y).\n- four\n  goes on\n- five\n\n| six | seven |\n"
    )
    found = list(sentences(page))
    assert [one.text for one in found] == [
        *("One, e.g. this.", "Two CODE here.", "Three.", "four goes on", "five", "six", "seven"),
    ]
    assert [one.line for one in found] == [1, 1, 1, 3, 5, 7, 7]
