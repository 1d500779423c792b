"""`osler vqa`: published multiple-choice questions about medicine, with pictures."""

from __future__ import annotations

from osler.cli.encounters import plays

vqa = plays(
    "vqa",
    "Measure accuracy on MedXpertQA, MMMU (health and medicine) or PMC-VQA, with its interval.",
)
