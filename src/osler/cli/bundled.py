"""Options that belong together: written once, and handed to every command that takes them as one value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any


def bundled(
    parameter: str, options: Mapping[str, tuple[Any, Any]], build: Callable[..., Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator for a command with this parameter: `options` (name: annotation, default) take its place,
    and it is given what `build` makes of their values."""

    def decorated(body: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(body, eval_str=True, locals={"ModelOptions": object})
        parameters = list[inspect.Parameter]()
        for each in signature.parameters.values():
            listed = options if each.name == parameter else {each.name: (each.annotation, each.default)}
            parameters += [
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
                for name, (kind, default) in listed.items()
            ]

        @wraps(body)
        def run(*given: Any, **named: Any) -> None:
            if parameter not in named:
                named[parameter] = build(**{one: named.pop(one) for one in options if one in named})
            body(*given, **named)

        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorated
