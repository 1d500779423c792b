"""The configuration file `osler.toml`: the endpoints, their prices and capabilities.

It is looked up at `--config`, then the variable OSLER_CONFIG, then ./osler.toml. An API key is given by the
name of an environment variable and is never in the file; a value that looks like a key is rejected without
being echoed.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Self
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import to_json

from osler.errors import BadInput
from osler.models.config_keys import NO_KEYS, check_no_keys, named_as_key, named_variable
from osler.models.dialects import Dialect, dialect_of
from osler.models.embedded.settings import Embedded, Table, placed
from osler.models.secret import Secret, looks_like_key, looks_like_name

FILE: Final = "osler.toml"
VARIABLE: Final = "OSLER_CONFIG"
CacheMode = Literal["off", "read", "write"]
"""The use of the cache of answers: none, reading only, or reading and writing."""
_OURS: Final = frozenset({"messages", "model", "stream", "response_format", "n", "seed", "tools", "system"})
ANSWER_LIMITS: Final = frozenset(
    {"max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "num_predict", "n_predict"}
)
"""The names endpoints use for the most tokens an answer may have."""
_OUR_HEADERS: Final = frozenset(
    {"content-type", "content-length", "content-encoding", "transfer-encoding", "accept-encoding", "host"}
    | {"connection", "cookie"}
)
_LONG_CODE: Final = re.compile(r"\b(?=\w*\d)\w{24,}|\b[Bb]asic\s")


class Access(NamedTuple):
    """The headers, query and proxy of every request, with the values of environment variables filled in;
    `secrets` are those values, to be hidden wherever others repeat them."""

    headers: dict[str, str]
    query: dict[str, str]
    proxy: str | None
    secrets: tuple[str, ...]

    def __repr__(self) -> str:
        return "Access(***)"

    def hidden(self, key: Secret | None) -> Secret | None:
        """Everything to be hidden from what others say, the key first; `None` if there is nothing."""
        if key is None and not self.secrets:
            return None
        return Secret(key.reveal() if key else "", *self.secrets)


OPENAI: Final = "openai"
ANTHROPIC: Final = "anthropic"
OWN_SETTINGS: Final = ("max_answer_tokens", "critic_temperature")
"""The settings that are fields of an endpoint and no fields of a request's body."""


class Capabilities(Table):
    """The declared capabilities of an endpoint. Missing ones are detected at run time."""

    json_schema: bool = True
    """Whether answers can be held to a schema."""
    json_object: bool = True
    """Whether answers can be held to be a JSON object."""
    images: bool = False
    """Whether it is sent pictures; a doctor without them needs a describer."""
    seed: bool = True
    """Whether a request may name a seed."""
    system_role: bool = True
    """Whether it takes a system message. Without it the rules are put before the first user message."""


MINUTE_S: Final = 60.0


class Rates(NamedTuple):
    """The requests and tokens that an endpoint takes in a second; `None` for no limit."""

    requests: float | None = None
    tokens: float | None = None


class Endpoint(Embedded):
    """A model behind an address that speaks the API named by `kind`, or in a file that Osler serves itself
    (`Embedded`).

    Prices are in one currency of your choice. `timeout_s` bounds one request. `extra` is added to the body of
    every request: sampling, reasoning effort and any other field the endpoint accepts. `judge` marks a model
    meant for judging.

    `max_answer_tokens` limits the answer of a request that sets no limit itself; unset, a default applies
    (`osler.models.structured.ANSWER_TOKENS`). `critic_temperature` is the temperature of requests that weigh
    what was proposed (`CompletionRequest.weighs`); unset, it is that of all others.

    Without `requests_per_minute` and `tokens_per_minute` nothing holds requests back but `max_in_flight`. A
    key in `headers`, `query` or `proxy` must be given as "env:NAME".
    """

    name: str = ""
    base_url: str
    """The address of the API, which usually ends in /v1."""
    model: str = Field(min_length=1)
    """The name of the model at this address."""
    key_env: str | None = None
    """The NAME of the environment variable that holds the key; never the key."""
    price_in: float | None = Field(default=None, ge=0)
    """The price of a million tokens sent; unset, it is unknown."""
    price_cached: float | None = Field(default=None, ge=0)
    """The price of a million tokens sent that the endpoint had cached."""
    price_out: float | None = Field(default=None, ge=0)
    """The price of a million tokens answered."""
    max_in_flight: int = Field(default=16, ge=1, le=4096)
    """The requests under way together; fewer while the endpoint reports too many."""
    requests_per_minute: float | None = Field(default=None, gt=0)
    """The requests that the provider allows in a minute."""
    tokens_per_minute: float | None = Field(default=None, gt=0)
    """The tokens, sent and answered, that the provider allows in a minute."""
    timeout_s: float = Field(default=120.0, gt=0)
    max_answer_tokens: int | None = Field(default=None, ge=1)
    critic_temperature: float | None = Field(default=None, ge=0, le=2)
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of every request; a value "env:NAME" stands for that environment variable."""
    query: dict[str, str] = Field(default_factory=dict)
    """Parameters in the address of every request; "env:NAME" as in `headers`."""
    proxy: str | None = None
    """The address of an HTTP proxy; "env:NAME" as in `headers`."""
    trust_env: bool = False
    """Whether the proxy of HTTP_PROXY or HTTPS_PROXY is used."""
    capabilities: Capabilities = Capabilities()
    extra: dict[str, Any] = Field(default_factory=dict)  # JSON of any shape
    judge: bool = False
    local: bool = False
    """Whether it runs here, where a new schema costs nothing: its forms then list only what is on offer."""
    rewarded_by: tuple[str, ...] = ()
    """For a trained model: the models that judged its reward in training. They may not judge it again."""
    kind: str = OPENAI
    """The API it speaks: "openai" (chat completions) or "anthropic" (its own messages); or the name of a
    plug-in's model client."""
    dialect: Dialect | None = None
    """The keywords of schemas it takes; unset, by its host where that is clear."""

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, url: str) -> str:
        parts = _address(url)
        if parts.query or parts.fragment:
            raise ValueError("must end before any '?' or '#'; put what follows a '?' into `query`")
        for end in ("/chat/completions", "/messages"):
            if parts.path.rstrip("/").endswith(end):
                raise ValueError(f"must end before {end}")
        return url.rstrip("/")

    @field_validator("proxy")
    @classmethod
    def _a_proxy(cls, url: str | None) -> str | None:
        if url is not None and not named_variable(url):
            _address(url)
        return url

    @field_validator("headers", "query")
    @classmethod
    def _no_secrets(cls, given: dict[str, str]) -> dict[str, str]:
        for name, value in given.items():
            if not re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", name) or name.lower() in _OUR_HEADERS:
                raise ValueError(f"{name[:60]!r} cannot be set")
            if named_variable(value):
                continue
            if named_as_key(name) or looks_like_key(value) or _LONG_CODE.search(value):
                raise ValueError(f"{name} must be given as env:NAME, the NAME of an environment variable")
            if not value.isascii() or not value.isprintable():
                raise ValueError(f"{name} must be printable ASCII")
        return given

    @field_validator("key_env")
    @classmethod
    def _a_name(cls, name: str | None) -> str | None:
        if name is not None and not looks_like_name(name):
            raise ValueError("must be the NAME of an environment variable, in capitals, never a key")
        return name

    @field_validator("extra")
    @classmethod
    def _not_ours(cls, extra: dict[str, Any]) -> dict[str, Any]:
        if taken := sorted(_OURS & extra.keys()):
            raise ValueError(f"must not set {', '.join(taken)}: Osler does")
        return extra

    @model_validator(mode="before")
    @classmethod
    def _without_what_its_api_lacks(cls, given: Any) -> Any:
        """Anthropic's API has neither a JSON mode without a schema nor seeds: they are not tried."""
        if not isinstance(given, dict) or given.get("kind") != ANTHROPIC:
            return given
        declared = given.get("capabilities", {})
        if isinstance(declared, Capabilities):
            declared = declared.model_dump(exclude_unset=True)
        if not isinstance(declared, dict):
            return given
        return {**given, "capabilities": {**declared, "json_object": False, "seed": False}}

    @model_validator(mode="after")
    def _priced_wholly(self) -> Self:
        if (self.price_in is None) != (self.price_out is None):
            raise ValueError("price_in and price_out go together")
        return self

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that determine its answers besides the model: extra fields, and those of its own."""
        own = {name: value for name in OWN_SETTINGS if (value := getattr(self, name)) is not None}
        return {**self.extra, **own}

    def sent(self, *, weighs: bool = False) -> dict[str, Any]:
        """The constant fields of a request's body; `weighs` as in `CompletionRequest`."""
        own = (
            {"temperature": self.critic_temperature} if weighs and self.critic_temperature is not None else {}
        )
        return {"model": self.model, **self.extra, **own}

    def added(self, options: Mapping[str, Any], *, weighs: bool = False) -> dict[str, Any]:
        """Those of a request's fields that are not constant. The endpoint's own settings take precedence;
        some servers reject a body with duplicate keys."""
        constant = self.sent(weighs=weighs)
        return {name: value for name, value in options.items() if name not in constant}

    def patient(self, seconds: float) -> Self:
        """The same, with a request's time limit raised to some seconds."""
        return self.model_copy(update={"timeout_s": max(self.timeout_s, seconds)})

    @property
    def schema_dialect(self) -> str:
        """The dialect of the schemas that it is sent."""
        return ANTHROPIC if self.kind == ANTHROPIC else self.dialect or dialect_of(self.host)

    @property
    def serving(self) -> bytes:
        """Everything that determines its answers, as a JSON object: the model and its settings. The address
        and what is sent to it for access are no part of it."""
        return to_json({"model": self.model, **self.settings})

    @property
    def rates(self) -> Rates | None:
        """The rates that its provider allows; `None` without limits."""
        if self.requests_per_minute is None and self.tokens_per_minute is None:
            return None
        per_second = (
            None if limit is None else limit / MINUTE_S
            for limit in (self.requests_per_minute, self.tokens_per_minute)
        )
        return Rates(*per_second)

    @property
    def account(self) -> str:
        """A digest of what a provider counts requests by: the address, the model, and the name of the key's
        variable, never the key."""
        return blake2b(to_json([self.base_url, self.model, self.key_env]), digest_size=16).hexdigest()

    @property
    def host(self) -> str:
        """The host of its address, with the port if there is one: all of the address that is recorded."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def key(self, environ: Mapping[str, str] = os.environ) -> Secret | None:
        """Read the API key from the environment. Raises BadInput if the variable is not set."""
        if self.key_env is None:
            return None
        return Secret(self._from(environ, self.key_env))

    def access(self, environ: Mapping[str, str] = os.environ) -> Access:
        """Read everything else that is sent for access. Raises BadInput if a variable is not set."""
        secrets: list[str] = []

        def read(value: str) -> str:
            name = named_variable(value)
            if name is None:
                return value
            secrets.append(self._from(environ, name))
            return secrets[-1]

        headers = {name: read(value) for name, value in self.headers.items()}
        query = {name: read(value) for name, value in self.query.items()}
        proxy = None if self.proxy is None else read(self.proxy)
        return Access(headers, query, proxy, tuple(secrets))

    def _from(self, environ: Mapping[str, str], name: str) -> str:
        value = environ.get(name, "").strip()
        where, hint = f"endpoint {self.name}", f"export {name}=... and run again"
        if not value:
            raise BadInput(f"the environment variable {name} is not set", where=where, hint=hint)
        if not value.isascii() or not value.isprintable():
            raise BadInput(f"the value of {name} cannot be a key", where=where, hint=hint)
        return value


class Config(Table):
    """The contents of an `osler.toml`. `path` is its file, `None` if there is none."""

    endpoints: dict[str, Endpoint] = Field(default_factory=dict)
    path: Path | None = None

    def endpoint(self, name: str) -> Endpoint:
        """The endpoint with this name. Raises BadInput listing the known ones."""
        if name in self.endpoints:
            return self.endpoints[name]
        if self.path is None:
            hint = f"write an {FILE} (see osler.toml.example) or give --config"
            raise BadInput(f"no endpoint {name!r}: there is no {FILE}", hint=hint)
        text = ", ".join(self.endpoints) or "none"
        raise BadInput(
            f"no endpoint {name!r}", where=str(self.path), hint=_nearest(name, self.endpoints, text)
        )


def find_config(
    given: str | Path | None = None, environ: Mapping[str, str] = os.environ, folder: Path | None = None
) -> Path | None:
    """The configuration file: `given`, else the one in OSLER_CONFIG, else ./osler.toml if it exists."""
    path = given or environ.get(VARIABLE)
    if path:
        return Path(path)
    here = (folder or Path.cwd()) / FILE
    return here if here.is_file() else None


def configured(given: str | Path | None = None) -> Config:
    """Load the configuration file to use, as found by `find_config`. Raises BadInput."""
    return load_config(find_config(given))


def load_config(path: Path | None) -> Config:
    """Load the file found by `find_config`; `None` gives an empty configuration. Raises BadInput."""
    if path is None:
        return Config()
    try:
        value = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError:
        raise BadInput("is not written in UTF-8", where=str(path)) from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"is not valid TOML: {_place(error)}", where=str(path)) from None
    return config_of(value, path)


def config_of(found: Mapping[str, Any], path: Path | None = None) -> Config:
    """Build a configuration from parsed TOML. Raises BadInput for the first error, never echoing a key."""
    where = str(path or FILE)
    check_no_keys(found, where)
    tables = found.get("endpoints", {})
    if isinstance(tables, dict):
        folder = path.parent if path else Path.cwd()
        tables = {name: _named(name, table, where, folder) for name, table in tables.items()}
    try:
        return Config.model_validate({**found, "endpoints": tables, "path": path})
    except ValidationError as error:
        raise _explained(error, where) from None


def models_of(config: Config, players: Sequence[str]) -> dict[str, str]:
    """The model of each endpoint, for the manifest, with a hash of its settings if it has any."""
    endpoints = [config.endpoint(player.split(":", 1)[1]) for player in players]
    return {
        endpoint.name: endpoint.model
        + (f" with extra {blake2b(endpoint.serving, digest_size=4).hexdigest()}" if endpoint.settings else "")
        for endpoint in endpoints
    }


def _named(name: str, table: object, where: str, folder: Path) -> object:
    if not isinstance(table, dict):
        return table
    if "name" in table:
        raise BadInput(f"endpoints.{name}.name is not allowed: the table's name is its name", where=where)
    return {**placed(table, folder), "name": name}


def _address(url: str) -> SplitResult:
    """The parts of an HTTP address. Raises ValueError, never repeating a password."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError("is not a valid URL") from None
    if parts.scheme not in ("http", "https"):
        raise ValueError("must begin with http:// or https://")
    if not host:
        raise ValueError("names no host")
    if parts.username is not None or parts.password is not None:
        raise ValueError(f"must not hold a name or password; {NO_KEYS}")
    return parts


def _explained(error: ValidationError, where: str) -> BadInput:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        kind = (
            Config if len(first["loc"]) == 1 else Capabilities if "capabilities" in first["loc"] else Endpoint
        )
        fields = [name for name in kind.model_fields if name not in ("name", "path")]
        return BadInput(f"unknown field {place}", where=where, hint=_nearest(str(first["loc"][-1]), fields))
    if first["type"] == "missing":
        return BadInput(f"{place} is missing", where=where, hint="see osler.toml.example")
    return BadInput(f"{place}: {first['msg'].removeprefix('Value error, ')}", where=where)


def _nearest(name: str, names: Mapping[str, object] | list[str], known: str = "") -> str:
    near = get_close_matches(name, list(names), 1, 0.6)
    return f"did you mean {near[0]}?" if near else f"there are: {known or ', '.join(names)}"


def _place(error: tomllib.TOMLDecodeError) -> str:
    """The position of a TOML syntax error, without quoting the text, which might be a key."""
    match = re.search(r"\(at (?:line \d+, column \d+|end of document)\)", str(error))
    return match.group().strip("()") if match else "it breaks off"
