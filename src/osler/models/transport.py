"""The transport of a request: its proxy, the wait that an answer asks for, its faults, an answer's limit."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Mapping
from typing import Any, Final

import aiohttp
from yarl import URL

from osler.models.config import Access
from osler.models.faults import Fault, Kind
from osler.models.secret import Secret, sanitized

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


def of_exception(error: BaseException, secret: Secret | None = None) -> Fault:
    """Classify an exception of the network library."""
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return Fault(Kind.TIMEOUT, "no answer in time")
    if isinstance(error, aiohttp.ClientSSLError):
        return Fault(Kind.TLS, sanitized(str(error), secret))
    if isinstance(error, aiohttp.ClientPayloadError):
        return Fault(Kind.TRUNCATED, "the answer ended early")
    if isinstance(error, (aiohttp.ClientConnectionError, OSError)):
        return Fault(Kind.CONNECTION, _why_no_connection(error))
    return Fault(Kind.BAD_BODY, f"the answer is no HTTP: {sanitized(str(error), secret)}")


def _why_no_connection(error: BaseException) -> str:
    """The reason in words: the network library's message names its own classes and repeats the address."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "the name of its host is not known"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the endpoint closed the connection without an answer"
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    number = cause.errno if isinstance(cause, OSError) else None
    return os.strerror(number).lower() if number and number > 0 else "the connection failed"
