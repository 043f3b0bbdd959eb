package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls the API with one credential. It may be used by many goroutines.
type Client struct {
	Resources

	base       string
	token      string
	onBehalfOf string
	http       *http.Client
	// retryPauses are the pauses between the attempts of an operation.
	retryPauses []time.Duration
}

// Option changes how a client works.
type Option func(*Client)

// WithHTTPClient makes the client send its requests through h. Its Timeout bounds one attempt.
// The default client has a timeout of 30 s.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithBackoff sets the pauses between attempts; the number of pauses is the number of retries. The
// default is 100, 200 and 400 ms. Each pause is lengthened by a random time of up to half of it; a
// longer Retry-After of the service replaces the pause.
func WithBackoff(pauses ...time.Duration) Option {
	return func(c *Client) { c.retryPauses = pauses }
}

// New returns a client of the service at baseURL (scheme and host) that authenticates with token,
// an API token or a customer's JWT.
func New(baseURL, token string, options ...Option) (*Client, error) {
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("parse the address of the service: %w", err)
	}
	if base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("the address of the service is %q; want http:// or https:// and a host", baseURL)
	}
	if token == "" {
		return nil, errors.New("the client has no token")
	}
	c := &Client{
		base: strings.TrimSuffix(base.String(), "/") + "/api/v1", token: token,
		http:        &http.Client{Timeout: 30 * time.Second},
		retryPauses: []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond},
	}
	for _, option := range options {
		option(c)
	}
	c.bind()
	return c, nil
}

// For returns a client that acts for a customer. The API token of c needs the scope
// customers:impersonate.
func (c *Client) For(userID string) *Client {
	other := *c
	other.onBehalfOf = userID
	other.bind()
	return &other
}
