"""An extension of the reference's builder: docstrings become Markdown, examples code, and lists tables."""

from __future__ import annotations

from typing import Any

import griffe

from docs.site.markdown import marked


class Docstrings(griffe.Extension):
    """The extension: every docstring that has one is rewritten as it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring is not None and not obj.extra[__name__].get("marked"):
            obj.docstring.value = marked(obj.docstring.value)
            obj.extra[__name__]["marked"] = True
