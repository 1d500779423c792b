"""FHIR's dates and times as intervals of instants, so that they can be compared across time zones.

A date is a whole day, a year a whole year. What has no time zone is taken to be in a given one: that of the
visit, whose hospital wrote both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final, NamedTuple

from osler.cases.importers.json_paths import words_of

_WRITTEN: Final = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?:[T ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?P<fraction>\.\d{1,9})?)?"
    r"\s?(?P<zone>Z|z|[+-]\d\d:?\d\d)?)?)?)?"
)
# A visit whose end is not given lasts to the end of its day if it has no time, else as long as this.
OPEN_VISIT: Final = timedelta(hours=24)
_DECEMBER: Final = 12


class Interval(NamedTuple):
    """The instants between which something happened, the last excluded unless it is the first as well."""

    first: datetime
    last: datetime

    def is_before(self, other: Interval) -> bool:
        """Whether it was over when the other began."""
        return self.last <= other.first and self.first < other.first

    @property
    def is_dated_only(self) -> bool:
        """Whether it is given by the day, month or year, so that its time zone may be another one."""
        return self.last - self.first >= timedelta(days=1)

    def is_after(self, other: Interval) -> bool:
        """Whether it began when the other was over."""
        return self.first >= other.last and self.first > other.first


def zone_of(value: object) -> tzinfo | None:
    """The time zone that a date and time, or the start or end of a period, is written with."""
    for text in _ends(value):
        parsed = _WRITTEN.fullmatch(text)
        if parsed and parsed["zone"]:
            return _zone(parsed["zone"])
    return None


def interval_of(value: object, zone: tzinfo = UTC) -> Interval | None:
    """The interval of a dateTime, instant, date or Period; `None` where it is missing or is no date.

    `zone` is that of what has none of its own. A period without an end lasts as long as its start.
    """
    start, end = _ends(value)
    first = _interval(start, zone) or _interval(end, zone)
    last = _interval(end, zone) or first
    if first is None or last is None:
        return None
    return Interval(first.first, max(first.last, last.last))


def visit_of(period: object, zone: tzinfo) -> Interval | None:
    """The interval of a visit. One that starts at a given time and has no end is open for a day."""
    interval = interval_of(period, zone)
    _, end = _ends(period)
    if interval is None or _interval(end, zone):
        return interval
    return Interval(interval.first, max(interval.last, interval.first + OPEN_VISIT))


def _ends(value: object) -> tuple[str, str]:
    if isinstance(value, Mapping):
        return words_of(value.get("start")), words_of(value.get("end"))
    return words_of(value), ""


def _interval(text: str, zone: tzinfo) -> Interval | None:
    parsed = _WRITTEN.fullmatch(text)
    if not parsed:
        return None
    zone = _zone(parsed["zone"]) if parsed["zone"] else zone
    year, month = int(parsed["year"]), int(parsed["month"] or 1)
    fraction = int(float(parsed["fraction"] or 0) * 1_000_000)
    # A leap second and the midnight that ends a day are written 60 and 24.
    hour, minute, second = (int(parsed[part] or 0) for part in ("hour", "minute", "second"))
    try:
        start = datetime(year, month, int(parsed["day"] or 1), tzinfo=zone)
        first = start + timedelta(hours=hour, minutes=minute, seconds=second, microseconds=fraction)
        return Interval(first.astimezone(UTC), (first + _length(parsed, first)).astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def _length(parsed: re.Match[str], first: datetime) -> timedelta:
    """Return the length of the last part given: a year, a month, a day, a minute, or no time at all."""
    if parsed["second"]:
        return timedelta(0)
    if parsed["hour"]:
        return timedelta(minutes=1)
    if parsed["day"]:
        return timedelta(days=1)
    if not parsed["month"] or first.month == _DECEMBER:
        return first.replace(year=first.year + 1, month=1) - first
    return first.replace(month=first.month + 1) - first


def _zone(text: str) -> tzinfo:
    if text in "Zz":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    offset = timedelta(hours=min(hours, 23), minutes=min(minutes, 59))
    return timezone(-offset if text[0] == "-" else offset)
