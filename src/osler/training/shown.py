"""A row of a data set as text for a reader."""

from __future__ import annotations

from collections.abc import Iterator

from osler.training.samples import Sample
from osler.training.state import images_in, text_of


def shown(sample: Sample) -> str:
    """The row as text: its head, each message with its part, and what else is known."""
    return "\n".join(_lines(sample))


def _lines(sample: Sample) -> Iterator[str]:
    tokens = ", ".join(f"{count} {part}" for part, count in sample.tokens.items())
    yield f"{sample.kind} {sample.id}  ({sample.split})"
    yield f"case {sample.case_id}, cluster {sample.cluster[:12]}, turn {sample.turn + 1}, run {sample.run}"
    yield f"tokens: {tokens or 'not counted'}; images: {len(sample.images)}; rounds cut: {sample.dropped}"
    weights = dict(zip(sample.target_spans, sample.weights, strict=False))  # the audit tells
    for at, message in enumerate(sample.messages):
        learnt = f"  [learnt, weight {weights[at]:g}]" if at in weights else ""
        pictures = f"  [{images_in([message])} images]" if images_in([message]) else ""
        yield f"\n--- {message['role']}{pictures}{learnt}"
        yield text_of(message)
    if sample.kind != "multi":
        yield "\n--- assistant  [learnt]"
        yield sample.target
    for draft in sample.refused_drafts:
        yield "\n--- refused before"
        yield draft.text
        yield from (f"{one.by} ({one.issue}): {one.reason}" for one in draft.refusals)
    yield "\n--- known beside it, in no prompt"
    for name, value in sample.context.items():
        yield f"{name}: {value}"
    for name, value in (*sample.about.items(), *sample.provenance.items()):
        yield f"{name}: {value}"
