"""Your program: tells a customer that an order is ready, by a template where free text is refused."""
import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

TEMPLATE = "HX00000000000000000000000000000002"


def notify(url, token, thread):
    def send(**message):
        body = json.dumps({"customerThreadId": thread, **message}).encode()
        headers = {"token": token, "content-type": "application/json"}
        urlopen(Request(f"{url}/api/send-message-to-customer-thread", body, headers)).close()

    try:
        send(text="Your order is ready.")
    except HTTPError as refused:
        if refused.code != 400:
            raise
        send(contentSid=TEMPLATE)
