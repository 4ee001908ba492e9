// Package notify tells a customer that an order is ready. It stands for your program.
package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

const template = "HX00000000000000000000000000000002"

// Notify writes to a thread, by a template where free text is refused.
func Notify(url, token, thread string) error {
	status, err := send(url, token, map[string]string{"customerThreadId": thread, "text": "Your order is ready."})
	if err == nil && status == http.StatusBadRequest {
		status, err = send(url, token, map[string]string{"customerThreadId": thread, "contentSid": template})
	}
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the service answered %d", status)
	}
	return err
}

func send(url, token string, message map[string]string) (int, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequest("POST", url+"/api/send-message-to-customer-thread", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("token", token)
	request.Header.Set("content-type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	return answer.StatusCode, nil
}
