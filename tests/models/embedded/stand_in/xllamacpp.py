"""A stand-in for the library that serves weights: a file's words after "GGUF" say what its server does."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace


class CommonParams(SimpleNamespace):
    """The settings, of which any may be set."""

    def __init__(self) -> None:
        super().__init__(model=SimpleNamespace(path=""), cpuparams=SimpleNamespace())
        self.cpuparams_batch = self.cpuparams


class Server:
    """Serves as soon as it is made, as the library's does."""

    def __init__(self, asked: CommonParams) -> None:
        word = Path(asked.model.path).read_text().removeprefix("GGUF")
        if word == "broken":
            print("0.00.1 E load: unknown model architecture: 'xyz'", file=sys.stderr, flush=True)
            raise RuntimeError("it did not start")
        if word == "slow":
            time.sleep(60)

        class Answers(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if body["messages"][-1]["content"] == "die":
                    os._exit(1)
                known = self.headers["authorization"] == f"Bearer {asked.api_keys[0]}"
                text = f"{os.getpid()} {asked.cpuparams.n_threads} {asked.n_ctx} {asked.n_parallel}"
                usage = {"prompt_tokens": 5, "completion_tokens": 2}
                choice = {"message": {"content": text}, "finish_reason": "stop"}
                sent = json.dumps({"choices": [choice], "usage": usage}).encode()
                self.send_response(200 if known else 401)
                self.send_header("content-length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{self._server.server_address[1]}"
