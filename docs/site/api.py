"""The page of `import osler`: of every public name the first sentence, the parameters and the example."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from typing import Any, Final, NamedTuple

import osler
from docs.site.markdown import (
    blocks,
    capital,
    cell,
    code,
    field_words,
    first_sentence,
    mentioned,
    page,
    sentences,
    table,
    type_words,
)

_GROUP: Final = re.compile(r"^    (\S.*?)\s{2,}(\S.*)$", re.MULTILINE)
_REST: Final = "types that these give and take"


class Parameter(NamedTuple):
    """A parameter: its name, its type and its default as code, and the words on it."""

    name: str
    type: str
    default: str
    words: str


def groups() -> dict[str, list[str]]:
    """The public names in the groups of the package's docstring; one that continues another says so."""
    result, last = dict[str, list[str]](), ""
    for names, about in _GROUP.findall(osler.__doc__ or ""):
        about = about.strip(". ")
        goes_on = about.startswith(("its ", "how its "))
        last = last if goes_on else about
        result[f"{last}: {about}" if goes_on else about] = names.split(", ")
    known = {one for names in result.values() for one in names}
    if rest := sorted(set(osler.__all__) - known):
        result[_REST] = rest
    return result


def api() -> str:
    """The page: the names by group, then each name."""
    head = ["# import osler", first_sentence(osler.__doc__ or "")]
    parts = list[str]()
    for about, names in groups().items():
        head += [f"**{capital(about)}**", table(("name", "meaning"), (_line(name) for name in names))]
        parts += [f"## {capital(about)}", *(_entry(name) for name in names)]
    return page(*head, *parts)


def _line(name: str) -> tuple[str, str]:
    return f"[`{name}`](#osler-{name})", cell(capital(_first(name)))


def _first(name: str) -> str:
    """The first sentence on a name; of a type without words of its own, what it stands for."""
    thing = getattr(osler, name)
    documented = getattr(thing, "__module__", "").startswith("osler") and callable(thing)
    return first_sentence(thing) if documented else f"The type `{_alias(name)}`."


def _alias(name: str) -> str:
    """The right-hand side of the assignment that names a type."""
    tree = ast.parse(inspect.getsource(import_module(osler._WHERE[name])))
    [value] = [
        one.value
        for one in tree.body
        if isinstance(one, ast.Assign | ast.AnnAssign)
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Name) and target.id == name and one.value is not None
    ]
    return ast.unparse(value).strip("'")


def _entry(name: str) -> str:
    thing, place = getattr(osler, name), f"{osler._WHERE[name]}.{name}"
    more = f"In full: [`{place}`][{place}]."
    heading = f"### osler.{name} {{ #osler-{name} }}"
    if not (callable(thing) and getattr(thing, "__module__", "").startswith("osler")):
        return page(heading, _first(name), more).strip()
    doc = inspect.getdoc(thing) or ""
    listed = parameters(thing)
    examples = "\n".join(block for kind, block in blocks(doc) if kind == "example")
    return page(
        heading,
        f"```python\n{_signature(name, thing)}\n```" if listed or not inspect.isclass(thing) else "",
        _prose(doc, {one[0] for one in listed}),
        table(
            ("parameter", "meaning", "type", "default"),
            ((code(a), cell(_meaning(a, d)), code(b), code(c)) for a, b, c, d in listed),
        ),
        f"```pycon\n{examples}\n```" if examples else "",
        more,
    ).strip()


def parameters(thing: Any) -> list[Parameter]:
    """The parameters of a function or of a class."""
    if fields := getattr(thing, "model_fields", None):
        return _once([_field(thing, name, one) for name, one in fields.items()])
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    if getattr(thing, "_is_protocol", False) or signature.parameters.keys() & {"kwds", "value"}:
        return []
    result = list[Parameter]()
    for name, one in signature.parameters.items():
        stars = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
        typed = "" if one.annotation is one.empty else type_words(one.annotation)
        default = "" if one.default is one.empty else _shown(one.default)
        words = field_words(thing, name) if inspect.isclass(thing) else _words(thing, name)
        result.append(Parameter(f"{stars}{name}", typed, default, words))
    return _once(result)


def _field(model: Any, name: str, field: Any) -> Parameter:
    default = "" if field.is_required() else _shown(field.get_default(call_default_factory=True))
    return Parameter(name, type_words(field.annotation), default, field_words(model, name))


def _words(function: Any, name: str) -> str:
    """What a function says of a parameter, or another that it refers to for its parameters."""
    doc = inspect.getdoc(function) or ""
    if words := mentioned(doc, name):
        return words
    others = re.findall(r"as for `(\w+)`", doc)
    return next(
        (w for one in others if one in osler.__all__ and (w := _words(getattr(osler, one), name))), ""
    )


def _once(listed: list[Parameter]) -> list[Parameter]:
    """The parameters, those that share a clause each but the first pointing to it."""
    first, result = dict[str, str](), list[Parameter]()
    for one in listed:
        there = first.setdefault(one.words, one.name) if one.words else one.name
        result.append(one if there == one.name else one._replace(words=f"See `{there}`"))
    return result


def _meaning(name: str, words: str) -> str:
    """The words without the parameter's name before them."""
    plain = re.sub(rf"^`{re.escape(name.lstrip('*'))}` (?:(?:is|are) )?", "", words)
    return capital(plain)


def _shown(default: object) -> str:
    text = repr(default)
    return "..." if text.startswith("<") or len(text) > 40 else text


def _signature(name: str, thing: Any) -> str:
    listed = ", ".join(f"{one}={default}" if default else one for one, _, default, _ in parameters(thing))
    whole = f"osler.{name}({listed})"
    if len(whole) <= 88:
        return whole
    inside = "".join(
        f"    {one}={default},\n" if default else f"    {one},\n" for one, _, default, _ in parameters(thing)
    )
    return f"osler.{name}(\n{inside})"


def _prose(doc: str, names: set[str]) -> str:
    """The paragraphs of a docstring without those sentences that the table of parameters holds."""
    result = list[str]()
    for kind, block in blocks(doc):
        if kind != "text":
            continue
        kept = [one for one in sentences(block) if not (m := re.match(r"`(\w+)`", one)) or m[1] not in names]
        result.append(" ".join(kept))
    return "\n\n".join(one for one in result if one)
