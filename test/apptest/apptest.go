// Package apptest boots the real program for tests, on port 0, with the wiring
// that main uses.
package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/access"
	"interlock/internal/access/passwords"
	"interlock/internal/access/users"
	"interlock/internal/app"
	"interlock/internal/base/clock"
	"interlock/internal/base/oidc/oidctest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/settings"
	"interlock/test/contract/validate"
	"interlock/test/tier"
)

// Program is a running service, with the means to call it.
type Program struct {
	*app.Program
	URL string
}

// Both runs a test against the program on SQLite and on MariaDB. One program per test package
// and engine serves all tests; their tenants separate them.
func Both(t *testing.T, test func(t *testing.T, p *Program)) {
	t.Run("sqlite", func(t *testing.T) { test(t, Shared(t, "sqlite")) })
	t.Run("mariadb", func(t *testing.T) { test(t, Shared(t, "mariadb")) })
}

// Each runs a test against the program on SQLite, and on MariaDB too in the nightly tier.
func Each(t *testing.T, test func(t *testing.T, p *Program)) {
	if tier.IsNightly() {
		Both(t, test)
		return
	}
	t.Run("sqlite", func(t *testing.T) { test(t, Shared(t, "sqlite")) })
}

var (
	sharedMu  sync.Mutex
	shared    = map[string]*Program{}
	stopAll   []func() error
	sharedDir string
)

// Main runs a package's tests, stops the shared programs and returns the exit
// code. A program that fails to stop or leaves goroutines fails the package. A
// package that uses Each or Shared calls it from TestMain.
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "interlock-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "apptest:", err)
		return 1
	}
	sharedDir = dir
	slog.SetLogLoggerLevel(slog.LevelError)
	code := m.Run()
	for engine, p := range shared {
		if err := violatedPromises(p); err != nil {
			fmt.Fprintf(os.Stderr, "apptest: on %s: %v\n", engine, err)
			code = 1
		}
	}
	for _, stop := range stopAll {
		if err := stop(); err != nil {
			fmt.Fprintln(os.Stderr, "apptest: stop the program:", err)
			code = 1
		}
	}
	Client.CloseIdleConnections()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, "apptest: the stopped programs left goroutines:", err)
		code = 1
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, "apptest:", err)
		return 1
	}
	return code
}

// violatedPromises checks the promises on everything that a package's tests wrote.
func violatedPromises(p *Program) error {
	totals, err := p.Services().CheckPromises(context.Background())
	if err != nil {
		return err
	}
	for _, total := range totals {
		if len(total.Found) > 0 {
			err = errors.Join(err, fmt.Errorf("the promise %q is broken: %v", total.Promise.Name, total.Found))
		}
	}
	return err
}

// Shared returns the package's program on an engine.
func Shared(t *testing.T, engine string) *Program {
	t.Helper()
	sharedMu.Lock()
	defer sharedMu.Unlock()
	if p, ok := shared[engine]; ok {
		return p
	}
	require.NotEmpty(t, sharedDir, "the package's TestMain must call apptest.Main")
	s := Settings(filepath.Join(sharedDir, engine))
	s.OIDCProviders = Providers()
	if engine == "mariadb" {
		s.DatabaseURL = storagetest.NewMariaDBURL(t)
	}
	p, stop := boot(t, s)
	shared[engine] = p
	stopAll = append(stopAll, stop)
	return p
}

// Start boots a program for one test and stops it when the test ends. prepare is called
// before the program serves or runs anything.
func Start(t *testing.T, s settings.Settings, prepare ...func(p *Program)) *Program {
	t.Helper()
	p, stop := boot(t, s, prepare...)
	t.Cleanup(func() { require.NoError(t, stop()) })
	return p
}

// Settings returns settings for a program with its data in dir.
func Settings(dir string) settings.Settings {
	var s settings.Settings
	// Tests set the request id, as a proxy does.
	s.TrustedProxies = []string{"127.0.0.0/8"}
	s.DataDir, s.MaxConnections = dir, 16
	s.LogLevel, s.LogFormat = "error", "text"
	s.Addr, s.Role, s.AdminPassword, s.ShutdownTimeout = "127.0.0.1:0", "all", "correct horse", 10*time.Second
	return s
}

// StartAt is Start with a clock other than the machine's.
func StartAt(t *testing.T, s settings.Settings, now clock.Clock) *Program {
	t.Helper()
	p, stop, err := start(s, now)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stop()) })
	return p
}

// HashCost makes password hashes cheap. With the production cost they need a third of the
// time of the tests under the race detector.
var HashCost = passwords.Cost{MemoryKiB: 8, Passes: 1}

func boot(t *testing.T, s settings.Settings, prepare ...func(p *Program)) (*Program, func() error) {
	t.Helper()
	p, stop, err := start(s, nil, prepare...)
	require.NoError(t, err)
	return p, stop
}

func start(s settings.Settings, now clock.Clock, prepare ...func(p *Program)) (p *Program, stop func() error, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	if err := storagetest.Migrate(s.URL()); err != nil {
		cancel()
		return nil, nil, err
	}
	if _, embedded := s.KeyFile(); !embedded && len(s.EncryptionKeys) == 0 {
		s.EncryptionKeys = []string{EncryptionKey}
	}
	program := app.New(s, "test")
	program.Clock = now
	program.HashCost = HashCost
	if err := program.Start(ctx); err != nil {
		cancel()
		return nil, nil, err
	}
	p = &Program{Program: program, URL: "http://" + program.Addr()}
	for _, fn := range prepare {
		fn(p)
	}
	done := make(chan error, 1)
	go func() { done <- program.Run(ctx) }()
	return p, func() error {
		cancel()
		return <-done
	}, nil
}

// EncryptionKey is the key of the programs on a database server. Embedded programs generate
// theirs.
const EncryptionKey = "test:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// Provider is the single sign-on provider that the shared programs know as corp.
var Provider = sync.OnceValue(func() *oidctest.Provider {
	p := oidctest.Start()
	stopAll = append(stopAll, func() error {
		p.Close()
		return nil
	})
	return p
})

// Providers returns the setting that configures Provider.
func Providers() string {
	return fmt.Sprintf(`[{"name":"corp","displayName":"Corp","issuer":%q,"clientId":%q,"clientSecret":%q}]`,
		Provider().URL, oidctest.ClientID, oidctest.ClientSecret)
}

// AcceptByProvider accepts an invitation through Provider, in a separate browser.
func (c *Caller) AcceptByProvider(t testing.TB, invitation, subject string) {
	t.Helper()
	stranger := *c
	stranger.Token, stranger.Session = "", Session{}
	begun := stranger.Do(t, "POST", "/api/v1/session/invitation/provider", map[string]any{"invitation": invitation, "provider": "corp"})
	require.Equal(t, http.StatusOK, begun.Status, "%s", begun.Body)
	cookie, _, _ := strings.Cut(begun.Header.Get("Set-Cookie"), ";")
	callback := Provider().SignIn(t, begun.JSON(t)["location"].(string), subject)
	arrived := stranger.Do(t, "GET", strings.TrimPrefix(callback, c.Program.URL), nil, "Cookie", cookie)
	require.Equal(t, "/single-sign-on#result=signed-in", arrived.Header.Get("Location"))
}

// Example returns the URL of the package's program on SQLite and a token with all
// permissions in a fresh tenant. It is for examples, which have no testing.T, so it panics
// on errors.
func Example() (url, token string) {
	p, err := exampleProgram()
	if err != nil {
		panic(err)
	}
	tenant := fmt.Sprintf("t%d", rand.Uint64())
	ctx := context.Background()
	if _, err := p.Services().Access.CreateTenant(ctx, tenant, "correct horse", ""); err != nil {
		panic(err)
	}
	token, _, err = p.Services().Access.Users.CreateToken(ctx, users.TokenSpec{Tenant: tenant, Username: "admin", Name: "example"})
	if err != nil {
		panic(err)
	}
	return p.URL, token
}

func exampleProgram() (*Program, error) {
	sharedMu.Lock()
	defer sharedMu.Unlock()
	if p, ok := shared["sqlite"]; ok {
		return p, nil
	}
	s := Settings(filepath.Join(sharedDir, "sqlite"))
	s.OIDCProviders = Providers()
	p, stop, err := start(s, nil)
	if err != nil {
		return nil, err
	}
	shared["sqlite"] = p
	stopAll = append(stopAll, stop)
	return p, nil
}

// Caller sends requests with one API token of one tenant.
type Caller struct {
	Program *Program
	Tenant  string
	Token   string
	// Session is a session of the web admin. It is sent if there is no token.
	Session Session
	HTTP    *http.Client
}

// Session contains the credentials that a browser sends for a session.
type Session struct{ Cookie, CSRF string }

// SignedIn returns the caller with a session of its tenant's admin instead of a token.
func (c *Caller) SignedIn(t *testing.T) *Caller {
	t.Helper()
	signedIn, err := c.Program.Services().Access.SignIn(t.Context(), access.SignIn{Tenant: c.Tenant, Username: "admin", Password: AdminPassword})
	require.NoError(t, err)
	caller := *c
	caller.Token, caller.Session = "", Session{Cookie: "interlock_session=" + signedIn.Token, CSRF: signedIn.Session.CSRFToken}
	return &caller
}

// As returns a caller with an API token of another user of the tenant, made by the command line, so
// that no other user is behind it.
func (c *Caller) As(t testing.TB, username string) *Caller {
	t.Helper()
	token, _, err := c.Program.Services().Access.Users.CreateToken(t.Context(), users.TokenSpec{Tenant: c.Tenant, Username: username, Name: "test"})
	require.NoError(t, err)
	other := *c
	other.Token = token
	return &other
}

// AdminPassword is that of the user admin of each tenant.
const AdminPassword = "correct horse"

// NewTenant creates a tenant for one test.
func (p *Program) NewTenant(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("t%d", rand.Uint64())
	_, err := p.Services().Access.CreateTenant(t.Context(), name, AdminPassword, "")
	require.NoError(t, err)
	return name
}

// Admin returns a caller with all permissions in a fresh tenant.
func (p *Program) Admin(t *testing.T) *Caller {
	t.Helper()
	return p.Caller(t, p.NewTenant(t))
}

// Caller returns a caller of a tenant that is limited to scopes, or has all permissions if
// there are none. Each exchange is checked against the contract.
func (p *Program) Caller(t *testing.T, tenant string, scopes ...string) *Caller {
	t.Helper()
	token, _, err := p.Services().Access.Users.CreateToken(t.Context(), users.TokenSpec{
		Tenant: tenant, Username: "admin", Name: "test", Scopes: scopes,
	})
	require.NoError(t, err)
	checked := &http.Client{
		Timeout: Client.Timeout, Transport: validate.NewTransport(t, Client.Transport),
		// Redirects are not followed: their responses are checked like any other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Caller{Program: p, Tenant: tenant, Token: token, HTTP: checked}
}

// Client is the HTTP client of the callers. Its pool has enough connections for the racing
// tests.
var Client = &http.Client{
	Timeout:   60 * time.Second,
	Transport: &http.Transport{MaxIdleConnsPerHost: 256},
}

// Answer is a response with its complete body.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON decodes the body into a map.
func (a Answer) JSON(t testing.TB) map[string]any {
	t.Helper()
	var body map[string]any
	require.NoErrorf(t, json.Unmarshal(a.Body, &body), "body: %s", a.Body)
	return body
}

// Code returns the problem's code, or "".
func (a Answer) Code() string {
	var body struct{ Code string }
	_ = json.Unmarshal(a.Body, &body)
	return body.Code
}

// Do sends a request. The body is JSON text as []byte or string, or a value to
// encode; nil sends none. Headers are name, value, name, value….
func (c *Caller) Do(t testing.TB, method, path string, body any, headers ...string) Answer {
	t.Helper()
	answer, err := c.Try(t.Context(), method, path, body, headers...)
	require.NoError(t, err)
	return answer
}

// Authenticate adds the caller's credentials to a request.
func (c *Caller) Authenticate(request *http.Request) {
	switch {
	case c.Token != "":
		request.Header.Set("Authorization", "Bearer "+c.Token)
	case c.Session != (Session{}):
		request.Header.Set("Cookie", c.Session.Cookie)
		request.Header.Set("X-CSRF-Token", c.Session.CSRF)
	}
}

// Try is Do for requests that may fail in transit.
func (c *Caller) Try(ctx context.Context, method, path string, body any, headers ...string) (Answer, error) {
	var text []byte
	switch b := body.(type) {
	case nil:
	case []byte:
		text = b
	case string:
		text = []byte(b)
	default:
		var err error
		if text, err = json.Marshal(b); err != nil {
			return Answer{}, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.Program.URL+path, bytes.NewReader(text))
	if err != nil {
		return Answer{}, err
	}
	c.Authenticate(request)
	if text != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	reply, err := c.HTTP.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer reply.Body.Close()
	read, err := io.ReadAll(reply.Body)
	return Answer{Status: reply.StatusCode, Header: reply.Header, Body: read}, err
}
