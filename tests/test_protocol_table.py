"""Every command with every protocol, as docs/protocols.md lists them.

What is not offered says so in the command's own words, which the page gives as its reason.
"""

from __future__ import annotations

import asyncio
import csv
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.core.config import Config
from osler.core.registry import protocol_named
from osler.players.external import Pending
from osler.runs import run as runs
from osler.runs.played import EndedEpisode
from osler.store.store import open_store
from tests.handover import PAGE, installed

FIRST: Final = "consultation"


class Kind(NamedTuple):
    """What a protocol is played with: two of its players, the usual one first, a wrapper that fits built-in
    players, what a person types for their first reply, and settings with which there is a second one."""

    players: tuple[str, str]
    wrapper: str
    typed: str
    settings: Mapping[str, int] = MappingProxyType({})

    @property
    def words(self) -> tuple[str, ...]:
        """The settings as options of a command."""
        return tuple(f"--set=settings.{name}={value}" for name, value in self.settings.items())


KINDS: Final[Mapping[str, Kind]] = {
    "consultation": Kind(("baseline", "null"), "+ensemble:2", "What brings you here today?\n"),
    "ward_round": Kind(("socratic", "silent"), "+self-consistency:2", "What do you make of it?\n\n"),
    "scenario": Kind(("baseline", "null"), "+self-consistency:2", "Hello, I am the doctor.\n\n"),
    "vqa": Kind(("first", "uniform"), "+self-consistency:2", "Answer: C\n", {"rotations": 2}),
    "handover": Kind(("baseline", "null"), "+self-consistency:2", "She was drowsy, SpO2 was 97.\n"),
}


class Column:
    """One protocol in a folder of its own, where one case has been played by two players."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.kind, self.folder = name, KINDS[name], folder
        self.protocol = protocol_named(name)
        self.seat, self.headline = self.protocol.under_test, self.protocol.measures[0].name

    def call(self, *words: str, given: str | None = None) -> Result:
        """A command, in the folder."""
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            return CliRunner().invoke(app, list(words), input=given, catch_exceptions=False)
        finally:
            os.chdir(before)

    def json(self, *words: str) -> Any:
        """What a command prints as JSON."""
        done = self.call(*words, "--json")
        assert done.exit_code == 0, f"{words}: {done.output}"
        return json.loads(done.stdout)

    def run(self, player: str, *more: str) -> Any:
        """The first case played by a player."""
        words = ("run", self.name, "library", "--limit", "1", *self.kind.words)
        return self.json(*words, "--seat", f"{self.seat}={player}", *more)

    def config(self, player: str) -> Config:
        """The configuration of the same."""
        own: Config = self.protocol.config(cases="library", limit=1)
        settings = own.settings.model_copy(update=self.kind.settings)  # type: ignore[attr-defined]
        return own.model_copy(update={"settings": settings}).seated({self.seat: player})

    def export(self, run: str) -> bytes:
        """A run's export, byte for byte."""
        self.json("export", run, "--out", "out.jsonl")
        return (self.folder / "out.jsonl").read_bytes()

    def episode(self, run: str) -> Any:
        """The one episode of a run as it is exported."""
        (line,) = self.export(run).splitlines()[1:]
        return json.loads(line)

    def replies(self, run: str) -> list[Any]:
        """What the seat under test replied."""
        return [row["reply"] for row in self.episode(run)["exchanges"] if row["seat"] == self.seat]

    @cached_property
    def both(self) -> Any:
        """Two players in one command."""
        return self.run(",".join(self.kind.players))

    @property
    def names(self) -> tuple[str, str]:
        """The runs of the two."""
        first, second = self.both["runs"]
        return first["run"], second["run"]


def _play(of: Column) -> None:
    first = of.both["runs"][0]
    assert (first["protocol"], first["episodes"]) == (of.name, 1)
    assert sum(first["ended"].values()) == 1
    assert next(iter(first["measures"])) == of.headline
    assert first["exchanges"] == len(of.episode(first["run"])["exchanges"]) > 0


def _several(of: Column) -> None:
    assert tuple(of.both[f"{of.seat}s"]) == of.kind.players
    one, other = (of.episode(run) for run in of.names)
    assert one["case"] == other["case"]
    assert one["episode"] != other["episode"]


def _resume(of: Column) -> None:
    config = of.config(of.kind.players[0])
    with open_store(of.folder / "osler.db") as store:
        begun = runs.begin(config, store)
    assert of.json("resume", begun.name)["exchanges"] > 0
    assert of.export(begun.name) == of.export(of.names[0])
    assert of.json("resume", begun.name)["wall_s"] >= 0


def _branch(of: Column) -> None:
    found = of.json("branch", f"{of.names[0]}:0", "--at", "1", "--seat", f"{of.seat}={of.kind.players[1]}")
    parent, branch = (of.episode(run)["exchanges"] for run in (of.names[0], found["run"]))
    assert branch[0] == parent[0]
    assert branch != parent
    listed = {one["run"]: one["branch_of"] for one in of.json("runs")["runs"]}
    assert listed[found["run"]] == f"{of.names[0]}:0 at 1"


def _show(of: Column) -> None:
    shown = of.call("show", f"{of.names[0]}:0")
    assert shown.exit_code == 0, shown.output
    assert "ended" in shown.stdout
    assert of.protocol.graders[0] in shown.stdout
    assert of.json("show", f"{of.names[0]}:0")["exchanges"] == of.episode(of.names[0])["exchanges"]


def _export(of: Column) -> None:
    assert of.export(of.names[0]) == of.export(of.names[0])
    assert of.export(of.names[0]).count(b"\n") == 2
    (of.folder / "kept.jsonl").write_bytes(of.export(of.names[1]))
    assert of.json("show", "kept.jsonl:0")["exchanges"] == of.episode(of.names[1])["exchanges"]


def _judge(of: Column) -> None:
    before = of.export(of.names[0])
    assert of.json("judge", "run", of.names[0])["judged"] == 1
    assert of.export(of.names[0]) == before


def _report(of: Column) -> None:
    of.json("report", *of.names, "--out", "report.html", "--no-controls")
    page = (of.folder / "report.html").read_text("utf-8")
    assert all(name in page for name in of.names)
    assert of.protocol.measures[0].words in page


def _tables(of: Column) -> None:
    of.json("report", *of.names, "--tables", "tables")
    with (of.folder / "tables" / "scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["run"] for row in rows} == set(of.names)
    with (of.folder / "tables" / "episodes.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 2


def _compare(of: Column) -> None:
    line = of.json("compare", *of.names)["comparisons"][0]
    first, second = (one["measures"][of.headline]["value"] for one in of.both["runs"])
    assert (line["a"], line["b"], line["difference"]["n_pairs"]) == (*of.names, 1)
    assert line["difference"]["value"] == pytest.approx(second - first, abs=1e-5)


def _study(of: Column) -> None:
    first, second = of.kind.players
    study = {
        "name": "two",
        "title": "Two",
        "question": "Which?",
        "protocol": of.name,
        "conditions": {"one": {of.seat: first}, "other": {of.seat: second}},
        "primary": {"figure": of.headline, "condition": "one", "against": "other"},
    }
    (of.folder / "study.yaml").write_text(json.dumps(study))
    found = of.json("study", "run", "study.yaml", "--limit", "1")
    assert found["primary"]["figure"] == of.protocol.measures[0].spoken
    assert {"value", "low", "high"} <= found["primary"].keys()


def _validate(of: Column) -> None:
    found = of.json("validate", "library", "--protocol", of.name, "--limit", "1")
    assert found["checklist"]["non_determinism_reported"] == 2
    assert set(found["players"]) >= {of.protocol.role(of.seat).default}


def _dry_run(of: Column) -> None:
    def runs() -> int:
        return len(of.json("runs")["runs"]) if (of.folder / "osler.db").exists() else 0

    before = runs()
    found = of.json("run", of.name, "library", "--limit", "1", "--dry-run")
    assert found["episodes"] == 1
    assert found["disk"]["bytes"] > 0
    assert runs() == before


def _fail_under(of: Column) -> None:
    words = ("run", of.name, "library", "--limit", "1", "--seat", f"{of.seat}={of.kind.players[1]}")
    failed = of.call(*words, "--fail-under", "1.0")
    assert failed.exit_code == 4
    assert "is below --fail-under 1" in " ".join(failed.stderr.split())
    assert of.call(*words, "--fail-under", "0").exit_code == 0


def _memory(of: Column) -> str | None:
    if of.name == FIRST:
        of.json("memory", "snapshot", "lived", "--from", of.names[0])
    words = ("run", of.name, "library", "--limit", "1", "--seat", f"{of.seat}={of.kind.players[0]}+memory")
    done = of.call(*words, *(("--memory", "lived") if of.protocol.role(of.seat).given else ()))
    if done.exit_code == 0:
        assert of.json("runs")["runs"][0]["player"].endswith("+memory")
        return None
    assert done.exit_code == 1
    told = re.search(r"\+memory'? is not offered: (.+?) \(", " ".join(done.stderr.split()))
    assert told, done.stderr
    return told[1]


def _wrappers(of: Column) -> None:
    name = f"{of.kind.players[0]}{of.kind.wrapper}"
    found = of.run(name)
    inner = [row for row in of.episode(found["run"])["exchanges"] if row.get("inner")]
    assert inner, "the players inside were asked"
    assert sum(found["ended"].values()) == 1


def _scripted(of: Column) -> None:
    (of.folder / "script.json").write_text(json.dumps(of.replies(of.names[0])))
    again, first = of.episode(of.run("scripted:script.json")["run"]), of.episode(of.names[0])
    assert again["judgements"] == first["judgements"]
    assert (again["status"], again["tail"]) == (first["status"], first["tail"])


def _person(of: Column) -> None:
    words = ("run", of.name, "library", "--limit", "1", *of.kind.words, "--seat", f"{of.seat}=person")
    left = of.call(*words, given=of.kind.typed)
    assert left.exit_code == 130, left.output
    assert "To continue: osler resume" in " ".join(left.stderr.split())
    with open_store(of.folder / "osler.db") as store:
        rows = store.recorded(store.run("last").id, 0)
    assert of.kind.typed.split("\n")[0] in next(row.reply for row in rows if row.seat == of.seat)


def _external(of: Column) -> None:
    replies = of.replies(of.names[0])
    config = of.config("external")

    async def sit() -> EndedEpisode:
        with open_store(of.folder / "osler.db") as store:
            run = runs.begin(config, store)
            async with await runs.sit(run, store, 0) as sitting:
                now = await sitting.next()
                for reply in replies:
                    assert isinstance(now, Pending)
                    now = await sitting.step(reply, now.ticket)
                assert isinstance(now, EndedEpisode)
                return now

    played = asyncio.run(sit())
    assert json.loads(played.judgement) == json.loads(_judgement(of.episode(of.names[0]), played.grader))


def _judgement(episode: Any, grader: str) -> str:
    return json.dumps(episode["judgements"][grader])


ROWS: Final[Mapping[str, Callable[[Column], str | None]]] = {
    "play": _play,
    "several players": _several,
    "resume": _resume,
    "branch": _branch,
    "show": _show,
    "export": _export,
    "judge": _judge,
    "report, HTML": _report,
    "report, tables": _tables,
    "compare": _compare,
    "study": _study,
    "validate": _validate,
    "dry run": _dry_run,
    "`--fail-under`": _fail_under,
    "memory": _memory,
    "wrappers": _wrappers,
    "`scripted:FILE`": _scripted,
    "person": _person,
    "external sitting": _external,
}
NOT_OFFERED: Final = frozenset((name, "memory") for name in KINDS if name != FIRST)


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Column]]:
    """Each protocol, ours and the outside one, in a folder of its own."""
    with pytest.MonkeyPatch.context() as patch, installed(tmp_path_factory.mktemp("site") / "packages"):
        patch.delenv("OSLER_CONFIG", raising=False)
        patch.delenv("OSLER_STORE", raising=False)
        yield {name: Column(name, tmp_path_factory.mktemp(name)) for name in KINDS}


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("name", KINDS)
def test_the_command_does_its_work(columns: Mapping[str, Column], name: str, row: str) -> None:
    reason = ROWS[row](columns[name])
    assert (reason is None) is ((name, row) not in NOT_OFFERED), reason
    assert reason is None or reason in PAGE.read_text("utf-8"), "the page gives the command's reason"
