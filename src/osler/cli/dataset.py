"""`osler dataset`: build, audit and show data sets to train a model on."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

import typer

from osler.cli.lazy_commands import PLAIN
from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import NOTHING_DONE, command, plain, result, say, some
from osler.cli.study_runs import in_file, runs_of_study
from osler.errors import BadInput
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.text.hostile import safe

app = typer.Typer(help="Data sets to train a model on: build, audit, show.", **PLAIN)
_Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a data set.")]
_Tokenizer = Annotated[
    Path | None,
    typer.Option(help="A tokenizer.json to count by.  [default: characters/4]", show_default=False),
]


@app.command()
@command
def build(
    out: Annotated[Path, typer.Option(help="The folder to write; an earlier data set there is replaced.")],
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN|TRANSCRIPT...",
            help="Runs by name, a prefix of it, or `last`; or files of transcripts, with --roles.",
        ),
    ] = None,
    study: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="In the place of runs: each condition of a study that was played, as a data set of its own"
            " below --out.",
            show_default=False,
        ),
    ] = "",
    kind: Annotated[
        str,
        typer.Option(
            help="single (a row a turn), multi (a row a conversation) and revision (a row a turn whose drafts"
            " were refused), with commas."
        ),
    ] = ("single,multi"),
    form: Annotated[
        str, typer.Option("--format", help="parquet, sharegpt, jsonl, openai and verl, separated by commas.")
    ] = "parquet",
    seat: Annotated[
        str, typer.Option(help="The seat to train.  [default: the one under test]", show_default=False)
    ] = "",
    prefixes: Annotated[
        Literal["none", "published"],
        typer.Option(help="published: the first two or three rounds are rows of their own as well."),
    ] = "none",
    weights: Annotated[
        Literal["shared", "published"],
        typer.Option(help="shared: a turn's weights sum to 1 over its rows; published: each counts whole."),
    ] = "shared",
    thinking: Annotated[
        bool, typer.Option("--thinking/--no-thinking", help="With the seat's private thought, or without.")
    ] = True,
    validation: Annotated[float, typer.Option(help="Share of the clusters of cases for validation.")] = 0.1,
    test: Annotated[float, typer.Option(help="Share of the clusters of cases for test.")] = 0.1,
    hold_out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CASES",
            help="A file of cases that may be in no row, nor any that is nearly one of them; repeatable.",
            show_default=False,
        ),
    ] = None,
    roles: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEAKER=SEAT,...",
            help="Who the speakers of the transcripts are, such as D=doctor,P=patient.",
            show_default=False,
        ),
    ] = None,
    licence: Annotated[
        str,
        typer.Option(
            help="The licence of the cases that state none, or of the transcripts.", show_default=False
        ),
    ] = "",
    least: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCORE=VALUE",
            help="Only sessions with at least this score, by whatever judge gave it; repeatable.",
            show_default=False,
        ),
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=256, help="The most tokens of a row.")] = 8000,
    tokenizer: _Tokenizer = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Build a data set from stored runs: the prompts are those the seat was given, the targets its turns.

    With files of transcripts, the prompts are what was said before.
    """
    from osler.training.build import Plan  # noqa: PLC0415 - import time
    from osler.training.lengths import ruler  # noqa: PLC0415 - import time
    from osler.training.samples import KINDS, Kind  # noqa: PLC0415 - import time
    from osler.training.splits import Shares  # noqa: PLC0415 - import time
    from osler.training.writers.form import Format  # noqa: PLC0415 - import time
    from osler.training.written import check_formats, check_place  # noqa: PLC0415 - import time

    if bool(study) == bool(runs):
        hint = "osler dataset build RUN --out DIR, or --study NAME in the place of runs"
        raise BadInput("names runs and a study" if study else "names no run", where="RUN", hint=hint)
    kinds: tuple[Kind, ...] = _listed(kind, KINDS, "--kind")
    formats: tuple[Format, ...] = _listed(form, get_args(Format), "--format")
    if runs:
        check_place(out)
    ruler(tokenizer)
    shares = Shares(validation, test).checked()
    plan = Plan(
        kinds, prefixes, weights, thinking, shares, max_tokens, tokenizer, seat, licence, _least(least)
    )
    check_formats(formats, plan)  # before the runs are gone through
    if runs and (roles or all(Path(name).is_file() for name in runs)):
        _of_transcripts([Path(name) for name in runs], roles or (), plan, out, formats, as_json, hold_out)
        return
    with open_store(store, create=False) as opened:
        wanted = _Wanted(plan, formats, hold_out or ())
        if runs:
            chosen = list({run.id: run for run in map(opened.run, runs)}.values())
            manifests = {out: _build_one(chosen, opened, wanted, out)}
        else:
            each = runs_of_study(study, opened)
            places = {out / in_file(name): run for name, run in each.items()}
            for place in places:
                check_place(place)
            manifests = {place: _build_one([run], opened, wanted, place) for place, run in places.items()}
    say("For education and research only. Simulated encounters, no real patients.")
    if runs:
        _tell(manifests[out], out, as_json)
        return
    value = {name: _value(manifests[place], place) for name, place in zip(each, manifests, strict=True)}
    blocks = [
        "\n".join((f"{name}:", *_lines(manifest, place)))
        for name, (place, manifest) in zip(each, manifests.items(), strict=True)
    ]
    result(as_json, {"sets": value}, plain("\n\n".join(blocks)))


class _Wanted(NamedTuple):
    """The data set that is wanted of any runs: its plan, its forms, and the sources held out."""

    plan: Any
    formats: tuple[Any, ...]
    hold_out: Sequence[str]


def _build_one(runs: list[RunInfo], store: Store, wanted: _Wanted, out: Path) -> dict[str, Any]:
    """Build and write a data set of runs, and return its manifest. Raises BadInput."""
    from osler.training.build import built  # noqa: PLC0415 - import time
    from osler.training.written import write  # noqa: PLC0415 - import time

    held_out = [one for name in wanted.hold_out for one in _held(runs, wanted.plan, name)]
    out.resolve().parent.mkdir(parents=True, exist_ok=True)
    into, protocol = built(runs, store, wanted.plan, out.resolve().parent, held_out)
    with into.spool:
        return write(into, protocol, [run.name for run in runs], out, wanted.formats)


def _of_transcripts(
    files: list[Path],
    roles: Sequence[str],
    plan: Any,
    out: Path,
    formats: tuple[Any, ...],
    as_json: bool,
    hold_out: list[str] | None,
) -> None:
    """Build a data set from transcripts, write it and say what is in it. Raises BadInput."""
    from osler.text.transcripts import roles_given  # noqa: PLC0415 - import time
    from osler.training.of_transcripts import built_of_transcripts  # noqa: PLC0415 - import time
    from osler.training.written import write  # noqa: PLC0415 - import time

    if gone := [file for file in files if not file.is_file()]:
        raise BadInput("there is no such file", where=str(gone[0]), hint="--roles goes with transcripts")
    if hold_out or plan.least:
        option = "--hold-out" if hold_out else "--least"
        raise BadInput("transcripts have no cases and no scores", where=option, hint="leave it out")
    out.resolve().parent.mkdir(parents=True, exist_ok=True)
    into, protocol = built_of_transcripts(files, roles_given(roles), plan, out.resolve().parent)
    with into.spool:
        manifest = write(into, protocol, (), out, formats, transcripts=[file.name for file in files])
    say("For education and research only. The words are other people's: keep to their licence.")
    _tell(manifest, out, as_json)


def _tell(manifest: dict[str, Any], out: Path, as_json: bool) -> None:
    """Say what is in a data set."""
    result(as_json, _value(manifest, out), plain("\n".join(_lines(manifest, out))))


def _value(manifest: dict[str, Any], out: Path) -> dict[str, Any]:
    """The figures of a data set as JSON."""
    names = ("sessions", "turns", "samples", "rejected", "splits", "hash")
    value = {name: manifest[name] for name in names}
    value |= {"out": str(out), "cases": manifest["cases"], "clusters": manifest["clusters"]}
    return {**value, "beside": manifest["beside"]}


def _held(runs: list[Any], plan: Any, name: str) -> list[Any]:
    """The cases of a source, as far as they are held out."""
    from osler.cases.pictures import files_in  # noqa: PLC0415 - import time
    from osler.runs.run import config_of  # noqa: PLC0415 - import time
    from osler.training.build import seat_for  # noqa: PLC0415 - import time
    from osler.training.splits import case_text  # noqa: PLC0415 - import time

    _, seat = seat_for(runs, plan)
    config = config_of(runs[0])
    changed = {
        "cases": name,
        "format": "auto",
        "without_images": True,
        "only": None,
        "left_out": (),
        "limit": None,
    }
    source = config.model_copy(update=changed).opened()
    cases = [config.ready(case) for case in source]
    return [
        case_text(case.content_hash, case.id, seat.case_texts(case), {file.sha256 for file in files_in(case)})
        for case in cases
    ]


def _listed(given: str, known: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    """Names separated by commas. Raises BadInput for an unknown one."""
    names = tuple(dict.fromkeys(one.strip() for one in given.split(",") if one.strip()))
    if strange := [one for one in names if one not in known]:
        raise BadInput(f"there is no {strange[0]!r}", where=where, hint=f"known: {', '.join(known)}")
    if not names:
        raise BadInput("nothing is named", where=where, hint=f"known: {', '.join(known)}")
    return names


def _least(given: list[str] | None) -> tuple[tuple[str, float], ...]:
    """Parse `--least SCORE=VALUE`. Raises BadInput."""
    result = []
    for one in given or ():
        name, equals, value = one.partition("=")
        try:
            bound = float(value)
        except ValueError:
            bound = nan
        if not equals or not name.strip() or not isfinite(bound):
            raise BadInput(f"{one!r} is not SCORE=VALUE", where="--least", hint="such as --least correct=1")
        result.append((name.strip(), bound))
    return tuple(result)


def _lines(manifest: dict[str, Any], out: Path) -> list[str]:
    samples, splits = manifest["samples"], manifest["splits"]
    lines = [
        f"{manifest['sessions']} sessions, {manifest['turns']} turns, {manifest['cases']} cases in"
        f" {manifest['clusters']} clusters",
        *(f"{kind}: {n} rows" for kind, n in samples.items()),
        *(
            f"{split}: " + ", ".join(f"{n} {kind}" for kind, n in rows.items())
            for split, rows in splits.items()
        ),
        "rejected: " + (", ".join(f"{name} {n}" for name, n in manifest["rejected"].items()) or "nothing"),
    ]
    beside = manifest["beside"]
    if published := [
        f"{row['published']:,} {kind}" for kind, row in beside["rows"].items() if row["published"]
    ]:
        ratio = beside["single_to_multi"]
        lines.append(
            f"the published data set: {', '.join(published)}; {ratio['published']} to one (here"
            f" {ratio['ours']})"
        )
    return [*lines, f"hash {manifest['hash']}", f"written: {out}"]


@app.command()
@command
def audit(
    folder: _Folder,
    against: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Another data set, which may hold nothing of this one's training."),
    ] = None,
    tokenizer: _Tokenizer = None,
    as_json: AsJson = False,
) -> None:
    """Audit a data set: leaks over its splits, duplicates, markers, lengths. Exits 1 on a finding."""
    from osler.training.audit import audit as audited  # noqa: PLC0415 - import time
    from osler.training.audit import in_lines  # noqa: PLC0415 - import time

    found = audited(folder, against, tokenizer)
    value = {
        "findings": [one._asdict() for one in found.findings],
        "clean": found.clean,
        "rows": found.rows,
        "cases": found.cases,
        "tokens": found.tokens,
        "tokenizer": found.tokenizer,
        "stock_runs": found.stock_runs,
    }
    lines = some(in_lines(found.findings)) or ["clean"]
    tokens = [f"{part}: median {q['0.5']}, at most {q['1']} tokens" for part, q in found.tokens.items()]
    head = f"{found.rows} rows, {found.cases} cases, {len(found.findings)} findings"
    result(as_json, value, plain("\n".join((head, *lines, *tokens, f"tokens by {found.tokenizer}"))))
    if not found.clean:
        raise typer.Exit(NOTHING_DONE)


@app.command()
@command
def show(
    folder: _Folder,
    number: Annotated[int, typer.Argument(min=1, metavar="[N]", help="The row, from 1.")] = 1,
    kind: Annotated[Literal["single", "multi", "revision"], typer.Option(help="The kind of row.")] = "single",
    split: Annotated[Literal["train", "validation", "test"], typer.Option(help="The split.")] = "train",
    as_json: AsJson = False,
) -> None:
    """Show a row as a reader would want it: the conversation, what is learnt in it, and where it is from."""
    from itertools import islice  # noqa: PLC0415 - import time

    from osler.training.reading import rows  # noqa: PLC0415 - import time
    from osler.training.samples import as_row  # noqa: PLC0415 - import time
    from osler.training.shown import shown  # noqa: PLC0415 - import time

    found = next(islice(rows(folder, kind, split), number - 1, None), None)
    if found is None:
        hint = "another --kind or --split may have more"
        raise BadInput(f"there is no row {number} of {kind} in {split}", where=str(folder), hint=hint)
    result(as_json, as_row(found), plain(safe(shown(found))))
