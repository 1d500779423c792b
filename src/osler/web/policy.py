"""The content policy of the pages: what a browser may run and fetch for them."""

from __future__ import annotations

from typing import Final

ARIA_STYLE: Final = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='"
"""The hash of the one <style> that React Aria puts into a page (its usePress)."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; "
    f"style-src 'self' {ARIA_STYLE}; img-src 'self' blob:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'"
)
