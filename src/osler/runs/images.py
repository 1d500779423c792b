"""The image files of a run's cases: taken from its source when it begins, and from its store ever after."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from osler.cases.importers.images import Images
from osler.cases.pictures import files_in
from osler.core.pictures import ImageFile
from osler.core.source import Source


def check_images(source: Source[Any]) -> None:
    """Raise BadInput if the folder that a source takes its images from is not there."""
    if (images := _images(source)) is not None:
        images.check()


def images_shown(source: Source[Any], first: Any) -> dict[str, ImageFile]:
    """The image files of a source that has been read, by the names it gives them; of a source without names,
    such as the one case of a branch, those of its `first` case by their hashes."""
    images = _images(source)
    if images is None:
        return {picture.sha256: picture for picture in files_in(first)}
    return dict(images.found)


def take_images(source: Source[Any], files: Mapping[str, ImageFile]) -> None:
    """Let a source take the image files it names from a run's store, and no other; where it was read without
    any, there are none."""
    if (images := _images(source)) is not None:
        images.known(files)


def fingerprint_of(files: Mapping[str, ImageFile]) -> str:
    """32 hex digits over the names and hashes of image files."""
    text = "".join(f"{name}\0{picture.sha256}\0" for name, picture in sorted(files.items()))
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _images(source: Source[Any]) -> Images | None:
    result = getattr(source, "images", None)
    return result if isinstance(result, Images) else None
