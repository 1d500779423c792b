"""Numbers of FHIR as text: with the digits of the source, or four significant ones of a machine's sixteen."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

from osler.cases.importers.json_paths import words_of

# More digits than these, and more of them behind the point, were calculated and not measured: such a number
# is cut to four.
_MEASURED_DIGITS: Final = 6
_MEASURED_PLACES: Final = 4
_KEPT_DIGITS: Final = 4
# Beyond these powers of ten a number is written as the source writes it (1e-30).
_WRITTEN_OUT: Final = 15


def number_of(value: object) -> str:
    """A number with its digits; empty for what is none, such as NaN. A text is given as it stands."""
    if not isinstance(value, float):
        return words_of(value)
    written = repr(value)
    try:
        number = Decimal(written)
    except InvalidOperation:
        return ""
    if not number.is_finite():
        return ""
    _, digits, exponent = number.as_tuple()
    if not number:
        return "0"
    if len(digits) > _MEASURED_DIGITS and isinstance(exponent, int) and -exponent > _MEASURED_PLACES:
        # Digits before the point are never cut.
        places = _KEPT_DIGITS - 1 - number.adjusted()
        number = round(number, places) if places > 0 else number.to_integral_value()
    if abs(number.adjusted()) > _WRITTEN_OUT:
        return written
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
