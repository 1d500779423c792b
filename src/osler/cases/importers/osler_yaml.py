"""Our own case format: YAML, one case to a file, or several as documents or as a list; also JSON records.

YAML is read as data only: no tags, no anchors (so no document can multiply itself), and everything is text
except what looks like a JSON number, `true`, `false` or `null`.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from osler.cases.importers.images import FOLDER, Images
from osler.cases.importers.json_paths import MAX_DEPTH
from osler.cases.importers.reading import MAX_RECORD_BYTES, Record, open_bytes, read_records
from osler.cases.importers.report import Rejected
from osler.cases.model import Case
from osler.cases.pictures import files_in
from osler.errors import BadCase, BadInput
from osler.files import write_bytes_once, write_once

NAME: Final = "osler"
LOOKS_LIKE: Final = re.compile(rb'"(?:opening|provenance)"')
_SMALL: Final = 100_000  # size in bytes up to which a file's cases are kept in memory
_SHOWN_ERRORS: Final = 10
_SHOWN_INPUT: Final = 60
_OPENERS: Final = (
    yaml.FlowSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.BlockMappingStartToken,
)
_CLOSERS: Final = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken, yaml.BlockEndToken)
_Model = TypeVar("_Model", bound=BaseModel)
_C_LOADER: Final[type] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_C_DUMPER: Final[type] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Loader(_C_LOADER):  # type: ignore[misc]  # the C loader where PyYAML was built with one
    """Safe YAML in which `no`, `12:30` and `2024-01-01` stay text."""

    yaml_implicit_resolvers: Final[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}


def _resolve(tag: str, pattern: str, first: str) -> None:
    for letter in first:
        _Loader.yaml_implicit_resolvers.setdefault(letter, []).append(
            (f"tag:yaml.org,2002:{tag}", re.compile(pattern))
        )


_resolve("bool", r"^(?:true|false)$", "tf")
_resolve("null", r"^(?:null|~|)$", "n~")
_Loader.yaml_implicit_resolvers[""] = [("tag:yaml.org,2002:null", re.compile(r"^$"))]
_resolve("int", r"^-?(?:0|[1-9][0-9]{0,30})$", "-0123456789")
_resolve("float", r"^-?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+]?[0-9]{1,3})?$", "-0123456789")


def read(path: Path, prefix: str = "", images: Images | None = None) -> Iterator[Case | Rejected]:
    """The cases of a YAML or JSON file in order, each with its own id (`prefix` is not used here).

    Raises BadInput where the file itself cannot be read.
    """
    return with_files(read_kept(Case, path, "case"), path, images or Images())


def with_files(items: Iterable[_Model | Rejected], path: Path, images: Images) -> Iterator[_Model | Rejected]:
    """Cases or scenarios of a file with the image files they name found, or rejected for missing ones."""
    for number, item in enumerate(items, start=1):
        try:
            yield item if isinstance(item, Rejected) else images.with_files(item, path.parent)
        except BadCase as error:
            yield Rejected(number, f"{getattr(item, 'id', '')}: {error.what}")


def read_as(model: type[_Model], path: Path, called: str) -> Iterator[_Model | Rejected]:
    """The models of a YAML or JSON file in order, each read or rejected.

    `called` is the word for one, such as a case. Raises BadInput where the file itself cannot be read.
    """
    items = _parsed(_bytes_of(path), path.name, called) if _is_yaml(path) else read_records(path)
    return _made(items, model)


def read_kept(model: type[_Model], path: Path, called: str) -> Iterator[_Model | Rejected]:
    """The models of a file as `read_as` reads them. Those of a small YAML file stay in memory, so the model
    must be frozen."""
    if not _is_yaml(path):
        return _made(read_records(path), model)
    raw = _bytes_of(path)
    if len(raw) <= _SMALL:
        return iter(_kept(raw, path.name, model, called))
    return parsed_as(model, raw, path.name, called)


@lru_cache(maxsize=64)  # one command may read its cases several times
def _kept(raw: bytes, name: str, model: type[_Model], called: str) -> tuple[_Model | Rejected, ...]:
    return tuple(parsed_as(model, raw, name, called))


def parsed_as(model: type[_Model], raw: bytes, name: str, called: str) -> Iterator[_Model | Rejected]:
    """The models of a YAML text in order, as `read_as` reads them from the file of that name."""
    return _made(_parsed(raw, name, called), model)


def nodes(text: str) -> list[yaml.Node]:
    """The nodes of a YAML text, one a document, with the marks that say where they stand in it.

    Raises yaml.YAMLError.
    """
    return [node for node in yaml.compose_all(text, Loader=_Loader) if node is not None]


def _made(items: Iterable[Record | Rejected], model: type[_Model]) -> Iterator[_Model | Rejected]:
    for item in items:
        if isinstance(item, Rejected):
            yield item
            continue
        try:
            yield made_from(model, item.value)
        except BadCase as error:
            yield Rejected(item.number, error.what)


def made_from(model: type[_Model], data: Mapping[str, object]) -> _Model:
    """Validate plain data as a model. Raises BadCase, naming each field that is wrong."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        lines = [_told(dict(one), model) for one in error.errors(include_url=False)]
        more = [f"and {len(lines) - _SHOWN_ERRORS} more"] if len(lines) > _SHOWN_ERRORS else []
        raise BadCase("; ".join(lines[:_SHOWN_ERRORS] + more)) from None


def case_text(case: Case) -> str:
    """A case as canonical YAML: every non-default field, in the model's order."""
    return yaml_text(_said(case), case.id)


def yaml_text(said: Mapping[str, object], where: str) -> str:
    """Plain data as YAML that reads back the same. Raises BadCase where its text cannot be written."""
    try:
        text: str = yaml.dump(
            said, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
        )
        json.dumps(said, ensure_ascii=False).encode()
    except (yaml.YAMLError, UnicodeEncodeError):
        raise BadCase("holds text that cannot be written", where=where) from None
    return text


def case_line(case: Case) -> str:
    """A case as one line of JSON lines: the same fields as in YAML."""
    return json.dumps(_said(case), ensure_ascii=False) + "\n"


def _said(case: Case) -> dict[str, object]:
    return {"schema_version": case.schema_version} | case.model_dump(mode="json", exclude_defaults=True)


def write_case(case: Case, folder: Path) -> Path:
    """Write a case to `<folder>/<id>.yaml` and return the path.

    Its image files are written to `<folder>/pictures`. A file that already holds the same case is left as it
    is; any other file is not overwritten.
    """
    write_pictures(case, folder)
    return write_once(folder / f"{case.id}.yaml", case_text(case), lambda path: _holds(path, case))


def write_pictures(case: BaseModel, folder: Path) -> None:
    """Write the image files of a case or a scenario to `<folder>/pictures`, each under its hash."""
    for picture in files_in(case):
        write_bytes_once(folder / FOLDER / picture.name, picture.raw())


def _holds(path: Path, case: Case) -> bool:
    try:
        cases = list(read_kept(Case, path, "case"))
    except BadInput:
        return False
    return len(cases) == 1 and isinstance(cases[0], Case) and cases[0].content_hash == case.content_hash


class _Dumper(_C_DUMPER):  # type: ignore[misc]  # as for the loader
    """Safe YAML that round-trips text: unusual characters are escaped."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Quote text with control or odd line-breaking characters, so that nothing is folded away."""
    odd = any(not letter.isprintable() for letter in text)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if odd else None)


_Dumper.add_representer(str, _text_node)


def _is_yaml(path: Path) -> bool:
    return path.suffix.lower() in (".yaml", ".yml")


def _bytes_of(path: Path) -> bytes:
    with open_bytes(path) as file:
        raw = file.read(MAX_RECORD_BYTES + 1)
    if len(raw) > MAX_RECORD_BYTES:
        raise BadInput(f"is longer than {MAX_RECORD_BYTES // 1_000_000} MB", where=path.name)
    return raw


def _parsed(raw: bytes, name: str, called: str) -> Iterator[Record | Rejected]:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"is not UTF-8: byte {error.start + 1} cannot be decoded", where=name) from None
    number = 0
    try:
        _refuse_tricks(text)
        for document in yaml.load_all(text, Loader=_Loader):
            for item in document if isinstance(document, list) else [document]:
                number += 1
                if isinstance(item, dict):
                    yield Record(number, {str(key): value for key, value in item.items()})
                else:
                    yield Rejected(number, f"a {called} must be a mapping of fields")
    except yaml.YAMLError as error:
        yield Rejected(number + 1, f"not valid YAML: {_yaml_problem(error)}")
    except RecursionError:
        yield Rejected(number + 1, "nested too deeply")
    except ValueError as error:
        yield Rejected(number + 1, f"not valid YAML: {error}")
    else:
        if not number:
            raise BadInput(f"the file holds no {called}", where=name)


def _refuse_tricks(text: str) -> None:
    depth = 0
    for token in yaml.scan(text, Loader=_Loader):
        depth += isinstance(token, _OPENERS) - isinstance(token, _CLOSERS)
        if isinstance(token, yaml.TagToken):
            problem = "a tag (!) is not accepted"
        elif isinstance(token, (yaml.AnchorToken, yaml.AliasToken)):
            problem = "an anchor or alias (& or *) is not accepted"
        elif depth > MAX_DEPTH:
            problem = "nested too deeply"
        else:
            continue
        raise yaml.scanner.ScannerError(None, None, problem, token.start_mark)


def _yaml_problem(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    if "nesting depth" in str(said):  # newer versions of libyaml have a limit of their own
        said = "nested too deeply"
    place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
    return f"{said}{place}"


def _told(error: dict[str, object], model: type[BaseModel]) -> str:
    """One validation error as one line: the place, the fault, and the offending value."""
    where = error["loc"]
    place = ""
    for part in where if isinstance(where, tuple) else ():
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else str(part)
    if error["type"] == "extra_forbidden" and isinstance(where, tuple):
        near = difflib.get_close_matches(str(where[-1]), _field_names(model), n=1)
        return f"{place}: there is no such field" + (f"; did you mean {near[0]}?" if near else "")
    if error["type"] == "missing":
        return f"{place}: is missing"
    message = str(error["msg"]).removeprefix("Value error, ")
    shown = repr(error.get("input"))
    shown = shown if len(shown) <= _SHOWN_INPUT else f"{shown[:_SHOWN_INPUT]}..."
    told = message[:1].lower() + message[1:]
    return f"{place}: {told}, not {shown}" if place else told


@cache
def _field_names(model: type[BaseModel]) -> tuple[str, ...]:
    """Every field name of a model and of its nested models."""
    schema = model.model_json_schema()
    parts = [schema, *schema.get("$defs", {}).values()]
    return tuple(sorted({name for part in parts for name in part.get("properties", {})}))
