package notify

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// A sandbox is a world of its own, which ends with the test.
type sandbox struct {
	t      *testing.T
	URL    string `json:"-"`
	ID     string
	Tokens map[string]string
}

func newSandbox(t *testing.T) *sandbox {
	made := &sandbox{t: t, URL: os.Getenv("MESSAGING_SIM_URL")}
	if err := json.Unmarshal(made.call("POST", "", "{}"), made); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.call("DELETE", "/"+made.ID, "") })
	return made
}

// Posts to a route of the control API, in this sandbox.
func (s *sandbox) control(path, body string) []byte {
	return s.call("POST", "/"+s.ID+path, body)
}

func (s *sandbox) call(method, path, body string) []byte {
	s.t.Helper()
	request, err := http.NewRequest(method, s.URL+"/__sim/sandboxes"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set("authorization", "Bearer "+os.Getenv("MESSAGING_SIM_CONTROL_TOKEN"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	return text
}
