"""The layout of the code as tests: what stands where, how big a file may be, and what imports what."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from osler.core.registry import OURS

SRC: Final = Path(__file__).parents[1] / "src"
OSLER: Final = SRC / "osler"
FILES: Final = sorted(OSLER.rglob("*.py"))
MOST_LINES: Final = 450
_IMPORT: Final = re.compile(r"\s*(?:from|import) ")

SAME_FILES: Final = (
    "seats.py",
    "events.py",
    "views.py",
    "story.py",
    "rules.py",
    "settings.py",
    "config.py",
    "casting.py",
    "protocol.py",
    "forms.py",
    "replies.py",
    "measures.py",
    "notes.py",
    "debriefing.py",
    "players/__init__.py",
    "model/players.py",
    "model/prompts.py",
    "model/schemas.py",
    "judge/__init__.py",
)
"""The files that mean the same in every protocol's folder; docs/protocols.md says what."""

ASKING: Final = ("What", "Whoever", "Who", "How", "Where")
"""Words that no first line of a docstring begins with: it names the thing."""
SCHEMAS: Final[Mapping[str, str]] = {
    "Sorting": "authoring/converting.py",
    "Triage": "authoring/scenarios/triage.py",
    "Comment": "core/deliberation.py",
    "ExaminationReply": "protocols/consultation/seats.py",
    "Description": "protocols/consultation/seats.py",
    "PatientSeatReply": "protocols/scenario/seats.py",
    "Assessment": "protocols/scenario/seats.py",
    "ControllerReply": "protocols/scenario/seats.py",
    "Action": "protocols/ward_round/seats.py",
}
"""Exceptions: replies whose docstring is the description in a JSON schema, which players outside are sent."""


SMALL: Final = frozenset({"vqa"})
"""Protocols of a single exchange, which need only some of these files."""


@pytest.mark.parametrize("name", sorted({*OURS} - SMALL))
def test_the_same_file_names_stand_in_every_protocol(name: str) -> None:
    missing = [file for file in SAME_FILES if not (OSLER / "protocols" / name / file).is_file()]
    assert not missing, f"protocols/{name} has no {', '.join(missing)}"


def test_the_page_on_protocols_names_these_files() -> None:
    page = (SRC.parent / "docs" / "protocols.md").read_text("utf-8")
    names = [file.removesuffix("/__init__.py") for file in SAME_FILES]
    missing = [name for name in names if f"`{name}`" not in page and f"`{name}/`" not in page]
    assert not missing, f"docs/protocols.md does not name {', '.join(missing)}"


def test_the_map_of_the_rooms_names_every_folder_with_code() -> None:
    page = (SRC.parent / "docs" / "architecture.md").read_text("utf-8")
    folders = {path.parent for path in FILES if len(path.relative_to(OSLER).parts) in (2, 3)}
    missing = [
        folder.relative_to(OSLER).as_posix()
        for folder in sorted(folders)
        if not re.search(rf"`(\w+/)?{folder.name}`", page)
    ]
    assert not missing, f"docs/architecture.md does not name {', '.join(missing)}"


def test_no_file_is_too_long_to_be_about_one_thing() -> None:
    lines = {path.relative_to(OSLER).as_posix(): len(path.read_text().splitlines()) for path in FILES}
    long = [f"{name}: {count}" for name, count in lines.items() if count > MOST_LINES]
    assert not long, f"above {MOST_LINES} lines:\n" + "\n".join(long)


def test_the_core_leaves_few_types_open() -> None:
    """At most six `Any` in a thousand lines, imports not counted."""
    lines = [line for path in FILES if path.parent.name == "core" for line in path.read_text().splitlines()]
    there = sum(len(re.findall(r"\bAny\b", line)) for line in lines if not _IMPORT.match(line))
    assert there <= 6 * len(lines) / 1000, f"{there} in {len(lines)} lines"


def test_every_room_and_every_protocol_says_what_it_answers() -> None:
    folders = [*OSLER.iterdir(), *(OSLER / "protocols").iterdir()]
    rooms = [folder / "__init__.py" for folder in folders if (folder / "__init__.py").is_file()]
    silent = [path.parent.name for path in rooms if not ast.get_docstring(ast.parse(path.read_text()))]
    assert not silent, f"no docstring: {', '.join(silent)}"


def test_the_first_line_of_a_docstring_names_the_thing() -> None:
    found = []
    for path in FILES:
        module = path.relative_to(OSLER).as_posix()
        for name, line in _first_lines(ast.parse(path.read_text())):
            if line.split()[0].strip(",.:") in ASKING and SCHEMAS.get(name) != module:
                found.append(f"{module} {name}: {line}")
    assert not found, "\n".join(found)


def _first_lines(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The first docstring line of every public name of a module, and of a public class."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            line = (ast.get_docstring(child) or "").partition("\n")[0]
            if line and not child.name.startswith("_"):
                yield child.name, line
            if isinstance(child, ast.ClassDef):
                yield from _first_lines(child)


def test_no_packages_import_each_other() -> None:
    """A folder and the folders inside it are one house; any other two import in one direction at most."""
    modules = {_module(path): path for path in FILES}
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        here = _package(name, path)
        there = {_package(each, modules[each]) for each in _imported(path, modules)}
        graph.setdefault(here, set()).update(other for other in there if not _one_house(here, other))
    found = [sorted(one) for one in cycles(graph)]
    assert not found, f"these import each other: {found}"


def test_no_modules_import_each_other() -> None:
    modules = {_module(path): path for path in FILES}
    graph = {name: {*_imported(path, modules)} - {name} for name, path in modules.items()}
    assert list(cycles(graph)) == []


def test_no_modules_name_each_other() -> None:
    """No circle is tied by an import in a function, one for types alone, or an import path in a string."""
    modules = {_module(path): path for path in FILES}
    del modules["osler"]  # the public names, each imported on first use
    graph = {name: {*_named(path.read_text(), modules)} - {name} for name, path in modules.items()}
    found = [sorted(one) for one in cycles(graph)]
    assert not found, f"these name each other: {found}"


def test_every_way_to_name_a_module_is_seen() -> None:
    modules = {f"osler.{name}": Path() for name in ("a", "b", "c", "d")}
    text = """
from osler import a
if TYPE_CHECKING:
    from osler.b import B
def late():
    import osler.c
HERE = Lazy("osler.d:D")
SAID = "osler.c is a module"
"""
    assert sorted(_named(text, modules)) == ["osler.a", "osler.b", "osler.c", "osler.d"]


def test_a_cycle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set[str]()}
    assert [sorted(one) for one in cycles(graph)] == [["a", "b", "c"]]


def cycles(graph: Mapping[str, set[str]]) -> Iterator[set[str]]:
    """The strongly connected components of more than one node: nodes that reach each other."""
    reach = {node: _reachable(graph, node) for node in graph}
    seen: set[str] = set()
    for node in graph:
        if node not in seen:
            found = {other for other in reach[node] if node in reach[other]}
            seen |= found
            if len(found) > 1:
                yield found


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    reached, left = set[str](), [start]
    while left:
        for other in graph[left.pop()] - reached:
            reached.add(other)
            left.append(other)
    return reached


def _module(path: Path) -> str:
    return ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


def _package(name: str, path: Path) -> str:
    return name if path.name == "__init__.py" else name.rpartition(".")[0]


def _one_house(one: str, other: str) -> bool:
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _named(text: str, modules: Mapping[str, Path]) -> Iterator[str]:
    """The modules of ours that a text imports anywhere, or names by an import path ("module:name")."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.ImportFrom(module=str(source), names=names):
                for full in (f"{source}.{each.name}" for each in names):
                    if found := full if full in modules else source if source in modules else "":
                        yield found
            case ast.Import(names=names):
                yield from (each.name for each in names if each.name in modules)
            case ast.Constant(value=str(value)):
                module, colon, _ = value.partition(":")
                if colon and module in modules:
                    yield module
            case _:
                continue


def _imported(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    """The modules of ours that a module imports as it is loaded: not in functions, not for types alone."""
    left: list[ast.stmt] = [*ast.parse(path.read_text()).body]
    while left:
        match left.pop():
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.ImportFrom(module=str(source), names=names):
                for full in (f"{source}.{each.name}" for each in names):
                    if found := full if full in modules else source if source in modules else "":
                        yield found
            case ast.Import(names=names):
                yield from (each.name for each in names if each.name in modules)
            case ast.If(body=body, orelse=other) | ast.Try(body=body, orelse=other):
                left += [*body, *other]
            case _:
                continue
