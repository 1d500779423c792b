"""Conventions as tests: what is imported where, what is said aloud, what is shipped."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from osler.core.contract import Contract
from osler.protocols.consultation import seats as consultation_seats
from osler.protocols.consultation import settings as consultation
from osler.protocols.scenario import seats as scenario_seats
from osler.protocols.scenario import settings as scenario
from osler.protocols.shared import patient
from osler.protocols.ward_round import seats as round_seats
from osler.protocols.ward_round import settings as ward_round

SOURCE = Path(__file__).parent.parent / "src" / "osler"
FILES = sorted(SOURCE.rglob("*.py"))
SUSPICIOUS = re.compile(r"/work/|/root/|sk-[A-Za-z0-9]{20}|BEGIN [A-Z ]*PRIVATE KEY")


def test_every_public_name_of_a_module_says_what_it_is() -> None:
    named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    silent = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}"
        for path in FILES
        for node in ast.parse(path.read_text()).body
        if isinstance(node, named) and not node.name.startswith("_") and not ast.get_docstring(node)
    ]
    assert not silent, "no docstring:\n" + "\n".join(silent)


def test_the_four_walls_hold_where_the_linter_cannot_see() -> None:
    """Players never import the case model, not even inside a function."""
    naming = [path.name for path in (SOURCE / "players").rglob("*.py") if "osler.cases" in path.read_text()]
    assert not naming


def test_nothing_evaluates_text() -> None:
    dangerous = re.compile(
        r"(?<![\w.])(?:eval|exec|compile)\(|os\.system|shell=True|yaml\.load\((?!.*Loader)|pickle"
    )
    found = [path.name for path in FILES if dangerous.search(path.read_text())]
    assert not found


def test_no_secret_and_no_path_of_a_machine_is_committed() -> None:
    tracked = [*FILES, *SOURCE.rglob("*.yaml"), *Path(__file__).parent.rglob("*.py")]
    found = [path.name for path in tracked if path != Path(__file__) and SUSPICIOUS.search(path.read_text())]
    assert not found


CORE = sorted((SOURCE / "core").glob("*.py"))


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_the_core_names_no_protocol_and_no_seat_of_one(path: Path) -> None:
    seats = (patient, consultation_seats, scenario_seats, round_seats)
    named = {one.seat for module in seats for one in vars(module).values() if isinstance(one, Contract)}
    named |= {"student", *round_seats.student_seats(round_seats.MOST_STUDENTS)}
    named |= {each.PROTOCOL.partition("/")[0] for each in (consultation, scenario, ward_round)}
    tree = ast.parse(path.read_text())
    prose = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and n not in prose)
    found = {word for text in texts for word in re.findall(r"\w+", str(text.value)) if word in named}
    assert not found, f"{path.name} names {sorted(found)}"
