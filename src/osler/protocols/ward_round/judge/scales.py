"""The rating scales for teaching sessions, as data: `ets`, `msm` and `mps` (ClinEdu, Appendix E)."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Final

import yaml
from pydantic import Field, TypeAdapter

from osler.core.events import Frozen

LOWEST, HIGHEST = 1, 10


class Scale(Frozen):
    """One rating scale. `critical` is a question that, if answered "yes", makes the mark the lowest one."""

    name: str
    looks_at: str
    levels: dict[int, str] = Field(min_length=HIGHEST, max_length=HIGHEST)
    critical: str | None = None

    @property
    def text(self) -> str:
        """The scale as shown to a judge or a rater, the highest level first."""
        lines = [f"{self.name}. {self.looks_at}"]
        lines += [f"{mark}: {what}" for mark, what in sorted(self.levels.items(), reverse=True)]
        if self.critical:
            lines.append(f"Critical failure: {self.critical}")
        return "\n".join(lines)


_SCALES: Final = TypeAdapter(dict[str, Scale])


@lru_cache(maxsize=1)
def scales() -> dict[str, Scale]:
    """The packaged scales by short name."""
    text = files("osler.protocols.ward_round.judge").joinpath("scales.yaml").read_text("utf-8")
    return _SCALES.validate_python(yaml.safe_load(text))
