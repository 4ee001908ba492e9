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
    """A refused control call, or an expectation that did not hold: the first line says why."""

    def __init__(self, message: str, status: int | None = None, body: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


def refusal(status: int, text: str) -> SimulatorError:
    """The message of an error response, and below it where each near miss differs."""
    try:
        body = json.loads(text)
        lines = [body["error"]["message"]]
    except (ValueError, KeyError, TypeError):
        return SimulatorError(f"{status} {text}", status)
    details = body["error"].get("details", [])
    # A single one is in the message already.
    for problem in details if len(details) > 1 else []:
        lines.append(f"  {problem['path']}: {problem['message']}")
    for miss in body.get("nearMisses", []):
        entry = miss.get("entry", {})
        lines.append(f"nearest: {miss['id']} {entry.get('method', '')} {entry.get('path', '')}".rstrip())
        for at in miss["differences"]:
            lines.append(f"  {at['path']}: expected {json.dumps(at['expected'])}, seen {json.dumps(at.get('seen'))}")
    return SimulatorError("\n".join(lines), status, body)


def call(method: str, url: str, body: Any = None) -> Any:
    """One control call."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {CONTROL_TOKEN}"}
    data = None if method == "GET" else json.dumps(body or {}).encode()
    try:
        with urlopen(Request(url, data, headers, method=method), timeout=30) as answer:
            return json.load(answer)
    except HTTPError as refused:
        raise refusal(refused.code, refused.read().decode()) from None
    except URLError as failed:
        base, _, _ = url.partition("/__sim")
        raise SimulatorError(f"no simulator answers at {base} (MESSAGING_SIM_URL): {failed.reason}") from None


@dataclass
class Sandbox:
    """A world of its own: give `url` and `token` to your program."""

    url: str
    token: str
    base: str
    _returned: list[str] = field(default_factory=list, compare=False, repr=False)
    _run: int | None = field(default=None, compare=False, repr=False)

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
        match = self._wait({"reply": {"thread": thread, **reply}}, timeout_ms)["matches"][0]
        self._returned.append(match["id"])
        return match

    def silent(self, thread: str, for_ms: int) -> None:
        """Fails if your program writes to the customer within `for_ms`.

        Messages since the last call of the test that caused a delivery count too, unless `wait_for_reply` has returned them.
        """
        try:
            answer = self._wait({"reply": {"thread": thread}, "sinceCause": True}, for_ms)
        except SimulatorError as none_came:
            if none_came.status == 408 and "evicted" not in none_came.body:
                return
            raise
        bodies = [match["body"] for match in answer["matches"]]
        said = ", ".join(json.dumps(body.get("text", body.get("contentSid"))) for body in bodies)
        raise SimulatorError(f"Expected no visible message in thread {thread} for {for_ms} ms, but this arrived: {said}")

    def _wait(self, wanted: dict[str, Any], timeout_ms: int) -> Any:
        """What `wanted` matches, without what was returned before."""
        body = {"for": {**wanted, "except": self._returned[-1000:]}, "timeoutMs": timeout_ms}
        if self._run is not None:
            body["run"] = self._run
        answer = self.control("/wait", body)
        if self._run not in (None, answer["run"]):
            # A reset has begun another run, with the same ids again.
            self._returned.clear()
            self._run = None
            return self._wait(wanted, timeout_ms)
        self._run = answer["run"]
        return answer


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
