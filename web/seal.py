"""Seal the built front end: a `.gz` beside each file, and `BUILD`, the hash of its sources."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

WEB = Path(__file__).parent
DIST = WEB.parent / "src/osler/web/dist"
PACKED = {".js", ".css", ".html", ".svg"}


def source_hash(web: Path = WEB) -> str:
    """The hash of everything that decides what is built: names and contents, in the order of names."""
    names = ("index.html", "vite.config.ts", "vite.page.config.ts", "package-lock.json")
    others = [web / name for name in names]
    files = [path for folder in ("src", "public") for path in (web / folder).rglob("*") if path.is_file()]
    whole = hashlib.sha256()
    for path in sorted(files + others, key=lambda path: path.relative_to(web).as_posix()):
        content = path.read_bytes()
        whole.update(f"{path.relative_to(web).as_posix()} {len(content)}\n".encode())
        whole.update(content)
    return whole.hexdigest()


def seal() -> None:
    """Write what the build leaves out."""
    for path in sorted(DIST.rglob("*")):
        if path.suffix in PACKED and path.parent.name != "page":  # which is sent inside other files
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    (DIST / "BUILD").write_text(source_hash() + "\n")


if __name__ == "__main__":
    seal()
