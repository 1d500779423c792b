"""Reading objects and moves out of free text, however it is dressed and however hostile it is."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.models.extraction import last_object, object_in, share_of, without_thought
from osler.protocols.consultation.model.text_moves import read_text_move

WANTED = {"a": 1, "b": {"c": "}"}}
PLAIN = json.dumps(WANTED)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"  {PLAIN}\n",
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```\nHope that helps {{smile}}",
        f"Here it is: {PLAIN} Good rng.",
        f'First {{"a": 2}}, no: {PLAIN}',
        f'<think>maybe {{"a": 9}}</think>{PLAIN}',
        f'<THINKING>\n{{"a": 9}}\n</THINKING>\n\n{PLAIN}',
        f'it began before</think> {PLAIN} </think>"',
        f"<think>one</think>\n<think>two</think>{PLAIN}",
        '{"a": 1, "b": {"c": "}",},}',
        'Sure!\n{\n "a": 1,\n "b": {"c": "}", }\n}\n',
        f"a set {{x | x > 2 is open\n{PLAIN}",
        f'a 5" nail in a {{ brace\n{PLAIN}\nand 6" more',
        f'He said "{{" and that\'s it.\n```json\n{PLAIN}\n```',
    ],
)
def test_the_last_whole_object_is_found(text: str) -> None:
    assert last_object(text) == WANTED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no object",
        "{'a': print}",
        "{'a': {1, 2}}",
        "{'a': 1e999}",
        "{1: 'a'}",
        "{'a': 'it's'}",
        "{'a': " + "-" * 15_000 + "1}",
        "{'a': " + "[" * 9_000 + "]" * 9_000 + "}",
        "{'a': '" + "x" * 30_000 + "'}",
        '[{"a": 1}, {"a": 2}]',
        '{"a": 1',
        "[1, 2]",
        "null",
        '"{}"',
        '{"a": NaN}',
        '{"a": __import__("os")}',
        f"<think>{PLAIN}",
        f"<think>{PLAIN}</think>I had rather not say.",
        "{" * 5000 + "}" * 5000,
        '{"a":' * 100_000,
    ],
)
def test_what_is_no_object_is_not_taken_for_one(text: str) -> None:
    assert last_object(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "{'a': 'one \"two\"', 'b': None, 'c': [True]}",
        "{'a': 'one \"two\"', 'b': null, 'c': [true]}",
        "```python\n{'a': 'one \"two\"', 'b': None, 'c': [True,]}\n```",
        "<think>hm</think>[{'a': 'one \"two\"', 'b': None, 'c': [True]}]",
        "So: {'a': 'one \"two\"', 'b': None, 'c': [True]}",
        '[{"a": "one \\"two\\"", "b": null, "c": [true]}]',
    ],
)
def test_a_dict_as_python_writes_it_and_a_list_of_one_object_are_read(text: str) -> None:
    assert last_object(text) == {"a": 'one "two"', "b": None, "c": [True]}


def test_words_of_json_inside_pythons_strings_stay() -> None:
    assert last_object("{'a': 'true or \\'null\\'', 'b': false}") == {"a": "true or 'null'", "b": False}


def test_raw_line_breaks_in_strings_are_tolerated_and_commas_in_strings_kept() -> None:
    assert last_object('So: {"a": "one\ntwo, ]", "b": [1, 2, ], }') == {"a": "one\ntwo, ]", "b": [1, 2]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PROSE = st.text().map(lambda text: text.translate(dict.fromkeys(map(ord, '{}<>"'))))


@given(st.dictionaries(st.text(), JSON, max_size=4), PROSE, PROSE, st.sampled_from(["", "```json\n", "```"]))
def test_any_object_is_found_again_in_any_prose(
    value: dict[str, Any], before: str, after: str, fence: str
) -> None:
    said = f"{before}{fence}{json.dumps(value)}{fence and '```'}{after}"
    assert last_object(said) == value


@given(st.text('{}[]",\\: \n`a1<think>/'))
def test_any_text_gives_an_object_or_nothing(text: str) -> None:
    found = last_object(text)
    assert found is None or isinstance(found, dict)


UNITS = {
    "braces": "{",
    "lines of braces": "{\n",
    "pairs": "{a}",
    "quotes": '{"',
    "escaped quotes": '\\"',
    "open strings": '{"a":"',
    "commas": ", ",
    "nested": '{"a":',
    "thoughts": "<think></think>",
    "half thoughts": "<think>",
    "fences": "```",
    "blank lines": "\n",
    "moves": "REQUEST TEST: [",
    "half moves": "REQUEST TEST",
    "consults": "CONSULT\n",
    "stars": "*",
}
HALF_A_MEGABYTE = 500_000
HOSTILE = {
    **{name: "{" + unit * (HALF_A_MEGABYTE // len(unit)) for name, unit in UNITS.items()},
    "pairs alone": "{a}" * (HALF_A_MEGABYTE // 3),
    "thoughts alone": "<think></think>" * 66_000,
    "a long number": '{"a":' + "9" * 990_000 + "}",
    "a whole megabyte": '{"a": "' + "\\u005c" * 166_000,
    "too long": "x" * 3_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_linear_time(name: str) -> None:
    """No figure is asserted but a bound that a quadratic reader would miss by orders of magnitude."""
    began = time.process_time()
    last_object(HOSTILE[name])
    without_thought(HOSTILE[name])
    read_text_move(HOSTILE[name])
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("REQUEST TEST: [Chest_X-Ray]", {"action": "REQUEST_TEST", "test_name": "Chest X-Ray"}),
        ("request test: blood count.", {"action": "REQUEST_TEST", "test_name": "blood count"}),
        ("I think **REQUEST IMAGES:** [skin]", {"action": "REQUEST_TEST", "test_name": "skin"}),
        ("DIAGNOSIS READY: [Lupus]", {"action": "FINALIZE", "diagnosis": "Lupus"}),
        ("**Diagnosis ready: `Lupus`**", {"action": "FINALIZE", "diagnosis": "Lupus"}),
        ("DIAGNOSIS READY: [x]\nno\nREQUEST TEST: [y]", {"action": "REQUEST_TEST", "test_name": "y"}),
        ("REQUEST TEST: [y]\nDIAGNOSIS READY: []", {"action": "REQUEST_TEST", "test_name": "y"}),
        ("- CONSULT: [Is it the heart?]", {"action": "CALL_MDT", "question": "Is it the heart?"}),
        ("<think>REQUEST TEST: [y]</think>Where is it?", {"action": "ASK", "question": "Where is it?"}),
        ("You may consult: a friend", {"action": "ASK", "question": "You may consult: a friend"}),
        ("  ", None),
        ("<think>hm</think>", None),
    ],
)
def test_moves_written_as_text_are_read(text: str, move: dict[str, str] | None) -> None:
    assert read_text_move(text) == move


ASKED = {"action": "ask", "q": 'He said "no", didn’t he?'}


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "move", "arguments": ARGUMENTS}\n</tool_call>',
        'Certainly. <tool_call>{"name": "move", "arguments": STRING}</tool_call>',
        '[TOOL_CALLS] [{"name": "move", "arguments": ARGUMENTS, "id": "x"}]',
        '<|python_tag|>{"name": "move", "parameters": ARGUMENTS}',
        "<tool_call>ARGUMENTS</tool_call>",
        "STRING",
        "[STRING]",
        '{“action”: “ask”, “q”: “He said "no", didn’t he?”}',
        'Here: {„action“: “ask”, “q”: ”He said "no", didn’t he?”,}',
    ],
)
def test_an_object_is_read_though_it_is_written_askew(text: str) -> None:
    written = json.dumps(ASKED)
    assert last_object(text.replace("ARGUMENTS", written).replace("STRING", json.dumps(written))) == ASKED


def test_an_object_is_not_read_where_more_than_one_could_be_meant() -> None:
    call = '<tool_call>{"name": "move", "arguments": {"n": 1}}</tool_call>'
    assert last_object(call + call.replace("1", "2")) is None
    named = {"name": "Ann", "arguments": {"a": 1}}
    assert last_object(json.dumps(named)) == named, "only what is marked as a call is one"


def test_quotes_within_a_text_stay_as_they_are() -> None:
    said = {"q": "He said “no”, then left: “gone”"}
    assert last_object(json.dumps(said, ensure_ascii=False)) == said
    assert last_object(json.dumps(said, ensure_ascii=False)[:-1] + ",}") == said


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ("{}", "{}"),
        ("{a}", "{a}"),
        ("text", "text"),
        (3, 3),
        ('[{"a": 1}]', '[{"a": 1}]'),
    ],
)
def test_a_text_that_is_an_object_is_that_object(value: object, found: object) -> None:
    assert object_in(value) == found


@pytest.mark.parametrize(
    ("value", "share"),
    [
        ("90%", 0.9),
        ("12,5 %", 0.125),
        (90, 0.9),
        (100, 1.0),
        (1, 1.0),
        (0, 0.0),
        (0.3, 0.3),
        (5, 5),
        (1.5, 1.5),
        (150, 150),
        (-1, -1),
        ("900%", "900%"),
        ("0.9", 0.9),
        ("high", "high"),
        (True, True),
        (None, None),
    ],
)
def test_a_share_is_read_where_only_one_can_be_meant(value: object, share: object) -> None:
    found = share_of(value)
    assert found == share
    assert isinstance(found, bool) == isinstance(value, bool)


@pytest.mark.parametrize("evil", ["{“", ":“a”", "<tool_call>", "{“a”: ”"])
def test_quotes_and_calls_without_end_take_no_time(evil: str) -> None:
    began = time.perf_counter()
    last_object(evil * (900_000 // len(evil)))
    assert time.perf_counter() - began < 10
