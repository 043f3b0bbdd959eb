// Package oidc asks an OpenID Connect provider who somebody is: the authorization code flow
// with PKCE (OpenID Connect Core 1.0; RFC 7636), for a confidential or a public client.
//
// What holds:
//
//   - A provider is looked up when somebody first signs in by it, and not before. One that is
//     down, slow or wrong costs whoever waits for it at most Timeout, and nobody else anything.
//   - Whom an answer names is believed only when its ID token is signed by a key of the provider
//     with one of Algorithms, for this client, by this issuer, for this nonce, and is not older
//     than it says, give or take Skew.
//   - Nothing is sent to, or taken from, an address that somebody on the way could read: all of
//     them are https, or on this machine.
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
)

const (
	// Timeout bounds each request to a provider.
	Timeout = 5 * time.Second
	// Skew is how far the provider's clock may be from ours.
	Skew = time.Minute
	// metadataTime is how long what a provider says of itself is believed. While it cannot be
	// asked again, it goes on to be.
	metadataTime = time.Hour
	// failureTime is how long a provider that could not be looked up is not asked again.
	failureTime = 2 * time.Second
	// longestReply is in bytes; what is behind it is not read.
	longestReply = 1 << 20
	// mostGroups bounds the groups that are read from one ID token.
	mostGroups = 1000
)

// Algorithms are those that an ID token may be signed with: public keys only. With a secret,
// or with none, the client itself could sign.
var Algorithms = []string{
	discovery.RS256, discovery.RS384, discovery.RS512, discovery.PS256, discovery.PS384, discovery.PS512,
	discovery.ES256, discovery.ES384, discovery.ES512, discovery.EdDSA,
}

// Client is this service as a provider knows it.
type Client struct {
	// Issuer is the provider's identifier, letter by letter as its ID tokens have it.
	Issuer string
	ID     string
	// Secret is "" for a public client, which PKCE alone protects.
	Secret string
	// Scopes are asked for beside openid.
	Scopes []string
	// GroupsClaim names the claim of an ID token that lists the groups; "" reads none.
	GroupsClaim string
}

// Provider is one OpenID Connect provider. It is safe for concurrent use.
type Provider struct {
	client Client
	clock  clock.Clock
	http   *http.Client

	lookUps singleflight.Group
	mu      sync.Mutex
	known   *metadata
	// failed is when the provider could last not be looked up, and failure why.
	failed  time.Time
	failure error
}

// metadata is what a provider says of itself.
type metadata struct {
	endpoint oauth2.Endpoint
	verifier *discovery.IDTokenVerifier
	// namesIssuer is set when answers carry the issuer (RFC 9207).
	namesIssuer bool
	readTime    time.Time
}

// The reasons for which nobody is signed in by a provider.
var (
	// ErrUnavailable is for a provider that cannot be asked: it is down, slow, or not one.
	ErrUnavailable = errors.New("the provider cannot be asked")
	// ErrRefused is for an answer that proves nothing.
	ErrRefused = errors.New("the answer of the provider proves nothing")
	// ErrClock is for an ID token that is good by another clock than ours.
	ErrClock = errors.New("the clocks of the provider and of this service differ")
)

// New returns a provider, which is asked nothing yet.
func New(client Client, clock clock.Clock) *Provider {
	return &Provider{client: client, clock: clock, http: HTTPClient(Timeout)}
}

// Issuer returns the provider's identifier.
func (p *Provider) Issuer() string { return p.client.Issuer }

// lookUp returns what the provider says of itself, for all who want to know at once. Errors:
// ErrUnavailable.
func (p *Provider) lookUp(ctx context.Context) (*metadata, error) {
	known, err := p.recall()
	if known != nil || err != nil {
		return known, err
	}
	found := p.lookUps.DoChan("", func() (any, error) {
		// The first asker may hang up; the others still want the answer.
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

// recall returns what is known, or why nothing is that was asked for just now; nil when it is
// time to ask.
func (p *Provider) recall() (*metadata, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	lately := now.Sub(p.failed) < failureTime
	switch {
	case p.known != nil && (now.Sub(p.known.readTime) < metadataTime || lately):
		return p.known, nil
	case lately:
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

// read asks the provider for its metadata (OpenID Connect Discovery 1.0, 4).
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
	// Who says nothing of it may still take it, and is sent it.
	if len(says.Challenges) > 0 && !slices.Contains(says.Challenges, "S256") {
		return nil, fmt.Errorf("it does not take PKCE by S256, only %.100q", says.Challenges)
	}
	endpoint.AuthStyle = p.authStyle(says.Methods)
	// The keys are read later, when this request is long over.
	keys := discovery.NewRemoteKeySet(p.with(context.WithoutCancel(ctx)), says.Keys)
	return &metadata{
		endpoint: endpoint, namesIssuer: says.NamesIssuer, readTime: p.clock.Now(),
		verifier: discovery.NewVerifier(p.client.Issuer, reachable{keys}, &discovery.Config{
			ClientID: p.client.ID, SupportedSigningAlgs: Algorithms,
			Now: func() time.Time { return p.clock.Now().Add(-Skew) },
		}),
	}, nil
}

// authStyle is how the client shows its secret: as the provider says, and in the header when it
// says nothing (OpenID Connect Discovery 1.0, 3). To try both would redeem a code twice.
func (p *Provider) authStyle(methods []string) oauth2.AuthStyle {
	inHeader := len(methods) == 0 || slices.Contains(methods, "client_secret_basic")
	if p.client.Secret != "" && inHeader {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// with returns a context under which the libraries use our client.
func (p *Provider) with(ctx context.Context) context.Context {
	return discovery.ClientContext(ctx, p.http)
}

// config is what x/oauth2 needs to know.
func (p *Provider) config(m *metadata, redirect string) oauth2.Config {
	return oauth2.Config{
		ClientID: p.client.ID, ClientSecret: p.client.Secret, Endpoint: m.endpoint, RedirectURL: redirect,
		Scopes: append([]string{discovery.ScopeOpenID}, p.client.Scopes...),
	}
}

// Safe reports whether nobody on the way to an address can read or change what is said there:
// it is https, or on this machine.
func Safe(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Hostname())
}

// isHere reports whether an address is of this machine, where a provider elsewhere has no
// business.
func isHere(address string) bool {
	u, err := url.Parse(address)
	return err == nil && IsLoopback(u.Hostname())
}

// longestReason is how much of an error of a library is told: it may quote a whole reply.
const longestReason = 300

// short is an error whose text is cut, for the log.
func short(err error) error {
	text := err.Error()
	if len(text) <= longestReason {
		return err
	}
	return errors.New(strings.ToValidUTF8(text[:longestReason], "") + "…")
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}
