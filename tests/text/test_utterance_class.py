"""The learned classes of utterances: a question for a fact, or a speech act, on words that no test names."""

from __future__ import annotations

import pytest

from osler.text.utterance_kind import QUESTION, STATEMENT, classified


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Would it be okay if I had a listen to your heart now?", "examine"),
        ("Could your husband step outside for a little while, please?", "privacy"),
        ("Whatever you tell me stays with the team unless somebody is in danger.", "confidentiality"),
        ("Keep taking the tablets every day and come back if it gets any worse.", STATEMENT),
        ("Did you watch the match on Saturday?", "off_topic"),
        ("Are you allergic to any medicines?", QUESTION),
    ],
)
def test_an_utterance_is_read_as_what_it_does(said: str, name: str) -> None:
    assert classified(said).name == name


def test_text_speak_is_spelt_out_first() -> None:
    assert classified("wot tablets do u take").asks > 0.5


def test_nothing_said_is_no_error() -> None:
    assert 0 <= classified("").chance <= 1
    assert 0 <= classified("؟؟؟ 你好").chance <= 1
