"""The HTTP client of an endpoint: one session, one POST per try, and all error handling in one place.

What is sent and read is the wire format's (`osler.models.wire`), one of two; all else is written once, here.
`complete` steps down the ladder of output formats and repairs answers; `_persist` retries transient faults;
`_send` sends once, under the breaker, the limiter and the budget; `_fetch` is the only code that touches the
network. Faults are passed as data, so that no exception of the network library, which may contain headers,
ever becomes part of one of our errors.
"""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from random import Random
from types import TracebackType
from typing import Final, Never, Self, TypeVar

import aiohttp
from pydantic_core import to_json
from yarl import URL

from osler.models.budget import Budget, Estimate, Ledger, estimate, text_tokens
from osler.models.config import ANTHROPIC, Endpoint
from osler.models.embedded.server import server_of
from osler.models.error_words import refused_sampling
from osler.models.faults import (
    MODELS_OWN,
    EndpointFault,
    Fault,
    Kind,
    ModelAnswerError,
    RequestFault,
    counts_the_answer,
    of_status,
)
from osler.models.limiter import Breaker, Limiter
from osler.models.manners import Manners
from osler.models.overhearing import new_trail
from osler.models.rates import LocalBucket, Pacer, Pass
from osler.models.secret import Secret
from osler.models.structured import (
    REPAIRABLE,
    RequestForm,
    abilities_of,
    prompt_of,
    read_answer,
    repair,
    thought_filled,
)
from osler.models.transport import MOST_BYTES, limited, of_exception, proxied, retry_after
from osler.models.tries import Job, Raw, RetryLog, Try, attempt_of
from osler.models.types import (
    Attempt,
    Completion,
    CompletionRequest,
    Message,
    Sampling,
    Usage,
    Validate,
    another,
    encodable,
)
from osler.models.wire import ChatFormat, Reply, WireFormat, options_of, read_vectors, sampled_of
from osler.models.wire_anthropic import AnthropicFormat
from osler.models.witness import Witness

T = TypeVar("T")
_LARGE: Final = 2**20
_EMBED_AT_ONCE: Final = 256
_CONNECT_S: Final = 15.0


def format_of(endpoint: Endpoint) -> WireFormat:
    """The wire format of an endpoint."""
    return AnthropicFormat(endpoint) if endpoint.kind == ANTHROPIC else ChatFormat(endpoint)


class EndpointClient:
    """A `ModelClient` for one endpoint and one event loop; close it, or use it in `async with`."""

    def __init__(
        self,
        endpoint: Endpoint,
        key: Secret | None = None,
        *,
        ledger: Ledger | None = None,
        budget: Budget | None = None,
        rng: Random | None = None,
        manners: Manners = Manners(),  # noqa: B008 - frozen
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        if budget is not None:
            budget.admit(endpoint)
        self.endpoint = endpoint
        self.ledger = ledger if ledger is not None else Ledger()
        self.limiter = Limiter(endpoint.max_in_flight)
        self.pacer = Pacer(endpoint.rates, LocalBucket()) if endpoint.rates else None
        self.breaker = Breaker(
            endpoint.name, after=manners.breaker_after, cool_s=manners.breaker_cool_s, clock=manners.clock
        )
        self.abilities = abilities_of(endpoint)
        self._server = server_of(endpoint)
        self._key = self._server.key if self._server else key
        self._budget, self._manners = budget, manners
        self._access = endpoint.access(environ)
        self._hidden = self._access.hidden(self._key)
        self._rng = rng or Random()  # noqa: S311 - jitter, not secrecy
        self._format = format_of(endpoint)
        self.unwanted: set[str] = set()
        """The sampling fields that the endpoint turned out to refuse, which are no longer sent."""
        self._completions, self._embeddings = self._at(self._format.path), self._at(self._format.embeddings)
        self._session: aiohttp.ClientSession | None = None
        self._port: int | None = None  # of an embedded model's server
        self._log = RetryLog(endpoint.name, manners.clock)
        self._witness = Witness(
            self._answers_a_probe, self.breaker.failed, manners.clock, manners.breaker_after
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections. A later call opens new ones."""
        self._log.flush()
        if self.pacer is not None:
            await self.pacer.close()
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Ask the model. See `ModelClient`."""
        output = request.output
        trail = new_trail()
        added: tuple[Message, ...] = ()
        repairs = 0
        limited = request.once  # a whole case that is written, or a report, may be long
        while True:
            form = self.abilities.asked(output, limited=limited)
            job = self._job(another(request, repairs), added, form)
            began, tried = self._manners.clock(), len(trail)
            sent = await self._persist(job, trail)
            reply = sent.answer
            if isinstance(reply, Fault):
                if self._learns(reply, request) or self.abilities.learn(reply, form, request):
                    continue
                if limited and form.answer_tokens is not None and counts_the_answer(reply):
                    limited = False  # prompt and limit together exceed the context; the prompt may fit
                    continue
                self._give_up(reply, trail, began, trail[tried:])
            self._witness.answered_one()
            value, wrong = read_answer(reply.text, reply.finish_reason, output, validate)
            trail.append(attempt_of(job, sent, wrong, reply.text))
            if wrong is None:
                if output is not None:
                    self.abilities.honoured.add((output.shape, job.rung))
                return Completion(
                    text=reply.text,
                    parsed=value,
                    usage=sent.usage,
                    latency_s=sent.latency_s,
                    finish_reason=reply.finish_reason,
                    model=reply.model,
                    reasoning=reply.reasoning,
                    rung=job.rung,
                    found_in=reply.found_in,
                    served_by=reply.served_by,
                    attempts=tuple(trail),
                )
            thought = wrong.kind is Kind.LENGTH and thought_filled(reply.text, reply.reasoning, sent.usage)
            if thought and self.abilities.learn(wrong, form, request):
                continue
            if wrong.kind is Kind.UNPARSABLE and self.abilities.learn_from_words(reply.text, form, request):
                continue
            if wrong.kind not in REPAIRABLE or request.once or repairs >= self._manners.max_repairs:
                raise ModelAnswerError(wrong, tuple(trail))
            repairs += 1
            added = (*added, *repair(reply.text, wrong, output, job.rung))

    def share_among(self, workers: int) -> None:
        """Send no more than an equal share of the requests that may be in flight."""
        self.limiter.bounded(max(1, self.endpoint.max_in_flight // workers))

    async def embed(self, texts: Sequence[str], *, seat: str = "") -> list[list[float]]:
        """Embed texts: one vector per text, in order. Raises EndpointFault."""
        if self._format.embeddings is None:
            detail = "an endpoint of its kind serves no embeddings; name another for them"
            raise EndpointFault(self.endpoint.name, Fault(Kind.BAD_REQUEST, detail))
        vectors: list[list[float]] = []
        for begin in range(0, len(texts), _EMBED_AT_ONCE):
            trail: list[Attempt] = []
            began = self._manners.clock()
            sent = await self._persist(
                self._embedding_job(texts[begin : begin + _EMBED_AT_ONCE], seat), trail
            )
            if isinstance(sent.answer, Fault):
                self._give_up(sent.answer, trail, began, trail)
            vectors += sent.answer
        return vectors

    def _embedding_job(self, texts: Sequence[str], seat: str) -> Job[list[list[float]]]:
        count, prompt = len(texts), sum(map(text_tokens, texts))
        sent = [encodable(text) for text in texts]
        body = to_json({"model": self.endpoint.model, "input": sent, "encoding_format": "float"})
        return Job(
            self._embeddings,
            body,
            seat,
            lambda: Estimate(prompt, 0),
            lambda answer: read_vectors(answer, count),
        )

    def _job(
        self, request: CompletionRequest, added: tuple[Message, ...], request_form: RequestForm
    ) -> Job[Reply]:
        if not self.endpoint.capabilities.images and any(message.images for message in request.messages):
            detail = "it is not declared to see images (capabilities.images)"
            raise EndpointFault(self.endpoint.name, Fault(Kind.BAD_REQUEST, detail))
        options = options_of(
            request,
            seed=request_form.seed,
            max_tokens_name=request_form.max_tokens_name,
            answer_tokens=request_form.answer_tokens,
        )
        options = self.endpoint.added(options, weighs=request.weighs)
        options = {name: value for name, value in options.items() if name not in self.unwanted}
        constant = self.endpoint.sent(weighs=request.weighs)
        messages = prompt_of(request, request_form.rung, system_role=request_form.system_role) + added
        form = request.output and request_form.form(request.output)
        return Job(
            self._completions,
            self._format.body(request, messages, options, form, request_form.rung),
            request.seat,
            lambda: estimate(request, added),
            lambda answer: self._format.read(answer, self._hidden, objects=request.output is not None),
            request_form.rung,
            sampled_of({**constant, **options}),
            once=request.once,
        )

    def _learns(self, fault: Fault, request: CompletionRequest) -> bool:
        """Whether a refusal of a limit, or of sampling that the request itself asked for, is now heeded. What
        the settings ask for is not dropped in silence: its refusal is the user's to read."""
        refused = refused_sampling(fault.raw) if fault.kind is Kind.BAD_REQUEST else ()
        ours = self.endpoint.added(options_of(request, seed=False, max_tokens_name=""), weighs=request.weighs)
        for name in refused:
            if name in ours and name not in self.unwanted:
                self.unwanted.add(name)
                return True
        return self._format.learns(fault)

    def _at(self, path: str | None) -> URL:
        return URL(f"{self.endpoint.base_url}{path or ''}").update_query(self._access.query)

    async def _persist(self, job: Job[T], trail: list[Attempt]) -> Try[T]:
        """Send, retrying while that may help. Faults are appended to the trail."""
        tried = 0
        while True:
            if self._server is not None:
                self._port = await self._server.port()
            sent = await self._send(job, begun=tried > 0)
            if not isinstance(sent.answer, Fault):
                return sent
            tried += 1
            trail.append(attempt_of(job, sent, sent.answer))
            wait_s = self._manners.retry.wait_s(sent.answer, tried, self._rng)
            if wait_s is None or (job.once and sent.answer.kind in MODELS_OWN):
                return sent
            self._log.failed(sent.answer, wait_s)
            self.ledger.retried(job.seat, self.endpoint.name)
            await self._manners.sleep(wait_s)

    async def _send(self, job: Job[T], *, begun: bool = False) -> Try[T]:
        """Send once. A call already begun goes on to its own end, even if the breaker opens meanwhile."""
        if not begun:
            self.breaker.refuse()
        ticket = await self.limiter.acquire()
        reserved, leave = None, None
        try:
            if self.pacer is not None:
                leave = await self.pacer.admit(job.wanted().tokens if self.pacer.rates.tokens else 0)
            if not begun:
                self.breaker.admit()  # it may have opened while this call waited
            if self._budget is not None:
                await self._budget.cover(self.endpoint, job.wanted())
                reserved = self._budget.reserve(self.endpoint, job.wanted())
            async with self._budget.in_time() if self._budget else nullcontext():
                sent = await self._measured(job)
            if isinstance(sent.answer, Fault) and sent.answer.kind not in MODELS_OWN:
                if sent.answer.congestion and self.limiter.congested(ticket):
                    await self._slow(leave)
            else:
                self._settle(leave, sent.usage)
                self.limiter.succeeded(sent.latency_s)
                self.breaker.succeeded()
            return sent
        finally:
            if reserved is not None and self._budget is not None:
                self._budget.release(reserved)
            self.limiter.release()

    async def _slow(self, leave: Pass | None) -> None:
        if self.pacer is not None and leave is not None:
            await self.pacer.congested(leave)

    def _settle(self, leave: Pass | None, usage: Usage) -> None:
        if self.pacer is None or leave is None or usage.prompt_tokens is None:
            return
        if usage.completion_tokens is not None:
            self.pacer.settle(leave, usage.prompt_tokens + usage.completion_tokens)

    async def _measured(self, job: Job[T]) -> Try[T]:
        """Send once, and record the usage."""
        began = self._manners.clock()
        try:
            raw = await self._fetch(job.url, job.body)
        except asyncio.CancelledError:
            self.ledger.lost(job.seat, self.endpoint.name)
            raise
        latency_s = self._manners.clock() - began
        if isinstance(raw, Fault):
            self.ledger.lost(job.seat, self.endpoint.name)
            return Try(raw, Usage(), latency_s)
        if raw.status != 200:
            self.ledger.lost(job.seat, self.endpoint.name)
            fault = of_status(raw.status, raw.body, raw.retry_after, self._hidden)
            return Try(fault, Usage(), latency_s)
        answer = job.read(raw.body)
        usage = answer.usage if isinstance(answer, Reply) else self._format.usage(raw.body)
        if job.url is self._embeddings and usage.completion_tokens is None:
            usage = usage._replace(completion_tokens=0)  # vectors are not tokens
        known = usage.prompt_tokens is not None and usage.completion_tokens is not None
        self.ledger.charge(job.seat, self.endpoint, usage, Estimate(0, 0) if known else job.wanted())
        return Try(answer, usage, latency_s)

    async def _fetch(self, url: URL, body: bytes) -> Raw | Fault:
        session = self._session or self._open()
        # Stream large bodies: aiohttp warns that writing large bytes at once blocks the event loop.
        data = body if len(body) < _LARGE else io.BytesIO(body)
        try:
            async with session.post(
                url.with_port(self._port) if self._port else url,
                data=data,
                allow_redirects=False,
                **proxied(self._access),
            ) as response:
                content = await limited(response)
                if content is None:
                    return Fault(Kind.BAD_BODY, f"an answer of more than {MOST_BYTES} bytes")
                if self._hidden is not None:
                    content = self._hidden.struck_from(content)
                return Raw(response.status, retry_after(response.headers), content)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            return of_exception(error, self._hidden)

    def _open(self) -> aiohttp.ClientSession:
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "osler"}
        headers |= self._format.headers(self._key) | self._access.headers
        # The limiter bounds the connections; aiohttp's own bound of 100 would only add a second queue.
        connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, keepalive_timeout=60)
        timeout = aiohttp.ClientTimeout(
            total=self.endpoint.timeout_s, sock_connect=min(_CONNECT_S, self.endpoint.timeout_s)
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers=headers,
            timeout=timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=self.endpoint.trust_env,
        )
        return self._session

    def _give_up(self, fault: Fault, trail: list[Attempt], began: float, tries: Sequence[Attempt]) -> Never:
        """Raise what a request that failed for good stands for. `began` is when it was first sent in its
        present form, `tries` what came of it since."""
        if fault.kind in MODELS_OWN:
            if fault.status is None:
                self._witness.answered_one()
            raise ModelAnswerError(fault, tuple(trail))
        self._log.given_up(fault, len(trail))
        if self._witness.may_be_alone(fault, [one.outcome for one in tries]):
            raise RequestFault(
                self.endpoint.name,
                fault,
                len(trail),
                proven=lambda: self._witness.answered,
                alone=self._witness.question(fault, began),
            )
        self.breaker.failed(fault)
        raise EndpointFault(self.endpoint.name, fault, len(trail))

    async def _answers_a_probe(self) -> bool:
        """Whether the endpoint answers a minimal request, with the extra fields of every other."""
        message, sampling = Message(role="user", text="Say yes."), Sampling(max_tokens=1)
        tried = 0
        while True:
            probe = CompletionRequest(messages=(message,), sampling=sampling, seat="probe", once=True)
            fault = (
                await self._send(self._job(probe, (), self.abilities.asked(None, limited=False)), begun=True)
            ).answer
            if not isinstance(fault, Fault) or fault.kind in MODELS_OWN:
                return True
            if fault.kind is Kind.BAD_REQUEST and sampling.max_tokens:
                # Some endpoints refuse an answer that exceeds its limit instead of truncating it.
                sampling = Sampling()
                continue
            tried += 1
            wait_s = self._manners.retry.wait_s(fault, tried, self._rng)
            if wait_s is None or fault.kind is Kind.TIMEOUT:
                return False
            await self._manners.sleep(wait_s)
