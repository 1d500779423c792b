"""Consultations with a real OpenAI-compatible server, which knows nothing of Osler.

`babble` has random weights: whatever it says, an encounter must end in one of the documented ways, with what
it used counted. The others answer in the form asked for, so that a whole consultation can be played with a
model in every seat. The server takes `response_format` and ignores it, as several do.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from osler.errors import Status
from osler.store.export import record_object
from osler.store.store import open_store
from tests.slow.server import CannotInstallError, serving

SEATS: Final = ("doctor", "patient", "examination", "consultant")
ENDED: Final = set(Status) - {Status.PENDING, Status.DIVERGED, Status.CANCELLED}
PATIENCE_S: Final = 90.0
UNSAID: Final = re.compile(
    r"Traceback \(|\b[A-Z]\w*Error\b|\bHTTP \d{3}"
    r"|(?i:not a valid move|could not be used|JSON object|the schema)"
)
"""How a failure would read. The tiny model babbles in pieces of our prompts: a mere word proves nothing."""
MODELS: Final[dict[str, list[object]]] = {
    "babble": [],
    "doctor": [
        {"action": "ASK", "question": "How have you been since then?"},
        {"action": "REQUEST_TEST", "test_name": "full blood count"},
        {"action": "CALL_MDT", "question": "What would you do next?"},
    ],
    "patient": [
        {
            "answer": "I could not say, doctor.",
            "revealed_facts": [],
            "unanswered_reason": "not_in_patient_view",
        }
    ],
    "examination": [
        {
            "match_type": "none",
            "findings": [],
            "matched_test_name": None,
            "unheld": [],
            "reason": "not on file",
        }
    ],
    "consultant": [
        {"note": "Go on.", "next_question": None, "recommend_finalize": False, "diagnosis_suggestion": None}
    ],
}


class Osler(NamedTuple):
    """The `osler` command, run in a folder."""

    folder: Path

    def run(self, *arguments: str, code: int = 0) -> Any:  # JSON of any shape
        """What a command says with `--json`. It must end with `code`, in time and without a traceback."""
        unset = ("OSLER_CONFIG", "OSLER_STORE")
        done = subprocess.run(
            [str(Path(sys.executable).parent / "osler"), *arguments, "--json"],
            cwd=self.folder,
            env={name: value for name, value in os.environ.items() if name not in unset},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    def consult(self, players: Mapping[str, str], *more: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """One consultation: its run's summary, and the episode as it is recorded."""
        seats = [part for seat, player in players.items() for part in (f"--{seat}", player)]
        summary = self.run("consult", "library", "--limit", "1", *seats, *more)
        assert list(summary["ended"].values()) == [1]
        assert set(summary["ended"]) <= ENDED
        with open_store(f"sqlite:///{self.folder / 'osler.db'}") as store:
            episode = record_object(store.record(store.run("last").id, 0, earlier=True), {})
        assert episode["status"] in summary["ended"]
        return summary, episode


@pytest.fixture(scope="module")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    models = {name: [json.dumps(answer) for answer in answers] for name, answers in MODELS.items()}
    try:
        with serving(models, tmp_path_factory.mktemp("server")) as url:
            yield url
    except CannotInstallError as error:
        pytest.skip(f"the packages of the server cannot be installed here: {error}")


@pytest.fixture
def osler(base_url: str, tmp_path: Path) -> Osler:
    """The `osler` command in an empty folder with an `osler.toml` that names every model."""
    names = (*MODELS, "absent")
    (tmp_path / "osler.toml").write_text(
        "\n".join(
            f'[endpoints.{name}]\nbase_url = "{base_url}"\nmodel = "{name}"\nmax_in_flight = 2\n'
            "price_in = 1.0\nprice_out = 2.0\nextra = {max_tokens = 24}\n"
            for name in names
        )
    )

    return Osler(tmp_path)


def assert_counted(usage: dict[str, dict[str, dict[str, Any]]], seat: str) -> None:
    (used,) = usage[seat].values()
    assert used["calls"] >= used["replies"] >= 1
    assert used["prompt_tokens"] > used["calls"]
    assert used["completion_tokens"] >= used["calls"]
    assert used["cost"] > 0


def assert_no_error_is_said(episode: dict[str, Any]) -> None:
    rows = [event for exchange in episode["exchanges"] for event in exchange["events"]]
    said = [event["text"] for event in rows if event["kind"] == "said"]
    assert said
    assert not [text for text in said if UNSAID.search(text)]


def test_check_says_what_is_wrong_with_a_babbling_and_an_absent_model(osler: Osler) -> None:
    said = osler.run("check", code=1)
    checks = {check["name"]: check for check in said["checks"]}
    assert checks["endpoint babble: answers"]["ok"]
    assert not [
        check
        for name, check in checks.items()
        if name.startswith("endpoint babble: json") and check["what"].startswith("works")
    ]
    assert not checks["endpoint absent: answers"]["ok"]
    assert checks["endpoint absent: answers"]["mend"]


@pytest.mark.parametrize("moves", ["json", "text"])
def test_babble_in_every_seat_ends_well_classified(osler: Osler, moves: str) -> None:
    players = dict.fromkeys(SEATS, "model:babble")
    summary, episode = osler.consult(players, "--max-turns", "3", "--moves", moves)
    # In JSON the doctor's first move fails; in text anything is a question, and then the patient fails.
    assert summary["ended"] == ({"invalid_play": 1} if moves == "json" else {"simulator_fault": 1})
    for seat in summary["usage"]:
        assert_counted(summary["usage"], seat)
    assert_no_error_is_said(episode)


@pytest.mark.smoke
def test_babble_as_the_doctor_talks_until_its_turns_are_out(osler: Osler) -> None:
    summary, episode = osler.consult({"doctor": "model:babble"}, "--max-turns", "3", "--moves", "text")
    assert summary["ended"] == {"out_of_turns": 1}
    assert_counted(summary["usage"], "doctor")
    assert_no_error_is_said(episode)


@pytest.mark.parametrize("seat", ["patient", "examination", "consultant"])
def test_babble_in_a_seat_of_the_simulation_is_no_fault_of_the_doctor(osler: Osler, seat: str) -> None:
    players = {"doctor": "model:doctor", "consultant": "baseline", seat: "model:babble"}
    summary, episode = osler.consult(players)
    assert summary["ended"] == {"simulator_fault": 1}
    assert summary["measures"]["correct"]["unscored"] == 1
    assert episode["reason"].startswith(f"{seat}:")
    assert_counted(summary["usage"], seat)
    assert_no_error_is_said(episode)


@pytest.mark.smoke
def test_a_whole_consultation_with_a_model_in_every_seat(osler: Osler) -> None:
    players = {seat: f"model:{seat}" for seat in SEATS}
    summary, episode = osler.consult(players, "--max-turns", "16")
    assert summary["ended"] == {"out_of_turns": 1}, episode["reason"]
    assert episode["counts"]["turns"] == 16
    assert set(summary["usage"]) == set(SEATS)
    for seat in SEATS:
        assert_counted(summary["usage"], seat)
        (used,) = summary["usage"][seat].values()
        assert used["calls"] == used["replies"], "every answer was usable at once"
    assert_no_error_is_said(episode)
