"""The built front end, read once: no path of a request ever reaches the disk."""

from __future__ import annotations

import gzip
import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from osler.web.problems import NotFound
from osler.web.rights import LOCAL, Visitor
from osler.web.visitors import Visitors

_KINDS: Final = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "webp": "image/webp",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
}
"""The kinds of file that are sent."""
_NO_PAGES: Final = ("api/", "assets/")
"""Folders of addresses that are never a page of the front end."""
_UNBUILT: Final = b"<!doctype html><title>Osler</title><p>The pages are not built: run <code>make web</code>."


class _File(NamedTuple):
    kind: str
    body: bytes
    packed: bytes | None
    tag: str


class Pages:
    """The files of the front end by address, and `index.html` for every address of a page."""

    def __init__(self, visitors: Visitors) -> None:
        self._visitors = visitors
        self._files = dict(_built(files("osler.web") / "dist"))
        self._index = self._files.get("index.html") or _file("html", _UNBUILT, None)

    async def page(self, request: Request) -> Response:
        """Answer for every address that no route has."""
        path = request.scope["path"].lstrip("/")
        file = self._files.get(path)
        if file is None:
            if f"{path}/".startswith(_NO_PAGES):
                raise NotFound("there is nothing at this address")
            file = self._index
        response = _answer(request, file)
        asking: Visitor = request.scope["osler.visitor"]
        elsewhere = request.headers.get("sec-fetch-site") == "cross-site"
        if file is self._index and asking is LOCAL and not elsewhere:
            # So that two browsers on one machine are two people, each with their own sittings. A link on
            # another site comes without the cookie that the browser has, which another would replace.
            self._visitors.new_cookie(response)
        return response


def _answer(request: Request, file: _File) -> Response:
    headers = {"etag": file.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if file.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    coding = request.headers.get("accept-encoding", "")
    if file.packed and "gzip" in [one.partition(";")[0].strip() for one in coding.split(",")]:
        return Response(file.packed, headers={**headers, "content-encoding": "gzip"}, media_type=file.kind)
    return Response(file.body, headers=headers, media_type=file.kind)


def _built(folder: Traversable, prefix: str = "") -> list[tuple[str, _File]]:
    """Every file of a folder that may be sent, by its address."""
    if not folder.is_dir():
        return []
    there, pairs = {each.name: each for each in folder.iterdir()}, list[tuple[str, _File]]()
    for name, each in there.items():
        if each.is_dir():
            pairs += _built(each, f"{prefix}{name}/")
        elif (end := name.rpartition(".")[2]) in _KINDS:
            packed = there[f"{name}.gz"].read_bytes() if f"{name}.gz" in there else None
            pairs.append((prefix + name, _file(end, each.read_bytes(), packed)))
    return pairs


def _file(end: str, body: bytes, packed: bytes | None) -> _File:
    if packed is not None and gzip.decompress(packed) != body:
        packed = None  # a file that was built again, beside an older packed one
    return _File(_KINDS[end], body, packed, f'W/"{hashlib.sha256(body).hexdigest()[:20]}"')
