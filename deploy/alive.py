"""Exit 0 if the server answers at its port of this machine, 1 if it does not."""

from __future__ import annotations

import json
import os
import sys
from urllib.request import urlopen

try:
    with urlopen(f"http://127.0.0.1:{os.environ.get('OSLER_PORT', '8321')}/api/me", timeout=5) as answer:
        sys.exit("version" not in json.load(answer))
except (OSError, ValueError) as error:
    sys.exit(f"no answer: {error}")
