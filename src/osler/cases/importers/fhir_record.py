"""A parsed FHIR bundle: its resources, the references between them, and its one patient."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Final, NamedTuple

from osler.cases.importers.fhir_values import Json, concept, day, identifying_words, listed, mapping
from osler.cases.importers.json_paths import leaves_of, words_of
from osler.errors import BadCase

MAX_RESOURCES: Final = 20_000
# These are of no use in an encounter, and full of other people's names and numbers.
ADMINISTRATIVE: Final = frozenset(
    "Account Claim ClaimResponse Coverage ExplanationOfBenefit Location Organization PaymentNotice "
    "Practitioner PractitionerRole Provenance RelatedPerson Person Device SupplyDelivery SupplyRequest "
    "Appointment Schedule Slot Invoice Media Binary AuditEvent Consent Group HealthcareService "
    "Endpoint".split()
)
# The semantic tag that SNOMED CT appends to a name.
_KIND: Final = re.compile(
    r"\s*\((disorder|finding|situation|procedure|regime/therapy|morphologic abnormality|event|person|"
    r"observable entity|"
    r"context-dependent category|substance|product|medicinal product|clinical drug|qualifier value|"
    r"social concept)\)$",
    re.IGNORECASE,
)
_DATES: Final = (
    "onsetDateTime", "onsetPeriod", "recordedDate", "effectiveDateTime", "effectivePeriod",
    "effectiveInstant", "period", "authoredOn", "occurrenceDateTime", "performedDateTime",
    "performedPeriod", "issued", "date", "created", "dateAsserted",
)  # fmt: skip


class Resource(NamedTuple):
    """A resource: its type, its path in the bundle, and its date (`2020-03-01`, or empty)."""

    path: str
    kind: str
    data: Json
    day: str

    @property
    def is_disorder(self) -> bool:
        """Whether a condition is an illness, rather than what SNOMED CT calls a finding or a situation."""
        found = _KIND.search(concept(self.data.get("code")))
        return found is None or found[1].lower() in ("disorder", "morphologic abnormality")


class Record:
    """The resources of one bundle, in order."""

    def __init__(
        self, resources: tuple[Resource, ...], urls: Mapping[str, Resource], patient: Resource
    ) -> None:
        self.resources, self.patient, self._urls = resources, patient, urls
        self.private = identifying_words(patient.data)

    @classmethod
    def of(cls, bundle: Mapping[str, object]) -> Record:
        """The record in a bundle. Raises BadCase where it is not a bundle, or not one of a single patient."""
        kind = words_of(bundle.get("resourceType"))
        if kind != "Bundle":
            raise BadCase(f"a resource of type {kind[:40]} is no Bundle" if kind else "it is no FHIR Bundle")
        entries = bundle.get("entry")
        if not isinstance(entries, list) or not entries:
            raise BadCase("the Bundle has no entry")
        if len(entries) > MAX_RESOURCES:
            raise BadCase(f"more than {MAX_RESOURCES} resources")
        for _ in leaves_of(bundle):
            pass
        resources: list[Resource] = []
        urls: dict[str, Resource] = {}
        for n, entry in enumerate(entries):
            data = mapping(mapping(entry).get("resource"))
            found = Resource(f"entry[{n}].resource", words_of(data.get("resourceType")), data, _day(data))
            if not data:
                found = Resource(f"entry[{n}]", "Entry", mapping(entry), "")
            resources.append(found)
            ident = words_of(data.get("id"))
            for url in (
                words_of(mapping(entry).get("fullUrl")),
                f"{found.kind}/{ident}",
                f"urn:uuid:{ident}",
            ):
                if url and not url.endswith(("/", ":")):
                    urls.setdefault(url, found)
        patients = [found for found in resources if found.kind == "Patient"]
        if len(patients) != 1:
            raise BadCase(
                f"it has {len(patients) or 'no'} Patient{'s' if patients else ''}; a case is of one"
            )
        return cls(tuple(resources), urls, patients[0])

    def of_type(self, kind: str) -> list[Resource]:
        """The resources of one type, in order."""
        return [found for found in self.resources if found.kind == kind]

    def resolve(self, reference: object, inside: Json | None = None) -> Resource | None:
        """Resolve a Reference by its full URL, by type and id, or as contained in `inside`."""
        text = words_of(mapping(reference).get("reference"))
        if text.startswith("#") and inside is not None:
            held = [one for one in listed(inside.get("contained")) if words_of(one.get("id")) == text[1:]]
            return Resource("", words_of(held[0].get("resourceType")), held[0], "") if held else None
        short = "/".join(text.partition("/_history/")[0].split("/")[-2:])
        return self._urls.get(text) or self._urls.get(short)

    def seen_at(self, condition: Resource, encounter: Resource) -> bool:
        """Whether a condition was recorded at an encounter, or is given as its reason or diagnosis."""
        return (condition.path, encounter.path) in self._seen

    @cached_property
    def _seen(self) -> frozenset[tuple[str, str]]:
        """Pairs of a condition's path and the path of an encounter it was seen at."""
        found: set[tuple[str, str]] = set()
        for condition in self.of_type("Condition"):
            if encounter := self.resolve(condition.data.get("encounter")):
                found.add((condition.path, encounter.path))
        for encounter in self.of_type("Encounter"):
            given = listed(encounter.data.get("reasonReference"))
            given += [mapping(one.get("condition")) for one in listed(encounter.data.get("diagnosis"))]
            found |= {(seen.path, encounter.path) for one in given if (seen := self.resolve(one))}
        return frozenset(found)

    @cached_property
    def conditions_at(self) -> Mapping[str, tuple[Resource, ...]]:
        """The conditions seen at each encounter, by the encounter's path."""
        by_path = {condition.path: condition for condition in self.of_type("Condition")}
        found: dict[str, tuple[Resource, ...]] = {}
        for condition, encounter in sorted(self._seen):
            if condition in by_path:
                found[encounter] = (*found.get(encounter, ()), by_path[condition])
        return found


def without_kind(name: str) -> str:
    """A name without the semantic tag that SNOMED CT appends: `Asthma (disorder)`."""
    return _KIND.sub("", name).strip()


def _day(data: Json) -> str:
    return next((found for key in _DATES if (found := day(data.get(key)))), "")
