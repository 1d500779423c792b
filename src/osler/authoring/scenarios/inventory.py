"""The inventory of a source folder: every file with its modality, size and hash, and the reason if unread.

Files are opened only to hash them and to look at their beginning. Links are not followed, archives not
unpacked, programs not run; pictures, sound and film are listed for people.
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from osler.cases.file_source import natural
from osler.cases.modality import Modality, modality_of
from osler.errors import BadInput
from osler.models.types import encodable

MAX_FILES: Final = 2_000
MAX_BYTES: Final = 50_000_000
MAX_TOTAL: Final = 1_000_000_000
MAX_UNPACKED: Final = 300_000_000
MAX_RATIO: Final = 200
_SMALL: Final = 10_000_000
DRAFTS: Final = "osler-draft"
"""The folder inside a source that holds the draft made from it, and is no part of the source."""
_PASSED_OVER: Final = frozenset({"__macosx", "thumbs.db", "desktop.ini", DRAFTS})
_OLD: Final = {
    **dict.fromkeys((".doc", ".dot", ".rtf", ".odt", ".pages"), ".docx"),
    **dict.fromkeys((".ppt", ".pps", ".ppsx", ".odp", ".key"), ".pptx"),
    **dict.fromkeys((".xls", ".ods"), ".xlsx"),
}
_ZIPPED: Final = {".docx": "word/", ".pptx": "ppt/", ".xlsx": "xl/"}
_WHY: Final[dict[Modality, str]] = {
    "image": "pictures are not read: describe it in a text file where the scenario needs it",
    "audio": "sound is not read: add its words as a text file where the scenario needs them",
    "video": "film is not read: add what it shows and says as a text file where the scenario needs it",
    "archive": "archives are not opened: unpack it into the folder",
    "executable": "programs and files with macros are neither run nor read",
    "other": "not a kind of file that can be read",
}


class Attachment(NamedTuple):
    """One file of the source. `name` is its path in the folder, printable.

    `read` says whether its text can be used, `reason` why not. `hash` is 32 hex digits, empty where the file
    was not opened. `pictures` counts those inside an office document, which are not read.
    """

    name: str
    modality: Modality
    bytes: int
    hash: str
    read: bool
    reason: str = ""
    pictures: int = 0


class AttachmentFile(NamedTuple):
    """An attachment and its path."""

    path: Path
    attachment: Attachment


def inventory(folder: Path) -> tuple[AttachmentFile, ...]:
    """Every file of a folder in natural order. Raises BadInput where there are none, or far too many."""
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "there is no such folder"
        raise BadInput(what, where=str(folder), hint="name the folder that holds the source's files")
    paths = sorted(_paths(folder), key=lambda path: natural(path.relative_to(folder).as_posix()))
    if not paths:
        raise BadInput("holds no file", where=str(folder))
    result: list[AttachmentFile] = []
    firsts: dict[str, str] = {}
    room = MAX_TOTAL
    for path in paths:
        attachment = _looked_at(path, _shown(path.relative_to(folder).as_posix()), room)
        room -= attachment.bytes if attachment.hash else 0
        if attachment.read and (first := firsts.setdefault(attachment.hash, attachment.name)) != (
            attachment.name
        ):
            attachment = attachment._replace(read=False, reason=f"holds the same as {first}")
        result.append(AttachmentFile(path, attachment))
    return tuple(result)


def _paths(folder: Path) -> Iterator[Path]:
    count = 0
    for at, folders, files in os.walk(folder):
        here = Path(at)
        links = [name for name in folders if (here / name).is_symlink()]
        folders[:] = sorted(n for n in folders if n not in links and not _passed_over(n))
        for name in (*links, *files):
            if _passed_over(name):
                continue
            count += 1
            if count > MAX_FILES:
                mend = "give a folder that holds one case"
                raise BadInput(f"holds more than {MAX_FILES:,} files", where=str(folder), hint=mend)
            yield here / name


def _passed_over(name: str) -> bool:
    return name.startswith((".", "~$")) or name.lower() in _PASSED_OVER


def _shown(name: str) -> str:
    """A file's name in printable form; lone surrogates and control characters are replaced."""
    return "".join(c if c.isprintable() else "�" for c in encodable(name))


def _looked_at(path: Path, name: str, room: int) -> Attachment:
    suffix = path.suffix.lower()
    modality = modality_of(path.name)

    def refused(reason: str, size: int = 0, digest: str = "") -> Attachment:
        return Attachment(name, modality, size, digest, False, reason)

    try:
        about = path.lstat()
        if stat.S_ISLNK(about.st_mode):
            return refused("a link is not followed: put the file itself into the folder")
        if not stat.S_ISREG(about.st_mode):
            return refused("is no ordinary file")
        size = about.st_size
        if size > MAX_BYTES:
            return refused(f"is larger than {MAX_BYTES // 1_000_000} MB", size)
        if size > room:
            return refused(f"the files before it hold {MAX_TOTAL // 1_000_000_000} GB: not opened", size)
        raw = path.read_bytes()
    except OSError as error:
        return refused(f"cannot be read: {error.strerror or error}")
    digest = blake2b(raw, digest_size=16).hexdigest()
    pictures, reason = 0, ""
    if suffix in _OLD:
        reason = f"an older or other format: save it as {_OLD[suffix]}"
    elif modality in _WHY:
        reason = _WHY[modality]
    elif not raw.strip():
        reason = "is empty"
    elif suffix in _ZIPPED:
        pictures, reason = _office(path, raw, _ZIPPED[suffix])
    elif suffix == ".pdf":
        reason = "" if b"%PDF-" in raw[:1024] else "is called .pdf and is none"
    elif b"\0" in raw and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        reason = "is called a text and holds bytes of none"
    if reason:
        return Attachment(name, modality, size, digest, False, reason, pictures)
    return Attachment(name, modality, size, digest, True, "", pictures)


def _office(path: Path, raw: bytes, inside: str) -> tuple[int, str]:
    """The number of pictures in an office document, and the reason if it is not opened."""
    if raw.startswith(b"\xd0\xcf\x11\xe0"):
        return 0, "is encrypted or in an older format: save it anew without a password"
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RecursionError):
        return 0, f"is called {path.suffix} and is none, or is damaged"
    unpacked = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members) or 1
    # Members cannot be larger than declared: reading stops there and fails on the checksum.
    if unpacked > MAX_UNPACKED or (unpacked > _SMALL and unpacked / packed > MAX_RATIO):
        return 0, f"would unpack to {unpacked // 1_000_000:,} MB: refused"
    if any(member.flag_bits & 1 for member in members):
        return 0, "is encrypted: save it anew without a password"
    if not any(member.filename.startswith(inside) for member in members):
        return 0, f"is called {path.suffix} and is none"
    return sum(member.filename.startswith(f"{inside}media/") for member in members), ""
