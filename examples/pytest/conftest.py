"""Fixtures: `simulator`, one for the run, and `sandbox`, a world of its own for each test."""
import json
import os
import re
import subprocess
from types import SimpleNamespace
from urllib.request import Request, urlopen

import pytest

CONTROL_TOKEN = os.environ.get("MESSAGING_SIM_CONTROL_TOKEN", "")


def call(method, url, body=None):
    """One control call; urllib raises what is refused."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {CONTROL_TOKEN}"}
    request = Request(url, json.dumps(body or {}).encode(), headers, method=method)
    with urlopen(request, timeout=30) as answer:
        return json.load(answer)


@pytest.fixture(scope="session")
def simulator():
    """Address of the simulator: the one that already runs, or one for this run."""
    if "MESSAGING_SIM_URL" in os.environ:
        yield os.environ["MESSAGING_SIM_URL"]
        return
    command = ["node_modules/.bin/messaging-sim", "serve", "--port", "0", "--log-level", "error"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield re.search(r"ready at (\S+)", process.stdout.readline())[1]
        process.terminate()


@pytest.fixture
def sandbox(simulator):
    made = call("POST", f"{simulator}/__sim/sandboxes")
    base = f"{simulator}/__sim/sandboxes/{made['id']}"
    control = lambda path, body: call("POST", base + path, body)
    yield SimpleNamespace(url=simulator, token=made["tokens"]["acme-token"], control=control)
    call("DELETE", base)
