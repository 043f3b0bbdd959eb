// Package oidc authenticates users with an OpenID Connect provider: the authorization code
// flow with PKCE (OpenID Connect Core 1.0; RFC 7636), for a confidential or a public
// client.
//
// Invariants:
//
//   - Discovery of a provider happens at the first sign-in with it. A provider that is
//     down, slow or misconfigured delays only its own users, by at most Timeout.
//   - The identity in a callback is accepted only if its ID token is signed by a key of
//     the provider with one of Algorithms, for this client, issuer and nonce, and has not
//     expired, with a tolerance of Skew.
//   - Requests are sent only to addresses that cannot be intercepted: https, or this
//     machine.
package oidc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	discovery "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"interlock/internal/base/clock"
	"interlock/internal/base/expiry"
)

const (
	// Timeout bounds each request to a provider.
	Timeout = 5 * time.Second
	// Skew is the tolerated difference to the provider's clock.
	Skew = time.Minute
	// metadataTime is how long the discovery document is cached. If it cannot be refreshed,
	// the cached one stays in use.
	metadataTime = time.Hour
	// failureTime is the pause after a failed discovery.
	failureTime = 2 * time.Second
	// maxReplyBytes bounds a response in bytes; the rest is not read.
	maxReplyBytes = 1 << 20
	// maxGroups bounds the number of groups read from an ID token.
	maxGroups = 1000
)

// Algorithms are the accepted signature algorithms of ID tokens: public-key algorithms
// only. With a shared secret, or without a signature, the client itself could forge tokens.
var Algorithms = []string{
	discovery.RS256, discovery.RS384, discovery.RS512, discovery.PS256, discovery.PS384, discovery.PS512,
	discovery.ES256, discovery.ES384, discovery.ES512, discovery.EdDSA,
}

// Client is this service as registered with a provider.
type Client struct {
	// Issuer is the provider's identifier, exactly as in its ID tokens.
	Issuer string
	ID     string
	// Secret is "" for a public client, which PKCE alone protects.
	Secret string
	// Scopes are requested in addition to openid.
	Scopes []string
	// GroupsClaim is the name of the ID token claim with the groups; "" for none.
	GroupsClaim string
}

// Provider is one OpenID Connect provider. It is safe for concurrent use.
type Provider struct {
	client Client
	clock  clock.Clock
	http   *http.Client

	certificate expiry.Seen

	lookUps singleflight.Group
	mu      sync.Mutex
	known   *metadata
	// failed is the time of the last failed discovery, and failure its error.
	failed  time.Time
	failure error
}

// metadata is the provider's discovery document.
type metadata struct {
	endpoint oauth2.Endpoint
	verifier *discovery.IDTokenVerifier
	// namesIssuer is set if callbacks contain the issuer (RFC 9207).
	namesIssuer bool
	readTime    time.Time
}

// Reasons for a failed sign-in.
var (
	// ErrUnavailable: the provider is down, slow, or not an OpenID Connect provider.
	ErrUnavailable = errors.New("the provider cannot be reached")
	// ErrRefused: the callback or the ID token is invalid.
	ErrRefused = errors.New("the response of the provider is not valid")
	// ErrClock: the ID token is valid only by a clock that differs from ours.
	ErrClock = errors.New("the clocks of the provider and of this service differ")
)

// New returns a provider without contacting it.
func New(client Client, clock clock.Clock) *Provider {
	p := &Provider{client: client, clock: clock}
	p.http = HTTPClient(Timeout, &p.certificate)
	return p
}

// CertificateEnd returns when the certificate that the provider presented last expires; the
// zero time without TLS, and before the first request.
func (p *Provider) CertificateEnd() time.Time { return p.certificate.End() }

// Issuer returns the provider's identifier.
func (p *Provider) Issuer() string { return p.client.Issuer }

// lookUp returns the discovery document, shared by concurrent callers. Errors:
// ErrUnavailable.
func (p *Provider) lookUp(ctx context.Context) (*metadata, error) {
	known, err := p.recall()
	if known != nil || err != nil {
		return known, err
	}
	found := p.lookUps.DoChan("", func() (any, error) {
		// The first caller may disconnect; the others still need the result.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Timeout)
		defer cancel()
		read, err := p.read(ctx)
		return p.remember(read, err)
	})
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	case result := <-found:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.(*metadata), nil
	}
}

// recall returns the cached document, or the error of a recent discovery; nil if a new
// discovery is due.
func (p *Provider) recall() (*metadata, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	failedRecently := now.Sub(p.failed) < failureTime
	switch {
	case p.known != nil && (now.Sub(p.known.readTime) < metadataTime || failedRecently):
		return p.known, nil
	case failedRecently:
		return nil, p.failure
	}
	return nil, nil
}

func (p *Provider) remember(read *metadata, err error) (*metadata, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.failed, p.failure = p.clock.Now(), fmt.Errorf("%w: look up %s: %w", ErrUnavailable, p.client.Issuer, short(err))
		if p.known == nil {
			return nil, p.failure
		}
		return p.known, nil
	}
	p.known, p.failure = read, nil
	return read, nil
}

// read fetches the discovery document (OpenID Connect Discovery 1.0, 4).
func (p *Provider) read(ctx context.Context) (*metadata, error) {
	found, err := discovery.NewProvider(p.with(ctx), p.client.Issuer)
	if err != nil {
		return nil, err
	}
	var says struct {
		Keys        string   `json:"jwks_uri"`
		Challenges  []string `json:"code_challenge_methods_supported"`
		NamesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
		Methods     []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := found.Claims(&says); err != nil {
		return nil, err
	}
	endpoint := found.Endpoint()
	for name, address := range map[string]string{"authorization_endpoint": endpoint.AuthURL, "token_endpoint": endpoint.TokenURL, "jwks_uri": says.Keys} {
		if !Safe(address) || isHere(address) && !isHere(p.client.Issuer) {
			return nil, fmt.Errorf("its %s, %.200q, is not https, or on this machine where it is not", name, address)
		}
	}
	// A provider that does not list methods may still support S256, so the flow uses S256.
	if len(says.Challenges) > 0 && !slices.Contains(says.Challenges, "S256") {
		return nil, fmt.Errorf("it does not support PKCE with S256, only %.100q", says.Challenges)
	}
	endpoint.AuthStyle = p.authStyle(says.Methods)
	// The keys are fetched later, after the end of this request.
	keys := discovery.NewRemoteKeySet(p.with(context.WithoutCancel(ctx)), says.Keys)
	return &metadata{
		endpoint: endpoint, namesIssuer: says.NamesIssuer, readTime: p.clock.Now(),
		verifier: discovery.NewVerifier(p.client.Issuer, reachable{keys}, &discovery.Config{
			ClientID: p.client.ID, SupportedSigningAlgs: Algorithms,
			Now: func() time.Time { return p.clock.Now().Add(-Skew) },
		}),
	}, nil
}

// authStyle returns the way to send the client secret: in the header, unless the provider lists
// only other methods (OpenID Connect Discovery 1.0, 3). Trying both ways would redeem a code twice.
func (p *Provider) authStyle(methods []string) oauth2.AuthStyle {
	inHeader := len(methods) == 0 || slices.Contains(methods, "client_secret_basic")
	if p.client.Secret != "" && inHeader {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// with returns a context with which the libraries use our HTTP client.
func (p *Provider) with(ctx context.Context) context.Context {
	return discovery.ClientContext(ctx, p.http)
}

// config returns the configuration for x/oauth2.
func (p *Provider) config(m *metadata, redirect string) oauth2.Config {
	return oauth2.Config{
		ClientID: p.client.ID, ClientSecret: p.client.Secret, Endpoint: m.endpoint, RedirectURL: redirect,
		Scopes: append([]string{discovery.ScopeOpenID}, p.client.Scopes...),
	}
}

// Safe reports whether traffic to an address cannot be read or changed in transit: it is
// https, or on this machine.
func Safe(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Hostname())
}

// isHere reports whether an address is on this machine, which is not valid for a remote
// provider.
func isHere(address string) bool {
	u, err := url.Parse(address)
	return err == nil && IsLoopback(u.Hostname())
}

// maxReasonBytes bounds the error text of a library, which may quote a whole response.
const maxReasonBytes = 300

// short truncates the text of an error for the log.
func short(err error) error {
	text := err.Error()
	if len(text) <= maxReasonBytes {
		return err
	}
	return errors.New(strings.ToValidUTF8(text[:maxReasonBytes], "") + "…")
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}
