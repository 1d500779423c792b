"""What the server and the browser say to each other about starting runs, trying models and branching."""

from __future__ import annotations

from pydantic import Field

from osler.models.prices import Prices
from osler.web.evaluate.schemas import RunState, Setting
from osler.web.schemas import BrowserModel, ServerModel

# Starting and branching runs


class Choice(ServerModel):
    """One choice of a form: the value to send, and what to call it."""

    value: str
    words: str


class SeatChoice(ServerModel):
    """A seat of a protocol and the built-in players that may take it; if `models`, also a model, written
    `model:NAME`. `wrappers` may be added to a name."""

    seat: str
    under_test: bool
    optional: bool
    default: str
    players: list[str]
    models: bool
    wrappers: list[str]


class ProtocolChoice(ServerModel):
    """A protocol that runs can be started of."""

    name: str
    one: str
    many: str
    case: str
    seats: list[SeatChoice]
    settings: list[Setting] = Field(description="the settings that matter, each with its default")


class ModelChoice(Choice):
    """An endpoint of the server's osler.toml, with its prices per million tokens, `None` if it has none.
    `lacks` names an environment variable that it needs and that is not set at the server."""

    host: str
    prices: Prices | None
    lacks: str = ""


class StartForm(ServerModel):
    """The choices for a new run. `models` are the endpoints configured here, `max_money` is what the server
    lets a run cost; `may_price` says whether this visitor may give prices where there are none."""

    protocols: list[ProtocolChoice]
    models: list[ModelChoice]
    max_money: float | None
    may_price: bool


class Budget(BrowserModel):
    """A limit on the models of a run: money in the currency of the prices, and tokens. At either the run
    pauses, to be resumed; `None` is no limit."""

    max_money: float | None = Field(None, gt=0, allow_inf_nan=False)
    token_budget: int | None = Field(None, ge=1, le=10**15)


class RunPlan(Budget):
    """A run to estimate or to start. `players` are by seat; `settings` are by dotted name, such as
    `persona` or `settings.limits.max_turns`. `only` names one case. `prices` are by the name of an endpoint.
    """

    protocol: str = "consultation"
    cases: str = Field("library", max_length=1000)
    only: str | None = Field(None, max_length=200)
    players: dict[str, str] = Field(default_factory=dict, max_length=20)
    seed: int = Field(0, ge=-(2**31), le=2**31 - 1)
    limit: int | None = Field(None, ge=1, le=1_000_000)
    repeats: int = Field(1, ge=1, le=1_000_000)
    settings: dict[str, str | int | float | bool | None] = Field(default_factory=dict, max_length=30)
    concurrency: int = Field(8, ge=1, le=256)
    prices: dict[str, Prices] = Field(default_factory=dict, max_length=50)


class SeatEstimate(ServerModel):
    """The expected usage of a seat's model; `cost` is `None` without prices."""

    seat: str
    player: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    left_out: list[str]


class Estimated(ServerModel):
    """An estimate of a run before it begins, and the command that plays it in a terminal. `hosts` receive the
    words. Nothing was asked."""

    episodes: int
    seats: list[SeatEstimate]
    calls: int
    tokens: int
    cost: float | None
    bytes: int
    hosts: list[str]
    command: str
    note: str


class Started(ServerModel):
    """A run that has begun, or that was paused or continued."""

    run: str
    status: RunState
    note: str = ""


class Faults(ServerModel):
    """Requests of one seat to one endpoint that failed for one cause: `again` were sent again, `lost` gave no
    answer that could be used."""

    cause: str
    words: str
    seat: str
    endpoint: str
    again: int
    lost: int


class Spending(ServerModel):
    """The use of the models of a run so far, by its record, beside what they may; `None` is no limit, and
    of `money` an unknown price. `limited_here` is this server's ceiling. `ended` counts the episodes that did
    not end as completed, by status."""

    money: float | None
    tokens: int
    calls: int
    max_money: float | None
    token_budget: int | None
    limited_here: float | None
    faults: list[Faults]
    ended: dict[str, int]


class ModelTurn(BrowserModel):
    """Let a model take one real turn in a seat of a protocol. `model` is the name of an endpoint."""

    model: str = Field(max_length=200)
    protocol: str = "consultation"
    seat: str = Field("", max_length=100)


class TurnTaken(ServerModel):
    """One real turn of a model: what it was asked as, what came, how long it took, and what it cost. `ok` is
    false with the reason and the remedy if it cannot play."""

    ok: bool
    model: str
    host: str
    seat: str
    reply: str
    what: str
    mend: str
    seconds: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None


class BranchWanted(BrowserModel):
    """Keep the first `at` exchanges of a stored episode and go on with another `player` in `seat`, with other
    words (`say`), or with a person, who then sits down."""

    run: str = Field(max_length=100)
    n: int = Field(ge=0, le=2**31 - 1)
    at: int = Field(ge=0, le=1_000_000)
    seat: str = Field("", max_length=100)
    player: str = Field("", max_length=200)
    say: str | None = Field(None, max_length=4000)


class Branched(ServerModel):
    """A branch: the new run, or the sitting of the person who goes on. `over` says that everything was kept,
    so that no player is asked."""

    run: str
    ordinal: int
    sitting: str | None = None
    over: bool = False
