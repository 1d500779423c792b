"""`osler personas`: build a library of patient and student personas, or audit one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from osler.cases.personas.audit import Audit, audit
from osler.cases.personas.files import PATIENTS_FILE, STUDENTS_FILE, Library, published, read_library
from osler.cases.personas.library import PATIENTS, SEED, STUDENTS, patients, students
from osler.cases.personas.patients import build_patients
from osler.cases.personas.students import build_students
from osler.cli.options import AsJson
from osler.cli.output import NOTHING_DONE, command, plain, result, say, some, write_lines
from osler.errors import BadInput

app = typer.Typer(help="Patient and student personas: build a library, audit one.", no_args_is_help=True)
MOST: Final = 3000
MOST_SEED: Final = 10**15 - 1
LIBRARY: Final = "library"
_LABELS_SHOWN: Final = 8
_SHOWN: Final = 5
_MARKS: Final = {True: "holds ", False: "FAILS ", None: "open  "}


@app.command("build")
@command
def build(
    out: Annotated[Path, typer.Option(help="The folder to write patients.json and students.json to.")],
    patients: Annotated[int, typer.Option(min=0, max=MOST, help="Number of patients.")] = PATIENTS,
    students: Annotated[int, typer.Option(min=0, max=MOST, help="Number of students.")] = STUDENTS,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="The random seed: same seed, same bytes.")
    ] = SEED,
    as_json: AsJson = False,
) -> None:
    """Write a library of synthetic patients and students in the published format.

    Identical files are left as they are; different files of these names are never overwritten.
    """
    if out.exists() and not out.is_dir():
        raise BadInput("is a file, not a folder", where=str(out), hint="name a folder with --out")
    wanted = {
        PATIENTS_FILE: published(build_patients(patients, seed)) if patients else "",
        STUDENTS_FILE: published(build_students(students, seed)) if students else "",
    }
    files = {out / name: text.encode() for name, text in wanted.items() if text}
    if not files:
        raise BadInput("no persona was asked for", hint="give --patients or --students above 0")
    for path, content in files.items():
        if path.exists() and (path.is_dir() or path.read_bytes() != content):
            raise BadInput(
                "a different file is already there", where=str(path), hint="move it or name another --out"
            )
    new = [str(path) for path, content in files.items() if write_lines([content], path)]
    say("Fictitious people; any likeness is accidental. For education and research only.")
    value = {
        "patients": patients,
        "students": students,
        "seed": seed,
        "files": [str(path) for path in files],
        "written": new,
    }
    told = f"{patients} patients and {students} students of seed {seed} in {out}"
    result(as_json, value, plain(f"{'wrote' if new else 'already there:'} {told}"))


@app.command("audit")
@command
def audit_library(
    source: Annotated[
        str, typer.Argument(metavar="FILE|FOLDER", help="A persona library; `library` is the packaged one.")
    ] = LIBRARY,
    as_json: AsJson = False,
) -> None:
    """Report a library's distributions, associations between traits, and contradictions.

    Exits 1 if a check fails.
    """
    path = Path(source)
    ours = source == LIBRARY and not path.exists()
    library = Library(patients(), students()) if ours else read_library(path)
    audits = audit(library)
    holds = all(each.holds for each in audits) and not library.rejected
    value = {
        "source": source,
        "holds": holds,
        "rejected": list(library.rejected),
        "remarks": list(library.remarks),
        "libraries": [_value(each) for each in audits],
    }
    lines = [line for each in audits for line in _told(each)]
    lines += _listed("rejected", library.rejected) + _listed("remark", library.remarks)
    lines.append("the library passes" if holds else "the library does not pass")
    result(as_json, value, plain("\n".join(lines)))
    if not holds:
        raise typer.Exit(NOTHING_DONE)


def _value(found: Audit) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "n": found.n,
        "holds": found.holds,
        "items": [item._asdict() for item in found.items],
        "shares": [share._asdict() for share in found.shares],
        "ties": [tie._asdict() for tie in found.ties],
        "breaches": [breach._asdict() for breach in found.breaches],
        "missing": found.missing,
        "repeated": [list(ids) for ids in found.repeated],
        "alike": [pair._asdict() for pair in found.alike],
        "stereotypes": [{"persona": who, "phrase": what} for who, what in found.stereotypes],
        "wording": found.wording._asdict(),
    }


def _told(found: Audit) -> list[str]:
    lines = [f"{found.n} {found.kind}"]
    for share in found.shares:
        first = list(share.counts.items())[:_LABELS_SHOWN]
        total = sum(share.counts.values())
        counts = ", ".join(f"{name} {times} ({times / total:.0%})" for name, times in first)
        more = f" and {share.labels - len(first)} more" if share.labels > len(first) else ""
        lines.append(f"  {share.trait}: {counts or 'never stated'}{more}")
    for item in found.items:
        lines.append(f"  {_MARKS[item.holds]} {item.question}: {item.found}  [{item.threshold}]")
    return lines


def _listed(what: str, lines: tuple[str, ...]) -> list[str]:
    return some([f"  {what}: {line}" for line in lines], _SHOWN)
