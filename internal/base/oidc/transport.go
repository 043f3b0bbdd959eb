package oidc

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	discovery "github.com/coreos/go-oidc/v3/oidc"

	"interlock/internal/base/expiry"
)

// HTTPClient returns a client for the documents and keys of an identity provider. It follows no
// redirect, so that a client's secret and the requests for keys reach only addresses that the
// settings or the provider's discovery document contain. It reads at most maxReplyBytes bytes of a
// reply, and stores the expiry of the provider's certificates in seen.
func HTTPClient(timeout time.Duration, seen *expiry.Seen) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		Transport:     bounded{oneShot(seen)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// oneShot returns the default transport without idle connections, because sign-ins are rare.
func oneShot(seen *expiry.Seen) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, VerifyConnection: seen.Note}
	transport.DisableKeepAlives = true
	return transport
}

// bounded limits every response to maxReplyBytes, because the libraries read without a
// limit.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(response.Body, maxReplyBytes), response.Body}
	return response, nil
}

// reachable distinguishes a failed fetch of the keys from a wrong signature; go-oidc
// returns the same error type for both.
type reachable struct{ discovery.KeySet }

type unreadKey struct{}

// VerifySignature implements go-oidc's KeySet.
func (r reachable) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := r.KeySet.VerifySignature(ctx, token)
	if unread, ok := ctx.Value(unreadKey{}).(*bool); ok {
		*unread = err != nil && strings.HasPrefix(err.Error(), "fetching keys ")
	}
	return payload, err
}

// isAway reports whether a request had no response.
func isAway(err error) bool {
	var failed *url.Error
	return errors.As(err, &failed) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
