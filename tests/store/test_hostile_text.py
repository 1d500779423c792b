"""Text that a database would refuse or read as something else is kept exactly."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from osler.core.trace import ExchangeRow, Trace
from osler.store.schema import original, storable
from osler.store.store import Store
from tests.store import samples

HOSTILE = [
    "nul \0 within",
    "\0",
    "quotes ' \" ` and '; DROP TABLE runs; --",
    "half a pair \ud83d and the other half \ude00 and both \ud83d\ude00",
    "an emoji 😀, a family 👨‍👩‍👧, right to left \u202e",
    "\ue000 begins like the mark, with \\x00 and \\ud83d spelled out",
    "\ue000",
    "percent %s %(name)s :name ? $1",
    "a\nline\rends\u2028here",
    "",
]


def test_hostile_text_comes_back_as_it_was(store: Store) -> None:
    for text in HOSTILE:
        body = json.dumps(text, ensure_ascii=False)
        judged = json.dumps({"text": text}, ensure_ascii=False)
        run = store.begin_run(None, {"configuration": {"note": text}}, 1)
        row = ExchangeRow(1, "doctor", "0" * 32, body, body, body)
        end = samples.outcome()._replace(reason=text, tail=body, exchanges=1)
        with store.writer(run.id) as writer:
            writer.case("hostile", text)
            writer.exchange(0, row)
            writer.end(0, "0" * 32, "hostile", text, end, [(text, text, judged)])
        store.put_judgements(run.id, [(0, text + "2", text, judged)])

        episode, trace, found = store.record(run.id, 0)
        assert trace == Trace((row,), end)
        assert episode.case_id == text
        assert found == ((0, text, text, judged), (0, text + "2", text, judged))
        assert store.case("hostile") == text
        assert store.run("last").manifest == json.loads(json.dumps(run.manifest))
        store.delete_run(run.name)


@given(st.text(st.characters(codec=None, categories=None)))
def test_any_text_is_storable_and_comes_back(text: str) -> None:
    kept = storable(text)
    assert "\0" not in kept
    kept.encode()
    assert original(kept) == text


@given(st.text(st.sampled_from("\ue000\0\\ux0\ud83d\ude00aé")))
def test_text_that_plays_with_the_escapes_comes_back(text: str) -> None:
    assert original(storable(text)) == text


@given(st.text(st.characters(exclude_characters="\0\ue000", exclude_categories=["Cs"])))
def test_ordinary_text_is_stored_as_it_is(text: str) -> None:
    assert storable(text) == text
