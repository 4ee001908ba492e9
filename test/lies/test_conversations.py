"""The conversations as tests by pytest, each with a program of its own."""
import json
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from messaging_sim import Sandbox

CASES = json.loads(Path("cases.json").read_text())


def once(sandbox: Sandbox, within: int, silent: int) -> None:
    sandbox.customer_says("9001", "Hello")
    sandbox.wait_for_reply("9001", text="You said: Hello", timeout_ms=within)
    sandbox.silent("9001", for_ms=silent)


def colleague(sandbox: Sandbox, within: int, silent: int) -> None:
    sandbox.customer_says("9001", "Hello")
    sandbox.wait_for_reply("9001", text="You said: Hello", timeout_ms=within)
    sandbox.control("/threads/9001/employee-message", {"userId": "501", "text": "I take over"})
    sandbox.silent("9001", for_ms=silent)


def window(sandbox: Sandbox, within: int, silent: int) -> None:
    sandbox.window("9001", is_open=False)
    sandbox.customer_says("9001", "Hello")
    sandbox.wait_for_reply("9001", template="issue_back", timeout_ms=within)


def forged(sandbox: Sandbox, within: int, silent: int) -> None:
    signature = {"scheme": "standard-webhooks", "secrets": ["bot-secret"]}
    sandbox.control("/behaviour", {"delivery.signature": signature}, method="PATCH")
    sandbox.control("/faults", {"on": "delivery", "times": 1, "then": "bad-signature"})
    sandbox.customer_says("9001", "Forged")
    sandbox.silent("9001", for_ms=silent)
    sandbox.customer_says("9001", "Genuine")
    sandbox.wait_for_reply("9001", text="You said: Genuine", timeout_ms=within)


def two_messages(sandbox: Sandbox, within: int, silent: int) -> None:
    sandbox.customer_says("9001", "Hello")
    sandbox.customer_says("9001", "Are you there?")
    sandbox.wait_for_reply("9001", text="You said: Hello Are you there?", timeout_ms=within)
    sandbox.silent("9001", for_ms=silent)


def rate_limited(sandbox: Sandbox, within: int, silent: int) -> None:
    sandbox.control("/faults", {"on": "request", "times": 1, "then": "rate-limited"})
    sandbox.customer_says("9001", "Hello")
    sandbox.wait_for_reply("9001", text="You said: Hello", timeout_ms=within)
    sandbox.silent("9001", for_ms=silent)


@contextmanager
def started(program: str, port: int, sandbox: Sandbox):
    """The program, with the webhooks pointed at it, whether it listens there or not."""
    env = {**os.environ, "PORT": str(port), "MESSAGING_SIM_URL": sandbox.url, "MESSAGING_SIM_TOKEN": sandbox.token}
    with subprocess.Popen(["node", program], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as bot:
        try:
            bot.stdout.readline()
            sandbox.connect(f"http://127.0.0.1:{port}")
            yield
        finally:
            bot.kill()


@pytest.mark.parametrize("case", [case for case in CASES for _ in range(case["rounds"])], ids=lambda case: case["name"])
def test_conversation(sandbox: Sandbox, case: dict) -> None:
    conversation = globals()[case["conversation"].replace("-", "_")]
    with started(case["program"], case["port"], sandbox):
        conversation(sandbox, case["within"], case["silent"])
