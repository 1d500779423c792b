"""Every reader of people's words refuses without permission, and works with it.

`READS` runs each reader of `osler.core.permitted.READERS`; `MODULES` names every module that reads episodes,
and by which reader it is guarded or why it need not be. A new reader must join both.
"""

from __future__ import annotations

import ast
import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from typer.testing import CliRunner

import osler
from osler.cli.main import app
from osler.core.factory import always
from osler.core.judge import Verdict
from osler.core.lazy import load
from osler.core.permitted import READERS, NotPermitted
from osler.errors import OslerError, Status
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.memory.snapshots import learn
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.players.examinee import BaselineExaminee
from osler.runs import branching
from osler.runs import run as runs
from osler.runs.rejudging import judge_run
from osler.store.deletion import delete_words
from osler.store.export import export_calls, export_run
from osler.store.permissions import grant, withdraw
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.compare import compare
from osler.studies.rating.agreement import agreement
from osler.studies.rating.export import SampleRequest, write_export
from osler.studies.rating.scales import load_scale
from osler.studies.reporting import report_runs
from osler.studies.study.comparing import read as read_condition
from osler.studies.study.design import study_named
from osler.studies.table_rows import export_tables
from osler.training import harvest
from tests.protocols.scenario.playing import SMALL

SRC: Final = Path(osler.__file__).parent
PEOPLE: Final = {"person": always(BaselineDoctor())}
"""Words are words: here a built-in doctor speaks in the person's seat."""


class Sits(RuntimeError):
    """What a fake judge raises when it is shown an episode."""


class FakeJudge:
    """A model judge that notes which episodes it was shown."""

    grader, scores = "model:fake", ()

    def __init__(self) -> None:
        self.shown: list[int] = []

    def version_of(self, episode: Any, /) -> str:
        return "1"

    async def judge(self, episode: Any, trace: Any, /) -> Verdict:
        self.shown.append(episode.ordinal)
        return Verdict(self.grader, "1", json.dumps({"scores": {}}))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a store with a run of two consultations and one of a station, each played by a person."""
    path = tmp_path_factory.mktemp("people") / "osler.db"
    with open_store(path) as store:
        talk = RunConfig(only="cardiology-01", doctor="person", repeats=2)
        runs.play(runs.begin(talk, store, PEOPLE, name="talk"), store, more=PEOPLE)
        again = RunConfig(only="cardiology-01", doctor="baseline", repeats=2)
        runs.play(runs.begin(again, store, name="programs"), store)
        station = ScenarioConfig(cases=str(SMALL), examinee="person", repeats=2)
        sitting = {"person": always(BaselineExaminee())}
        runs.play(runs.begin(station, store, sitting, name="station"), store, more=sitting)
    return path.read_bytes()


@pytest.fixture
def store(played: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A copy of that store, which is the default one here."""
    monkeypatch.chdir(tmp_path)
    Path("osler.db").write_bytes(played)
    with open_store("osler.db") as opened:
        yield opened


def published(store: Store, run: RunInfo) -> int:
    made = load(runs.protocol_of(store.run("station")).exports["medsp1000"])
    written: int = made(store.run("station"), store, Path("published")).episodes
    return written


def judged(store: Store, run: RunInfo) -> int:
    judge = FakeJudge()
    asyncio.run(judge_run(run, store, judge))
    return len(judge.shown)


def branched(store: Store, run: RunInfo) -> int:
    for ordinal in range(2):
        branching.branch(store, run.id, ordinal, 2, seats={"doctor": "model:other"})
    return 2


def seat_of(run: RunInfo) -> str:
    return runs.protocol_of(run).under_test


def queue(store: Store, run: RunInfo) -> int:
    done = CliRunner().invoke(app, ["marks", "queue", run.name, "--all", "--json"])
    if done.exit_code:
        raise NotPermitted(done.stderr)
    return len(json.loads(done.stdout)["contests"])


def lines(path: str) -> int:
    return len(Path(path).read_text().splitlines())


def searched(store: Store, run: RunInfo) -> int:
    done = CliRunner().invoke(app, ["search", "the", "--run", run.name, "--json", "--limit", "1000"])
    if done.exit_code:
        raise NotPermitted(done.stderr)
    return len({hit["ordinal"] for hit in json.loads(done.stdout)["hits"]})


READS: Final[dict[str, Callable[[Store, RunInfo], object]]] = {
    "export": lambda store, run: export_run(store, run.id, Path("out.jsonl")),
    "published export": published,
    "calls": lambda store, run: export_calls(store, run.id, Path("calls.jsonl")),
    "tables": lambda store, run: export_tables(store, [run], Path("tables")),
    "rating": lambda store, run: write_export(
        store, [run], load_scale("manager"), SampleRequest(), Path("rate")
    ),
    "comparison": lambda store, run: compare(store.run("programs"), run, store),
    "study": lambda store, run: read_condition(run, store, study_named("mdt")),
    "python": lambda store, run: list(osler.Run(store, run.name).episodes()),
    "search": searched,
    "model judge": judged,
    "branch by a model": branched,
    "data set": lambda store, run: list(harvest.episodes(run, store, seat_of(run))),
    "memory": lambda store, run: learn(f"lessons/{time.monotonic_ns()}", run, store, "gold"),
    "report": lambda store, run: report_runs([run], store, controls=False),
    "teacher's marks": queue,
}

COUNTS: Final[dict[str, Callable[[Any], int]]] = {
    "export": lambda found: found,
    "published export": lambda found: found,
    "tables": lambda found: lines("tables/episodes.csv") - 1,
    "rating": lambda found: len(found.key.episodes),
    "comparison": lambda found: 2 - found.unpaired,
    "study": lambda found: len(found.episodes),
    "python": len,
    "model judge": lambda found: found,
    "report": lambda found: found.runs[0].episodes,
    "data set": len,
}
"""How many episodes each reader made use of."""


def all_of(store: Store) -> list[tuple[RunInfo, range]]:
    return [(store.run(name), range(2)) for name in ("talk", "station")]


def permit(store: Store, use: str, ordinals: range = range(2), *, until: float = 2e10) -> None:
    for run, _ in all_of(store):
        grant(store, run.id, ordinals, [use], expires=until)


def test_each_reader_is_tried() -> None:
    assert READS.keys() == READERS.keys()


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_refuses_without_permission_and_works_with_it(reader: str, store: Store) -> None:
    run, read = store.run("talk"), READS[reader]
    with pytest.raises(NotPermitted) as refused:
        read(store, run)
    said = str(refused.value)
    assert "the person who played" in said
    assert f"needs {READERS[reader]}" in said
    assert "osler permit " in said
    permit(store, READERS[reader])
    read(store, run)
    for one, ordinals in all_of(store):
        withdraw(store, one.id, ordinals)
    with pytest.raises(NotPermitted):
        read(store, run)


@pytest.mark.parametrize("reader", READERS)
def test_another_permission_is_not_enough(reader: str, store: Store) -> None:
    others = {"teacher", "research", "training", "share"} - {READERS[reader]}
    for run, ordinals in all_of(store):
        grant(store, run.id, ordinals, others, expires=2e10)
    with pytest.raises(NotPermitted):
        READS[reader](store, store.run("talk"))


@pytest.mark.parametrize("reader", READERS)
def test_a_permission_ends_on_its_day(reader: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    permit(store, READERS[reader], until=time.time() + 3600)
    later = time.time() + 3601
    monkeypatch.setattr("osler.store.permissions.time.time", lambda: later)
    with pytest.raises(NotPermitted):
        READS[reader](store, store.run("talk"))


@pytest.mark.parametrize("reader", COUNTS)
def test_who_permits_is_read_and_who_does_not_is_counted(
    reader: str, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    permit(store, READERS[reader], range(1))
    with caplog.at_level(logging.WARNING):
        found = READS[reader](store, store.run("talk"))
    assert COUNTS[reader](found) == 1
    assert any("1 of 2 episodes of " in one.getMessage() for one in caplog.records)


@pytest.mark.parametrize("reader", [name for name in READERS if name != "branch by a model"])
def test_a_reader_meets_a_deleted_episode(reader: str, store: Store) -> None:
    permit(store, READERS[reader])
    for run, _ in all_of(store):
        delete_words(store, run.id, [0])
    READS[reader](store, store.run("talk"))
    for run, _ in all_of(store):
        delete_words(store, run.id, [1])
    refusals = list[type[OslerError]]()
    try:
        READS[reader](store, store.run("talk"))
    except OslerError as said:  # "no episode can be rated", say
        refusals.append(type(said))
    assert NotPermitted not in refusals, "there is nothing left to permit"


def test_figures_count_what_was_deleted(store: Store) -> None:
    run = store.run("talk")
    permit(store, "share")
    delete_words(store, run.id, [0])
    found = report_runs([store.run("talk")], store, controls=False).runs[0]
    assert found.ended[Status.DELETED] == 1
    assert found.because["correct"] == {"deleted": 1}
    assert found.measures["correct"].unscored == 1


def test_an_export_says_how_many_were_left_out(store: Store) -> None:
    permit(store, "research", range(1))
    export_run(store, store.run("talk").id, Path("out.jsonl"))
    assert json.loads(Path("out.jsonl").read_text().splitlines()[0])["left_out"] == 1
    export_run(store, store.run("programs").id, Path("out.jsonl"))
    assert "left_out" not in json.loads(Path("out.jsonl").read_text().splitlines()[0])


def test_a_search_does_not_say_in_how_many_withheld_episodes_a_word_stands(store: Store) -> None:
    permit(store, "research", range(1))
    found = [
        json.loads(CliRunner().invoke(app, ["search", word, "--json", *limit]).stdout)
        for word, limit in (("the", ["--limit", "1000"]), ("the", ["--limit", "1"]), ("nowhereatall", []))
    ]
    assert found[0]["hits"]
    assert not found[2]["hits"]
    assert found[0]["withheld"] == found[1]["withheld"] == found[2]["withheld"] > 0


def test_a_page_says_how_many_were_left_out(store: Store) -> None:
    permit(store, "share", range(1))
    assert report_runs([store.run("talk")], store, controls=False).runs[0].left_out == 1


def test_a_judge_of_whom_the_person_was_told_needs_no_permission(store: Store) -> None:
    judge = FakeJudge()
    asyncio.run(judge_run(store.run("talk"), store, judge, permitted=True))
    assert judge.shown == [0, 1]


def test_ratings_agree_only_over_what_is_permitted(store: Store) -> None:
    with pytest.raises(NotPermitted):
        agreement(store, [store.run("talk")], load_scale("manager"))


def test_one_branches_off_ones_own_words_with_the_players_that_heard_them(store: Store) -> None:
    run = store.run("talk")
    found = branching.branch(store, run.id, 0, 2, seats={"doctor": "baseline"})
    begun = branching.begin(found, store, found.config)
    with pytest.raises(NotPermitted, match="osler permit talk:0"):
        branching.branch(store, run.id, 0, 2, seats={"doctor": "baseline"}, use="teacher")
    runs.play(begun, store)
    with pytest.raises(NotPermitted, match="osler permit talk:0"):
        export_run(store, begun.id, Path("out.jsonl"))
    branching.branch(store, run.id, 0, 0, seats={"doctor": "model:other"}), "nothing of theirs is kept"


def test_your_own_play_is_shown_to_you(store: Store) -> None:
    for command in (["show", "talk:0"], ["show", "talk:0", "--debrief"], ["runs", "summary", "talk"]):
        assert CliRunner().invoke(app, command).exit_code == 0, command
    assert len(list(osler.Run(store, "talk").episodes("practice"))) == 2


# Which modules read episodes

READING: Final = frozenset(
    "records traces trace record recorded recorded_inner asked judgements calls judge_calls attempts".split()
)
FIGURES: Final = "figures, of what its caller may see"
OWN: Final = "runs of built-in players that it has just played itself"
SHOWN_TO_WHO_PLAYED: Final = "practice: shown to whoever played"
PLAYING: Final = "practice: playing on"
MODULES: Final[dict[str, str]] = {
    "api": "python",
    "cli.demo": OWN,
    "cli.marks": "teacher's marks",
    "cli.runs": SHOWN_TO_WHO_PLAYED,
    "protocols.consultation.audit": OWN,
    "protocols.consultation.memory.episodes_to_lessons": "memory",
    "protocols.consultation.memory.retrieval_log": "ids of the cards that an episode was given, no words",
    "protocols.consultation.report": "part of a report, of what it may see",
    "protocols.scenario.export": "published export",
    "protocols.ward_round.export": "published export",
    "runs.branching": "branch by a model",
    "runs.debriefing": SHOWN_TO_WHO_PLAYED,
    "runs.endpoints": "names and versions that endpoints gave, no words",
    "runs.faults": PLAYING,
    "runs.judged_episodes": FIGURES,
    "runs.leased": PLAYING,
    "runs.measured": FIGURES,
    "runs.played": PLAYING,
    "runs.prompts": SHOWN_TO_WHO_PLAYED,
    "runs.rebuilt": "requests made anew, for a caller that asks first",
    "runs.rejudging": "model judge",
    "runs.run": PLAYING,
    "runs.totals": FIGURES,
    "runs.trial_figures": OWN,
    "runs.usage": FIGURES,
    "runs.word_search": "what its caller may see, who says of each episode whether it may be shown",
    "studies.bench.replay": "runs that were shared, and so permitted",
    "studies.bench.verify": "runs that were shared, and so permitted",
    "studies.bench.shared_run": "what its caller may see: `studies.bench.submission` asks",
    "studies.compare": "comparison",
    "studies.judges.comparison": "comparison",
    "protocols.shared.patient_score": "comparison",
    "studies.rating.agreement": "rating",
    "studies.rating.export": "rating",
    "studies.rating.importing": "rating",
    "studies.reporting": "report",
    "studies.study.comparing": "study",
    "studies.study.experts": "rating",
    "studies.table_rows": "tables",
    "studies.validate": OWN,
    "training.build": "data set",
    "training.harvest": "data set",
}
"""Every module outside the store that reads episodes: the reader it asks for, or why it need not ask."""

IN_SIGHT: Final = "what osler.web.watch.seeing lets this visitor see"
TEACHERS: Final = "where a learner permits the use teacher, else that they took part"
SERVER: Final[dict[str, str]] = {
    "web.evaluate.compare": IN_SIGHT,
    "web.evaluate.episodes": IN_SIGHT,
    "web.evaluate.exchanges": IN_SIGHT,
    "web.evaluate.spending": IN_SIGHT,
    "web.lookups": "whether there is such an episode, no words",
    "web.practise.beginning": "goes on with the learners' own encounter, as each permitted",
    "web.practise.reception": SHOWN_TO_WHO_PLAYED,
    "web.teach.desk": TEACHERS,
    "web.teach.figures": TEACHERS,
    "web.teach.marking": TEACHERS,
    "web.teach.room_view": TEACHERS,
    "web.teach.substitutes": "goes on with the learner's own encounter; another model needs research",
    "web.watch.scenes": "what its caller may see, who asks first",
    "web.watch.seats": "names of seats, no words",
}
"""The same for the browser's server, which decides for each visitor."""
COUNTS_ONLY: Final = frozenset({"web.watch.tail"})
"""Modules that count rows of the tables, and read none."""


def reads_episodes(module: ast.Module) -> bool:
    """Whether a module reads an episode of a store: it calls such a method with the id of a run."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in READING
        and bool(node.args)
        and ast.unparse(node.args[0]).rpartition(".")[2] in ("id", "run_id", "run")
        for node in ast.walk(module)
    )


class Parsed(NamedTuple):
    """A module outside the store: its source, whether it reads episodes, the tables that it imports."""

    text: str
    reads: bool
    tables: frozenset[str]


@cache
def parsed() -> dict[str, Parsed]:
    """Every module outside the store, by its name in the package."""
    found = {}
    for path in sorted(SRC.rglob("*.py")):
        name = ".".join(path.relative_to(SRC).with_suffix("").parts)
        if name.startswith("store."):
            continue
        text = path.read_text(encoding="utf-8")
        module = ast.parse(text)  # not kept: the trees of all modules take 250 MB
        tables = frozenset(
            one.name
            for node in ast.walk(module)
            if isinstance(node, ast.ImportFrom) and node.module == "osler.store.schema"
            for one in node.names
        )
        found[name] = Parsed(text, reads_episodes(module), tables)
    return found


def modules() -> dict[str, str]:
    """The source of every module that reads episodes, by its name in the package."""
    return {name: one.text for name, one in parsed().items() if one.reads}


def test_every_module_that_reads_episodes_is_in_the_table() -> None:
    assert set(modules()) == {*MODULES, *SERVER}


def test_a_module_with_a_reader_asks_for_it() -> None:
    for name, text in modules().items():
        if (reader := MODULES.get(name)) in READERS:
            asks = f'for_reader(store, "{reader}")', f'for_reader(opened, "{reader}")', f'READERS["{reader}"]'
            assert any(one in text for one in asks) or "for_use(opened, use)" in text, name


def test_only_the_store_knows_the_tables() -> None:
    """Nobody reads words past the store's methods."""
    tables = {"exchanges", "inner_exchanges", "judgements", "calls", "judge_calls", "asked"}
    for name in parsed().keys() - COUNTS_ONLY:
        assert not parsed()[name].tables & tables, name
