"""Which format a file is in, from its name and its first few megabytes; nothing is parsed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal

from osler.cases.importers.reading import open_bytes
from osler.errors import BadInput

Format = Literal["agentclinic", "osler"]
FORMATS: Final[tuple[Format, ...]] = ("agentclinic", "osler")
YAML_FILES: Final = (".yaml", ".yml")
RECORD_FILES: Final = (".json", ".jsonl", ".ndjson")
_CHUNK: Final = 1 << 20
_LOOKED_AT: Final = 16
_OVERLAP: Final = 64
_AGENTCLINIC: Final = re.compile(rb'"(?:OSCE_Examination|Patient_Actor)"')
_OSLER: Final = re.compile(rb'"(?:opening|provenance)"')


def formats() -> tuple[str, ...]:
    """The names of the formats that can be imported."""
    return FORMATS


def detect(path: Path) -> Format:
    """The format of a file. Raises BadInput where it is none that can be imported."""
    if path.suffix.lower() in YAML_FILES:
        return "osler"
    seen = b""
    with open_bytes(path) as file:
        for _ in range(_LOOKED_AT):
            block = file.read(_CHUNK)
            if not block:
                break
            seen = seen[-_OVERLAP:] + block
            if _AGENTCLINIC.search(seen):
                return "agentclinic"
            if _OSLER.search(seen):
                return "osler"
    raise BadInput(
        "its format is not recognised", where=path.name, mend=f"formats are {' and '.join(FORMATS)}"
    )


def format_named(name: str, path: Path) -> Format:
    """The format with this name, or the detected one for "auto"."""
    if name == "auto":
        return detect(path)
    for known in FORMATS:
        if name == known:
            return known
    raise BadInput(f"there is no format {name!r}", mend=f"formats are auto, {' and '.join(FORMATS)}")
