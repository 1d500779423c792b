"""Write the licences of what the built pages contain to `LICENSES.txt` beside them, from `node_modules`.

They are the packages that the lock file installs for use rather than for development, and the fonts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WEB = Path(__file__).parent
NOTICES = WEB.parent / "src/osler/web/dist/LICENSES.txt"
FONTS = ("node_modules/@fontsource-variable/nunito",)
RULE = "-" * 80


def bundled(web: Path = WEB) -> dict[str, dict[str, Any]]:
    """The packages in the built pages by their folder, as the lock file describes them."""
    packages = json.loads((web / "package-lock.json").read_text("utf-8"))["packages"]
    return {
        folder: about
        for folder, about in packages.items()
        if folder and (not about.get("dev") or folder in FONTS)
    }


def notices(web: Path = WEB) -> str:
    """The name, version and licence of each package, then the texts that the packages hold, each once."""
    packages, texts = bundled(web), dict[str, list[str]]()
    lines = ["Osler's pages contain the following software and fonts, each under its own licence.", ""]
    for folder, about in packages.items():
        name = f"{folder.removeprefix('node_modules/')} {about['version']}"
        text = _text(web / folder)
        lines.append(f"{name}: {about['license']}" + ("" if text else " (its package holds no text of it)"))
        if text:
            texts.setdefault(text, []).append(name)
    for text, names in texts.items():
        lines += ["", RULE, ", ".join(names), RULE, text]
    return "\n".join(lines) + "\n"


def _text(folder: Path) -> str:
    found = sorted(path for path in folder.iterdir() if path.stem.upper() in ("LICENSE", "LICENCE"))
    text = found[0].read_text("utf-8") if found else ""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


if __name__ == "__main__":
    NOTICES.write_text(notices(), "utf-8", newline="\n")
