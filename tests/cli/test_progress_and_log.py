"""What a run says of itself while it is played, and what is logged."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import osler as package
from osler.cli import terminal
from osler.cli.main import app
from osler.cli.terminal import progress_words, shown, spent_words
from osler.models.budget import Ledger, Tally
from osler.models.faults import Fault, Kind
from osler.models.tries import EVERY_S, MANY, RetryLog
from osler.runs.batch import Progress
from tests.cli.commands import KEY, Osler, configure, said, value
from tests.endpoints import running


@pytest.fixture(autouse=True)
def default_level() -> Iterator[None]:
    yield
    logging.getLogger("osler").setLevel(logging.WARNING)


def progress(planned: int, done: int, seconds: float, at_once: int = 1, before: int = 0) -> Any:
    """A progress after so many seconds."""
    found = Progress(planned=planned, done=done, done_before=before, at_once=at_once)
    found.began -= seconds
    return found


@pytest.mark.parametrize(
    ("done", "seconds", "rate"),
    [(300, 100.0, "3/s"), (20, 100.0, "12/min"), (3, 600.0, "18/h"), (1, 90_000.0, "1/h")],
)
def test_a_rate_is_told_in_a_unit_in_which_it_is_not_nought(done: int, seconds: float, rate: str) -> None:
    assert progress_words(progress(1000, done, seconds))[0] == rate


def test_the_time_left_is_told_only_once_more_than_the_first_wave_has_ended() -> None:
    assert progress_words(progress(214, 1, 105.0, at_once=16)) == ["34/h"]
    assert progress_words(progress(214, 31, 210.0, at_once=16))[1:] == []
    assert progress_words(progress(214, 32, 210.0, at_once=16))[1:] == ["19 min 54 s left"]
    assert progress_words(progress(10, 5, 60.0, at_once=10))[1:] == ["1 min 0 s left"]
    assert progress_words(progress(100, 50, 60.0, at_once=1, before=50)) == [], "nothing new has ended"


def test_tokens_cost_and_failed_requests_are_told_as_far_as_they_are_known() -> None:
    assert spent_words(Tally()) == []
    priced = Tally(calls=3, prompt_tokens=1000, completion_tokens=234, cost=0.5, failed=2, retried=1)
    assert spent_words(priced) == ["1,234 tokens", "cost 0.5", "2 failed requests", "1 sent again"]
    assert spent_words(Tally(calls=1, prompt_tokens=5, unpriced=1)) == ["5 tokens"]
    assert spent_words(Tally(calls=2, cost=0.1, unpriced=1))[1] == "cost at least 0.1"


def test_a_line_is_written_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "LINE_EVERY_S", 0.0)
    ledger = Ledger()
    ledger.add("doctor", "one", Tally(calls=1, prompt_tokens=50, unpriced=1))
    with shown(what="stations", ledger=ledger) as tell:
        tell(progress(1000, 20, 100.0))
    assert "20 of 1000 stations, 12/min" in capsys.readouterr().err.replace("\n", " ")


# The log


def test_many_failed_requests_are_one_warning_with_counts(caplog: pytest.LogCaptureFixture) -> None:
    now = SimpleNamespace(s=0.0)
    log = RetryLog("one", lambda: now.s)
    with caplog.at_level(logging.INFO, "osler.models"):
        for at in range(100):
            now.s = at * (EVERY_S / 99)
            log.failed(
                Fault(Kind.RATE_LIMITED if at % 4 else Kind.TIMEOUT, "Slow down, you said: HELLO"), 1.0
            )
    (line,) = caplog.records
    told = "endpoint one: 100 requests failed and are sent again (75 rate limited, 25 timeout)"
    assert (line.levelno, line.getMessage()) == (logging.WARNING, told)


def test_a_few_failed_requests_are_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    log = RetryLog("one", lambda: 0.0)
    with caplog.at_level(logging.INFO, "osler.models"):
        for _ in range(MANY - 1):
            log.failed(Fault(Kind.SERVER_ERROR), 0.1)
        assert not caplog.records
        log.flush()
        log.flush()
    (line,) = caplog.records
    assert line.levelno == logging.INFO


@pytest.mark.parametrize("level", ["debug", "info", "warning"])
def test_the_level_says_what_is_logged_and_never_a_key_or_a_prompt(osler: Osler, level: str) -> None:
    script = [{"match": {"nth": 1}, "status": 503}]
    with running(script=script) as url:
        configure(url)
        play = ("consult", "library", "--limit=1", "--max-turns=3", "--doctor=model:fake", "--json")
        done = osler("--log-level", level, *play)
        found = value(done)
    logged = said(done)
    assert ("sent again" in logged) == (level != "warning")
    assert ("again in" in logged) == (level == "debug")
    assert KEY not in logged
    assert "You are" not in logged, "no prompt"
    row = found["usage"]["doctor"]["fake"]
    assert (row["retries"], row["faults"]) == (1, 0)


def test_the_version_is_told() -> None:
    done = CliRunner().invoke(app, ["--version"])
    assert (done.exit_code, done.stdout.strip()) == (0, f"osler {package.__version__}")


def test_an_unknown_level_is_refused() -> None:
    assert CliRunner().invoke(app, ["--log-level", "loud", "runs"]).exit_code == 2
