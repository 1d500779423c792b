"""What the tests of several importers share: reading a file, damaging a record, and what a case says."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from osler.cases.importers import ImportReport, Rejected, Tally
from osler.cases.lint import visible
from osler.cases.model import Case, Holder

FIXTURES = Path(__file__).parents[1] / "fixtures"
Read = Callable[[Path, str], Iterator[Case | Rejected]]


def shared(name: str) -> Path:
    """A folder of the sample data that lie beside the checkout, or above; it may not be there."""
    places = [above / "shared" / "data" / name for above in Path(__file__).parents]
    return next((place for place in places if place.is_dir()), places[0])


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("病"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def imported(read: Read, path: Path, prefix: str = "case") -> tuple[list[Case], ImportReport]:
    """The cases of a file and the count of all its records."""
    tally = Tally()
    cases = list(tally.watch(read(path, prefix)))
    return cases, tally.report()


def refusals(report: ImportReport) -> dict[int, str]:
    """The reasons of refused records by their numbers."""
    return {reason.record: reason.reason for reason in report.reasons if reason.kind == "rejected"}


@st.composite
def damaged(draw: st.DrawFn, record: Any) -> dict[str, Any]:
    """A record in which one to four values were replaced, dropped, doubled or wrapped in a list."""
    found = copy.deepcopy(record)
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(found))
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        how = draw(st.sampled_from(("replace", "drop", "double", "wrap", "text")))
        if how == "drop":
            del holder[key]
        elif how == "replace":
            holder[key] = draw(junk)
        elif how == "text":
            holder[key] = str(holder[key])
        else:
            holder[key] = [holder[key]] * (2 if how == "double" else 1)
    return found  # type: ignore[no-any-return]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every key or index of a nested value with what it belongs to."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def told(case: Case) -> str:
    """Everything a case says, to seats or to nobody, as one text without differences in white space."""
    task = case.task
    texts = [task.question, *(task.options or {}).values(), task.answer]
    texts += [f"{case.age_years:g}" if case.age_years is not None else "", case.sex or ""]
    texts += [place.text for place in visible(case)] + [leaf.text for leaf in case.withheld]
    return squeezed(" ".join(texts))


def shown(case: Case) -> str:
    """Everything that a seat can come to see, but for the question and its options."""
    return " ".join(place.text for place in visible(case))


def squeezed(text: str) -> str:
    """Lower case, letters and digits only."""
    return re.sub(r"[\W_]+", "", text).lower()


def holder_of(case: Case, leaf: str) -> Holder | None:
    """The holder of a leaf: the one of the longest path that contains it."""
    found, longest = None, -1
    for path, holder in case.leaves():
        if len(path) > longest and _contains(path, leaf):
            found, longest = holder, len(path)
    return found


def _contains(path: str, leaf: str) -> bool:
    return leaf.startswith(path) and leaf[len(path) : len(path) + 1] in ("", ".", "[")
