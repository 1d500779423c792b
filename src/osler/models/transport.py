"""The transport of a request: its proxy, the wait that an answer asks for, the limit on an answer's size."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final

import aiohttp
from yarl import URL

from osler.models.config import Access

MOST_BYTES: Final = 64 * 2**20


def proxied(access: Access) -> dict[str, Any]:
    """The arguments that send a request through its proxy. The proxy's name and password go apart, so that no
    error repeats them."""
    if access.proxy is None:
        return {}
    url = URL(access.proxy)
    if not url.user:
        return {"proxy": url}
    words = base64.b64encode(f"{url.user}:{url.password or ''}".encode()).decode()
    return {"proxy": url.with_user(None), "proxy_headers": {"Authorization": f"Basic {words}"}}


def retry_after(headers: Mapping[str, str]) -> str | None:
    """The wait that the endpoint asks for, as Retry-After has it; some name it in milliseconds."""
    try:
        return str(float(headers["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        return headers.get("Retry-After")


async def limited(response: aiohttp.ClientResponse) -> bytes | None:
    """The body, or `None` if it is larger than `MOST_BYTES`."""
    size = response.content_length
    if size is not None and "Content-Encoding" not in response.headers:
        return await response.read() if size <= MOST_BYTES else None
    pieces, total = [], 0
    async for piece in response.content.iter_any():
        total += len(piece)
        if total > MOST_BYTES:
            return None
        pieces.append(piece)
    return b"".join(pieces)
