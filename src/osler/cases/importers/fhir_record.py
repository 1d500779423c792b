"""A parsed FHIR bundle: its resources, the references between them, and its one patient."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, tzinfo
from functools import cached_property
from typing import Final, NamedTuple

from osler.cases.importers.fhir_identity import Identity
from osler.cases.importers.fhir_statuses import Verdict, verdict_of
from osler.cases.importers.fhir_times import Interval, interval_of, zone_of
from osler.cases.importers.fhir_values import Json, codes, concept, concept_names, day, listed, mapping
from osler.cases.importers.fhir_versions import as_r4, refuse_unread, version_of
from osler.cases.importers.json_paths import refuse_too_deep, words_of
from osler.cases.importers.leaks import plain
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
    r"observable entity|occupation|life style|"
    r"context-dependent category|substance|product|medicinal product|clinical drug|qualifier value|"
    r"social concept)\)$",
    re.IGNORECASE,
)
# DSTU2's categories of conditions that are no diagnosis.
_SYMPTOMS: Final = frozenset(("complaint", "symptom", "finding"))
_DATES: Final = (
    "onsetDateTime", "onsetPeriod", "recordedDate", "effectiveDateTime", "effectivePeriod",
    "effectiveInstant", "period", "authoredOn", "occurrenceDateTime", "performedDateTime",
    "performedPeriod", "whenHandedOver", "whenPrepared", "issued", "date", "created", "dateAsserted",
)  # fmt: skip


class Resource(NamedTuple):
    """A resource: its type and elements by R4's names, its path in the bundle, and its date.

    `day` is as the source writes it (`2020-03-01`, or empty); `when` is the interval to compare by.
    """

    path: str
    kind: str
    data: Json
    day: str
    when: Interval | None = None

    @property
    def tags(self) -> frozenset[str]:
        """The semantic tags of SNOMED CT among its names, be they in its text or a coding's display."""
        names = concept_names(self.data.get("code"))
        return frozenset(match[1].lower() for name in names if (match := _KIND.search(name)))

    @property
    def is_disorder(self) -> bool:
        """Whether a condition is an illness, rather than what SNOMED CT calls a finding or a situation."""
        if not self.tags:
            return not codes(self.data.get("category")) & _SYMPTOMS
        return bool(self.tags & {"disorder", "morphologic abnormality"})


class Record:
    """The resources of one bundle, in order."""

    def __init__(
        self, resources: tuple[Resource, ...], urls: Mapping[str, Resource], patient: Resource
    ) -> None:
        self.resources, self.patient, self._urls = resources, patient, urls
        self.identity = Identity(patient.data)
        self.born = day(patient.data.get("birthDate"))
        self.version = ""
        self.zone: tzinfo = UTC
        self._verdicts: dict[str, Verdict] = {}

    @classmethod
    def of(cls, bundle: Mapping[str, object]) -> Record:
        """The record in a bundle.

        Raises BadCase where it is not a bundle, is of a version that is not read, or not of a single patient.
        """
        kind = words_of(bundle.get("resourceType"))
        if kind != "Bundle":
            raise BadCase(f"a resource of type {kind[:40]} is no Bundle" if kind else "it is no FHIR Bundle")
        entries = bundle.get("entry")
        if not isinstance(entries, list) or not entries:
            raise BadCase("the Bundle has no entry")
        if len(entries) > MAX_RESOURCES:
            raise BadCase(f"more than {MAX_RESOURCES} resources")
        refuse_too_deep(bundle)
        refuse_unread(bundle)
        zone = _zone_of(entries)
        resources: list[Resource] = []
        urls: dict[str, Resource] = {}
        for n, entry in enumerate(entries):
            resource = _resource(n, mapping(entry), zone)
            resources.append(resource)
            for url in _urls_of(mapping(entry), resource):
                urls.setdefault(url, resource)
        patients = [one for one in resources if one.kind == "Patient"]
        if len(patients) != 1:
            raise BadCase(
                f"it has {len(patients) or 'no'} Patient{'s' if patients else ''}; a case is of one"
            )
        record = cls(tuple(resources), urls, patients[0])
        record.zone, record.version = zone, version_of(bundle)
        return record

    def of_type(self, kind: str) -> list[Resource]:
        """The resources of one type, in order."""
        return [one for one in self.resources if one.kind == kind]

    def resolve(self, reference: object, inside: Json | None = None) -> Resource | None:
        """Resolve a Reference by its full URL, by type and id, or as contained in `inside`."""
        held = mapping(reference)
        held = mapping(held.get("reference")) or held  # a CodeableReference of R5
        text = words_of(held.get("reference"))
        if text.startswith("#") and inside is not None:
            within = [one for one in listed(inside.get("contained")) if words_of(one.get("id")) == text[1:]]
            return Resource("", *as_r4(within[0]), "") if within else None
        short = "/".join(text.partition("/_history/")[0].split("/")[-2:])
        return self._urls.get(text) or self._urls.get(short)

    def encounter_of(self, resource: Resource) -> Resource | None:
        """The encounter that a resource refers to, directly or through the request it is based on."""
        encounter = self.resolve(resource.data.get("encounter"))
        if encounter is not None and encounter.kind == "Encounter":
            return encounter
        for reference in listed(resource.data.get("basedOn")):
            request = self.resolve(reference)
            if request is not None and request.path != resource.path:
                encounter = self.resolve(request.data.get("encounter"))
                if encounter is not None and encounter.kind == "Encounter":
                    return encounter
        return None

    def when_of(self, resource: Resource) -> Interval | None:
        """The interval of a resource: its own, or that of its encounter."""
        if resource.when is None and (encounter := self.encounter_of(resource)):
            return encounter.when
        return resource.when

    def verdict(self, resource: Resource) -> Verdict:
        """The verdict on what a resource asserts of this patient."""
        if resource.path not in self._verdicts:
            self._verdicts[resource.path] = self._objection(resource) or verdict_of(
                resource.kind, resource.data
            )
        return self._verdicts[resource.path]

    def _objection(self, resource: Resource) -> Verdict | None:
        """Return the objection to a resource of another patient or of an older version, else `None`."""
        if resource.path in self._superseded:
            return Verdict("not told", "a later version of it is in the bundle")
        subject = mapping(resource.data.get("subject"))
        if not self._is_patient(subject):
            return Verdict("flagged", "it is about somebody else than the patient")
        if any(not self._is_patient(one) for one in listed(resource.data.get("focus"))):
            return Verdict("flagged", "its focus is not the patient")
        return None

    def _is_patient(self, reference: Json) -> bool:
        """Whether a reference is to the patient; one that leads nowhere and names no other Patient is."""
        target = self.resolve(reference)
        if target is not None:
            return target.kind == "Patient"
        kind, _, ident = words_of(reference.get("reference")).partition("/_history")[0].rpartition("/")
        own = words_of(self.patient.data.get("id"))
        names_another = kind.rpartition("/")[2] == "Patient" and own and ident and "?" not in ident
        return not (names_another and self._refers_to_patient)

    @cached_property
    def _refers_to_patient(self) -> bool:
        """Whether any subject leads to the patient; where none does, the bundle's ids are at odds."""
        subjects = (self.resolve(one.data.get("subject")) for one in self.resources)
        return any(one is not None and one.kind == "Patient" for one in subjects)

    @cached_property
    def _superseded(self) -> frozenset[str]:
        """The paths of the older versions of resources that are in the bundle more than once."""
        latest: dict[tuple[str, str], tuple[str, int, str]] = {}
        older: set[str] = set()
        for place, one in enumerate(self.resources):
            ident = words_of(one.data.get("id"))
            if not ident or one.kind == "Patient":
                continue
            mine = (words_of(mapping(one.data.get("meta")).get("lastUpdated")), place, one.path)
            before = latest.setdefault((one.kind, ident), mine)
            if before is not mine:
                lesser, latest[one.kind, ident] = sorted((before, mine))
                older.add(lesser[2])
        return frozenset(older)

    def is_refuted_elsewhere(self, resource: Resource) -> bool:
        """Whether another resource of the same type and name refutes this one, and is not older."""
        name = plain(without_kind(concept(resource.data.get("code"))))
        refuted = self._refuted.get((resource.kind, name), ()) if name else ()
        return any(
            one.path != resource.path
            and (one.when is None or resource.when is None or not one.when.is_before(resource.when))
            for one in refuted
        )

    @cached_property
    def _refuted(self) -> Mapping[tuple[str, str], tuple[Resource, ...]]:
        by_name: dict[tuple[str, str], tuple[Resource, ...]] = {}
        for one in self.resources:
            if one.kind in ("Condition", "AllergyIntolerance") and "'refuted'" in self.verdict(one).why:
                key = (one.kind, plain(without_kind(concept(one.data.get("code")))))
                by_name[key] = (*by_name.get(key, ()), one)
        return by_name

    def seen_at(self, condition: Resource, encounter: Resource) -> bool:
        """Whether a condition was recorded at an encounter, or is given as its reason or diagnosis."""
        return (condition.path, encounter.path) in self._seen

    @cached_property
    def _seen(self) -> frozenset[tuple[str, str]]:
        """Pairs of a condition's path and the path of an encounter it was seen at."""
        pairs: set[tuple[str, str]] = set()
        for condition in self.of_type("Condition"):
            if encounter := self.encounter_of(condition):
                pairs.add((condition.path, encounter.path))
        for encounter in self.of_type("Encounter"):
            given = listed(encounter.data.get("reasonReference"))
            for one in listed(encounter.data.get("diagnosis")):
                given += listed(one.get("condition"))
            pairs |= {(resource.path, encounter.path) for one in given if (resource := self.resolve(one))}
        return frozenset(pairs)

    @cached_property
    def conditions_at(self) -> Mapping[str, tuple[Resource, ...]]:
        """The conditions seen at each encounter, by the encounter's path."""
        by_path = {condition.path: condition for condition in self.of_type("Condition")}
        pairs: dict[str, tuple[Resource, ...]] = {}
        for condition, encounter in sorted(self._seen):
            if condition in by_path:
                pairs[encounter] = (*pairs.get(encounter, ()), by_path[condition])
        return pairs


def without_kind(name: str) -> str:
    """A name without the semantic tag that SNOMED CT appends: `Asthma (disorder)`."""
    return _KIND.sub("", name).strip()


def _resource(n: int, entry: Json, zone: tzinfo) -> Resource:
    source = mapping(entry.get("resource"))
    if not source:
        return Resource(f"entry[{n}]", "Entry", entry, "")
    kind, data = as_r4(source)
    for key in _DATES:
        if key in data and (when := interval_of(data[key], zone)):
            return Resource(f"entry[{n}].resource", kind, data, day(data[key]), when)
    return Resource(f"entry[{n}].resource", kind, data, "")


def _urls_of(entry: Json, resource: Resource) -> tuple[str, ...]:
    ident = words_of(resource.data.get("id"))
    kinds = {resource.kind, words_of(resource.data.get("resourceType"))}
    full = words_of(entry.get("fullUrl"))
    urls = (
        full,
        "/".join(full.split("/")[-2:]),
        *(f"{kind}/{ident}" for kind in sorted(kinds)),
        f"urn:uuid:{ident}",
    )
    return tuple(url for url in urls if url and not url.endswith(("/", ":")))


def _zone_of(entries: list[object]) -> tzinfo:
    """The time zone of the last encounter that has one; UTC where none has."""
    zones: list[tuple[str, tzinfo]] = []
    for entry in entries:
        data = mapping(mapping(entry).get("resource"))
        if words_of(data.get("resourceType")) == "Encounter":
            period = data.get("period") or data.get("actualPeriod")
            if zone := zone_of(period):
                zones.append((day(period), zone))
    return max(zones, key=lambda one: one[0])[1] if zones else UTC
