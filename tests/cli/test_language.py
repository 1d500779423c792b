"""Other languages than English: played by models, refused by built-in players, scored by no word rule."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from osler.cases.sources import open_source
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.judging.model.engine import AsksModel, held_in
from osler.models.config import config_of
from osler.models.types import Message, Output
from osler.players.seating import model_player
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import Settings
from osler.runs.dry_run import NoModel
from osler.store.store import open_store
from osler.text.languages import NOT_ENGLISH, instruction, notice_to_judge
from tests.cli.commands import configure, said, value
from tests.endpoints import running
from tests.judging.model.judges import ENDPOINT

Osler = Callable[..., Result]
CHINESE = str(Path(__file__).parents[1] / "fixtures" / "mvme_small.json")
CONSULTED = ("--doctor=model:fake", "--patient=model:fake", "--examination=model:fake")
TAUGHT = tuple(
    f"--{seat}=model:fake" for seat in ("tutor", "student", "patient", "specialist", "supervisor", "expert")
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as base_url:
        yield base_url


def judged() -> list[dict[str, Any]]:
    """The scores of the last run's episodes, by name."""
    with open_store("osler.db") as store:
        run = store.run("last")
        return [json.loads(judgements[0].body) for _, _, judgements in store.records(run.id)]


@pytest.mark.parametrize("command", [("consult",), ("round",), ("round", "--language=English")])
def test_a_chinese_case_is_refused_by_built_in_players_with_what_to_do(
    osler: Osler, command: tuple[str, ...]
) -> None:
    done = osler(*command, CHINESE)
    assert done.exit_code == 1
    assert "the built-in players speak English alone, not Chinese (中文)" in said(done)
    assert "model:NAME" in said(done)


def test_one_built_in_player_among_models_is_refused_too(osler: Osler, url: str) -> None:
    configure(url)
    done = osler("consult", CHINESE, *CONSULTED[:2])
    assert done.exit_code == 1
    assert "--examination baseline" in said(done)


def test_an_english_case_in_another_language_is_for_models_alone(osler: Osler) -> None:
    assert "not German (Deutsch)" in said(osler("consult", "library", "--language=German", "--limit=1"))
    assert osler("consult", "library", "--language=en", "--limit=1", "--max-turns=2").exit_code == 0


def test_an_unknown_language_is_refused_with_those_there_are(osler: Osler) -> None:
    done = osler("round", "library", "--language=Klingon")
    assert done.exit_code == 1
    assert "no language is called 'Klingon'" in said(done)


def test_models_consult_in_chinese_and_word_rules_score_nothing(osler: Osler, url: str) -> None:
    configure(url)
    value(osler("consult", CHINESE, *CONSULTED, "--limit=2", "--max-turns=3", "--json"))
    for body in judged():
        scores = body["scores"]
        assert scores["turns"]["value"] is not None
        assert scores["unsupported_evidence"] == {"value": None, "reason": NOT_ENGLISH}
        assert scores["correct"]["value"] in (1, None) or scores["correct"]["reason"] == "no_answer"


def test_models_teach_in_chinese_and_word_rules_score_nothing(osler: Osler, url: str) -> None:
    configure(url)
    found = value(osler("round", CHINESE, *TAUGHT, "--students=2", "--max-rounds=1", "--limit=1", "--json"))
    assert found["ended"] == {"completed": 1}, found
    (body,) = judged()
    assert body["scores"]["ets_proxy"] == {"value": None, "reason": NOT_ENGLISH, "evidence": []}
    assert body["outcomes"]["english"] is False
    assert {found["measures"][name]["unscored"] for name in ("leak_rate", "step_gain")} == {1}


def test_scenarios_are_played_in_another_language_and_left_unscored_by_rules(osler: Osler, url: str) -> None:
    configure(url)
    seats = ("--examinee=model:fake", "--patient=model:fake", "--controller=model:fake")
    done = osler(
        "scenario", "play", "library", *seats, "--only=st01", "--max-turns=2", "--language=es", "--json"
    )
    assert done.exit_code == 0, done.stderr
    (body,) = judged()
    assert NOT_ENGLISH in json.dumps(body)
    assert json.loads(done.stdout)["measures"]["net"]["unscored"] == 1


def player_for(seat: str, language: str | None, case: Any) -> Any:
    """The model in a seat of a consultation in a language."""
    named = dict.fromkeys(("doctor", "patient", "examination"), "model:m")
    config = RunConfig(**named, settings=Settings(language=language))
    models = NoModel(config_of({"endpoints": {"m": {"base_url": "http://127.0.0.1:9/v1", "model": "x"}}}))
    return model_player(PlayerRequest(seat, case, "m"), Seating(config, models))


@pytest.mark.parametrize("seat", ["doctor", "patient", "examination"])
def test_a_model_is_told_its_language_and_has_another_name(seat: str) -> None:
    english, chinese = next(iter(open_source("library"))), next(iter(open_source(CHINESE)))
    plain, german, by_case = (
        player_for(seat, *given) for given in ((None, english), ("de", english), (None, chinese))
    )
    assert len({plain.name, german.name, by_case.name}) == 3
    assert player_for(seat, "en", english).name == plain.name
    if seat == "patient":
        assert plain.name.endswith(":grounded"), "its answers are checked by English words"
        assert not german.name.endswith(":grounded")


def test_the_language_stands_last_in_the_rules_and_the_case_knows_it() -> None:
    case = next(iter(open_source(CHINESE)))
    assert case.language == "zh"
    assert "language" not in next(iter(open_source("library"))).model_dump(mode="json")
    assert "Chinese (中文)" in instruction("zh")


def test_a_model_judge_is_told_the_language_within_and_nothing_after() -> None:
    asked = AsksModel(None, ENDPOINT)  # type: ignore[arg-type]  # nothing is sent
    messages = (Message(role="system", text="Judge."), Message(role="user", text="This."))
    output = Output(name="x", json_schema={})
    with held_in("zh"):
        rules, user = asked._request(messages, output, 0).messages
    assert rules.text == f"Judge.\n\n{notice_to_judge('zh')}"
    assert user.text == "This."
    assert asked._request(messages, output, 0).messages == messages
