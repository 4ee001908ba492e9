"""pytest fixtures for messaging-sim: `simulator`, one for the run, and `sandbox`, an isolated world for each test."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import Any, Iterator
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

CONTROL_TOKEN = os.environ.get("MESSAGING_SIM_CONTROL_TOKEN", "")


class SimulatorError(AssertionError):
    """A refused control call, or an expectation that did not hold, with the entries that came nearest."""


def diagnosis(status: int, text: str) -> str:
    """The message of an error response, and below it where each near miss differs."""
    try:
        body = json.loads(text)
        lines = [body["error"]["message"]]
    except (ValueError, KeyError, TypeError):
        return f"{status} {text}"
    details = body["error"].get("details", [])
    # A single one is in the message already.
    for problem in details if len(details) > 1 else []:
        lines.append(f"  {problem['path']}: {problem['message']}")
    for miss in body.get("nearMisses", []):
        entry = miss.get("entry", {})
        lines.append(f"nearest: {miss['id']} {entry.get('method', '')} {entry.get('path', '')}".rstrip())
        for at in miss["differences"]:
            lines.append(f"  {at['path']}: expected {json.dumps(at['expected'])}, seen {json.dumps(at.get('seen'))}")
    return "\n".join(lines)


def call(method: str, url: str, body: Any = None) -> Any:
    """One control call."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {CONTROL_TOKEN}"}
    data = None if method == "GET" else json.dumps(body or {}).encode()
    try:
        with urlopen(Request(url, data, headers, method=method), timeout=30) as answer:
            return json.load(answer)
    except HTTPError as refused:
        raise SimulatorError(diagnosis(refused.code, refused.read().decode())) from None
    except URLError as failed:
        base, _, _ = url.partition("/__sim")
        raise SimulatorError(f"no simulator answers at {base} (MESSAGING_SIM_URL): {failed.reason}") from None


@dataclass(frozen=True)
class Sandbox:
    """A world of its own: give `url` and `token` to your program."""

    url: str
    token: str
    base: str
    _returned: set[tuple[int, str]] = field(default_factory=set, compare=False, repr=False)

    def control(self, path: str, body: Any = None, method: str = "POST") -> Any:
        """Any route of the control API, in this sandbox."""
        return call(method, self.base + path, body)

    def customer_says(self, thread: str, text: str) -> dict[str, Any]:
        return self.control(f"/threads/{thread}/inbound", {"text": text})

    def window(self, thread: str, is_open: bool) -> dict[str, Any]:
        return self.control(f"/threads/{thread}/window", {"open": is_open})

    def connect(self, url: str) -> dict[str, Any]:
        """Points every webhook at your program."""
        return self.control("/connect", {"url": url})

    def wait_for_reply(self, thread: str, timeout_ms: int = 4000, **reply: Any) -> dict[str, Any]:
        """The next visible message of your program: `text`, `contains`, `matches` or `template` say which.

        Each message is returned once; earlier ones count.
        """
        count = 1
        while True:
            wanted = {"reply": {"thread": thread, **reply}, "count": count}
            answer = self.control("/wait", {"for": wanted, "timeoutMs": timeout_ms})
            for match in answer["matches"]:
                # A reset begins another run, with the same ids again.
                key = (answer["run"], match["id"])
                if key not in self._returned:
                    self._returned.add(key)
                    return match
            count = len(answer["matches"]) + 1


@pytest.fixture(scope="session")
def simulator() -> Iterator[str]:
    """Address of the simulator: the one that `MESSAGING_SIM_URL` names, or one for this run."""
    if "MESSAGING_SIM_URL" in os.environ:
        url = os.environ["MESSAGING_SIM_URL"].rstrip("/")
        yield url if "://" in url else f"http://{url}"
        return
    program = shutil.which("messaging-sim", path=os.path.join("node_modules", ".bin"))
    assert program is not None, "messaging-sim is not installed here: npm i -D messaging-sim"
    command = [program, "serve", "--port", "0", "--log-level", "error"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready = re.search(r"ready at (\S+)", process.stdout.readline())
        assert ready is not None, "messaging-sim did not start"
        yield ready[1]
        process.terminate()


@pytest.fixture
def sandbox(simulator: str) -> Iterator[Sandbox]:
    """A sandbox that is deleted after the test."""
    made = call("POST", f"{simulator}/__sim/sandboxes")
    base = f"{simulator}/__sim/sandboxes/{made['id']}"
    yield Sandbox(url=simulator, token=made["tokens"]["acme-token"], base=base)
    call("DELETE", base)
