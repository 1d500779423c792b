"""Writing a review into the YAML file of a case or a scenario: lines are added, no other byte is changed.

PyYAML's marks say where a node stands, so that comments and layout stay as they are. The new text is read
back, and refused unless the review is all that has changed.
"""

from __future__ import annotations

from typing import Any, Final

import yaml

from osler.cases.importers.osler_yaml import nodes, parsed_as, yaml_text
from osler.cases.importers.report import Rejected
from osler.cases.model import Case
from osler.cases.reviews import Review
from osler.cases.scenarios.model import Scenario
from osler.errors import BadCase, BadInput

_HINT: Final = "give it a block `provenance:` with one field a line, as `osler cases new` does"
_NULLS: Final = ("", "null", "~")


def reviewed(text: str, item: Case | Scenario, review: Review, where: str) -> str:
    """The text of a YAML file with a review added to the item in it. Raises BadInput where that fails."""
    try:
        changed = _with_reviewer(text, _provenance(text, item), review)
        changed = _with_review(changed, _provenance(changed, item), review)
        result, before = _read(changed, item, where), _read(text, item, where)
    except (yaml.YAMLError, BadCase, ValueError) as error:
        raise BadInput(f"the review could not be written: {error}", where=where, hint=_HINT) from None
    own = before[item.id]["provenance"]
    own["reviews"] = (*own["reviews"], review.model_dump())
    own["reviewed_by"] = result.get(item.id, before[item.id])["provenance"]["reviewed_by"]
    if result != before:
        raise BadInput("the review could not be written without changing more", where=where, hint=_HINT)
    return changed


def _read(text: str, item: Case | Scenario, where: str) -> dict[str, dict[str, Any]]:
    """Each item of a text by its id, as plain data with the empty fields that JSON leaves out."""
    read = list(parsed_as(type(item), text.encode(), where, "item"))
    result = {}
    for one in read:
        if not isinstance(one, Rejected):
            said = one.model_dump()
            said["provenance"].setdefault("reviews", ())
            result[one.id] = said
    return result


def _provenance(text: str, item: Case | Scenario) -> yaml.MappingNode:
    own = {"id": item.id} if isinstance(item, Case) else {"case_id": item.case_id, "scenario": item.scenario}
    for node in _records(text):
        held = {name: found[1].value for name in own if (found := _field(node, name))}
        if held and held == {name: own[name] for name in held}:
            found = _field(node, "provenance")
            if found and isinstance(found[1], yaml.MappingNode) and not found[1].flow_style:
                return found[1]
    raise ValueError("no block `provenance:` was found for it")


def _records(text: str) -> list[yaml.MappingNode]:
    """The mappings of the file's documents, those in a list included."""
    each = [
        one for node in nodes(text) for one in (node.value if isinstance(node, yaml.SequenceNode) else [node])
    ]
    return [one for one in each if isinstance(one, yaml.MappingNode)]


def _field(node: yaml.MappingNode, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    return next(((key, value) for key, value in node.value if key.value == name), None)


def _with_reviewer(text: str, kept: yaml.MappingNode, review: Review) -> str:
    """The text with the reviewer's name in a `reviewed_by` that was null."""
    field = _field(kept, "reviewed_by")
    if field is None or not isinstance(field[1], yaml.ScalarNode) or field[1].style:
        return text
    if field[1].value not in _NULLS:
        return text
    start, end = field[1].start_mark.index, field[1].end_mark.index
    gap = "" if text[start - 1].isspace() else " "
    name = yaml.safe_dump(f"{review.by} ({review.role})", default_style='"', allow_unicode=True, width=10**6)
    return f"{text[:start]}{gap}{name.strip()}{text[end:]}"


def _with_review(text: str, kept: yaml.MappingNode, review: Review) -> str:
    """The text with the review as the last of `reviews`, or with that field at the provenance's end."""
    said = yaml_text(review.model_dump(mode="json", exclude_none=True), "provenance.reviews")
    lines = [f"{'  ' if number else '- '}{line}" for number, line in enumerate(said.rstrip("\n").split("\n"))]
    field = _field(kept, "reviews")
    after: yaml.Node = kept
    if field is None:
        column, lines = kept.value[0][0].start_mark.column, ["reviews:", *lines]
    elif isinstance(field[1], yaml.SequenceNode) and field[1].value and not field[1].flow_style:
        column, after = field[1].start_mark.column, field[1]
    else:
        raise ValueError("its `reviews:` is empty, or its entries stand in one line; take the field out")
    newline = "\r\n" if "\r\n" in text else "\n"
    at = _end(text, after)
    return text[:at] + "".join(f"{newline}{' ' * column}{line}" for line in lines) + text[at:]


def _end(text: str, node: yaml.Node) -> int:
    """The end of the line on which a node's last part ends."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end = node.end_mark.index
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return len(text[:end].rstrip())
    end = text.find("\n", end)
    return len(text) if end < 0 else end - (text[end - 1] == "\r")
