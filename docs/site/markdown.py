"""Markdown made of what the code says: docstrings, the words of fields, tables."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final

from osler.core.option import Option

_EXAMPLE: Final = re.compile(r"^( *)>>> ")
_ROW: Final = re.compile(r"^(\S.*?)\s{2,}(\S.*)$")
_BREAK: Final = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<=[.!?])[\")’”]*\s+(?=[\"(`A-Z0-9])")


def cell(text: str) -> str:
    """Text for the cell of a table: no Markdown or HTML of its own, but for code between backticks."""
    parts = " ".join(text.replace("``", "`").split()).split("`")
    if len(parts) % 2 == 0:
        parts = ["`".join(parts)]
    outside = (re.sub(r"([\\<>*_|#\[\]`])", r"\\\1", part) for part in parts[::2])
    inside = (f"`{part}`" for part in parts[1::2])  # a bar within code ends no cell
    mixed = [*outside, *inside]
    mixed[::2], mixed[1::2] = mixed[: len(parts[::2])], mixed[len(parts[::2]) :]
    return "".join(mixed)


def code(text: object) -> str:
    """A cell of code; "" for nothing. The parts of a union stand apart."""
    written = " ".join(str(text).split())
    parts = written.split(" | ") if "[" not in written else [written]
    return " or ".join(f"`{part}`" for part in parts) if written else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, without the columns that are empty in every row; "" without rows. Cells are Markdown."""
    listed = [[*row] for row in rows]
    full = [n for n in range(len(head)) if any(row[n] for row in listed)]
    if not full:
        return ""
    lines = [[head[n] for n in full], ["---" for _ in full], *([row[n] for n in full] for row in listed)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page(*blocks: str) -> str:
    """A page of blocks, those that are empty left out."""
    return "\n\n".join(block for block in blocks if block) + "\n"


def capital(text: str) -> str:
    """The text with a capital at its beginning, unless that is code, a name or a value."""
    first = text.partition(" ")[0]
    return text if re.search(r"[:_=`+]", first) else text[:1].upper() + text[1:]


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph."""
    return [one for one in _BREAK.split(" ".join(text.split())) if one]


def first_sentence(thing: object) -> str:
    """The first sentence of an object's docstring, or of a text."""
    text = thing if isinstance(thing, str) else inspect.getdoc(thing) or ""
    return next(iter(sentences(text.strip().partition("\n\n")[0])), "")


def blocks(docstring: str) -> Iterator[tuple[str, str]]:
    """The blocks of a docstring in order, each with its kind: "text", "example" or "rows"."""
    for block in re.split(r"\n[ \t]*\n", inspect.cleandoc(docstring)):
        lines = block.splitlines()
        if not block.strip():
            continue
        if _EXAMPLE.match(lines[0]):
            yield "example", textwrap.dedent(block)
        elif len(lines) > 1 and _ROW.match(lines[0]) and all(map(_of_list, lines)):
            yield "rows", block
        else:
            yield "text", block


def _of_list(line: str) -> bool:
    """Whether a line begins or continues an entry of an aligned list."""
    return _ROW.match(line) is not None or line.startswith("   ")


def marked(docstring: str) -> str:
    """A docstring as Markdown: its examples as code, and its aligned lists of names as tables."""
    result = list[str]()
    for kind, block in blocks(docstring):
        if kind == "example" and result and result[-1].endswith("\n```"):
            result[-1] = f"{result[-1].removesuffix('```')}{block}\n```"
        elif kind == "example":
            result.append(f"```pycon\n{block}\n```")
        elif kind == "rows":
            result.append(table(("name", "meaning"), ((code(n), cell(text)) for n, text in rows(block))))
        else:
            result.append(block)
    return "\n\n".join(result)


def rows(block: str) -> list[tuple[str, str]]:
    """The names and texts of an aligned list."""
    result = list[tuple[str, str]]()
    for line in block.splitlines():
        if match := _ROW.match(line):
            result.append((match[1], match[2]))
        else:
            result[-1] = (result[-1][0], f"{result[-1][1]} {line.strip()}")
    return result


@cache
def attribute_docs(of: type) -> dict[str, str]:
    """The docstrings below the fields of a class, and of those that it is derived from."""
    result = dict[str, str]()
    for one in reversed(of.__mro__):
        if not one.__module__.startswith("osler"):
            continue
        [body] = ast.parse(textwrap.dedent(inspect.getsource(one))).body
        assert isinstance(body, ast.ClassDef)
        for field, text in zip(body.body, body.body[1:], strict=False):
            target: ast.expr | None = field.target if isinstance(field, ast.AnnAssign) else None
            target = field.targets[0] if isinstance(field, ast.Assign) else target
            if not (isinstance(target, ast.Name) and isinstance(text, ast.Expr)):
                continue
            if isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
                result[target.id] = inspect.cleandoc(text.value.value)
    return result


def field_words(of: type, name: str) -> str:
    """The words on a field of a model: those of its option, those below it, or those of the docstring."""
    field = getattr(of, "model_fields", {}).get(name)
    option = next((one for one in field.metadata if isinstance(one, Option)), None) if field else None
    if option is not None:
        return option.help
    if name in attribute_docs(of):
        return attribute_docs(of)[name]
    docs = (one.__doc__ or "" for one in of.__mro__ if one.__module__.startswith("osler"))
    return next((words for doc in docs if (words := mentioned(doc, name))), "")


def mentioned(docstring: str, name: str) -> str:
    """The clause of a docstring that names a parameter or a field; "" if none does."""
    listed = [one for kind, block in blocks(docstring) if kind == "rows" for one in rows(block)]
    for names, text in listed:
        if name in re.split(r"[,\s]+", names):
            return text
    texts = [one for kind, block in blocks(docstring) if kind == "text" for one in sentences(block)]
    clauses = [clause for one in texts for part in re.split(r"; (?=`)", one) for clause in _enumerated(part)]
    begins = [clause for clause in clauses if clause.startswith(f"`{name}`")]
    naming = [clause for clause in clauses if f"`{name}`" in clause and clause not in texts[0]]
    return next(iter([*begins, *naming]), "").rstrip(".")


def _enumerated(clause: str) -> list[str]:
    """The parts of a clause "`a` is this, `b` that, and `c` a third", each on one parameter."""
    parts = re.split(r", (?:and )?(?=`\w+` \w)", clause)
    return parts if all(re.match(r"`\w+` \w", part) for part in parts) else [clause]


def type_words(annotation: Any) -> str:
    """The type of a value as people write it in code, without the modules of its parts."""
    plain = getattr(annotation, "__forward_arg__", annotation)
    text = plain if isinstance(plain, str) else inspect.formatannotation(plain)
    text = re.sub(r"Annotated\[(.+?), Option\(.*", r"\1", text)
    text = re.sub(r"Optional\[(.+)\]$", r"\1 | None", text)
    text = re.sub(r"Literal\[([^\[\]]*)\]", lambda found: found[1].replace(", ", " | "), text)
    return re.sub(r"\b(?:[a-zA-Z_]\w*\.)+(?=\w)", "", text).replace("NoneType", "None")
