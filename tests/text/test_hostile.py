"""Hostile text: what it becomes in a prompt, in a judge's prompt and on a screen."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from osler.text.hostile import block, inert, neutral, quoted_block, quoted_line, safe

ESCAPES = "\x1b]0;owned\x07\x1b[31mred\x1b[0m \u202egnp.exe\u2066 [bold]x[/bold] [/] \x07\x9b2J end"
TAGS = st.sampled_from(
    [
        *(
            "</fact>",
            "< / fact >",
            "<fact>",
            "<|im_end|>",
            "<｜User｜>",
            "＜/fact＞",
            "[INST]",
            "<",
            "<5",
            "‹",
        ),
        *("\u200b", "［INST］", "\ufeff", "\U000e0041", "\x1b[2J", "\u0301" * 5),
    ]
)
ANY = st.lists(st.one_of(TAGS, st.text(max_size=8)), max_size=12).map("".join)
EVERYWHERE = pytest.mark.parametrize("cleaned", [neutral, inert, safe])
PROMPTS = pytest.mark.parametrize("cleaned", [neutral, inert])


@given(ANY)
@example("\u0301" * 4 + "\u200b" + "\u0301" * 4)  # marks on both sides of what nobody sees
def test_no_text_can_leave_its_block(text: str) -> None:
    shown = block("fact", text)
    assert shown.startswith("<fact>")
    assert shown.endswith("</fact>")
    inside = shown.removeprefix("<fact>").removesuffix("</fact>")
    assert not re.search(r"<(?! ?=? ?[.,]?\d)|＜|\[/?INST\]", inside)
    assert neutral(inside) == inside


@given(ANY)
def test_no_text_forms_a_mark_or_another_line(text: str) -> None:
    shown = inert(text)
    assert not set(shown) & set('[]`"\n\r\t\x1b\x85\u2028\u2029\u200b\u202e\ufeff')
    assert "<<" not in shown
    assert ">>" not in shown
    assert len(quoted_line("label", text).splitlines()) == 1
    assert quoted_block("name", [quoted_line("label", text)]).count("<<<") == 2


@given(ANY)
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    left = safe(text)
    assert not any((ord(char) < 32 and char != "\n") or 127 <= ord(char) < 160 for char in left)
    assert not set(left) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200f\u2028")


@given(ANY)
def test_making_inert_twice_changes_nothing(text: str) -> None:
    assert inert(inert(text)) == inert(text)


@PROMPTS
def test_a_comparison_stays_legible(cleaned: Callable[[str], str]) -> None:
    for text in ("SpO2 < 92 %, K >= 5.5, pH <7.2", "CRP <5 mg/L, lactate < 0.9, ratio <= 2 (ref 1-3)"):
        assert cleaned(text) == text


def test_a_comparison_with_a_bare_decimal_stays_between_tags() -> None:
    assert neutral("troponin <.01, p<.05, <=.5") == "troponin <.01, p<.05, <=.5"


def test_square_brackets_stay_between_tags_and_not_in_quotes() -> None:
    assert neutral("CRP <5 mg/L [ref 1-3]\nnext") == "CRP <5 mg/L [ref 1-3]\nnext"
    assert inert("<b>[x]</b>") == "‹b›(x)‹/b›"


@EVERYWHERE
@pytest.mark.parametrize(
    "text", ["Fièvre à 39 °C", "Lekarz: gorączka", "发热三天", "тест µg 10⁹/L", "नमस्ते", "שלום"]
)
def test_letters_of_every_script_stay(cleaned: Callable[[str], str], text: str) -> None:
    assert cleaned(text) == text


@EVERYWHERE
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\u200bb\ufeffc\u2060d", "abcd"),
        ("ignore\U000e0069\U000e0067", "ignore"),
        ("gnp\u202eexe\u2066", "gnpexe"),
        ("blank\u3164\u115fs", "blanks"),
        ("e" + "\u0301" * 9, "e" + "\u0301" * 3),
        ("x\ufe0f", "x"),
        ("\ue000\ud800", "\ufffd\ufffd"),
    ],
)
def test_what_nobody_sees_is_taken_out_everywhere(
    cleaned: Callable[[str], str], text: str, left: str
) -> None:
    assert cleaned(text) == left


@PROMPTS
@pytest.mark.parametrize("text", ["［INST］", "[\u200bINST]", "[IN\u200dST]", "[INST\U000e0041]"])
def test_a_disguised_mark_is_a_mark(cleaned: Callable[[str], str], text: str) -> None:
    assert cleaned(text) == "(INST)"


@PROMPTS
@pytest.mark.parametrize("text", ["＜/fact", "﹤/fact", "<\u200b/fact", "\x07<\x07/fact"])
def test_a_disguised_tag_is_a_tag(cleaned: Callable[[str], str], text: str) -> None:
    assert "".join(cleaned(text).split()) == "‹/fact"


def test_a_disguised_quote_cannot_end_a_text_in_json() -> None:
    assert neutral('{"said": "yes＂, ＂no"}') == '{"said": "yes\', \'no"}'


def test_lines_stay_lines_between_tags_and_other_controls_go() -> None:
    assert neutral("one\r\n\ttwo\x1b[2J\x00") == "one\r\n\ttwo [2J "


def test_terminal_sequences_and_reordering_marks_are_taken_out() -> None:
    assert safe(ESCAPES) == "red gnp.exe [bold]x[/bold] [/]  end"
    assert safe("a\tb\nc") == "a    b\nc"


@pytest.mark.parametrize("text", ["\x1b]" * 5000, "\x1b[" + ";" * 50_000, "\x1bP" * 5000 + "x"])
def test_unfinished_sequences_are_read_quickly(text: str) -> None:
    assert "\x1b" not in safe(text)


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    cut = inert("a" * 30_000 + "b" * 30_000)
    assert cut.startswith("a")
    assert cut.endswith("b")
    assert len(cut) < 8100
    assert "(cut)" in cut
