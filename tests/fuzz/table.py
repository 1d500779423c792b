"""Valid files of every kind, and the commands that are given them.

`USES` names the kind behind every option and argument that takes a file; a new one must be added to it.
"""

from __future__ import annotations

import inspect
import json
import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from PIL import Image
from typer.main import get_command
from typer.testing import CliRunner

from osler.cases.sources import open_source
from osler.cli.main import app
from osler.protocols.consultation.config import RunConfig
from osler.reports.printed import Part
from osler.runs import run as runs
from osler.store.store import open_store
from osler.studies.rating.sheet import read_sheet, text_of
from osler.studies.study.record import StudyRecord, record_text
from osler.training.folder import Stamp
from tests.authoring.scenarios.test_reviewing import filled, yes
from tests.protocols.vqa.made_up import medxpertqa, mmmu, pmc_vqa, write
from tests.protocols.ward_round.training.states import perfect, state_of
from tests.protocols.ward_round.training.states import text_of as text_of_turn

FIXTURES: Final = Path(__file__).parent.parent / "fixtures"
SCENARIO: Final = Path(__file__).parent.parent / "protocols" / "scenario" / "small.yaml"
SCALE: Final = Path("src/osler/studies/rating/scales/manager.yaml")
OUTPUTS: Final = frozenset({"out", "tables", "scripts", "compact", "case_id", "player", "judge"})
"""Parameters that name no file to be read, whatever their help speaks of."""


class Kind(NamedTuple):
    """A kind of file: the one that is spoilt, in the folder of its valid companions, and what reads it.

    In `lines`, `{f}` is the spoilt file, `{d}` its folder, `{o}` an empty folder for results, `{s}` a store.
    A line after ` && ` reads back what the first one wrote, which must not fail if that was accepted.
    """

    file: str
    lines: tuple[str, ...]


CASE_LINES: Final = (
    "cases lint {f}",
    "cases show {f}",
    "cases scores {f}",
    "consult {f} --limit 1 --store {s}",
    "cases pack {f} --out {o}/pack.html",
    "rubric history {f} --out {o}/history.json",
)
# An address that no machine has: what is read before is read, and nothing is served.
_REFUSED_SERVE: Final = "serve --share --until 2999-01-01 --host 203.0.113.1"
_REFUSED_OPENENV: Final = "openenv consultation {f} --host 203.0.113.1"
_REFUSED_POLICY: Final = "openenv --seat patient=model:tiny --config {f} --host 203.0.113.1"
_ASKED: Final = "vqa {f} --format medxpertqa --images {d} --store {s}"
_TRAINED: Final = "train report {d} --out {o}/report.html"
KINDS: Final[dict[str, Kind]] = {
    "case in YAML": Kind(
        "case.yaml",
        (
            *CASE_LINES,
            "cases list {f}",
            "cases makeup {f}",
            "cases review {f} --by A --role B --out {o}/read.yaml && cases lint {o}/read.yaml",
            "play {f} --store {s}",
            "round {f} --limit 1 --students 1 --max-rounds 1 --store {s}",
            "run consultation {f} --limit 1 --store {s}",
            "validate {f} --limit 1 --store {s}",
            _REFUSED_OPENENV,
            "teach prepare {f} --out {o}/taught --limit 1 && cases lint {o}/taught",
            "dataset build one --hold-out {f} --format jsonl --out {o}/rows --store {s}",
            "study run mdt --cases {f} --limit 1 --store {s}",
        ),
    ),
    "case in JSON": Kind("case.json", CASE_LINES),
    **{
        name: Kind(
            f"{name}.{end}",
            (f"cases import {{f}} --format {name} --out {{o}}/in && cases list {{o}}/in", "cases list {f}"),
        )
        for name, end in {
            "agentclinic": "jsonl",
            "craftmd": "csv",
            "mediq": "jsonl",
            "medtutor": "json",
            "mvme": "json",
            "agentclinic-nejm": "jsonl",
            "fhir": "ndjson",
        }.items()
    },
    **{
        f"ddxplus {name}": Kind(
            f"ddxplus/release_{name}.{end}",
            ("cases import {d}/release_patients.csv --out {o}/in && cases list {o}/in",),
        )
        for name, end in {"patients": "csv", "conditions": "json", "evidences": "json"}.items()
    },
    "scenario": Kind(
        "scenario.yaml",
        (
            "scenario lint {f}",
            "scenario figures {f}",
            "scenario import {f} --out {o}/in && scenario lint {o}/in",
            "scenario export {f} --out {o}/out && scenario lint {o}/out",
            "scenario play {f} --max-turns 3 --store {s}",
            "rubric try {f} {whole}/tried.jsonl",
        ),
    ),
    "packet": Kind(
        "packets/cases/mededportal_90001/phase1_triage.json",
        (
            "scenario lint {p}/cases --rubrics {p}/rubrics",
            "scenario import {p}/cases --out {o}/in",
            "scenario figures {p}/cases",
        ),
    ),
    "packet's rubric": Kind(
        "packets/rubrics/mededportal_90001_scenario2.json",
        (
            "scenario lint {p}/cases --rubrics {p}/rubrics",
            "rubric import {f} --out {o}/in && rubric lint {o}/in",
            "rubric export {f} --out {o}/out",
            "rubric lint {f}",
            "judge run one --rubric {f} --store {s}",
            "rubric judge one --rubric {f} --any-case --store {s}",
            "rate export one --rubric {f} --out {o}/rate --store {s}",
            "scenario play {p}/cases --rubrics {p}/rubrics --limit 1 --max-turns 2 --store {s}",
        ),
    ),
    "transcript": Kind(
        "transcript.json",
        (
            "rubric judge {f} --rubric {rubric} --out {o}/judged",
            "rubric judge {f} --rubric {rubric} --json",
            "dataset build {f} --roles examinee=doctor,examinee_actions=doctor --licence MIT --format jsonl"
            " --out {o}/rows",
        ),
    ),
    "subset": Kind(
        "packets/subset.json",
        (
            "scenario lint {p}/cases --subset {f}",
            "scenario import {p}/cases --subset {f} --out {o}/in",
            "scenario export {p}/cases --subset {f} --out {o}/out",
        ),
    ),
    "personas": Kind("personas.json", ("personas audit {f}",)),
    "study": Kind("study.yaml", ("study run {f} --cases {d}/missing.yaml --store {s}",)),
    "script": Kind("script.yaml", ("consult library --limit 1 --doctor scripted:{f} --store {s}",)),
    "patient's script": Kind("says.yaml", ("consult library --limit 1 --patient scripted:{f} --store {s}",)),
    "endpoints": Kind(
        "osler.toml",
        (
            f"{_REFUSED_SERVE} --config {{f}} --store {{s}}",
            _REFUSED_POLICY,
            "check --offline --config {f} --store {s}",
            "consult library --limit 1 --doctor model:tiny --dry-run --config {f} --store {s}",
            "run consultation library --limit 1 --dry-run --config {f} --store {s}",
        ),
    ),
    "rating sheet": Kind(
        "rate/for-raters/rater-1.csv",
        ("rate import {f} --key {d}/../key.json --store {s}", "rate fill {f}"),
    ),
    "rating key": Kind("rate/key.json", ("rate import {d}/for-raters/rater-1.csv --key {f} --store {s}",)),
    "rating scale": Kind(
        "scale.yaml",
        (
            "rate export one --scale {f} --out {o}/rate --n 2 --store {s}",
            "rate agreement one --scale {f} --store {s}",
        ),
    ),
    "review sheet": Kind("review/ann.csv", ("author review {f} {d}/ben.csv",)),
    "diagnosis pairs": Kind("pairs.jsonl", ("judge diagnosis {f}",)),
    "lines to read": Kind("library.jsonl", ("reading figures --lines {d} --task patient_library",)),
    "lines to ask": Kind("lines.jsonl", ("patient ask {whole}/case.yaml {f}",)),
    "source document": Kind(
        "source/notes.csv",
        ("author scenario {d} --out {o}/work && author scenario {d} --out {o}/work --show",),
    ),
    "examinee's lines": Kind("tried.jsonl", ("rubric try {whole}/scenario.yaml {f}",)),
    "orders": Kind("orders.jsonl", ("cases orders {whole}/case.yaml {f}",)),
    "export": Kind("one.jsonl", ("show {f}:0", "show {f}:1 --json", "show {f}:0 --scenes --view all")),
    "image file": Kind(
        "pictured/photo.png",
        (
            "cases import {d}/cases.jsonl --images {d} --out {o}/in && cases list {o}/in",
            "consult {d}/cases.jsonl --images {d} --limit 1 --store {s}",
        ),
    ),
    "training's stamp": Kind("trained/stamp.json", (_TRAINED,)),
    "training's log": Kind("trained/log.jsonl", (_TRAINED,)),
    "training's reward": Kind("trained/reward.json", (_TRAINED,)),
    "turns": Kind("turns.jsonl", ("train reward {f} --probes", "train reward {f} --reward gain --json")),
    "data set's rows": Kind(
        "lines/rows/single_train.jsonl",
        ("dataset audit {d}/..", "dataset audit {d}/.. --against {d}/..", "dataset show {d}/.. 2"),
    ),
    "data set's manifest": Kind("lines/manifest.json", ("dataset audit {d}", "dataset show {d}")),
    "data set's cases": Kind(
        "lines/cases.jsonl",
        ("dataset audit {d}", "study run mdt --cases library --limit 3 --not-in {d} --store {s}"),
    ),
    "data set in ShareGPT": Kind(
        "talks/sharegpt/multi_train.json",
        ("dataset audit {d}/..", "dataset show {d}/.. --kind multi"),
    ),
    "questions of MedXpertQA": Kind(
        "asked/questions.jsonl",
        (f"{_ASKED} && export last --out {{o}}/x.jsonl --store {{s}}", f"{_ASKED} --skip-bad --blind --json"),
    ),
    "questions of MMMU": Kind(
        "asked/mmmu.jsonl", (_ASKED.replace("medxpertqa", "mmmu") + " --rotations 3 --skip-bad",)
    ),
    "questions of PMC-VQA": Kind("asked/pmc.csv", (_ASKED.replace("medxpertqa", "pmc-vqa"),)),
    "picture of a question": Kind(
        "asked/photo.png", (_ASKED.replace("{f}", "{d}/questions.jsonl") + " --candidate oracle",)
    ),
    "record of a study": Kind(
        "results/two.json", (f"{_REFUSED_SERVE} --results {{d}} --store {{o}}/s.db",)
    ),
    "certificate": Kind(
        "localhost.pem", (f"{_REFUSED_SERVE} --certfile {{f}} --keyfile {{f}} --store {{o}}/s.db",)
    ),
    "store": Kind(
        "small.db",
        (
            f"{_REFUSED_SERVE} --store {{f}}",
            "store info --verify --store {f}", "store backup {o}/b.db --store {f} && runs --store {o}/b.db",
            "runs --store {f}", "show one:0 --store {f}", "search pain --store {f}",
            "export one --out {o}/x.jsonl --store {f}",
            "marks items one:0 --store {f}", "marks queue one --store {f}",
            "permit one --store {f}", "permit one:0 --uses research --store {f}",
            "forget one --yes --store {f}", "runs compact --store {f}",
            "dataset build one --format jsonl --out {o}/rows --store {f}",
            "study people --models one --json --store {f}",
        ),
    ),
    "archive": Kind(
        "archived/archive.json",
        (
            "runs restore {d} --store {o}/r.db && export {d} --out {o}/x.jsonl --store {s}",
            "show {d}:0 --store {s}",
        ),
    ),
    "archive's episodes": Kind("archived/episodes-000000.parquet", ("runs restore {d} --store {o}/r.db",)),
    "submission": Kind(
        "shared/submission.json",
        ("bench verify {d}", "bench export {d} --format every-eval-ever --out {o}/exported"),
    ),
    "shared run": Kind("shared/runs/one.jsonl", ("bench verify {d}/..",)),
    "log of Inspect": Kind("turns.jsonl", ("adapters import-inspect {f} --store {s}",)),
}  # fmt: skip
REFUSED: Final = frozenset({
    "play {f} --store {s}",  # nobody types
    "bench export {d} --format every-eval-ever --out {o}/exported",  # no run has a model under test
    "scenario lint {p}/cases --rubrics {p}/rubrics",  # some of the packets are bad ones
    "judge run one --rubric {f} --store {s}",  # the run has other cases
    "rate export one --rubric {f} --out {o}/rate --store {s}",
    f"{_REFUSED_SERVE} --certfile {{f}} --keyfile {{f}} --store {{o}}/s.db",  # no machine has the address
    f"{_REFUSED_SERVE} --results {{d}} --store {{o}}/s.db",
    f"{_REFUSED_SERVE} --config {{f}} --store {{s}}",
    f"{_REFUSED_SERVE} --store {{f}}",
    _REFUSED_OPENENV,
    _REFUSED_POLICY,
    "permit one:0 --uses research --store {f}",  # programs played it
    "forget one --yes --store {f}",
    "dataset audit {d}/.. --against {d}/..",  # what is held out is trained on
    "scenario play {p}/cases --rubrics {p}/rubrics --limit 1 --max-turns 2 --store {s}",  # prose
    "personas audit {f}",  # some of the personas are bad ones
    "adapters import-inspect {f} --store {s}",  # its reader is seldom installed: tests/adapter_tools/inspect
    "study run {f} --cases {d}/missing.yaml --store {s}",  # spoilt studies may be endless, so none is played
})  # fmt: skip
"""Lines that refuse a valid file, too, but only once they have read it."""

_STORE: Final = "store"
_TOML: Final = "endpoints"
_CASES: Final = "case in YAML"
_RUNS: Final = ("run consultation", "run ward_round", "run scenario", "run vqa", "vqa")
_CONSULTED: Final = (
    *("doctor", "patient", "consultant", "examination", "describer", "summarizer", "synthesizer"),
)
_TAUGHT: Final = ("tutor", "patient", "specialist", "supervisor", "expert")
_EXAMINED: Final = ("examinee", "patient", "controller")
_SEATS: Final = {
    "consult": _CONSULTED,
    "run consultation": _CONSULTED,
    "play": _CONSULTED[:3],
    "round": _TAUGHT,
    "run ward_round": _TAUGHT,
    "scenario play": _EXAMINED,
    "run scenario": _EXAMINED,
    "run vqa": ("candidate",),
    "vqa": ("candidate",),
}
USES: Final[dict[str, str]] = {
    **{f"{command} cases": _CASES for command in (
        "consult", "round", *_RUNS, "study run", "validate", "cases list", "cases lint", "cases orders",
        "cases makeup", "cases scores", "teach prepare", "openenv", "mcp",
    )},
    "cases review case_file": _CASES,
    "adapters import-inspect log": "log of Inspect",
    "adapters import-inspect cases": _CASES,
    "train reward source": "turns",
    **{f"{command} case": _CASES for command in ("play", "cases show", "cases pack", "rubric history")},
    **{f"{command} config": _TOML for command in (
        "consult", "round", "scenario play", *_RUNS, "study run", "play", "resume", "worker", "bench",
        "branch", "bench submit",
        "judge run", "rubric judge", "cases write", "cases import", "author scenario", "teach prepare",
        "check",
        "report", "trial", "serve", "memory snapshot", "train reward", "train grpo",
        "openenv", "mcp",
    )},
    **{f"{command} store": _STORE for command in (
        "consult", "round", "scenario play", *_RUNS, "study run", "play", "resume", "worker", "bench",
        "branch", "bench submit", "patient score",
        "show",
        "runs delete", "runs archive", "runs restore", "runs summary", "runs",
        "report", "compare", "validate", "export", "judge run", "judge compare",
        "rubric judge", "rate export", "rate import", "rate agreement", "study people", "memory list",
        "memory snapshot",
        "memory rollback", "memory audit", "check", "marks items", "marks contest", "marks queue",
        "marks answer", "author scenario", "serve", "visitors", "visitors revoke", "permit", "forget",
        "runs compact",
        "train reward", "train grpo", "store info", "store backup", "adapters import-inspect", "mcp",
        "search",
    )},
    **{f"{command} {seat}": "script" for command, seats in _SEATS.items() for seat in seats},
    **{f"{command} cases": "scenario" for command in ("scenario play", "run scenario")},
    **{f"{command} rubrics": "packet's rubric" for command in ("scenario play", "run scenario")},
    **{
        f"scenario {command} {name}": kind
        for command in ("lint", "import", "export", "figures")
        for name, kind in (("path", "scenario"), ("rubrics", "packet's rubric"), ("subset", "subset"))
    },
    "study run study": "study",
    "study run not_in": "data set's cases",
    **dict.fromkeys(("rubric judge run", "dataset build runs"), "transcript"),
    "show episode": "export",
    **dict.fromkeys(("runs restore folder", "export run"), "archive"),
    **dict.fromkeys(("bench verify folder", "bench export folder"), "submission"),
    "judge run rubric": "packet's rubric",
    "judge diagnosis file": "diagnosis pairs",
    **{f"rubric {command} path": "packet's rubric" for command in ("import", "export", "lint")},
    **dict.fromkeys(("rubric judge by", "rubric judge rubric"), "packet's rubric"),
    "rubric try scenario": "scenario",
    "rubric try file": "examinee's lines",
    "rate export scale": "rating scale",
    "rate export rubric": "packet's rubric",
    "rate agreement scale": "rating scale",
    "judge compare scale": "rating scale",
    "rate fill sheet": "rating sheet",
    "rate import sheets": "rating sheet",
    "rate import key": "rating key",
    "cases import file": "agentclinic",
    "cases orders file": "orders",
    "author scenario folder": "source document",
    "author review sheets": "review sheet",
    "personas audit source": "personas",
    "patient ask file": "lines to ask",
    "patient ask case": _CASES,
    "reading figures lines": "lines to read",
    **dict.fromkeys(("reading figures osce", "reading figures imported"), "lines to read"),
    **{f"{command} images": "image file" for command in (
        "cases import", "cases lint", "cases list", "cases makeup", "cases orders", "cases pack",
        "cases show", "consult",
        "patient ask", "play", "round", "rubric history", *_RUNS, "scenario play", "study run",
        "teach prepare", "validate", "openenv", "mcp",
    )},
    "dataset audit folder": "data set's rows",
    "dataset audit against": "data set's rows",
    "dataset show folder": "data set's manifest",
    "dataset build hold_out": _CASES,
    "dataset build store": _STORE,
    # Parquet and weights are read by libraries that are seldom installed: tests/training_models spoils them.
    **{f"train {use}": "training's stamp" for use in (
        "report folders", "base source", "plan data", "plan base", "sft data", "sft base", "grpo data",
        "grpo base", "tiny data",
    )},
    **{f"dataset {command} tokenizer": "training's stamp" for command in ("build", "audit")},
    **{f"{command} cases": "questions of MedXpertQA" for command in ("vqa", "run vqa")},
    **{f"{command} images": "picture of a question" for command in ("vqa", "run vqa")},
    "serve results": "record of a study",
    "serve certfile": "certificate",
    "serve keyfile": "certificate",
}  # fmt: skip
"""The kind of file behind each option and argument, as `COMMAND PARAMETER`."""


def taking_files() -> set[str]:
    """Every parameter of every command that reads a file, by its type or by what its help says."""
    found = set()
    for name, command in _commands(get_command(app), ()):
        body = command.callback
        for one in command.params:
            said = f"{one.metavar or ''} {getattr(one, 'help', None) or ''}"
            if "Path" in _annotation(body, one.name) or re.search(
                r"\b(files?|folders?)\b|\.jsonl?\b", said, re.IGNORECASE
            ):
                found.add(f"{' '.join(name)} {one.name}")
    return {one for one in found if one.split()[-1] not in OUTPUTS}


def _annotation(body: Callable[..., object], name: str) -> str:
    """A parameter's type, as a command has it: `Path`, or a name of the module that stands for it."""
    written = inspect.signature(body).parameters[name].annotation
    known = inspect.unwrap(body).__globals__
    return str(known.get(written, written) if isinstance(written, str) else written)


def _commands(command: Any, name: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    command = command.imported() if hasattr(command, "imported") else command
    if not hasattr(command, "commands"):
        yield name, command
        return
    for inner, held in command.commands.items():
        yield from _commands(held, (*name, inner))
    if command.invoke_without_command:
        yield name, command


RECORD: Final = StudyRecord(
    osler="1",
    study="two",
    title="Two",
    question="Which?",
    status="done",
    runs={"library": {"a": "one"}},
    value={"primary": None},
    shown=(Part(text="Two"), Part(columns=("condition", "n"), right=(1,), rows=(("a", "3"),))),
)


@cache
def stock(folder: Path) -> Path:
    """Write a valid file of every kind into a folder, with its companions."""
    for path in FIXTURES.glob("*_small.*"):
        shutil.copy(path, folder / path.name.replace("_small", "").replace("nejm", "agentclinic-nejm"))
    shutil.copytree(FIXTURES / "ddxplus_small", folder / "ddxplus")
    shutil.copytree(FIXTURES / "packets", folder / "packets")
    shutil.copy(FIXTURES / "sound_case.yaml", folder / "case.yaml")
    shutil.copy(SCENARIO, folder / "scenario.yaml")
    shutil.copy(FIXTURES / "localhost.pem", folder / "localhost.pem")
    shutil.copy(SCALE, folder / "scale.yaml")
    shutil.copy("src/osler/studies/study/files/mdt.yaml", folder / "study.yaml")
    _write_made_up(folder)
    _write_pictured(folder / "pictured")
    _write_asked(folder / "asked")
    with open_store(folder / "small.db") as store:
        run = runs.begin(RunConfig(cases="library", limit=2), store, name="one")
        runs.play(run, store)
    for line in (
        f"export one --out {folder}/one.jsonl",
        f"rate export one --n 2 --raters 1 --out {folder}/rate",
        f"runs archive one --keep --out {folder}/archived",
        f"bench submit one --out {folder}/shared --submitter us",
    ):
        assert CliRunner().invoke(app, [*line.split(), "--store", f"{folder}/small.db"]).exit_code == 0, line
    _fill_in(folder / "rate" / "for-raters" / "rater-1.csv")
    for name, form in (("lines", "jsonl"), ("talks", "sharegpt")):
        line = f"dataset build one --format {form} --test 0 --validation 0 --out {folder}/{name}"
        assert CliRunner().invoke(app, [*line.split(), "--store", f"{folder}/small.db"]).exit_code == 0, line
    (folder / "results").mkdir()
    (folder / "results" / "two.json").write_text(record_text(RECORD), encoding="utf-8")
    (folder / "review").mkdir()
    for name in ("ann", "ben"):
        filled(folder / "review" / f"{name}.csv", name, yes)
    line = f"rate import {folder}/rate/for-raters/rater-1.csv --key {folder}/rate/key.json"
    assert CliRunner().invoke(app, [*line.split(), "--store", f"{folder}/small.db"]).exit_code == 0
    return folder


def _fill_in(path: Path) -> None:
    sheet = read_sheet(path)
    for row in sheet.rows:
        row.cells["rater"] = "ann"
        row.cells.update({name: "1" for name, _, _ in sheet.items()})
    path.write_text(text_of(sheet), encoding="utf-8", newline="")


def _write_pictured(folder: Path) -> None:
    folder.mkdir()
    Image.linear_gradient("L").save(folder / "photo.png")
    record = json.loads((FIXTURES / "nejm_small.jsonl").read_text("utf-8").partition("\n")[0])
    record["image_url"] = "https://example.org/photo.png"
    (folder / "cases.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")


def _write_asked(folder: Path) -> None:
    """Write questions in each format, with one picture."""
    folder.mkdir()
    Image.linear_gradient("L").save(folder / "photo.png")
    rows: dict[str, list[dict[str, Any]]] = {
        "questions.jsonl": [{**row, "images": ["photo.png"]} for row in medxpertqa(3)],
        "mmmu.jsonl": [{**row, "image_1": "photo.png", "image_2": "photo.png"} for row in mmmu(3)],
        "pmc.csv": [{**row, "Figure_path": "photo.png"} for row in pmc_vqa(3)],
    }
    for name, held in rows.items():
        write(folder, held, name)


def _write_made_up(folder: Path) -> None:
    case = next(iter(open_source(str(folder / "case.yaml"))))
    written: dict[str, str] = {
        "case.json": case.model_dump_json(exclude_none=True),
        "packets/subset.json": json.dumps({"scenarios": ["mededportal_90001/scenario2"]}),
        "script.yaml": "- {action: ASK, question: 'When did it start?'}\n"
        "- {action: FINALIZE, diagnosis: Asthma, plan: [salbutamol], confidence: 0.5}\n",
        "says.yaml": "- {text: It hurts.}\n" * 40,
        "osler.toml": '[endpoints.tiny]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "tiny"\n'
        "max_in_flight = 4\ntimeout_s = 5\nprice_in = 1.0\nprice_out = 2.5\n"
        "[endpoints.tiny.capabilities]\nimages = true\n"
        '[endpoints.tiny.extra]\ntop_k = 3\nstop = ["a"]\n',
        "pairs.jsonl": "".join(
            json.dumps({"reference": said, "answers": [said, "acne"], "labels": ["same", "different"]}) + "\n"
            for said in ("psoriasis", "acute gout", "no fracture")
        ),
        "library.jsonl": "".join(
            json.dumps({"case": "cardiology-01", "say": say, "expect": "fact", "facts": ["f21"]}) + "\n"
            for say in ("Do you smoke?", "Have you ever smoked?")
        ),
        "lines.jsonl": "".join(
            json.dumps({"before": ["Hello."] * n, "say": said}) + "\n"
            for n, said in enumerate(("Any allergies?", "Are you in pain?", "thank you"))
        ),
        "transcript.json": json.dumps([
            {"role": "examinee", "content": "Hello, when did the pain begin?"},
            {"role": "examinee_actions", "content": "Electrocardiogram"},
        ]),
        "tried.jsonl": "".join(
            json.dumps({"state": "drowsy", way: said}) + "\n"
            for way, said in (("say", "Nurse, attach the monitor, please."), ("do", "check the glucose"))
        ),
        "orders.jsonl": "".join(
            json.dumps({"case": 0, "say": said}) + "\n"
            for said in ("ECG and troponin", "Examine the chest, please", "a test of nothing")
        ),
        "trained/stamp.json": Stamp(
            kind="sft", data="d", data_hash="1", base="b", base_hash="2", config={"rank": 8}, config_hash="3",
            osler="0",
        ).model_dump_json(),
        "trained/reward.json": json.dumps({"caution": "-", "probes": [{"name": "empty", "n": 1}]}),
        "trained/log.jsonl": "".join(json.dumps({"step": n, "loss": 5 / n}) + "\n" for n in range(1, 9)),
        "turns.jsonl": "".join(
            json.dumps({**state_of(ident=f"s{n}").model_dump(mode="json"), "text": text_of_turn(perfect())})
            + "\n"
            for n in range(2)
        ),
        "source/notes.csv": "time;what\n1;The actor sits.\n2;The actor coughs.\n",
        "source/brief.md": "# Headache\n\nA man of 40 has had a headache since Monday.\n",
    }  # fmt: skip
    for name, text in written.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
