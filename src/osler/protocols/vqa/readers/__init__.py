"""Readers of published sets of questions: the rows of a file, whatever holds them, and a reader by format."""

from __future__ import annotations

from typing import Final

from osler.protocols.vqa.readers import medxpertqa, mmmu, pmc_vqa
from osler.protocols.vqa.readers.rows import Reader

FORMATS: Final[dict[str, Reader]] = {
    "medxpertqa": medxpertqa.read,
    "mmmu": mmmu.read,
    "pmc-vqa": pmc_vqa.read,
}
"""The reader of each format that `osler vqa --format` takes."""
