from notify import notify


def wait_for_reply(sandbox, **reply):
    return sandbox.control("/wait", {"for": {"reply": {"thread": "9001", **reply}}})


def test_writes_freely_while_the_window_is_open(sandbox):
    notify(sandbox.url, sandbox.token, "9001")
    assert wait_for_reply(sandbox, contains="ready")["count"] == 1


def test_uses_the_template_once_the_window_is_closed(sandbox):
    sandbox.control("/threads/9001/window", {"open": False})
    notify(sandbox.url, sandbox.token, "9001")
    assert wait_for_reply(sandbox, template="order_ready")["count"] == 1
