"""Languages by code and name, and which one a case is played in."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from osler.errors import BadInput
from osler.protocols.ward_round.settings import RoundSettings
from osler.text.languages import (
    ENGLISH,
    LANGUAGES,
    code_of,
    instruction,
    notice_to_judge,
    played_in,
    shown,
)


@pytest.mark.parametrize("name", ["zh", "ZH", "Chinese", " chinese ", "中文"])
def test_a_language_is_known_by_code_and_by_both_names(name: str) -> None:
    assert code_of(name) == "zh"


def test_any_other_name_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(BadInput, match="no language is called 'Klingon'") as error:
        code_of("Klingon")
    assert "German (de)" in str(error.value.hint)


def test_the_settings_come_before_the_case_and_english_last() -> None:
    chinese = SimpleNamespace(language="zh")
    assert played_in(RoundSettings(), chinese) == "zh"
    assert played_in(RoundSettings(language="German"), chinese) == "de"
    assert played_in(RoundSettings(), object()) == ENGLISH


def test_a_setting_is_kept_as_its_code_and_left_out_where_there_is_none() -> None:
    assert RoundSettings(language="Spanish").model_dump()["language"] == "es"
    assert "language" not in RoundSettings().model_dump()


@pytest.mark.parametrize("code", LANGUAGES)
def test_players_and_judges_are_told_every_language_but_english(code: str) -> None:
    for told in (instruction(code), notice_to_judge(code)):
        assert (shown(code) in told) == (code != ENGLISH)
        assert bool(told) == (code != ENGLISH)
