"""Writing a draft: a scenario in YAML with remarks at the uncertain places, and a list of them beside it.

A draft that its author has edited is never overwritten: the first line of the file holds a hash of what was
written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from osler.authoring.stations.draft import Draft
from osler.authoring.stations.remarks import Check
from osler.cases.scenarios.reading import read
from osler.errors import BadInput
from osler.files import write_whole

SCENARIO: Final = "scenario.yaml"
CHECKS: Final = "check.md"
_HEAD: Final = "# Drafted by rule; as written: "
_WIDE: Final = 110


class DraftFiles(NamedTuple):
    """The files of a draft; `kept` if its author's edited file was left as it is."""

    scenario: Path
    checks: Path
    kept: bool


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    def ignore_aliases(self, data: Any) -> bool:
        return True


def scenario_yaml(draft: Draft) -> str:
    """The scenario as YAML, with the remarks as comments where they belong."""
    return "\n".join(_lines(draft)) + "\n"


def _lines(draft: Draft) -> Iterator[str]:
    said = {"schema_version": 1} | draft.scenario.model_dump(mode="json", exclude_defaults=True)
    remarks: dict[str, list[Check]] = defaultdict(list)
    for check in draft.checks:
        head, _, rest = check.where.partition("[")
        remarks[f"{head}[{rest.partition(']')[0]}]" if rest else head].append(check)
    for key, value in said.items():
        yield from _comments(remarks[key])
        if not isinstance(value, list) or not value or not isinstance(value[0], Mapping):
            yield from _dumped({key: value})
            continue
        yield f"{key}:"
        for number, one in enumerate(value, start=1):
            yield from _comments(remarks[f"{key}[{one.get('id', number)}]"])
            yield from _dumped([one])
    if draft.unplaced:
        yield ""
        yield "# UNPLACED: what stands in the papers and nowhere above"
        for left in draft.unplaced:
            yield _comment(f'- "{left.text}" - {left.why} ({left.place})')


def _comments(checks: list[Check]) -> Iterator[str]:
    for check in checks:
        place = f" ({check.place})" if check.place else ""
        yield _comment(f"CHECK: {check.what}{place}")


def _comment(text: str) -> str:
    """One line: no text of a source can end the comment."""
    return f"# {''.join(one if one.isprintable() else ' ' for one in text)}"


def _dumped(value: Any) -> Iterator[str]:
    text = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDE, default_flow_style=False
    )
    yield from text.rstrip("\n").split("\n")


def checks_text(draft: Draft) -> str:
    """The list for the author: what to check, what could not be placed, and what was read."""
    items = draft.scenario.rubric
    by_rule = sum(bool(item.shown_by) and not item.by_ear for item in items)
    lines = [
        "# What to check in this draft",
        "For education and research only. Drafted by rule from a station's papers; nobody has read it yet.",
        "",
        f"Read: {', '.join(f'{part} {count} lines' for part, count in draft.by_part.items())}.",
        f"Drafted: {len(draft.scenario.knows)} facts, {len(draft.scenario.actions)} acts, {len(draft.scenario.states)} states, "
        f"{len(items)} items of the mark sheet, of which {by_rule} are judged by rule and {len(items) - by_rule} are left to a person.",
        "",
        "## Check",
        *(f"- [ ] {check}" for check in draft.checks),
        "",
        "## Unplaced",
        *(f'- "{left.text}" - {left.why} ({left.place})' for left in draft.unplaced),
    ]
    return "\n".join([*lines, *([] if draft.unplaced else ["Nothing."])]) + "\n"


def write_draft(draft: Draft, folder: Path, *, force: bool = False) -> DraftFiles:
    """Write the draft into a folder. A scenario that was edited since is kept, unless `force`.

    Raises BadInput where it cannot be written.
    """
    path, beside = folder / SCENARIO, folder / CHECKS
    text = scenario_yaml(draft)
    if not force and edited(path):
        return DraftFiles(path, beside, True)
    try:
        write_whole(path, f"{_HEAD}{_hash(text)}\n{text}")
        write_whole(beside, checks_text(draft))
    except OSError as error:
        raise BadInput(
            f"cannot be written: {error.strerror or error}",
            where=str(folder),
            hint="name a folder with --out",
        ) from None
    if [one.content_hash for one in read(path)] != [draft.scenario.content_hash]:  # type: ignore[union-attr]
        raise AssertionError("the draft does not read back as it was written")
    return DraftFiles(path, beside, False)


def edited(path: Path) -> bool:
    """Whether a file is there that is not as it was written by us."""
    if not path.exists():
        return False
    try:
        head, _, body = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return True
    return head != f"{_HEAD}{_hash(body)}"


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
