"""`osler serve`: the browser's server, for this machine or shared until a date."""

from __future__ import annotations

import json
import re
import ssl
import sys
import webbrowser
from datetime import UTC, datetime, time
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from osler.cli.options import AsJson, ConfigFile, StoreUrl
from osler.cli.output import command, out, say
from osler.errors import BadInput, install_line

PORT: Final = 8321
_NAME: Final = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?"
)
_PACKAGES: Final = ("fastapi", "segno", "starlette", "uvicorn")


@command
def serve(
    store: StoreUrl = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; any but this machine's own needs --share.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 picks a free one.")] = PORT,
    open_: Annotated[bool, typer.Option("--open", help="Open it in your browser.")] = False,
    share: Annotated[
        bool, typer.Option("--share", help="Let others in by the links that are printed; needs --until.")
    ] = False,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="DATE",
            help="The last day (YYYY-MM-DD) or instant (YYYY-MM-DDTHH:MM) on which the links work.",
            show_default=False,
        ),
    ] = None,
    host_name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name, with its port if it is not this one, by which others reach it; needs --share. "
            "May be repeated.",
            show_default=False,
        ),
    ] = None,
    trust_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="The address, or network, of a proxy whose X-Forwarded-For is believed. May be repeated.",
            show_default=False,
        ),
    ] = None,
    certfile: Annotated[
        Path | None,
        typer.Option(help="A TLS certificate, as a PEM file; with --keyfile.", show_default=False),
    ] = None,
    keyfile: Annotated[
        Path | None, typer.Option(help="The certificate's key, as a PEM file.", show_default=False)
    ] = None,
    config: ConfigFile = None,
    max_money: Annotated[
        float | None,
        typer.Option(min=0, help="Cost budget of the models a sitting or run uses.", show_default=False),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder whose records of studies and cards of the benchmark are shown. May be repeated.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Open Osler in the browser: practise, teach, evaluate. Serves until Ctrl-C."""
    ends = _ends(share, until)
    names = [_checked(name) for name in host_name or ()]
    if names and not share:
        raise BadInput(
            f"whoever reaches a server as {names[0]} would own it, since it is not shared",
            where="--host-name",
            hint="add --share --until DATE",
        )
    proxies = [_network(proxy) for proxy in trust_proxy or ()]
    _check_files(certfile, keyfile)
    _check_packages()
    # Imported here so that other commands do not pay for the server.
    from osler.cli.continuing import sigterm_as_ctrl_c  # noqa: PLC0415 - import time
    from osler.runs.seating import ModelOptions  # noqa: PLC0415 - import time
    from osler.store.store import open_store  # noqa: PLC0415 - import time
    from osler.web.door import address, door, is_loopback  # noqa: PLC0415 - import time
    from osler.web.evaluate.results import not_shown  # noqa: PLC0415 - import time
    from osler.web.house import House  # noqa: PLC0415 - import time
    from osler.web.serving import Server, listening  # noqa: PLC0415 - import time

    if not share and not is_loopback(host):
        raise BadInput(
            f"{host} can be reached by others", where="--host", hint="add --share --until DATE to let them in"
        )
    for one in not_shown(results or ()):
        say(f"not shown: {one.name}: {one.why}")
    modelling = ModelOptions(config, max_money=max_money)
    if config is not None:
        modelling.endpoints()
    with open_store(store) as opened, listening(host, port) as taken, sigterm_as_ctrl_c():
        at: int = taken.getsockname()[1]
        at_door = door(at, names, host=host, tls=certfile is not None, until=ends, proxies=proxies)
        house = House(opened, modelling, at_door, tuple(results or ()), warm_up=True)
        server = Server(house, certfile=certfile, keyfile=keyfile)
        url = address(host, at, names, tls=certfile is not None, shared=share)
        _tell(house, url, share, as_json)
        if open_:
            webbrowser.open(url)
        server.run(sockets=[taken])


def _tell(house: Any, url: str, share: bool, as_json: bool) -> None:
    from osler.web.rights import ALL  # noqa: PLC0415 - import time

    links = {}
    if share:
        for name, rights in (("teacher", ALL), ("watcher", ("watch",))):
            links[name] = f"{url}enter#{house.visitors.link(rights)}"
    if as_json:
        sys.stdout.write(json.dumps({"url": url, **({"links": links} if share else {})}) + "\n")
    else:
        out.print(url, soft_wrap=True)
        for name, link in links.items():
            out.print(f"{name}: {link}", soft_wrap=True)
    sys.stdout.flush()
    if share and house.models.max_money is None and _has_models(house.models):
        say("Teachers can choose models, and nothing limits what they cost: --max-money N does.")
    say("For education and research only. Ctrl-C stops it.")


def _has_models(modelling: Any) -> bool:
    try:
        return bool(modelling.endpoints().endpoints)
    except BadInput:  # no osler.toml, or one that whoever uses a model is told about
        return False


def _ends(share: bool, until: str | None) -> float | None:
    """When a shared server shuts, in seconds since 1970; `None` for one that is not shared."""
    if not share:
        if until is not None:
            raise BadInput("only a shared server has a date", where="--until", hint="add --share")
        return None
    if until is None:
        raise BadInput(
            "a shared server needs a date on which it shuts", where="--share", hint="add --until DATE"
        )
    try:
        given = datetime.fromisoformat(until)
    except ValueError:
        raise BadInput(f"{until!r} is no date", where="--until", hint="write YYYY-MM-DD") from None
    if re.fullmatch(r"\d{4}-\d\d-\d\d", until):
        given = datetime.combine(given.date(), time(23, 59, 59))
    ends = given.timestamp()
    if ends <= datetime.now(UTC).timestamp():
        raise BadInput(f"{until} is over", where="--until", hint="give a date to come")
    return ends


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name) or len(name) > 255:
        raise BadInput(
            f"{name!r} is no host name", where="--host-name", hint="write NAME or NAME:PORT, without http://"
        )
    return name


def _network(proxy: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(proxy.strip())
    except ValueError:
        raise BadInput(
            f"{proxy!r} is no address and no network",
            where="--trust-proxy",
            hint="write 127.0.0.1, or 10.0.0.0/8: where the proxy connects from",
        ) from None


def _check_files(certfile: Path | None, keyfile: Path | None) -> None:
    if (certfile is None) != (keyfile is None):
        raise BadInput(
            "a certificate and its key belong together", where="--certfile, --keyfile", hint="give both"
        )
    for flag, path in (("--certfile", certfile), ("--keyfile", keyfile)):
        if path is not None and not path.is_file():
            raise BadInput("there is no such file", where=f"{flag} {path}")
    if certfile is not None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certfile, keyfile, password=lambda: "")
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise BadInput(
                f"this is no certificate with its key ({reason})",
                where=f"{certfile}, {keyfile}",
                hint="give PEM files, the key without a password",
            ) from None


def _check_packages() -> None:
    from importlib.util import find_spec  # noqa: PLC0415 - import time

    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise BadInput(
            f"the browser needs packages that are not installed: {', '.join(missing)}",
            hint=install_line("web"),
        )
