"""Events are registered by kind where they are defined; every stored one is read back, or refused by name."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from osler.core.contract import Contract
from osler.core.events import EVENTS, Ended, Event, Frozen, Said, Seat, View
from osler.core.kinds import NAME, Registry
from osler.core.pictures import Picture
from osler.core.registry import protocols
from osler.core.trace import Outcome, Trace
from osler.errors import BadInput, Status
from tests.pictures.samples import SAMPLES

NAMES: Final = st.from_regex(NAME, fullmatch=True)
BOUNDED: Final[dict[str, st.SearchStrategy[Any]]] = {
    "name": st.text(min_size=1, max_size=300),
    "confidence": st.none() | st.floats(0, 1),
}
PLAIN: Final[dict[object, st.SearchStrategy[Any]]] = {
    str: st.text(),
    int: st.integers(0, 2**40),
    bool: st.booleans(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    NoneType: st.none(),
}


def values(wanted: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type."""
    origin, inside = get_origin(wanted), get_args(wanted)
    if wanted in (Seat, Picture):
        return NAMES if wanted == Seat else st.sampled_from(SAMPLES)
    if origin is Literal:
        return st.sampled_from(inside)
    if origin in (Union, UnionType):
        return st.one_of(*map(values, inside))
    if origin is tuple:
        return st.lists(values(inside[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(values(inside[0]), values(inside[1]), max_size=3)
    if isinstance(wanted, type) and issubclass(wanted, Frozen):
        return records(wanted)
    return PLAIN[wanted]


def records(kind: type[Frozen]) -> st.SearchStrategy[Any]:
    """Records with any fields."""
    hints = get_type_hints(kind, include_extras=True)
    fields = {name: values(hints[name]) for name in kind.model_fields}
    return st.builds(kind, **(fields | {name: BOUNDED[name] for name in fields.keys() & BOUNDED.keys()}))


@pytest.fixture(scope="module")
def kinds() -> list[type[Event]]:
    """Every event of Osler: those of all its protocols."""
    protocols()
    return [kind for kind in EVENTS.kinds.values() if kind.__module__.startswith("osler.")]


@pytest.fixture
def own() -> Registry[Event]:
    """A registry that knows two events."""
    registry = Registry[Event]("event")
    registry.register(Said)
    registry.register(Ended)
    return registry


@pytest.fixture
def kept_clean() -> Iterator[None]:
    """Takes back what a test has registered."""
    before = dict(EVENTS.kinds)
    yield
    EVENTS._kinds.clear()
    for kind in before.values():
        EVENTS.register(kind)


@given(data=st.data())
def test_every_event_reads_back_from_its_line(kinds: list[type[Event]], data: st.DataObject) -> None:
    told = tuple(data.draw(records(kind)) for kind in data.draw(st.lists(st.sampled_from(kinds), max_size=4)))
    assert EVENTS.read(f"[{','.join(event.line for event in told)}]", "these") == told


def test_a_process_that_has_imported_no_protocol_reads_the_events_of_all(kinds: list[type[Event]]) -> None:
    names = [kind.model_fields["kind"].default for kind in kinds]
    code = """
import json, sys
from osler.errors import BadInput
from osler.core.events import EVENTS
names = sys.argv[1].split()
found = {"before": len(EVENTS.kinds), "refused": []}
for name in names:
    try:
        EVENTS.read(json.dumps([{"kind": name, "minute": -1}]), "this")
    except BadInput as error:
        found["refused"].append("minute" in str(error))
found["after"] = len(EVENTS.kinds)
print(json.dumps(found))
"""
    command = [sys.executable, "-c", code, " ".join(names)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert found["before"] < found["after"] == len(names)
    assert all(found["refused"]), "every kind is known, so only the minute is refused"


@given(kind=st.text(max_size=80).filter(lambda kind: kind not in EVENTS.kinds))
def test_an_unknown_kind_is_refused_by_name_and_other_episodes_are_read(kind: str) -> None:
    ended = Ended(minute=3, status="completed", reason="over")
    good = Trace((), Outcome(Status.COMPLETED, "", 3, 0, {}, f"[{ended.line}]"))
    strange = json.dumps([{"kind": kind, "minute": 0}])
    with pytest.raises(BadInput, match="no installed protocol has the event") as refused:
        _ = Trace((), good.outcome._replace(tail=strange)).events
    assert repr(kind[:60]) in refused.value.what
    assert "install the package" in refused.value.hint
    assert good.events == (ended,)


def test_what_loads_more_kinds_is_called_once_and_only_when_one_is_unknown(
    own: Registry[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    loaders = types.ModuleType("loaders")
    loaders.count = lambda: calls.append(1)  # type: ignore[attr-defined]
    loaders.define = lambda: own.register(_handed())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "loaders", loaders)
    own.loaders = ["loaders:count", "loaders:define"]
    said = Said(minute=0, by="giver", text="x")
    assert own.read(f"[{said.line}]", "this") == (said,)
    assert calls == []
    (handed,) = own.read('[{"kind":"handed","minute":2,"bed":4}]', "this")
    assert (handed.kind, handed.minute) == ("handed", 2)
    with pytest.raises(BadInput):
        own.read('[{"kind":"nothing","minute":2}]', "this")
    assert calls == [1]


@pytest.mark.usefixtures("kept_clean")
def test_two_events_of_one_kind_are_refused_with_both_their_modules() -> None:
    with pytest.raises(BadInput, match="'said'") as refused:

        class Whispered(Event):
            kind: Literal["said"] = "said"

    assert "osler.core.events.Said" in refused.value.what
    assert f"{__name__}.test_two" in refused.value.what
    assert EVENTS.kinds["said"] is Said


@pytest.mark.usefixtures("kept_clean")
def test_a_class_that_is_defined_again_takes_the_place_of_its_predecessor() -> None:
    first, second = _handed(), _handed()
    assert first is not second
    assert type(EVENTS.read('[{"kind":"handed","minute":0,"bed":1}]', "this")[0]) is second


@pytest.mark.usefixtures("kept_clean")
@pytest.mark.parametrize("annotation", [str, Literal["a", "b"], Literal["a b"], Literal[1]])
def test_a_kind_that_is_no_literal_name_is_refused(annotation: Any) -> None:
    kind = next(iter(get_args(annotation)), "plain")
    with pytest.raises(BadInput, match="no literal name"):
        type("Odd", (Event,), {"__annotations__": {"kind": annotation}, "kind": kind, "__module__": __name__})


@pytest.mark.usefixtures("kept_clean")
def test_an_event_that_refers_to_what_is_not_defined_leaves_the_others_readable() -> None:
    class Broken(Event):
        kind: Literal["broken"] = "broken"
        what: Annotated[Nowhere, "never defined"]  # type: ignore[name-defined]  # noqa: F821 - on purpose

    assert EVENTS.read('[{"kind":"said","minute":0,"by":"a","text":"x"}]', "this")
    with pytest.raises(BadInput):
        EVENTS.read('[{"kind":"broken","minute":0,"what":1}]', "this")


@given(st.text().filter(lambda name: not name.isidentifier() or not name.isascii() or not name.islower()))
def test_a_seat_has_a_plain_name(name: str) -> None:
    with pytest.raises(BadInput, match="cannot name a seat"):
        Contract(name, View, TypeAdapter(Frozen))
    with pytest.raises(ValueError, match="pattern"):
        Said(minute=0, to=(name,), by="giver", text="x")


def _handed() -> type[Event]:
    class Handed(Event):
        kind: Literal["handed"] = "handed"
        bed: int

    return Handed
