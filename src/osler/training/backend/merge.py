"""Adapters merged into their base: whole weights with the training template, to be served or trained on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from osler.errors import BadInput
from osler.training.backend import libraries, models
from osler.training.folder import ADAPTER, MERGED, Folder


def merge(out: Path) -> dict[str, Any]:
    """Merge what a training wrote to `out`; left as it is where that is done. Raises BadInput."""
    libraries.need()
    folder = Folder(out)
    stamp, merged = folder.stamp, out / MERGED
    if folder.result is None:
        raise BadInput("this training has not ended", where=str(out), hint="run the same command again")
    if not (merged / "config.json").is_file():
        base = models.base_at(stamp.base)
        if base.hash != stamp.base_hash:
            raise BadInput("the base has changed since it was trained on", where=stamp.base)
        _merge(base, out / ADAPTER, merged)
    return {"out": str(merged), "weights_hash": models.weights_hash(merged)}


def _merge(base: models.Base, adapter: Path, merged: Path) -> None:
    import torch
    from peft import PeftModel

    # Added in full precision, and rounded once to the base's own.
    dtype = models.dtype_of(base.folder)
    model = PeftModel.from_pretrained(models.load(base.folder, "fp32"), str(adapter))
    whole = model.merge_and_unload(safe_merge=True).to(getattr(torch, dtype))
    partial = merged.with_name(f".{merged.name}.part")
    shutil.rmtree(partial, ignore_errors=True)
    models.save(whole, models.processor_of(adapter, sees_too=base.sees), partial)
    partial.rename(merged)
