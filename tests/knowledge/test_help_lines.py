"""Help lines are shown by the learner's country, all of them where it is unknown, and say when unchecked."""

from __future__ import annotations

import pytest

from osler.knowledge.help_lines import COUNTRY, countries, help_lines


def test_the_country_of_the_environment_is_shown_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COUNTRY, "us")
    assert [line for line in help_lines() if "988" in line]
    assert not [line for line in help_lines() if "Samaritans" in line]


@pytest.mark.parametrize("country", ["", "XX"])
def test_every_country_is_shown_where_the_own_one_is_unknown(
    country: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(COUNTRY, country)
    shown = "\n".join(help_lines())
    assert all(each.country in shown and each.emergency in shown for each in countries().values())
    assert "findahelpline.com" in shown


def test_numbers_that_were_not_looked_up_say_so() -> None:
    for code, each in countries().items():
        assert any("check the number" in line for line in help_lines(code)) == (each.checked is None)
