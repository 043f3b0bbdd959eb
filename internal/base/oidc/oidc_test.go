package oidc_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/clock"
	"interlock/internal/base/oidc"
	"interlock/internal/base/oidc/oidctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const redirect = "http://127.0.0.1:1/callback"

var state = oidc.FlowSecrets{State: "state", Nonce: "nonce", Verifier: strings.Repeat("v", 43)}

func clientOf(p *oidctest.Provider) oidc.Client {
	return oidc.Client{Issuer: p.URL, ID: oidctest.ClientID, Secret: oidctest.ClientSecret}
}

// visit starts a sign-in, signs in as a subject, and redeems the response.
func visit(t *testing.T, at *oidctest.Provider, by *oidc.Provider, k oidc.FlowSecrets) (oidc.Named, error) {
	t.Helper()
	location, err := by.AuthorizationURL(t.Context(), state, redirect)
	if err != nil {
		return oidc.Named{}, err
	}
	back, err := url.Parse(at.SignIn(t, location, "li"))
	require.NoError(t, err)
	return by.Redeem(t.Context(), oidc.Answer{Code: back.Query().Get("code"), Issuer: back.Query().Get("iss")}, k, redirect)
}

func TestValidProviderIdentifiesTheUser(t *testing.T) {
	at := oidctest.New(t)
	by := oidc.New(clientOf(at), clock.System{})
	for range 2 {
		named, err := visit(t, at, by, state)
		require.NoError(t, err)
		require.Equal(t, oidc.Named{Subject: "li"}, named)
	}
}

// Proves G7.16.
func TestInvalidResponsesIdentifyNoUser(t *testing.T) {
	claim := func(name string, value any) func(*oidctest.Provider) {
		return func(p *oidctest.Provider) { p.Claims = func(claims map[string]any) { claims[name] = value } }
	}
	cases := []struct {
		name  string
		wrong func(p *oidctest.Provider)
		state oidc.FlowSecrets
		want  error
	}{
		{"its answer is by another issuer", func(p *oidctest.Provider) {
			p.Answer = func(v url.Values) { v.Set("iss", "https://elsewhere.example") }
		}, state, oidc.ErrRefused},
		{"its response lacks the issuer although its metadata promises it", func(p *oidctest.Provider) {
			p.Answer = func(v url.Values) { v.Del("iss") }
		}, state, oidc.ErrRefused},
		{"its ID token is by another issuer", claim("iss", "https://elsewhere.example"), state, oidc.ErrRefused},
		{"its ID token is for another client", claim("aud", "another"), state, oidc.ErrRefused},
		{"its ID token is for several clients and names another authorized party", func(p *oidctest.Provider) {
			p.Claims = func(claims map[string]any) {
				claims["aud"], claims["azp"] = []string{oidctest.ClientID, "another"}, "another"
			}
		}, state, oidc.ErrRefused},
		{"its ID token is for several clients and names no authorized party", claim("aud", []string{oidctest.ClientID, "another"}), state, oidc.ErrRefused},
		{"its ID token has another nonce", claim("nonce", "another"), state, oidc.ErrRefused},
		{"its ID token has no nonce", claim("nonce", nil), state, oidc.ErrRefused},
		{"its ID token is for another sign-in of ours", nil, oidc.FlowSecrets{State: "state", Nonce: "other", Verifier: state.Verifier}, oidc.ErrRefused},
		{"its ID token has no subject", claim("sub", ""), state, oidc.ErrRefused},
		{"its ID token has a too long subject", claim("sub", strings.Repeat("s", 256)), state, oidc.ErrRefused},
		{"its ID token has ended", claim("exp", time.Now().Add(-2*oidc.Skew).Unix()), state, oidc.ErrClock},
		{"its ID token never ends", claim("exp", nil), state, oidc.ErrRefused},
		{"its ID token is of the future", claim("iat", time.Now().Add(2*oidc.Skew).Unix()), state, oidc.ErrClock},
		{"its ID token is not good yet", claim("nbf", time.Now().Add(2*oidc.Skew).Unix()), state, oidc.ErrClock},
		{"its ID token is signed by another key", func(p *oidctest.Provider) {
			p.Sign = func(claims map[string]any) string { return oidctest.Signed(oidctest.OtherKey(), "RS256", claims) }
		}, state, oidc.ErrRefused},
		{"its ID token is not signed", func(p *oidctest.Provider) {
			p.Sign = func(claims map[string]any) string { return oidctest.Signed(nil, "none", claims) }
		}, state, oidc.ErrRefused},
		{"its ID token is signed with the client's secret", func(p *oidctest.Provider) {
			p.Sign = func(claims map[string]any) string {
				body, _, _ := cutLast(oidctest.Signed(oidctest.OtherKey(), "HS256", claims))
				mac := hmac.New(sha256.New, []byte(oidctest.ClientSecret))
				_, _ = mac.Write([]byte(body))
				return body + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
			}
		}, state, oidc.ErrRefused},
		{"its ID token is none", func(p *oidctest.Provider) { p.Sign = func(map[string]any) string { return "x.y.z" } }, state, oidc.ErrRefused},
		{"it returns no ID token", func(p *oidctest.Provider) { p.Sign = func(map[string]any) string { return "" } }, state, oidc.ErrRefused},
		{"the code is for another challenge", nil, oidc.FlowSecrets{State: "state", Nonce: "nonce", Verifier: strings.Repeat("w", 43)}, oidc.ErrRefused},
		{"it breaks down when the code is redeemed", broken("/token", http.StatusBadGateway), state, oidc.ErrUnavailable},
		{"it breaks down when its keys are read", broken("/keys", http.StatusBadGateway), state, oidc.ErrUnavailable},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			at := oidctest.New(t)
			if c.wrong != nil {
				c.wrong(at)
			}
			named, err := visit(t, at, oidc.New(clientOf(at), clock.System{}), c.state)
			require.ErrorIs(t, err, c.want)
			require.Zero(t, named)
		})
	}
}

func TestRedirectedTokenRequestSendsNoSecret(t *testing.T) {
	at := oidctest.New(t)
	var followed atomic.Bool
	at.Before = func(w http.ResponseWriter, r *http.Request) bool {
		followed.CompareAndSwap(false, r.URL.Path == "/elsewhere")
		if r.URL.Path == "/token" {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}
		return r.URL.Path == "/token"
	}
	_, err := visit(t, at, oidc.New(clientOf(at), clock.System{}), state)
	require.ErrorIs(t, err, oidc.ErrRefused)
	require.False(t, followed.Load())
}

func cutLast(token string) (body, signature string, found bool) {
	at := strings.LastIndexByte(token, '.')
	return token[:at], token[at+1:], true
}

// broken makes a provider respond to one path with a status.
func broken(path string, status int) func(*oidctest.Provider) {
	return func(p *oidctest.Provider) {
		p.Before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == path {
				w.WriteHeader(status)
			}
			return r.URL.Path == path
		}
	}
}

func TestUntrustedProviderIsNotContacted(t *testing.T) {
	says := func(name string, value any) func(*oidctest.Provider) {
		return func(p *oidctest.Provider) { p.Metadata = func(m map[string]any) { m[name] = value } }
	}
	for name, wrong := range map[string]func(*oidctest.Provider){
		"its metadata names another issuer":          says("issuer", "https://elsewhere.example"),
		"its keys can be changed on their way":       says("jwks_uri", "http://elsewhere.example/keys"),
		"its metadata has an endpoint in clear text": says("token_endpoint", "http://elsewhere.example/token"),
		"people are sent where others can read on":   says("authorization_endpoint", "http://elsewhere.example/authorize"),
		"it does not take PKCE":                      says("code_challenge_methods_supported", []string{"plain"}),
		"it returns an unexpected type":              broken("/.well-known/openid-configuration", http.StatusNotFound),
	} {
		t.Run(name, func(t *testing.T) {
			at := oidctest.New(t)
			wrong(at)
			_, err := oidc.New(clientOf(at), clock.System{}).AuthorizationURL(t.Context(), state, redirect)
			require.ErrorIs(t, err, oidc.ErrUnavailable)
		})
	}
}

func TestClockSkewUpToOneMinuteIsAccepted(t *testing.T) {
	for off, want := range map[time.Duration]error{
		-2 * time.Minute: oidc.ErrClock, -50 * time.Second: nil, 50 * time.Second: nil, 2 * time.Minute: oidc.ErrClock,
	} {
		at := oidctest.New(t)
		at.Now = func() time.Time { return time.Now().Add(off) }
		at.Claims = func(claims map[string]any) { claims["exp"] = at.Now().Unix() }
		_, err := visit(t, at, oidc.New(clientOf(at), clock.System{}), state)
		require.ErrorIs(t, err, want, "%s", off)
	}
}

func TestFailedDiscoveryIsRetriedAndCachedOneServes(t *testing.T) {
	at, now := oidctest.New(t), clock.NewFake(time.Now())
	by := oidc.New(clientOf(at), now)
	var requests atomic.Int64
	isDown := atomic.Bool{}
	isDown.Store(true)
	at.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/.well-known/openid-configuration" {
			return false
		}
		requests.Add(1)
		if isDown.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return isDown.Load()
	}
	ask := func() error {
		_, err := by.AuthorizationURL(t.Context(), state, redirect)
		return err
	}
	for range 3 {
		require.ErrorIs(t, ask(), oidc.ErrUnavailable)
	}
	require.EqualValues(t, 1, requests.Load(), "an immediate second caller gets the failure without a request")
	isDown.Store(false)
	now.Advance(3 * time.Second)
	require.NoError(t, ask())
	require.NoError(t, ask())
	require.EqualValues(t, 2, requests.Load())
	isDown.Store(true)
	now.Advance(2 * time.Hour)
	require.NoError(t, ask(), "its metadata is older than an hour but the best available")
	require.EqualValues(t, 3, requests.Load())
}

func TestSlowProviderTimesOut(t *testing.T) {
	at := oidctest.New(t)
	over := make(chan struct{})
	at.Before = func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-over:
		case <-r.Context().Done():
		}
		return true
	}
	t.Cleanup(func() { close(over) })
	by := oidc.New(clientOf(at), clock.System{})
	started := time.Now()
	_, err := by.AuthorizationURL(t.Context(), state, redirect)
	require.ErrorIs(t, err, oidc.ErrUnavailable)
	require.Less(t, time.Since(started), oidc.Timeout+time.Minute)
}

func TestOnlyConfidentialAddressesAreSafe(t *testing.T) {
	for address, safe := range map[string]bool{
		"https://id.example": true, "http://127.0.0.1:9/x": true, "http://[::1]:9": true, "http://localhost": true,
		"http://id.example": false, "http://127.0.0.1.example": false, "ftp://localhost": false, "id.example": false, "": false, "https://a@id.example": false,
	} {
		require.Equal(t, safe, oidc.Safe(address), address)
	}
}
