"""Models that fail in every way: runs end well classified or pause, go on, and lose and double nothing.

Real runs in a store, against the fake endpoint in a process of its own.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import pytest

from osler.core.role import Seating
from osler.errors import Status
from osler.models.config import Config, config_of
from osler.models.faults import Retry
from osler.models.manners import Manners
from osler.models.open_models import Models
from osler.players.casting import players_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import Limits, Settings
from osler.runs import run as runs
from osler.runs.run import Session
from osler.runs.usage import usage
from osler.store.export import export_lines
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from tests.endpoints import running

KEY: Final = "Zq7-recognizable-9Xw4-key"
VARIABLE: Final = "MODEL_FAULTS_TEST_KEY"
SWIFT: Final = Manners(retry=Retry(base_s=0.001, cap_s=0.01))
HASTY: Final = Manners(retry=Retry(tries=3, base_s=0.001, cap_s=0.01))
PATIENT: Final = Manners(retry=Retry(tries=40, base_s=0.001, cap_s=0.01))
UNCACHED: Final[list[dict[str, Any]]] = [{"usage": {"prompt_tokens_details": {}}}]
"""What an endpoint has cached depends on the order of requests; without it a record depends on none."""
FAULTS: Final = {
    **dict.fromkeys(("reset", "429", "429-retry-after", "500", "503", "truncated", "slow-body"), 1.0),
    **dict.fromkeys(("empty", "refused", "filtered", "bad-json", "schema-violation"), 1.0),
}
PLAN: Final = {"seed": 3, "rate": 0.3, "kinds": FAULTS, "slow_body_s": 0.002, "retry_after_s": 0}
WITH_TIMEOUTS: Final = {**PLAN, "kinds": {**FAULTS, "timeout": 0.2}}
ENDED: Final = {
    Status.COMPLETED,
    Status.OUT_OF_TURNS,
    Status.OUT_OF_BUDGET,
    Status.INVALID_PLAY,
    Status.SIMULATOR_FAULT,
}
ALONE: Final = {"server_error", "timeout"}
"""What may be due to one request while the endpoint answers others, if all its tries end so: three times HTTP
500 by the plan's chance, or three answers that a busy machine gave too late."""
ERROR_TEXT: Final = re.compile(
    r"Traceback|ECONN|Errno|HTTP|aiohttp|\b[A-Z]\w*(?:Error|Exception|Fault)\b"
    r"|[Rr]ate limit(?!ed)|server had an error|Service Unavailable|cannot help with that|endpoint filtered"
)
DOCTOR: Final = RunConfig(
    doctor="model:fake", limit=5, repeats=40, settings=Settings(limits=Limits(max_turns=6))
)
ALL_SEATS: Final = DOCTOR.model_copy(
    update={
        "repeats": 20,
        "seed": 1,
        **dict.fromkeys(("patient", "examination", "consultant"), "model:fake"),
    }
)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that would be recognized wherever it was written down."""
    monkeypatch.setenv(VARIABLE, KEY)


def endpoint(url: str, **more: Any) -> Config:
    """A configuration with the endpoint `fake`."""
    table = {"base_url": url, "model": "fake-model", "key_env": VARIABLE, "max_in_flight": 64, **more}
    return config_of({"endpoints": {"fake": table}})


def begun(config: RunConfig, store: Store, found: Config) -> RunInfo:
    """A run entered into the store."""
    return runs.begin(config, store, players_of(Seating(config, Models(found))))


def sit(
    run: RunInfo,
    store: Store,
    found: Config,
    *,
    manners: Manners = SWIFT,
    concurrency: int = 32,
    **more: Any,
) -> Session:
    """One sitting of a run."""
    models = Models(found, manners=manners, **more)
    players = players_of(Seating(runs.config_of(run), models))
    return runs.play(run, store, concurrency=concurrency, more=players, around=models)


def stats(url: str) -> dict[str, Any]:
    """What the endpoint counted."""
    with urlopen(f"{url.removesuffix('/v1')}/stats") as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def lines_of(store: Store, run: RunInfo) -> list[str]:
    """The export of a run, the line of its configuration left out."""
    return list(export_lines(store, run.id))[1:]


def undisturbed(config: RunConfig, folder: Path, *, concurrency: int = 32) -> list[str]:
    """The export of the run when nothing goes wrong."""
    with running(script=UNCACHED) as url, open_store(folder / "calm.db") as store:
        run = begun(config, store, endpoint(url))
        assert sit(run, store, endpoint(url), concurrency=concurrency).status == "done"
        return lines_of(store, run)


def attempts_in(line: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [attempt for exchange in line["exchanges"] for attempt in exchange["attempts"]]


def unhindered(line: Mapping[str, Any]) -> bool:
    """Whether no answer of a model had to be refused in this episode."""
    return all(taken["at"] == "used" and taken["calls"] == 1 for taken in attempts_in(line))


def check_whole(lines: list[str], episodes: int) -> None:
    """Every episode once, every exchange once, consecutively, and every end a known one."""
    found = [json.loads(line) for line in lines]
    assert [line["ordinal"] for line in found] == list(range(episodes))
    assert len({line["episode"] for line in found}) == episodes
    for line in found:
        assert [exchange["n"] for exchange in line["exchanges"]] == list(range(1, len(line["exchanges"]) + 1))
    assert {line["status"] for line in found} <= ENDED


def spoken(line: Mapping[str, Any]) -> Iterator[str]:
    """All that any seat said or was told in an episode, private parts of replies included. Why it ended is
    said to no seat."""
    for exchange in line["exchanges"]:
        yield json.dumps(exchange["reply"])
    events = [event for exchange in line["exchanges"] for event in exchange["events"]]
    yield from (json.dumps(event) for event in (*events, *line["tail"]) if event["kind"] != "ended")


def check_clean(lines: list[str]) -> None:
    """No error of the network or of a library, and no key, is spoken anywhere or kept in a record."""
    for line in lines:
        assert KEY not in line
        for text in spoken(json.loads(line)):
            assert not ERROR_TEXT.search(text), text
        # What a model answered instead of a move is kept as an attempt, and only there.
        kept = line.replace("refused: I cannot help with that", "").replace("the endpoint filtered", "")
        assert not ERROR_TEXT.search(kept), ERROR_TEXT.search(kept)


def check_same_where_unhindered(lines: list[str], calm: list[str]) -> int:
    """Episodes in which only the network failed are those of a calm run, which may have had fewer repeats.
    Returns how many there were."""
    same = 0
    expected = {line["episode"]: line for line in map(json.loads, calm)}
    for line in map(json.loads, lines):
        if line["episode"] in expected and unhindered(line):
            same += 1
            assert {**line, "ordinal": 0} == {**expected[line["episode"]], "ordinal": 0}
    return same


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "episodes"),
    [(DOCTOR, 200), (ALL_SEATS.model_copy(update={"repeats": 12}), 60)],
    ids=["doctor", "all"],
)
def test_of_30_percent_mixed_faults_nothing_is_lost_doubled_or_spoken(
    config: RunConfig,
    episodes: int,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    calm = undisturbed(config.model_copy(update={"repeats": 8}), tmp_path)
    whys: list[str] = []
    with open_store(tmp_path / "o.db") as store, caplog.at_level(logging.INFO):
        with running(faults=WITH_TIMEOUTS, script=UNCACHED) as url:
            found = endpoint(url, timeout_s=0.3)
            run = begun(config, store, found)
            for _ in range(5):
                sitting = sit(run, store, found, manners=HASTY)
                rows = list(store.episodes(run.id))
                given_up = [row for row in rows if row.status == Status.ENDPOINT_FAULT]
                assert {row.cause for row in given_up} <= ALONE
                assert {row.status for row in rows} <= {*ENDED, Status.ENDPOINT_FAULT}
                assert len(rows) == sitting.run.done
                whys.append(sitting.why)
                if sitting.status == "done":
                    break
                assert sitting.status == "paused"
                assert "endpoint fake" in sitting.why
            suffered = stats(url)["faults"]
        assert set(suffered) >= set(FAULTS)
        assert any(whys), "no sitting was paused"
        assert runs.forget_faults(run, store) == len(given_up)
        with running(script=UNCACHED) as url:
            sitting = sit(store.info(run.id), store, endpoint(url))
        assert sitting.status == "done"
        assert sitting.run.done == sitting.run.planned == episodes
        lines = lines_of(store, run)
    check_whole(lines, episodes)
    check_clean(lines)
    assert check_same_where_unhindered(lines, calm) >= 3
    assert KEY not in "".join(whys)
    shown = "".join(capfd.readouterr()) + caplog.text
    assert KEY not in shown
    assert not ERROR_TEXT.search(shown), shown


def test_what_is_used_is_what_the_endpoint_counted_of_its_answers(tmp_path: Path) -> None:
    with running(faults=PLAN) as url, open_store(tmp_path / "o.db") as store:
        found = endpoint(url)
        run = begun(ALL_SEATS.model_copy(update={"repeats": 4}), store, found)
        assert sit(run, store, found, manners=PATIENT).status == "done"
        counted, used = stats(url), usage(store, run.id, found)
    assert set(counted["faults"]) == set(FAULTS)
    assert set(used) == {"doctor", "patient", "examination"}
    for seat, row in used.items():
        said = counted["seats"][seat]
        assert row["fake"]["calls"] == said["requests"]
        for name in ("prompt_tokens", "completion_tokens", "cached_tokens"):
            assert row["fake"][name] == said[name], f"{seat}: {name}"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("reset", "connection: (connection reset by peer|the endpoint closed the connection)"),
        ("timeout", "timeout: no answer in time"),
        ("429", "rate limited: HTTP 429"),
        ("503", "server error: HTTP 503"),
        ("truncated", "truncated: the answer ended early"),
        ("wrong-model", "wrong model: HTTP 404"),
    ],
)
def test_what_befell_the_endpoint_is_said_in_words_and_by_no_player(
    fault: str, words: str, tmp_path: Path
) -> None:
    config = DOCTOR.model_copy(update={"repeats": 1, "limit": 1})
    with running(faults={"kinds": {fault: 1}}) as url, open_store(tmp_path / "o.db") as store:
        found = endpoint(url, timeout_s=0.3)
        run = begun(config, store, found)
        sitting = sit(run, store, found, manners=HASTY)
        assert sitting.status == "paused"
        assert re.match(f"endpoint fake: {words}", sitting.why), sitting.why
        assert not re.search(r"\b[A-Z]\w*(?:Error|Exception|Fault)\b|errno", sitting.why, re.IGNORECASE)
        assert store.recorded(run.id, 0) == []


@pytest.mark.parametrize("fault", ["empty", "refused", "filtered", "bad-json", "schema-violation"])
@pytest.mark.parametrize(("seat", "status"), [("doctor", "invalid_play"), ("patient", "simulator_fault")])
def test_a_model_that_never_answers_ends_its_episodes_by_whose_fault_it_is(
    fault: str, seat: str, status: str, tmp_path: Path
) -> None:
    config = RunConfig.model_validate({seat: "model:fake", "limit": 1, "repeats": 2})
    with running(faults={"kinds": {fault: 1}}) as url, open_store(tmp_path / "o.db") as store:
        run = begun(config, store, endpoint(url))
        assert sit(run, store, endpoint(url), manners=HASTY).status == "done"
        assert [episode.status for episode in store.episodes(run.id)] == [status] * 2
        used, counted = usage(store, run.id, endpoint(url))[seat]["fake"], stats(url)["seats"]
        lines = lines_of(store, run)
    assert used["calls"] == counted[seat]["requests"] == 2 * config.settings.max_attempts, (
        "asked by the table alone"
    )
    assert used["prompt_tokens"] == counted[seat]["prompt_tokens"]
    check_whole(lines, 2)
    for line in lines:
        refused = [taken for taken in attempts_in(json.loads(line)) if taken["at"] == "refused"]
        assert len(refused) == config.settings.max_attempts
        assert "cannot help" not in "".join(spoken(json.loads(line)))
