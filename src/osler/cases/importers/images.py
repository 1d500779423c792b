"""The image files that a source names: found in a folder, checked, and known from then on by neutral names.

No name of a file goes into a case: a source's name may tell the answer, or the source. A name with a path in
it is looked up by its last part alone, and what lies outside the folder or is only a link is not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from osler.cases.importers.json_paths import children, words_of
from osler.cases.pictures import UNSEEN, files_in
from osler.core.pictures import ImageFile
from osler.errors import BadCase, BadInput

FOLDER: Final = "pictures"
"""The folder beside a case in which its image files lie, each named by its SHA-256."""
_FILES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_MOST_FILES: Final = 200_000
_HINT: Final = "give the folder with --images DIR, or leave them out with --without-images"
_OTHER: Final = re.compile(r"\.(?:tiff?|bmp|svg|dcm|heic|avif|nii|jp2|pdf)$", re.IGNORECASE)
FIGURE: Final = re.compile(r"\b(?:figures?|images?|shown|below|exhibit|photograph)\b", re.IGNORECASE)
"""Words by which a text refers to an image beside it."""
IMAGE: Final = re.compile(r"Image \d+")
_NAMED_FILE: Final = re.compile(
    r"[\w][\w.~%+-]{0,150}\.(?:png|jpe?g|gif|webp|bmp|tiff?|svg)\b", re.IGNORECASE
)


class SourceImage(NamedTuple):
    """An image of a source under its neutral name, such as "Image 1"; without a picture if it is left out."""

    label: str
    picture: ImageFile | None
    place: int
    """Its place among the names the source gives."""


class Images:
    """The place where the image files of cases are looked for: a `folder`, or nowhere.

    With `without`, a case whose image is not found is imported without it and flagged; else it is refused.
    `found` are the images so far by the name their source gives them, `missing` the names without a file.
    """

    def __init__(self, folder: Path | str | None = None, *, without: bool = False) -> None:
        self.folder, self.without = Path(folder) if folder is not None else None, without
        self.found: dict[str, ImageFile] = {}
        self.missing: set[str] = set()
        self._known: Mapping[str, ImageFile] | None = None
        self._index: dict[str, Path | None] | None = None

    def known(self, known: Mapping[str, ImageFile]) -> None:
        """Take these images by name, as a run's store holds them, and look in the folder for no others."""
        self._known = known

    def check(self) -> None:
        """Raise BadInput if there is no such folder."""
        if self.folder is not None and not self.folder.is_dir():
            raise BadInput("there is no such folder of images", where=str(self.folder), hint="see --images")

    def named(self, names: Sequence[str], also: str = "") -> tuple[list[SourceImage], list[str]]:
        """The images that a record names, each once, and remarks. One file is one image however often and
        under whatever names it is listed. `also` is another name for the file of a record with one image.

        Raises BadCase, naming the images that are missing or refused.
        """
        pictures = {name: self._picture(name, also if len(names) == 1 else "") for name in names}
        lost = [name for name, picture in pictures.items() if picture is None]
        if lost and not self.without:
            missing = ", ".join(lost[:3]) + (f" and {len(lost) - 3} more" if len(lost) > 3 else "")
            where = f"not in {self.folder.name}" if self.folder is not None else "not at hand"
            other = any(map(_OTHER.search, lost))
            formats = " (what is read are PNG, JPEG, GIF and WebP)" if other else ""
            raise BadCase(f"its image is {where}: {missing}{formats}; {_HINT}")
        result: list[SourceImage] = []
        for place, picture in enumerate(pictures.values()):
            if picture is None or picture not in (one.picture for one in result):
                result.append(SourceImage(f"Image {len(result) + 1}", picture, place))
        remarks = [self._flag(len(lost), len(pictures))] if lost else []
        return result, remarks

    def labels(self, names: Sequence[str], found: Sequence[SourceImage]) -> dict[str, str]:
        """The neutral name for each name that the source gives."""
        named = dict.fromkeys(names)
        pictures = {one.picture: one.label for one in found if one.picture is not None}
        places = {one.place: one.label for one in found}
        return {name: places.get(at) or pictures[self.found[name]] for at, name in enumerate(named)}

    def with_files(self, case: Any, beside: Path) -> Any:
        """A case (or scenario) whose image files, which it names by hash, have been found: in the folder
        `pictures` beside it, in the given folder, or in a run's store. Raises BadCase for missing ones."""
        lost = [picture for picture in files_in(case) if not self._held(picture, beside)]
        if not lost:
            return case
        if not self.without:
            where = "; ".join(f"{FOLDER}/{picture.name}" for picture in lost[:3])
            raise BadCase(f"its image is not at hand: {where}; {_HINT}")
        return _bare(case, lost, self._flag(len(lost), len(list(files_in(case)))))

    def _flag(self, lost: int, of: int) -> str:
        return f"{UNSEEN}: {lost} of {of} images are missing; its text alone may not answer it"

    def _picture(self, name: str, also: str) -> ImageFile | None:
        folder = self._from_folder(name, also) if self._known is None else self._known.get(name)
        if folder is None:
            self.missing.add(name)
        else:
            self.found[name] = folder
        return folder

    def _from_folder(self, name: str, also: str) -> ImageFile | None:
        if self.folder is None:
            return None
        for one in (*_file_names(name), *([also] if also else [])):
            if (path := self._path(one)) is not None:
                return self._read(path)
        return None

    def _held(self, picture: ImageFile, beside: Path) -> bool:
        result = (self._known or {}).get(picture.sha256)
        if result != picture:
            own = beside / FOLDER / picture.name
            path = own if own.is_file() and not own.is_symlink() else self._path(picture.name)
            result = self._read(path) if path is not None else None
        if result is None or result != picture:
            self.missing.add(picture.name)
            return False
        self.found[picture.sha256] = picture.lies_at(result.raw)
        return True

    def _read(self, path: Path) -> ImageFile:
        """The image of a file, whose bytes can be had from then on. Raises BadCase if it is refused."""
        try:
            now = path.stat()
            picture = _picture_in(path, now.st_size, now.st_mtime_ns)
        except (BadInput, OSError) as error:
            why = error.what if isinstance(error, BadInput) else error.strerror
            raise BadCase(f"its image {path.name} is refused: {why}") from None
        return picture.lies_at(partial(_bytes_in, path))

    def _path(self, name: str) -> Path | None:
        """The file of that name in the folder. Raises BadCase where several files share it."""
        if self.folder is None:
            return None
        if self._index is None:
            self._index = _index(self.folder)
        key = name.casefold()
        keys = [key] if key.endswith(_FILES) else [key, *(f"{key}{ending}" for ending in _FILES)]
        result = next((one for one in keys if one in self._index), None)
        if result is None:
            return None
        if (path := self._index[result]) is None:
            raise BadCase(f"several files in {self.folder.name} are called {result}; keep one")
        return path


def image_words(picture: ImageFile | None) -> str:
    """The result of an image without a written report."""
    return "It is shown as a picture; there is no report." if picture else "This image is not at hand."


def neutral(value: Any, labels: Mapping[str, str]) -> Any:
    """A record without names of image files: those in `labels` are replaced, any other by "an image"."""
    if isinstance(value, str):
        for name in sorted(labels, key=len, reverse=True):
            value = _spelt(name).sub(labels[name], value)
        return _NAMED_FILE.sub("an image", value)
    if isinstance(value, dict):
        return {key: neutral(each, labels) for key, each in value.items()}
    return [neutral(each, labels) for each in value] if isinstance(value, list) else value


@lru_cache(maxsize=256)
def _spelt(name: str) -> re.Pattern[str]:
    """A name of a file as a text may spell it: also without its ending, if a number is left."""
    stem, dot, ending = name.rpartition(".")
    alone = dot and f".{ending.casefold()}" in _FILES and re.search(r"\d", stem)
    spelt = rf"{re.escape(stem)}(?:\.{re.escape(ending)})?" if alone else re.escape(name)
    return re.compile(rf"(?<![\w-]){spelt}(?![\w-])", re.IGNORECASE)


def texts_in(value: object) -> Iterable[str]:
    """The texts of a value and below it, in order."""
    if isinstance(value, str) and words_of(value):
        yield value.strip()
    for _, child in children(value):
        yield from texts_in(child)


def _file_names(name: str) -> list[str]:
    """The file names that a name or an address may stand for, the likeliest first.

    Raises BadCase for a path that leads out of a folder.
    """
    if "://" in name:
        parts = urlsplit(name)
        said = [unquote(parts.path).rpartition("/")[2], *(value for _, value in parse_qsl(parts.query))]
        return [one for one in said if one and "/" not in one and one not in (".", "..")]
    path = name.replace("\\", "/")
    if "\0" in path or path.startswith("/") or ".." in path.split("/") or re.match(r"[A-Za-z]:", path):
        raise BadCase(f"the name of its image leads out of the folder: {name[:60]!r}")
    return [path.rpartition("/")[2]]


def _index(folder: Path) -> dict[str, Path | None]:
    """The image files in a folder and below it by lower-case name; `None` where several share one."""
    index: dict[str, Path | None] = {}
    for at, _, names in os.walk(folder, followlinks=False):
        for name in names:
            path, key = Path(at, name), name.casefold()
            if key.endswith(_FILES) and not path.is_symlink() and path.is_file():
                index[key] = None if key in index else path
        if len(index) > _MOST_FILES:
            raise BadInput(f"the folder holds more than {_MOST_FILES:,} images", where=str(folder))
    return index


@lru_cache(maxsize=10_000)
def _picture_in(path: Path, size: int, changed_ns: int) -> ImageFile:
    return _cleaned(path)[0]


@lru_cache(maxsize=16)
def _bytes_in(path: Path) -> bytes:
    return _cleaned(path)[1]


def _cleaned(path: Path) -> tuple[ImageFile, bytes]:
    # Imported here because Pillow is slow to import and few commands read images.
    from osler.pictures.files import MOST_BYTES, cleaned  # noqa: PLC0415 - import time

    try:
        with path.open("rb") as file:
            result = cleaned(file.read(MOST_BYTES + 1))
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=path.name) from None
    return result.picture, result.raw


def _bare(case: Any, lost: Sequence[ImageFile], flag: str) -> Any:
    """A copy of a case without some of its image files, and flagged."""
    changed: dict[str, object] = {
        part: tuple(
            one.model_copy(update={"picture": None}) if one.picture in lost else one
            for one in getattr(case, part)
        )
        for part in ("findings", "actions")
        if hasattr(case, part)
    }
    flags = (*case.provenance.flags, flag)
    provenance = case.provenance.model_copy(update={"flags": flags})
    # Not as a copy, which would keep the hash that it has worked out.
    fields = {name: getattr(case, name) for name in type(case).model_fields}
    return type(case).model_validate({**fields, **changed, "provenance": provenance})
