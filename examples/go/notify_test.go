package notify

import "testing"

func TestWritesFreelyWhileTheWindowIsOpen(t *testing.T) {
	sandbox := newSandbox(t)
	if err := Notify(sandbox.URL, sandbox.Tokens["acme-token"], "9001"); err != nil {
		t.Fatal(err)
	}
	sandbox.control("/wait", `{"for": {"reply": {"thread": "9001", "contains": "ready"}}}`)
}

func TestUsesTheTemplateOnceTheWindowIsClosed(t *testing.T) {
	sandbox := newSandbox(t)
	sandbox.control("/threads/9001/window", `{"open": false}`)
	if err := Notify(sandbox.URL, sandbox.Tokens["acme-token"], "9001"); err != nil {
		t.Fatal(err)
	}
	sandbox.control("/wait", `{"for": {"reply": {"thread": "9001", "template": "order_ready"}}}`)
}
