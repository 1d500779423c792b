"""The first two steps: the inventory of a folder, and its text. No model is involved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from osler.authoring.scenarios.converting import Converted, convert, converter_version
from osler.authoring.scenarios.inventory import Attachment, AttachmentFile, inventory
from osler.authoring.scenarios.layout import slug
from osler.authoring.scenarios.steps import RULES, Steps, digest
from osler.cases.modality import MODALITIES
from osler.errors import BadInput
from osler.files import write_whole

_SHOWN = 3


class Source(NamedTuple):
    """A folder that was read: its fingerprint, every attachment, and the texts by name, in natural order.

    `converted` counts those converted in this run.
    """

    mark: str
    attachments: tuple[Attachment, ...]
    texts: tuple[tuple[str, str], ...]
    converted: int

    @property
    def by_modality(self) -> dict[str, dict[str, int]]:
        """Files, bytes and the number read, for each modality that occurs."""
        files = Counter(one.modality for one in self.attachments)
        return {
            name: {
                "files": files[name],
                "bytes": sum(one.bytes for one in self.attachments if one.modality == name),
                "read": sum(one.read for one in self.attachments if one.modality == name),
            }
            for name in MODALITIES
            if files[name]
        }

    @property
    def hash(self) -> str:
        """A hash over everything that later steps depend on."""
        return digest(self.texts)


def fingerprint(listed: Sequence[AttachmentFile]) -> str:
    """A hash over the contents of a folder."""
    return digest([file.attachment for file in listed])


def read_source(folder: Path, work: Path, steps: Steps) -> Source:
    """Take the inventory and convert; only new or changed files are converted.

    `work/source/` holds the texts for people to read, `work/inventory.json` the unreadable files with
    reasons. Raises BadInput where nothing can be read.
    """
    listed = inventory(folder)
    mark = fingerprint(listed)
    texts, converted = _texts([file for file in listed if file.attachment.read], steps)
    attachments = []
    pairs: list[tuple[str, str]] = []
    for file in listed:
        attachment = file.attachment
        if (text := texts.get(attachment.name)) is not None:
            if text.reason:
                attachment = attachment._replace(read=False, reason=text.reason)
            else:
                pairs.append((attachment.name, text.text))
        attachments.append(attachment)
    source = Source(mark, tuple(attachments), tuple(pairs), converted)
    result = {
        "files": [one._asdict() for one in source.attachments],
        "by_modality": source.by_modality,
        "texts": source.hash,
    }
    steps.keep("inventory", mark, RULES, result)
    if not pairs:
        why = "; ".join(f"{one.name}: {one.reason}" for one in source.attachments[:_SHOWN])
        raise BadInput(f"none of its {len(attachments)} files can be read: {why}", where=str(folder))
    _for_people(pairs, work / "source")
    return source


def _texts(files: Sequence[AttachmentFile], steps: Steps) -> tuple[dict[str, Converted], int]:
    """The Markdown of each file by name, and the number converted in this run."""
    version = converter_version()
    texts: dict[str, Converted] = {}
    missing: list[tuple[AttachmentFile, str, str]] = []
    for one in files:
        step = f"text/{one.attachment.hash[:16]}"
        inputs = digest(one.attachment.hash, one.path.suffix.lower(), version)
        held = steps.kept(step, inputs)
        if held is None:
            missing.append((one, step, inputs))
        else:
            texts[one.attachment.name] = Converted(**held)
    if missing:
        results = convert([one.path for one, _, _ in missing])
        for (one, step, inputs), result in zip(missing, results, strict=True):
            steps.keep(step, inputs, version, result._asdict())
            texts[one.attachment.name] = result
    return texts, len(missing)


def _for_people(texts: Sequence[tuple[str, str]], folder: Path) -> None:
    wanted = {f"{n:03}-{slug(Path(name).stem)}.md": text for n, (name, text) in enumerate(texts, start=1)}
    for old in folder.glob("*.md") if folder.is_dir() else ():
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        write_whole(folder / name, text)
