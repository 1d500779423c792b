"""A line spliced from canonical texts is, byte for byte, the whole episode read and written at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.core.trace import ExchangeRow, InnerRow, trace_of
from osler.store import canonical, damage
from osler.store.canonical import Lines
from osler.store.export import record_object
from osler.store.records import EpisodeRow, Judgement
from tests.store import samples

SURROGATES = st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0xE010), max_size=3)
STRINGS = (
    st.text(max_size=12) | SURROGATES | st.sampled_from(['"\\/\b\f\n\r\t\x00\x1f\x7f\u2028', "é😀", "NaN"])
)
NUMBERS = st.integers() | st.floats() | st.sampled_from([1e16, 1e-5, -0.0, 10**30, 1e22, 5e-324])
KEYS = st.sampled_from(["kind", "at", "by", "cached_tokens", "value", "Zz", "_", "é"]) | STRINGS
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def texts(draw: st.DrawFn, values: st.SearchStrategy[Any] = VALUES) -> str:
    """JSON text as some writer might have written it: compact or with spaces, ASCII or not."""
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", "\t:")]))
    return json.dumps(draw(values), ensure_ascii=draw(st.booleans()), separators=separators)


ATTEMPTS = texts(st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=3))
SCORES = st.dictionaries(KEYS, st.fixed_dictionaries({"value": st.none() | NUMBERS}), max_size=3)
BODIES = texts(
    st.tuples(st.dictionaries(KEYS, VALUES, max_size=3), SCORES).map(lambda p: {**p[0], "scores": p[1]})
)
JUDGED = st.lists(
    st.tuples(st.just(0), st.sampled_from(["a", "é", 'b"']), st.sampled_from("12") | STRINGS, BODIES),
    max_size=4,
    unique_by=lambda one: one[1:3],
)
SEATS = st.sampled_from(samples.SEATS)
ROWS = st.lists(
    st.tuples(st.integers(1, 9), SEATS, STRINGS, texts(), texts(), ATTEMPTS),
    max_size=4,
    unique_by=lambda row: row[0],
)
PATHS = st.sampled_from(["1", "2", "2.1", "10"])
INNER = st.lists(
    st.tuples(st.integers(1, 9), PATHS, SEATS, STRINGS, STRINGS, texts(), texts(), ATTEMPTS),
    max_size=4,
    unique_by=lambda row: row[:2],
)
COUNTS = st.dictionaries(st.sampled_from(["turns", "tests", "cost", "moves"]), st.integers(0), max_size=4)
BRANCH = {"branch": {"episode": "e" * 32, "ordinal": 3, "at": 2, "say": "é"}}


@st.composite
def records(draw: st.DrawFn) -> damage.Record:
    rows = [ExchangeRow(*row) for row in draw(ROWS)]
    inner = [InnerRow(*row) for row in draw(INNER)]
    outcome = samples.outcome(reason=draw(STRINGS))
    outcome = outcome._replace(exchanges=len(rows), counts=draw(COUNTS), tail=draw(texts()))
    episode = EpisodeRow(7, samples.key(7), samples.CASE, draw(STRINGS), *outcome, None, None)
    judged = sorted((Judgement(*one) for one in draw(JUDGED)), key=lambda one: one.grader)
    return episode, trace_of(rows, outcome, inner), tuple(judged)


def straightforward(record: damage.Record, configuration: dict[str, Any]) -> str:
    whole = record_object(record, configuration)
    for exchange in whole["exchanges"]:
        for asked in (exchange, *exchange.get("inner", ())):
            for one in asked["attempts"]:
                one.pop("cached_tokens", None)
    return json.dumps(whole, sort_keys=True, separators=(",", ":"))


@given(st.lists(records(), min_size=1, max_size=3), st.sampled_from([{}, BRANCH]))
def test_the_same_bytes_as_the_whole_episode_at_once(
    many: list[damage.Record], configuration: dict[str, Any]
) -> None:
    lines = Lines(configuration)
    for record in [*many, *many]:  # the second time from what was kept
        assert lines.of(record) == straightforward(record, configuration)
        damage.check(record)


@given(records())
def test_it_does_not_matter_how_much_is_kept(record: damage.Record) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonical, "_KEPT", 0)
        lines = Lines({})
        assert lines.of(record) == lines.of(record) == straightforward(record, {})
        assert len(lines._texts) <= 1


@given(
    texts()
    | texts(st.floats())
    | st.from_regex(r"-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
)
def test_a_text_is_read_as_json_reads_it(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match="not what was written"):
            damage.parsed("it", text)
    else:
        assert json.dumps(damage.parsed("it", text)) == json.dumps(expected)


@pytest.mark.parametrize("broken", ["", "[", "[1,]", '{"a":1', "[]]", "\x00", '["\n"]', "nul"])
def test_what_is_no_json_is_refused_wherever_it_stands(broken: str) -> None:
    row = samples.exchange(1)
    for damaged in (row._replace(events=broken), row._replace(reply=broken), row._replace(attempts=broken)):
        outcome = samples.outcome()._replace(exchanges=1)
        episode = EpisodeRow(7, samples.key(7), samples.CASE, "", *outcome, None, None)
        with pytest.raises(ValueError, match="not what was written"):
            Lines({}).of((episode, trace_of([damaged], outcome), ()))
