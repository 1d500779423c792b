"""The door: under which names a server may be reached, and whether by others than this machine."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple

_USUAL: Final = {"http": 80, "https": 443}
Network = IPv4Network | IPv6Network
_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")


class Door(NamedTuple):
    """The authorities that a browser may name in `Host`, the schemes of our own pages, until when the server
    is shared (seconds since 1970; `None` if it is not shared), those authorities reached by TLS, and the
    proxies whose word on where a request comes from is taken."""

    hosts: frozenset[str]
    schemes: frozenset[str] = frozenset({"http"})
    until: float | None = None
    secure: frozenset[str] = frozenset()
    proxies: tuple[Network, ...] = ()

    @property
    def shared(self) -> bool:
        """Whether others than the owner of this machine may come in."""
        return self.until is not None

    @property
    def shut(self) -> bool:
        """Whether the date until which the server was shared has passed."""
        return self.until is not None and time.time() >= self.until

    def ours(self, host: str, origin: str) -> bool:
        """Whether an origin is that of the page which this host name leads to."""
        return any(origin == f"{scheme}://{host}" for scheme in self.schemes)

    def page(self, host: str, path: str) -> str:
        """The address of a page, for a browser that names this host in `Host`."""
        return f"{'https' if host.lower() in self.secure else 'http'}://{host}/{path}"

    def is_proxy(self, peer: str) -> bool:
        """Whether the other end of a connection is a proxy whose word is taken."""
        try:
            result = _plain(peer)
        except ValueError:  # no address, such as a socket in a file
            return False
        return any(result in network for network in self.proxies)

    def visitor_address(self, peer: str, forwarded: Sequence[str]) -> str:
        """The address that a request comes from: the other end of the connection, or, if that is a proxy
        whose word is taken, the last hop in the lines of `X-Forwarded-For` that is none. An IPv6 network that
        one subscriber has (/64) counts as one address."""
        result = peer
        hops = [hop.strip() for line in forwarded for hop in line.split(",")]
        while hops and self.is_proxy(result):
            result = hops.pop()
            if not _is_address(result):
                return _subscriber(peer)
        return _subscriber(result)


def door(
    port: int,
    names: Iterable[str] = (),
    *,
    host: str = "",
    tls: bool = False,
    until: float | None = None,
    proxies: Sequence[Network] = (),
) -> Door:
    """The door of a server at a port: this machine's own names, the address it listens on, and further names,
    which a proxy before it may serve by https."""
    scheme = "https" if tls else "http"
    given = [name.lower() for name in names]
    local = [*_LOOPBACK, *([_bracketed(host)] if host and not _everywhere(host) else [])]
    hosts = {f"{name}:{port}" for name in local}
    if port == _USUAL[scheme]:  # browsers leave the usual port out
        hosts |= {*local}
    hosts |= {*given} | {f"{name}:{port}" for name in given if not name.rpartition(":")[2].isdecimal()}
    schemes = {scheme, "https"} if given else {scheme}
    proxied = given if _by_proxy(host, given, tls=tls, shared=until is not None) else ()
    return Door(
        frozenset(hosts), frozenset(schemes), until, frozenset(hosts if tls else proxied), tuple(proxies)
    )


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def address(
    host: str, port: int, names: Sequence[str] = (), *, tls: bool = False, shared: bool = False
) -> str:
    """The address to open in a browser: by the first name given, if there is one."""
    if _by_proxy(host, names, tls=tls, shared=shared):
        return f"https://{names[0]}/"
    name = names[0] if names else "127.0.0.1" if _everywhere(host) else _bracketed(host)
    has_port = bool(names) and names[0].rpartition(":")[2].isdecimal()
    return f"{'https' if tls else 'http'}://{name}{'' if has_port else f':{port}'}/"


def _by_proxy(host: str, names: Sequence[str], *, tls: bool, shared: bool) -> bool:
    """Whether others reach a server by these names through a proxy, which speaks TLS at a port of its own: so
    they do if it is shared and listens to its own machine alone."""
    return shared and bool(names) and is_loopback(host) and not tls


def _plain(text: str) -> IPv4Address | IPv6Address:
    """An address; one of IPv4 that is written as one of IPv6 is that of IPv4."""
    result = ip_address(text)
    return (result.ipv4_mapped or result) if isinstance(result, IPv6Address) else result


def _is_address(text: str) -> bool:
    try:
        _plain(text)
    except ValueError:
        return False
    return True


def _subscriber(text: str) -> str:
    if not _is_address(text):
        return text
    result = _plain(text)
    return str(ip_network((result, 64), strict=False)) if isinstance(result, IPv6Address) else str(result)


def _everywhere(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


IN_PROCESS: Final = door(80)
"""The door of an application that tests call without a server: `http://127.0.0.1`, `http://localhost`."""
