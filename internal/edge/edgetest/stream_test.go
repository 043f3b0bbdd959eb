package edgetest

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

// authenticator is a stub with a settable caller and error.
type authenticator struct {
	mu      sync.Mutex
	caller  principal.Principal
	refusal error
}

func (d *authenticator) Authenticate(*http.Request) (principal.Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.caller, d.refusal
}

func (d *authenticator) set(refusal error, permissions ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.caller, d.refusal = principal.Principal{TenantID: 1, UserID: 7, Name: "Li", Permissions: permissions}, refusal
}

// pings opens a stream that pings on each signal and then sends the permissions of its caller.
func pings(t *testing.T, at *authenticator) (ping chan<- struct{}, lines *bufio.Scanner) {
	t.Helper()
	server := httpapi.NewServer(httpapi.Options{Authenticator: at})
	beats := make(chan struct{})
	httpapi.Listen(server.Router(), "/beats", "things:read", func(ctx context.Context, _ httpapi.None, s *httpapi.Stream) error {
		for {
			if err := s.Send("", "may", s.Caller().Permissions); err != nil {
				return err
			}
			select {
			case <-beats:
			case <-ctx.Done():
				return nil
			}
			if err := s.Ping(); err != nil {
				return err
			}
		}
	})
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	reply, err := http.Get(listening.URL + "/api/v1/beats")
	require.NoError(t, err)
	t.Cleanup(func() { _ = reply.Body.Close() })
	return beats, bufio.NewScanner(reply.Body)
}

// data returns the data of the next event, or "" at the end of the stream.
func data(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return text
		}
	}
	require.NoError(t, lines.Err())
	return ""
}

func TestStreamEndsWhenItsPermissionIsRevoked(t *testing.T) {
	for name, take := range map[string]func(*authenticator){
		"the session has ended":      func(d *authenticator) { d.set(apperr.New(apperr.Unauthenticated, "Sign in."), "*") },
		"the token was revoked":      func(d *authenticator) { d.set(apperr.New(apperr.InvalidCredentials, "Wrong."), "*") },
		"the permission was removed": func(d *authenticator) { d.set(nil, "orders:read") },
	} {
		t.Run(name, func(t *testing.T) {
			at := &authenticator{}
			at.set(nil, "things:read")
			ping, lines := pings(t, at)
			require.Equal(t, `["things:read"]`, data(t, lines))
			take(at)
			ping <- struct{}{}
			require.Empty(t, data(t, lines), "the stream continues")
		})
	}
}

func TestStreamContinuesWhileAuthenticationIsUnavailable(t *testing.T) {
	at := &authenticator{}
	at.set(nil, "things:read")
	ping, lines := pings(t, at)
	require.Equal(t, `["things:read"]`, data(t, lines))
	at.set(errors.New("connection refused"))
	ping <- struct{}{}
	require.Equal(t, `["things:read"]`, data(t, lines), "the caller is unchanged")
	at.set(nil, "things:*")
	ping <- struct{}{}
	require.Equal(t, `["things:*"]`, data(t, lines), "the permissions are those of the last ping")
}

// counted is a ConflictCounter that records its calls.
type counted struct{ conflicts []string }

func (c *counted) CountConflict(tenant int64, resource, record string, code apperr.Code) {
	c.conflicts = append(c.conflicts, strings.Join([]string{string(rune('0' + tenant)), resource, record, string(code)}, " "))
}

func TestConflictsAreCountedForTheirTenant(t *testing.T) {
	at, counter := &authenticator{}, &counted{}
	at.set(nil, "*")
	server := httpapi.NewServer(httpapi.Options{Authenticator: at, Conflicts: counter})
	var refusal error
	httpapi.Act(server.Router(), http.MethodPost, "/things/:id/move", "", func(context.Context, httpapi.None) (httpapi.None, error) {
		return httpapi.None{}, refusal
	})
	for _, refusal = range []error{
		apperr.New(apperr.VersionConflict, "Stale."), apperr.New(apperr.ValidationFailed, "Wrong."),
		errors.New("unknown"), apperr.New(apperr.StatusChanged, "Lost."),
	} {
		server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/api/v1/things/4/move", nil))
	}
	require.Equal(t, []string{"1 things things/4 version_conflict", "1 things things/4 status_changed"}, counter.conflicts)
}

// bell is an authenticator that signals changes.
type bell struct {
	*authenticator
	mu   sync.Mutex
	rung chan struct{}
}

func (*bell) Follow() (stop func()) { return func() {} }

func (b *bell) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rung
}

// ring signals a change.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.rung)
	b.rung = make(chan struct{})
}

// Proves G7.10.
func TestStreamEndsImmediatelyWhenItsCredentialExpires(t *testing.T) {
	for name, take := range map[string]func(*authenticator){
		"it has expired":           func(d *authenticator) { d.set(apperr.New(apperr.InvalidCredentials, "Wrong."), "*") },
		"it has fewer permissions": func(d *authenticator) { d.set(nil, "things:read") },
	} {
		t.Run(name, func(t *testing.T) {
			at := &bell{authenticator: &authenticator{}, rung: make(chan struct{})}
			at.set(nil, "things:read", "orders:read")
			server := httpapi.NewServer(httpapi.Options{Authenticator: at})
			httpapi.Listen(server.Router(), "/beats", "things:read", func(ctx context.Context, _ httpapi.None, s *httpapi.Stream) error {
				if err := s.Send("", "may", s.Caller().Permissions); err != nil {
					return err
				}
				<-ctx.Done()
				return nil
			})
			listening := httptest.NewServer(server)
			t.Cleanup(listening.Close)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			t.Cleanup(cancel)
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, listening.URL+"/api/v1/beats", nil)
			require.NoError(t, err)
			reply, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			t.Cleanup(func() { _ = reply.Body.Close() })
			lines := bufio.NewScanner(reply.Body)
			require.NotEmpty(t, data(t, lines))

			at.ring()
			at.set(apperr.New(apperr.Unavailable, "The database does not answer."))
			at.ring()
			take(at.authenticator)
			at.ring()
			require.Empty(t, data(t, lines), "the stream ends")
			require.NoError(t, lines.Err(), "the stream ends regularly")
		})
	}
}
