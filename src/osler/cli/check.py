"""`osler check`: diagnose this installation and its configuration, with a fix for each problem."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Annotated, Final

import sqlalchemy as sa
import typer
from rich.table import Table
from sqlalchemy.exc import SQLAlchemyError

from osler import knowledge
from osler.cases.sources import open_source
from osler.cli.check_result import Check
from osler.cli.options import AsJson, ConfigFile, StoreUrl
from osler.cli.output import NOTHING_DONE, command, plain, result, say
from osler.core.registry import checked as checked_protocol
from osler.errors import BadStore, OslerError, install_line
from osler.judging.case_lint import lint
from osler.judging.named import plugged as plugged_judge
from osler.knowledge.conditions import knowledge as conditions
from osler.knowledge.findings import findings
from osler.knowledge.formulary import formulary
from osler.models.config import FILE, Config, find_config, load_config
from osler.plugins import GROUPS, Plugin, plugins
from osler.store.connect import WRITES, address, explain, label_of, open_engine
from osler.store.schema import HEAD, runs

OLDEST_PYTHON: Final = (3, 11)
ENOUGH_DISK: Final = 500_000_000
STORE_WAIT_S: Final = "5"
_REQUIRED: Final = re.compile(r"[A-Za-z0-9._-]+(?!.*extra)")


@command
def check(
    config: ConfigFile = None,
    store: StoreUrl = None,
    online: Annotated[
        bool, typer.Option("--online/--offline", help="Send each endpoint a short test request, or none.")
    ] = True,
    seats: Annotated[
        str | None,
        typer.Option(
            metavar="SEAT,...",
            help="The seats in which each endpoint takes one real turn: doctor, patient, examination, tutor, "
            "student, examinee, judge ... or all. By default those under test, and the patient.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check Python, packages, plug-ins, knowledge, cases, the store and your endpoints.

    Exits 0 if all is well, 1 if something needs fixing. Keys are never shown.
    """
    checks = [python_check(), packages_check(), knowledge_check(), library_check(), *store_checks(store)]
    configured, found = config_check(config)
    checks.append(configured)
    if found.endpoints:
        # Imported here because the HTTP client takes a third of a second.
        from osler.cli.check_endpoint import check_endpoints  # noqa: PLC0415 - import time
        from osler.cli.check_turns import chosen  # noqa: PLC0415 - import time

        turns = chosen(seats) if online else []
        if online:
            tried = ", ".join(turn.seat for turn in turns)
            say(f"Sending each endpoint a few short test requests, and one turn each as {tried} ...")
        checks += check_endpoints(found, online=online, turns=turns)
    plugged = plugged_in()
    checks += plugin_checks(plugged)
    ok = all(one.ok for one in checks)
    value = {"ok": ok, "checks": [one.model_dump() for one in checks], "plugins": plugged}
    result(as_json, value, _table(checks))
    if not ok:
        raise typer.Exit(NOTHING_DONE)


def plugged_in() -> dict[str, list[dict[str, object]]]:
    """The plug-ins of other packages by kind: each with its name, its package and, if broken, the reason."""
    return {
        kind: [
            {"name": one.name, "package": one.package, "object": one.value, "ok": not why, "why": why}
            for one in plugins(f"osler.{kind}")
            for why in (_broken(kind, one),)
        ]
        for kind in GROUPS
    }


def plugin_checks(plugged: dict[str, list[dict[str, object]]]) -> list[Check]:
    """One check per kind of plug-in that is installed; not ok if any of that kind is broken."""
    checks = []
    for kind, held in plugged.items():
        broken = [f"{one['name']} of {one['package']}: {one['why']}" for one in held if not one["ok"]]
        if held:
            names = ", ".join(f"{one['name']} ({one['package']})" for one in held if one["ok"])
            what = "; ".join(filter(None, (names, *broken)))
            mend = "fix or remove the package" if broken else ""
            checks.append(Check(name=kind.replace("_", " "), ok=not broken, what=what, mend=mend))
    return checks


def _broken(kind: str, plugin: Plugin) -> str:
    """The reason a plug-in cannot be used, "" if it can."""
    try:
        match kind:
            case "protocols":
                checked_protocol(plugin)
            case "judges":
                plugged_judge(plugin)
            case "importers":
                plugin.loaded(("NAME", "LOOKS_LIKE", "read"))
            case _:
                plugin.loaded(("__call__",) if kind == "model_clients" else ())
    except OslerError as error:
        return str(error)
    return ""


def _table(checks: list[Check]) -> Table:
    table = Table("", "check", "result")
    for one in checks:
        words = one.what if one.ok or not one.mend else f"{one.what}\n-> {one.mend}"
        table.add_row("ok" if one.ok else "FIX", plain(one.name), plain(words))
    return table


def python_check() -> Check:
    """Check that the interpreter is new enough."""
    here, oldest = ".".join(map(str, sys.version_info[:3])), ".".join(map(str, OLDEST_PYTHON))
    ok = sys.version_info[:2] >= OLDEST_PYTHON
    return Check(name="python", ok=ok, what=f"Python {here}", mend="" if ok else f"install {oldest} or newer")


def packages_check() -> Check:
    """Check that required packages are installed; optional ones that are missing are mentioned."""
    groups = [match.group() for line in requires("osler") or () if (match := _REQUIRED.match(line))]
    missing = [name for name in groups if _version(name) is None]
    if missing:
        what = f"not installed: {', '.join(missing)}"
        return Check(name="packages", ok=False, what=what, mend=install_line())
    driver = _version("psycopg")
    postgres = f"psycopg {driver}" if driver else "psycopg is not installed (only PostgreSQL needs it)"
    server = _version("fastapi")
    web = f"fastapi {server}" if server else "fastapi is not installed (only osler serve needs it)"
    return Check(name="packages", ok=True, what=f"aiohttp {_version('aiohttp')}, {postgres}, {web}")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def knowledge_check() -> Check:
    """Check that the packaged knowledge loads."""

    def load() -> str:
        orders, known, signs = formulary(), conditions(), findings()
        counts = f"{len(list(orders))} orders, {len(known.conditions)} conditions, {len(signs)} findings"
        return f"{counts}; version {knowledge.fingerprint()}"

    return _loaded("knowledge", load)


def library_check() -> Check:
    """Check that the case library passes the linter."""

    def load() -> str:
        cases = list(open_source("library"))
        wrong = [
            f"{case.id}: {problem.where} {problem.message}"
            for case in cases
            for problem in lint(case, strict=True)
            if problem.level == "error"
        ]
        if wrong:
            raise ValueError("; ".join(wrong[:3]))
        return f"{len(cases)} cases, all sound"

    return _loaded("library", load)


def _loaded(name: str, load: Callable[[], str]) -> Check:
    try:
        return Check(name=name, ok=True, what=load())
    except (OslerError, OSError, ValueError, LookupError) as error:
        return Check(name=name, ok=False, what=f"does not load: {error}", mend="reinstall Osler")


def config_check(given: Path | None) -> tuple[Check, Config]:
    """Check that the configuration can be read; the returned one has no endpoints if it cannot."""
    try:
        path = find_config(given)
        config = load_config(path)
    except OslerError as error:
        what = f"{error.where}: {error.what}" if error.where else error.what
        mend = error.hint or "see osler.toml.example"
        return Check(name="config", ok=False, what=what, mend=mend), Config()
    if path is None:
        what = f"there is no {FILE}: only built-in players are available"
    else:
        what = f"{path}: endpoints {', '.join(config.endpoints) or 'none'}"
    return Check(name="config", ok=True, what=what), config


def store_checks(given: str | None) -> list[Check]:
    """Check that the store opens, is current and writable, and that the disk has room. Creates no store."""
    try:
        url = address(given)
        if url.get_backend_name() == "sqlite":
            file = Path(url.database or "")
            room = _disk_check(file)
            if not file.exists():
                return [_new_store_check(file), room]
            return [_store_check(url.update_query_dict({"timeout": STORE_WAIT_S})), room]
        return [_store_check(url)]
    except OslerError as error:
        return [Check(name="store", ok=False, what=error.what, mend=error.hint)]


def _store_check(url: sa.URL) -> Check:
    label = label_of(url)
    try:
        engine = open_engine(url)
    except BadStore as error:
        return Check(name="store", ok=False, what=f"{label}: {error.what}", mend=error.hint)
    try:
        with engine.execution_options(**{WRITES: True}).connect() as connection:
            kept = connection.execute(sa.select(sa.func.count()).select_from(runs)).scalar_one()
            connection.execute(sa.delete(runs).where(sa.false()))  # a write that changes nothing
    except SQLAlchemyError as error:
        what, mend = explain(error)
        return Check(name="store", ok=False, what=f"{label}: cannot be written: {what}", mend=mend)
    finally:
        engine.dispose()
    return Check(name="store", ok=True, what=f"{label}: {kept} runs, schema {HEAD}, can be written")


def _new_store_check(file: Path) -> Check:
    folder = file.parent
    if not folder.is_dir():
        mend = "create the folder, or name another with --store or OSLER_STORE"
        return Check(name="store", ok=False, what=f"{file}: there is no folder {folder}", mend=mend)
    if not os.access(folder, os.W_OK):
        what = f"{file}: its folder is not writable"
        return Check(name="store", ok=False, what=what, mend="name another with --store or OSLER_STORE")
    return Check(name="store", ok=True, what=f"{file}: does not exist yet and will be created")


def _disk_check(file: Path) -> Check:
    folder = next((one for one in file.absolute().parents if one.is_dir()), Path("/"))
    free = shutil.disk_usage(folder).free
    ok = free >= ENOUGH_DISK
    mend = "" if ok else "free some space, or keep the store elsewhere with --store or OSLER_STORE"
    return Check(name="disk", ok=ok, what=f"{free / 1e9:.1f} GB free in {folder}", mend=mend)
