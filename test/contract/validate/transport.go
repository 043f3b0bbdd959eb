package validate

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
)

// Failer is the part of testing.TB that a Transport needs.
type Failer interface {
	Errorf(format string, arguments ...any)
	Helper()
}

// Transport is an http.RoundTripper that fails its test if an exchange violates the
// contract, and returns the response unchanged. It is safe for concurrent use.
type Transport struct {
	next http.RoundTripper
	t    Failer

	mu   sync.Mutex
	seen map[string]bool
}

// NewTransport returns a Transport that sends through next and reports to t.
func NewTransport(t Failer, next http.RoundTripper) *Transport {
	return &Transport{next: next, t: t, seen: make(map[string]bool)}
}

// RoundTrip implements http.RoundTripper. It does not read the bodies of event streams.
func (v *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	v.t.Helper()
	contract, err := Load()
	if err != nil {
		return nil, err
	}
	x := Exchange{Request: request}
	if request.Body != nil {
		if x.RequestBody, err = io.ReadAll(request.Body); err != nil {
			return nil, fmt.Errorf("read the request to validate it: %w", err)
		}
		request = request.Clone(request.Context())
		request.Body = io.NopCloser(bytes.NewReader(x.RequestBody))
	}
	response, err := v.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	x.Response = response
	if mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); mediaType != "text/event-stream" {
		x.ResponseBody, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("read the reply to validate it: %w", err)
		}
		response.Body = io.NopCloser(bytes.NewReader(x.ResponseBody))
	}
	if err := contract.Check(x); err != nil {
		v.t.Errorf("departs from the contract: %v", err)
	}
	v.remember(contract, x)
	return response, nil
}

func (v *Transport) remember(contract *Contract, x Exchange) {
	operation := contract.Find(x.Request)
	if operation == nil || x.Response.StatusCode >= http.StatusBadRequest {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen[operation.Name] = true
}

// Succeeded reports whether an operation has had a successful response.
func (v *Transport) Succeeded(operation string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.seen[operation]
}
