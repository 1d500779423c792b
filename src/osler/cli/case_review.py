"""`osler cases review`: a clinician's review, written into the file of a case or a scenario."""

from __future__ import annotations

from datetime import date as day
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from osler.cases.file_source import LIBRARY
from osler.cases.importers.detect import YAML_FILES
from osler.cases.importers.osler_yaml import made_from, read_as
from osler.cases.importers.reading import check_file
from osler.cases.model import Case
from osler.cases.reviewing import reviewed
from osler.cases.reviews import Review, Verdict, version_of
from osler.cases.scenarios.model import Scenario
from osler.cli.options import AsJson
from osler.cli.output import command, plain, result
from osler.errors import BadCase, BadInput
from osler.files import write_whole


@command
def review(
    case_file: Annotated[
        str, typer.Argument(metavar="CASE_FILE", help="A YAML file, FILE#ID, or an id of the library.")
    ],
    by: Annotated[str, typer.Option(metavar="NAME", help="The clinician who has read it.")],
    role: Annotated[str, typer.Option(help="Their profession and grade.")],
    date: Annotated[str | None, typer.Option(metavar="YYYY-MM-DD", help="[default: today]")] = None,
    verdict: Annotated[
        Verdict | None, typer.Option(help="`changes`: to be accepted once the comment is answered.")
    ] = None,
    comment: Annotated[str | None, typer.Option(help="What should change, and why.")] = None,
    out: Annotated[Path | None, typer.Option(help="The file to write to, if not CASE_FILE itself.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a clinician's review into a case or a scenario. Comments and layout of the file stay as they are.

    The review names the version that was read, so that a later change of the case shows.
    """
    path, wanted = _file(case_file)
    item = _item(path, wanted)
    said = {
        "by": by.strip(),
        "role": role.strip(),
        "date": date or day.today().isoformat(),
        "version": version_of(item),
        "verdict": verdict,
        "comment": (comment or "").strip() or None,
    }
    try:
        made = made_from(Review, said)
    except BadCase as error:
        raise BadInput(error.what, where="the review") from None
    text = reviewed(path.read_bytes().decode(), item, made, str(path))
    target = out or path
    write_whole(target, text)
    value = {"case": item.id, "file": str(target), "review": made.model_dump(mode="json")}
    result(as_json, value, plain(f"written: {target}\n{made.told(made.version)}"))


def _file(spec: str) -> tuple[Path, str]:
    """The file that `spec` names, and the id in it, if one is named."""
    name, _, wanted = spec.partition("#")
    path = Path(name)
    if not path.exists():
        for package in ("osler.cases", "osler.cases.scenarios"):
            own = Path(str(resources.files(package) / LIBRARY / f"{Path(name).name}.yaml"))
            if own.is_file() and own.stem == name:
                return own, wanted
    check_file(path)
    if path.suffix.lower() not in YAML_FILES:
        raise BadInput("reviews are written into YAML files", where=name, hint="see `osler cases import`")
    return path, wanted


def _item(path: Path, wanted: str) -> Case | Scenario:
    """The one case or scenario of a file that has the wanted id. Raises BadInput where there is none."""
    cases = list(read_as(Case, path, "case"))
    read = cases if any(isinstance(one, Case) for one in cases) else list(read_as(Scenario, path, "scenario"))
    result: list[Case | Scenario] = [one for one in read if isinstance(one, Case | Scenario)]
    if not result:
        why = next((one.reason for one in cases if not isinstance(one, Case)), "it holds none")
        raise BadInput(f"no case could be read: {why}", where=str(path))
    chosen = [one for one in result if wanted in ("", one.id)]
    if len(chosen) != 1:
        ids = ", ".join(one.id for one in result[:10])
        raise BadInput("name the case", where=str(path), hint=f"write {path}#ID with one of: {ids}")
    return chosen[0]
