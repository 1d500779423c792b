"""What is struck from a record that leaves its machine: keys, addresses, folders, and the names of the user,
the machine and the endpoint."""

from __future__ import annotations

import base64
import os
import re
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from osler.models.config import Endpoint
from osler.models.secret import Secret, struck, without_keys

HIDDEN: Final = "[hidden]"
_SHORTEST: Final = 10
_SHORTEST_NAME: Final = 3
_URL: Final = re.compile(r"\b(?:https?|wss?|ftp)://[^\s\"'<>)\]]+")
_IP: Final = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?(?![\w.]*\d)")
_MAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HOME: Final = re.compile(r"(?:/(?:home|Users)/|[A-Za-z]:\\Users\\)[^/\\\s\"']+")
_FOLDERS: Final = re.compile(r"(?<![\w/.:<])(?:/|~/|[A-Za-z]:\\)(?:[\w.@~+-]+[/\\])+")
_KEY_NAMES: Final = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
_NOBODY: Final = frozenset({"root", "user", "admin", "home", "ubuntu", "runner", "localhost"})
"""Names that tell nothing, and are words of every text."""


class Redaction:
    """Strikes from texts whatever tells where and by whom an endpoint was asked."""

    def __init__(self, endpoint: Endpoint, environ: Mapping[str, str] = os.environ) -> None:
        """Raises BadInput for a key that is not set."""
        key, access = endpoint.key(environ), endpoint.access(environ)
        hidden = access.hidden(key)
        own = hidden.all() if hidden is not None else ()
        others = {value for name, value in environ.items() if _KEY_NAMES.search(name)}
        others |= {*endpoint.headers.values(), *endpoint.query.values(), access.proxy or ""}
        others |= {form(one) for one in own for form in (_base64, _quoted)}
        self._secret = Secret("", *sorted(own, key=len, reverse=True))
        exact = {one for one in others if len(one) >= _SHORTEST} | _addresses(endpoint) | _folders()
        exact |= {endpoint.key_env} if endpoint.key_env else set()
        self._exact = sorted(exact, key=len, reverse=True)
        names = sorted(re.escape(one) for one in _names(environ))
        self._names = re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)", re.IGNORECASE) if names else None
        named = re.escape(endpoint.name)
        self._endpoint = re.compile(rf"(?<!\w)(endpoints?[ .]|model:)['\"]?{named}(?!\w)['\"]?")

    def text(self, text: str) -> str:
        """A text, redacted."""
        text = without_keys(struck(text, self._secret))
        for one in self._exact:
            text = text.replace(one, HIDDEN)
        text = self._endpoint.sub(r"\1NAME", text)
        for pattern in (_URL, _MAIL, _IP, _HOME):
            text = pattern.sub(HIDDEN, text)
        text = _FOLDERS.sub(f"{HIDDEN}/", text)
        return self._names.sub(HIDDEN, text) if self._names else text

    def value(self, value: Any) -> Any:
        """A JSON value with every text in it redacted; the keys of objects only where they hold a secret."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {struck(str(key), self._secret): self.value(one) for key, one in value.items()}
        return [self.value(one) for one in value] if isinstance(value, list | tuple) else value


def _addresses(endpoint: Endpoint) -> set[str]:
    parts = urlsplit(endpoint.base_url)
    result = {endpoint.base_url, parts.netloc, endpoint.host, str(parts.hostname)}
    if endpoint.proxy and (proxy := urlsplit(endpoint.proxy)).hostname:
        result |= {proxy.netloc, proxy.hostname}
    return {one for one in result if len(one) >= _SHORTEST_NAME}


def _folders() -> set[str]:
    places = {Path.home(), Path.home().resolve(), Path.cwd(), Path.cwd().resolve()}
    return {str(one) for one in places if len(one.parts) > 1}


def _names(environ: Mapping[str, str]) -> set[str]:
    """The names of the user and of this machine, without those that tell nothing."""
    users = {environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME")} | {Path.home().name}
    host = socket.gethostname()
    names = {*users, host, host.partition(".")[0]}
    return {one for one in names if len(one) >= _SHORTEST_NAME and one.lower() not in _NOBODY}


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode().rstrip("=")


def _quoted(text: str) -> str:
    return quote(text, safe="")
