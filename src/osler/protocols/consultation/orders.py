"""The order desk: results, costs and turnaround times of examinations and tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Literal, NamedTuple

from osler.cases.expected_findings import likely, unwritten
from osler.cases.model import Case
from osler.core.events import Moved, Released, Seat
from osler.core.order_events import Ordered, Pictured, Resulted, Taken
from osler.core.pictures import Picture
from osler.core.table import Table
from osler.knowledge.formulary import Entry, formulary
from osler.knowledge.known_tests import named_test, priced_name
from osler.knowledge.vocabulary import FindingKind, Unknown
from osler.protocols.consultation import views
from osler.protocols.consultation.events import Unheld
from osler.protocols.consultation.rules import Budget, Ledger, Provenance, Result, check_examination, unlisted
from osler.protocols.consultation.seats import DESCRIBER, EXAMINATION, SYNTHESIZER, DescriberView
from osler.protocols.consultation.settings import Pictures
from osler.protocols.shared.claim_counts import ClaimCounts
from osler.text.order_reading import names_category

ORDER_MINUTES = 1

EXAMINATION_MINUTES, RESULT_MINUTES, ORDER_COST = 5, 60, 12
"""Default duration and cost where neither the case nor the formulary gives them."""

NO_SUCH = "There is no test or examination of that name here."

UNOBTAINABLE = "This could not be obtained."

LOOK = "The picture is before you, without a report."

NOT_LISTED = "This is not in the catalogue. Order by a name exactly as the catalogue has it."

WHICH = "It is not clear which test is meant. Please order it by its full name."


class _Orderable(NamedTuple):
    item: str
    name: str
    kind: FindingKind
    text: str
    minutes: int
    cost: int
    provenance: Provenance
    picture: Picture | None = None


class OrderDesk:
    """The desk that takes orders by name, has the examination seat match them, and releases ready results.

    With a `catalogue`, any other name is refused unread.
    """

    def __init__(
        self,
        table: Table,
        case: Case,
        budget: Budget,
        ledger: Ledger,
        unknown: Unknown,
        hearers: tuple[Seat, ...],
        pictures: Pictures,
        catalogue: tuple[str, ...] | None = None,
        *,
        has_describer: bool,
    ) -> None:
        self._table, self._case, self._budget, self._ledger = table, case, budget, ledger
        self._unknown, self._hearers = unknown, hearers
        self._pictures, self._has_describer = pictures, has_describer
        self._view = views.examination_view(case)
        self._held = {finding.id: finding for finding in self._view.findings}
        self._own = {finding.id: finding for finding in case.findings}
        self._orders = 0
        self.counts = ClaimCounts()
        self.catalogue = catalogue
        self._listed = {name.casefold(): name for name in catalogue or ()}

    def open(self) -> None:
        """Seat the examination service, and those who describe pictures and make up results, if any."""
        self._table.seat(EXAMINATION, self._view)
        if self._has_describer:
            self._table.seat(DESCRIBER, DescriberView())
        if self._unknown == "synthesize":
            self._table.seat(SYNTHESIZER, views.synthesizer_view(self._case))

    async def order(self, name: str) -> None:
        """Process one order, given in the doctor's words."""
        self._orders += 1
        if self.catalogue is not None:
            if (listed := self._listed.get(" ".join(name.split()).casefold())) is None:
                self._table.pass_time(ORDER_MINUTES)
                self._refuse(name, NOT_LISTED)
                return
            name = listed
        self._table.tell(Ordered, "examination", order=self._orders, name=name)
        self._table.pass_time(ORDER_MINUTES)
        reply = await self._table.ask(EXAMINATION, lambda reply: check_examination(reply, self._view))
        self.counts.results(reply.claimed, reply.findings)
        if reply.match_type == "fuzzy":
            self._refuse(name, WHICH)
            return
        if reply.findings:
            self._take(name, [self._from_case(item) for item in dict.fromkeys(reply.findings)])
        for real in reply.unheld:
            await self._take_unlisted(real)
        for part in reply.unclear:
            self._refuse(part, WHICH if names_category(part) else NO_SUCH)
        if not (reply.findings or reply.unheld or reply.unclear):
            self._refuse(name, UNOBTAINABLE if self.catalogue or reply.claimed else NO_SUCH)

    async def show_all(self, only: Collection[str] | None = None) -> None:
        """Release every result of the case and what stands in old notes, or `only` some, without an order."""
        for n, item in enumerate((one for one in self._held if only is None or one in only), 1):
            case = self._from_case(item)
            now = self._table.minute
            self._ledger.expect(
                Result(n, item, case.name, case.kind, case.text, case.provenance, now, case.picture)
            )
        await self.deliver("volunteered")

    async def deliver(self, gate: Literal["ordered", "volunteered"] = "ordered") -> None:
        """Release every result that is ready by now."""
        for result in self._ledger.fall_due(self._table.minute):
            self._table.tell(Released, item=result.item, provenance=result.provenance, gate=gate)
            if result.picture and self._has_describer and self._pictures == "shown":
                result = await self._described(result, result.picture)
            self._report(result)

    async def _described(self, result: Result, picture: Picture) -> Result:
        self._table.tell(Pictured, "describer", order=result.order, name=result.name, picture=picture)
        return self._ledger.describe(result, (await self._table.ask(DESCRIBER)).text)

    async def _take_unlisted(self, name: str) -> None:
        """Order a real test that the case does not hold: the run's policy for unknowns supplies the
        result."""
        test = named_test(name)
        entry = (test.entry if test else None) or formulary().find(name)
        called = (priced_name(test, name) if test else None) or (entry.name if entry else name)
        if self._unknown == "synthesize":
            await self._take_made_up(name, called, entry)
            return
        if entry is None:
            self._refuse(name, NO_SUCH)
            return
        text = unlisted(
            called, entry, self._unknown, self._left_unwritten, self._case.age_years, self._case.sex
        )
        if text is None:
            self._refuse(name, UNOBTAINABLE)
            return
        orderable = _Orderable(called, called, entry.kind, text, entry.minutes, entry.cost, "policy:normal")
        self._take(name, [orderable])

    async def _take_made_up(self, name: str, called: str, entry: Entry | None) -> None:
        """Order a test whose result is made up, once: asked for again, it is reported as before. Of what the
        diagnosis would be expected to show in, nothing is made up."""
        item = called if entry else " ".join(name.split()).casefold()
        earlier = self._ledger.ordered(item)
        if entry and self._left_unwritten(entry):
            self._refuse(name, UNOBTAINABLE)
            return
        text = earlier.text if earlier else await self._made_up(called)
        kind, minutes, cost = (
            (entry.kind, entry.minutes, entry.cost) if entry else ("test", RESULT_MINUTES, ORDER_COST)
        )
        self._take(name, [_Orderable(item, called, kind, text, minutes, cost, "synthetic")])

    async def _made_up(self, name: str) -> str:
        self._table.tell(Unheld, "synthesizer", order=self._orders, name=name)
        return (await self._table.ask(SYNTHESIZER)).text

    def _left_unwritten(self, entry: Entry) -> bool:
        """Whether the diagnosis makes an abnormal result likely although the case does not mention it.

        Few orders are for such items, and only for those does the case have to be read.
        """
        expected = likely(self._case)
        shown = {item.id for item in expected if item.order and formulary().find(item.order) is entry}
        return bool(shown) and any(item.id in shown for item in unwritten(self._case))

    def _from_case(self, item: str) -> _Orderable:
        view, own = self._held[item], self._own.get(item)
        entry = formulary().find(view.name)
        usual = EXAMINATION_MINUTES if view.kind == "examination" else RESULT_MINUTES
        minutes = own.minutes if own and own.minutes is not None else entry.minutes if entry else usual
        cost = own.cost if own and own.cost is not None else entry.cost if entry else ORDER_COST
        picture = own.picture if own else None
        text = LOOK if picture and self._pictures == "shown" else view.result
        return _Orderable(item, view.name, view.kind, text, minutes, cost, "case", picture)

    def _take(self, name: str, orderables: Iterable[_Orderable]) -> None:
        """Report repeated orders again; place the new ones, or refuse all of them."""
        table, new = self._table, list[_Orderable]()
        for orderable in orderables:
            if earlier := self._ledger.ordered(orderable.item):
                self._report(earlier)
            else:
                new.append(orderable)
        tests, cost = sum(o.kind != "examination" for o in new), sum(o.cost for o in new)
        minutes = sum(o.minutes for o in new if o.kind == "examination")
        if refusal := self._budget.refusal(tests=tests, cost=cost, minutes=minutes, now=table.minute):
            self._refuse(name, f"This cannot be done now: {refusal}.")
            return
        self._budget.spend(tests=tests, cost=cost)
        for orderable in new:
            wait = orderable.minutes
            if orderable.kind == "examination":
                table.pass_time(orderable.minutes)
                wait = 0
            elif orderable.kind == "image":
                table.tell(Moved, who="patient", place="imaging")
                table.tell(Moved, who="patient", place="consulting room")
            ready = table.minute + wait
            result = Result(
                self._orders,
                orderable.item,
                orderable.name,
                orderable.kind,
                orderable.text,
                orderable.provenance,
                ready,
                orderable.picture,
            )
            self._ledger.expect(result)
            if wait:
                self._report(result)

    def _report(self, result: Result) -> None:
        """Tell the result if it is ready, else the time at which it will be."""
        table = self._table
        ready = result.ready_minute
        what: dict[str, Any] = {
            "order": result.order,
            "name": result.name,
            "finding_kind": result.finding_kind,
        }
        if ready > table.minute:
            table.tell(Taken, "doctor", ready_minute=ready, **what)
        else:
            what |= {"text": result.text, "picture": result.picture}
            table.tell(Resulted, *self._hearers, returned=True, **what)

    def _refuse(self, name: str, why: str) -> None:
        self._table.tell(Resulted, "doctor", order=self._orders, name=name, returned=False, text=why)
