from messaging_sim import Sandbox
from notify import notify


def test_writes_freely_while_the_window_is_open(sandbox: Sandbox) -> None:
    notify(sandbox.url, sandbox.token, "9001")
    assert sandbox.wait_for_reply("9001", contains="ready")["status"] == 200


def test_uses_the_template_once_the_window_is_closed(sandbox: Sandbox) -> None:
    sandbox.window("9001", is_open=False)
    notify(sandbox.url, sandbox.token, "9001")
    assert sandbox.wait_for_reply("9001", template="order_ready")["status"] == 200
