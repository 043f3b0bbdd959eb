package access

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
)

func TestMissingAndWrongCredentialsReturnDifferentErrors(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	secret, _ := h.newToken(t)
	cases := []struct {
		name, authorization, cookie string
		want                        apperr.Code
	}{
		{"nothing", "", "", apperr.Unauthenticated},
		{"a cookie that names no session", "", secrets.New(), apperr.Unauthenticated},
		{"a cookie of another form", "", "short", apperr.Unauthenticated},
		{"another scheme", "Basic YTpi", "", apperr.InvalidCredentials},
		{"a scheme alone", "Bearer", "", apperr.InvalidCredentials},
		{"a token alone", secret, "", apperr.InvalidCredentials},
		{"a token that was never made", "Bearer ilk_" + secrets.New(), "", apperr.InvalidCredentials},
		{"a token of another form", "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x", "", apperr.InvalidCredentials},
		{"a token cut short", "Bearer " + secret[:len(secret)-1], "", apperr.InvalidCredentials},
		{"a token made longer", "Bearer " + secret + "A", "", apperr.InvalidCredentials},
		{"a very long token", "Bearer ilk_" + strings.Repeat("A", 60_000), "", apperr.InvalidCredentials},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			if c.authorization != "" {
				r.Header.Set("Authorization", c.authorization)
			}
			if c.cookie != "" {
				r.AddCookie(&http.Cookie{Name: sessions.Cookie, Value: c.cookie})
			}
			_, err := h.Callers.Authenticate(r)
			requireCode(t, c.want, err)
		})
	}
}

func TestAuthorizationSchemeIsCaseInsensitive(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	secret, _ := h.newToken(t)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "bearer "+secret)
	_, err := h.Callers.Authenticate(r)
	require.NoError(t, err)
}

func TestWrongTokenFailsDespiteValidCookie(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	r := withCookie(http.MethodGet, h.mustSignIn(t))
	r.Header.Set("Authorization", "Bearer ilk_"+secrets.New())
	_, err := h.Callers.Authenticate(r)
	requireCode(t, apperr.InvalidCredentials, err)
}

func TestUnsafeCookieRequestsNeedTheSessionsCSRFToken(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	token, other := h.mustSignIn(t), h.mustSignIn(t)
	own, err := h.Current(t.Context(), token)
	require.NoError(t, err)
	others, err := h.Current(t.Context(), other)
	require.NoError(t, err)
	cases := []struct {
		name, method, csrf string
		refused            bool
	}{
		{"reading needs none", http.MethodGet, "", false},
		{"HEAD needs none", http.MethodHead, "", false},
		{"POST without", http.MethodPost, "", true},
		{"PATCH without", http.MethodPatch, "", true},
		{"PUT without", http.MethodPut, "", true},
		{"DELETE without", http.MethodDelete, "", true},
		{"an invented method without", "PURGE", "", true},
		{"POST with its own", http.MethodPost, own.CSRFToken, false},
		{"POST with another session's", http.MethodPost, others.CSRFToken, true},
		{"POST with a wrong one", http.MethodPost, "x", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := withCookie(c.method, token)
			if c.csrf != "" {
				r.Header.Set("X-CSRF-Token", c.csrf)
			}
			_, err := h.Callers.Authenticate(r)
			if c.refused {
				requireCode(t, apperr.CSRFFailed, err)
				return
			}
			require.NoError(t, err)
		})
	}
}

// A stream rechecks its caller from time to time, which reads the cache too.
func TestStreamsDoNotCountAsSessionUse(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	services := h.watch(t)
	session := h.mustSignIn(t)
	request := withCookie(http.MethodGet, session)
	stream := request.WithContext(httpapi.WithStream(request.Context()))
	lastUse := func() (at time.Time) {
		t.Helper()
		require.NoError(t, h.Service.db.Read(storage.AcrossTenants(t.Context())).
			Raw("SELECT last_used_time FROM sessions WHERE token_hash = ?", secrets.DigestOf(session).String()).Scan(&at).Error)
		return at.UTC()
	}
	ask := func(r *http.Request) {
		t.Helper()
		_, err := h.Callers.Authenticate(r)
		require.NoError(t, err)
		require.NoError(t, services.RunNow(t.Context(), "refresh cached callers"))
	}
	ask(request)
	noted := lastUse()
	h.clock.Advance(2 * time.Minute)
	ask(stream)
	require.Equal(t, noted, lastUse(), "a stream stays open without a user")
	ask(request)
	require.Equal(t, h.clock.Now(), lastUse())
}

func TestUnreachableDatabaseIsNotAWrongCredential(t *testing.T) {
	db := storagetest.SQLite(t)
	h := newFixture(t, db)
	secret, _ := h.newToken(t)
	require.NoError(t, db.Close())
	_, err := h.Callers.Authenticate(withBearer(secret))
	require.Error(t, err)
	require.False(t, apperr.Has(err, apperr.InvalidCredentials))
	_, err = h.Callers.Authenticate(withCookie(http.MethodGet, secrets.New()))
	require.Error(t, err)
	require.False(t, apperr.Has(err, apperr.Unauthenticated))
	_, err = h.signIn(t, "admin", adminPassword)
	require.Error(t, err)
	require.False(t, apperr.Has(err, apperr.InvalidCredentials))
}

func BenchmarkAuthenticate(b *testing.B) {
	h := fixtureForBenchmark(b)
	secret, _ := h.newToken(b)
	session := h.mustSignIn(b)
	current, err := h.Current(b.Context(), session)
	require.NoError(b, err)
	post := withCookie(http.MethodPost, session)
	post.Header.Set("X-CSRF-Token", current.CSRFToken)
	requests := map[string]*http.Request{"token": withBearer(secret), "session": post}
	for name, request := range requests {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var p principal.Principal
			for b.Loop() {
				if p, err = h.Callers.Authenticate(request); err != nil {
					b.Fatal(err)
				}
			}
			require.NotZero(b, p.UserID)
		})
	}
}

func fixtureForBenchmark(b *testing.B) *fixture {
	b.Helper()
	db, err := storage.Open(b.Context(), storage.Options{URL: "sqlite://" + b.TempDir() + "/interlock.db"})
	require.NoError(b, err)
	b.Cleanup(func() { _ = db.Close() })
	_, err = db.Migrate(b.Context())
	require.NoError(b, err)
	return newFixture(b, db)
}
