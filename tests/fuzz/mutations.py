"""Ways to spoil a file: in its bytes, and in its values while its form stays whole."""

from __future__ import annotations

import re
from random import Random
from typing import Final

VALUES: Final = (
    b"-1", b"0", b"1" + b"0" * 400, b"1e999", b"-0.0", b"NaN", b".inf", b"null", b"true", b"[]", b"{}",
    b"[null]",    b'""', b'" "', b'"' + b"a" * 100_000 + b'"', b"[" * 3000, b'{"a":' * 3000, b"- " * 3000,
    b"2020-01-01", b"!!python/object/apply:os.system [id]", b"&a [*a]", b"*nothing", b"<<: 1", 
    b"!!binary AAAA",    b'"\\ud800"', b'"\\u0000"', b'"\x1b[2J\x07"', "\u202e\u2028\u200b".encode(), 
    b'"=1+1"', b'"../../../etc/passwd"',    b'"{{7*7}}{% raw %}"', b"'", b'"', 
    b"\xff\xfe", b"\xed\xa0\x80", b"\0", b"#", b": ", b",", b";", b"\t",
)  # fmt: skip
"""What stands where a value was: each is refused somewhere, or means something else than it seems."""

_VALUE: Final = re.compile(rb'"[^"\n]{0,200}"|[A-Za-z0-9_.+-]+')


def spoilt(raw: bytes, rng: Random) -> bytes:
    """`raw`, changed in one to three places."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        raw = rng.choice(_WAYS)(raw, rng)
    return raw


def _value(raw: bytes, rng: Random) -> bytes:
    found = list(_VALUE.finditer(raw))
    if not found:
        return raw + rng.choice(VALUES)
    at = rng.choice(found)
    return raw[: at.start()] + rng.choice(VALUES) + raw[at.end() :]


def _other_value(raw: bytes, rng: Random) -> bytes:
    found = list(_VALUE.finditer(raw))
    if not found:
        return raw
    at = rng.choice(found)
    return raw[: at.start()] + rng.choice(found).group() + raw[at.end() :]


def _bit(raw: bytes, rng: Random) -> bytes:
    if not raw:
        return raw
    at = rng.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :]


def _span(raw: bytes, rng: Random) -> tuple[int, int]:
    begin = rng.randrange(len(raw) + 1)
    return begin, min(len(raw), begin + rng.choice((1, 3, 20, 200)))


def _left_out(raw: bytes, rng: Random) -> bytes:
    begin, end = _span(raw, rng)
    return raw[:begin] + raw[end:]


def _twice(raw: bytes, rng: Random) -> bytes:
    begin, end = _span(raw, rng)
    return raw[:end] + raw[begin:end] + raw[end:]


def _put_in(raw: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(raw) + 1)
    more = rng.choice((rng.randbytes(rng.randrange(1, 30)), rng.choice(VALUES)))
    return raw[:at] + more + raw[at:]


def _cut(raw: bytes, rng: Random) -> bytes:
    return raw[: rng.randrange(len(raw) + 1)]


def _lines(raw: bytes, rng: Random) -> bytes:
    lines = raw.splitlines(keepends=True)
    rng.choice((rng.shuffle, list.reverse, lambda held: held.pop() if held else None))(lines)
    return b"".join(lines)


def _encoding(raw: bytes, rng: Random) -> bytes:
    text = raw.decode("utf-8", "replace")
    return rng.choice(
        (text.encode("utf-16"), text.encode("utf-8-sig"), text.replace("\n", "\r").encode(), b"")
    )


_WAYS: Final = (
    _value, _value, _value, _other_value, _bit, _left_out, _twice, _put_in, _cut, _lines, _encoding,
)  # fmt: skip
