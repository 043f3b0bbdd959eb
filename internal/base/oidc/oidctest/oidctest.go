// Package oidctest provides an OpenID Connect provider for tests, which can violate every
// rule.
package oidctest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ClientID and ClientSecret are the credentials of the provider's only client.
const (
	ClientID     = "interlock"
	ClientSecret = "a secret of the client"
)

// key is generated once, because that is slow.
var key = sync.OnceValue(func() *rsa.PrivateKey {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return made
})

// OtherKey is a key that no provider publishes.
var OtherKey = sync.OnceValue(func() *rsa.PrivateKey {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return made
})

// Provider conforms to the specification unless a field changes its behaviour. Set the
// fields before use.
type Provider struct {
	*httptest.Server
	// Now is the provider's clock.
	Now func() time.Time
	// Metadata modifies the discovery document, Answer the parameters of the callback,
	// Claims an ID token, and Sign signs one; nil for the default.
	Metadata func(map[string]any)
	Answer   func(url.Values)
	Claims   func(map[string]any)
	Sign     func(claims map[string]any) string
	// Before receives each request first and may respond to it.
	Before func(w http.ResponseWriter, r *http.Request) (answered bool)

	mu       sync.Mutex
	codes    map[string]grant
	redeemed int
}

// grant is the authorization of a code.
type grant struct{ subject, nonce, challenge, redirect string }

// New returns a provider that listens on this machine until the test ends.
func New(t testing.TB) *Provider {
	t.Helper()
	p := Start()
	t.Cleanup(p.Close)
	return p
}

// Start returns a provider that listens on this machine until it is closed.
func Start() *Provider {
	p := &Provider{codes: map[string]grant{}, Now: time.Now}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.metadata)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.Before == nil || !p.Before(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	return p
}

// Redeemed returns the number of redeemed codes.
func (p *Provider) Redeemed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.redeemed
}

// SignIn simulates a user who signs in at the authorization URL, and returns the callback
// URL.
func (p *Provider) SignIn(t testing.TB, location, subject string) string {
	t.Helper()
	requested, err := url.Parse(location)
	require.NoError(t, err)
	query := requested.Query()
	require.Equal(t, p.URL+"/authorize", requested.Scheme+"://"+requested.Host+requested.Path)
	require.Equal(t, "code", query.Get("response_type"))
	require.Equal(t, ClientID, query.Get("client_id"))
	require.Equal(t, "S256", query.Get("code_challenge_method"))
	require.Contains(t, query.Get("scope"), "openid")
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = grant{subject, query.Get("nonce"), query.Get("code_challenge"), query.Get("redirect_uri")}
	p.mu.Unlock()
	answer := url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {p.URL}, "session_state": {"of no account"}}
	if p.Answer != nil {
		p.Answer(answer)
	}
	return query.Get("redirect_uri") + "?" + answer.Encode()
}

func (p *Provider) metadata(w http.ResponseWriter, _ *http.Request) {
	says := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		// The document also lists algorithms that the client must reject.
		"id_token_signing_alg_values_supported":          []string{"RS256", "HS256", "none"},
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
	}
	if p.Metadata != nil {
		p.Metadata(says)
	}
	write(w, http.StatusOK, says)
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	public := key().PublicKey
	write(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": text(public.N.Bytes()), "e": text(big.NewInt(int64(public.E)).Bytes()),
	}}})
}

// token redeems a code, once, for the client and verifier that it was issued to.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	p.mu.Lock()
	given, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	p.mu.Unlock()
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case id != ClientID || secret != ClientSecret:
		write(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	case !known || given.redirect != r.PostFormValue("redirect_uri") || given.challenge != text(challenge[:]):
		write(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	p.mu.Lock()
	p.redeemed++
	p.mu.Unlock()
	now := p.Now()
	claims := map[string]any{
		"iss": p.URL, "sub": given.subject, "aud": ClientID, "nonce": given.nonce, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	}
	if p.Claims != nil {
		p.Claims(claims)
	}
	sign := p.Sign
	if sign == nil {
		sign = func(claims map[string]any) string { return Signed(key(), "RS256", claims) }
	}
	write(w, http.StatusOK, map[string]any{"access_token": "of no account", "token_type": "Bearer", "id_token": sign(claims)})
}

// Signed returns an ID token with this algorithm in its header, signed with RS256 or, for
// "none", not signed.
func Signed(by *rsa.PrivateKey, algorithm string, claims map[string]any) string {
	body := encoded(map[string]any{"alg": algorithm, "kid": "1"}) + "." + encoded(claims)
	if algorithm == "none" {
		return body + "."
	}
	sum := sha256.Sum256([]byte(body))
	signature, err := rsa.SignPKCS1v15(rand.Reader, by, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return body + "." + text(signature)
}

func encoded(part any) string {
	content, err := json.Marshal(part)
	if err != nil {
		panic(fmt.Sprint("encode a part of a token: ", err))
	}
	return text(content)
}

func text(content []byte) string { return base64.RawURLEncoding.EncodeToString(content) }

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
