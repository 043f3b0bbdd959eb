// Package edgetest contains the black-box tests of packages httpapi and idempotency, in one binary.
package edgetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gomysql "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/lock"
	"interlock/internal/ratelimit"
)

func TestMain(m *testing.M) {
	storagetest.Covers("internal/edge/httpapi", "internal/edge/idempotency")
	os.Exit(m.Run())
}

// tester accepts "Authorization: tester".
type tester struct{ p principal.Principal }

func (a tester) Authenticate(r *http.Request) (principal.Principal, error) {
	if r.Header.Get("Authorization") != "tester" {
		return principal.Principal{}, apperr.New(apperr.Unauthenticated, "Sign in.")
	}
	return a.p, nil
}

type fixture struct {
	*httpapi.Server
	ctx context.Context
	db  *storage.DB
}

func newFixture(t *testing.T, permissions ...string) fixture {
	t.Helper()
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	storagetest.CreateThings(t, ctx, db)
	p, _ := principal.From(ctx)
	p.Permissions = permissions
	server := httpapi.NewServer(httpapi.Options{
		Runner:        uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}}),
		Authenticator: tester{p},
		Limiter:       ratelimit.NewInProcess(clock.System{}.Now),
	})
	return fixture{server, ctx, db}
}

func (f fixture) send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "tester")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, request)
	return recorder
}

func problemOf(t *testing.T, recorder *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	require.Equal(t, "application/problem+json", recorder.Header().Get("Content-Type"), recorder.Body.String())
	var body map[string]any
	require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &body))
	require.EqualValues(t, recorder.Code, body["status"])
	require.Equal(t, recorder.Header().Get("X-Request-Id"), body["requestId"])
	return body
}

type createThing struct {
	Name   string `json:"name" validate:"required,max=64"`
	Amount int64  `json:"amount" validate:"min=0"`
}

type createRequest struct{ Body createThing }

func create(ctx context.Context, u *uow.Unit, in createRequest) (httpapi.Created[guard.Stamp], error) {
	thing := &storagetest.Thing{Name: in.Body.Name, Amount: in.Body.Amount}
	u.Audit(uow.Entry{Action: "thing.create", Resource: "things/" + thing.Name})
	err := guard.Insert(ctx, u, thing)
	return httpapi.Created[guard.Stamp]{Location: "/things/" + thing.Name, Body: thing.Stamp()}, err
}

// one returns 1.
func one(context.Context, httpapi.None) (int, error) { return 1, nil }

func TestMutationIsCommittedBeforeItsReply(t *testing.T) {
	f := newFixture(t, "*")
	httpapi.Mutation(f.Router(), http.MethodPost, "/things", "things:write", create)
	reply := f.send(http.MethodPost, "/api/v1/things", `{"name":"a","amount":1}`)
	require.Equal(t, http.StatusCreated, reply.Code, reply.Body.String())
	require.Equal(t, "/api/v1/things/a", reply.Header().Get("Location"))
	var thing storagetest.Thing
	require.NoError(t, f.db.Read(f.ctx).Take(&thing).Error)
	require.Equal(t, thing.Ref().ETag(), reply.Header().Get("ETag"))
}

func TestUnencodableReplyRollsBack(t *testing.T) {
	f := newFixture(t, "*")
	httpapi.Mutation(f.Router(), http.MethodPost, "/things", "", func(ctx context.Context, u *uow.Unit, in createRequest) (func(), error) {
		_, err := create(ctx, u, in)
		return func() {}, err
	})
	reply := f.send(http.MethodPost, "/api/v1/things", `{"name":"a"}`)
	require.Equal(t, http.StatusInternalServerError, reply.Code)
	var count int64
	require.NoError(t, f.db.Read(f.ctx).Model(&storagetest.Thing{}).Count(&count).Error)
	require.Zero(t, count)
}

func TestPanicRollsBackAndReturnsInternalError(t *testing.T) {
	f := newFixture(t, "*")
	httpapi.Mutation(f.Router(), http.MethodPost, "/things", "", func(ctx context.Context, u *uow.Unit, in createRequest) (httpapi.None, error) {
		if _, err := create(ctx, u, in); err != nil {
			return httpapi.None{}, err
		}
		panic("secret detail")
	})
	reply := f.send(http.MethodPost, "/api/v1/things", `{"name":"a"}`)
	require.Equal(t, "internal", problemOf(t, reply)["code"])
	require.NotContains(t, reply.Body.String(), "secret")
	var count int64
	require.NoError(t, f.db.Read(f.ctx).Model(&storagetest.Thing{}).Count(&count).Error)
	require.Zero(t, count)
}

func TestMalformedBodyReturnsItsPointerAndChangesNothing(t *testing.T) {
	cases := map[string]struct {
		body    string
		status  int
		code    string
		pointer string
	}{
		"unknown field":    {`{"name":"a","nam":1}`, 400, "malformed_request", "/nam"},
		"wrong type":       {`{"name":5}`, 400, "malformed_request", "/name"},
		"twice":            {`{"name":"a","name":"b"}`, 400, "malformed_request", "/name"},
		"NUL":              {`{"name":"a\u0000"}`, 400, "malformed_request", "/name"},
		"beyond int64":     {`{"name":"a","amount":9223372036854775808}`, 400, "malformed_request", "/amount"},
		"trailing":         {`{"name":"a"} {}`, 400, "malformed_request", ""},
		"empty":            {``, 400, "malformed_request", ""},
		"not UTF-8":        {"{\"name\":\"\xff\"}", 400, "malformed_request", "/name"},
		"missing":          {`{}`, 422, "validation_failed", "/name"},
		"too long":         {`{"name":"` + strings.Repeat("x", 65) + `"}`, 422, "validation_failed", "/name"},
		"negative":         {`{"name":"a","amount":-1}`, 422, "validation_failed", "/amount"},
		"longer than 1 MB": {`{"name":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "payload_too_large", ""},
	}
	f := newFixture(t, "*")
	httpapi.Mutation(f.Router(), http.MethodPost, "/things", "", create)
	for name, c := range cases {
		reply := f.send(http.MethodPost, "/api/v1/things", c.body)
		require.Equal(t, c.status, reply.Code, name)
		body := problemOf(t, reply)
		require.Equal(t, c.code, body["code"], name)
		if fields, ok := body["fields"].([]any); ok {
			require.Equal(t, c.pointer, fields[0].(map[string]any)["pointer"], name)
		} else {
			require.Equal(t, 413, c.status, name)
		}
	}
	var count int64
	require.NoError(t, f.db.Read(f.ctx).Model(&storagetest.Thing{}).Count(&count).Error)
	require.Zero(t, count)
}

func TestCompressedBodyIsRejectedWithAdvice(t *testing.T) {
	f := newFixture(t, "*")
	httpapi.Mutation(f.Router(), http.MethodPost, "/things", "", create)
	for coding, status := range map[string]int{"gzip": 400, "identity": 201} {
		reply := f.send(http.MethodPost, "/api/v1/things", `{"name":"a"}`, "Content-Encoding", coding)
		require.Equal(t, status, reply.Code, coding)
		if status == 400 {
			require.Equal(t, "malformed_request", problemOf(t, reply)["code"])
			require.Contains(t, reply.Body.String(), "without Content-Encoding")
		}
	}
}

func TestPermissionIsCheckedBeforeTheBody(t *testing.T) {
	f := newFixture(t, "things:read")
	httpapi.Mutation(f.Router(), http.MethodPost, "/things", "things:write", create)
	require.Equal(t, "forbidden", problemOf(t, f.send(http.MethodPost, "/api/v1/things", "not JSON"))["code"])
	request := httptest.NewRequest(http.MethodPost, "/api/v1/things", strings.NewReader("not JSON"))
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, request)
	require.Equal(t, "unauthenticated", problemOf(t, recorder)["code"])
	require.NotEmpty(t, recorder.Header().Get("WWW-Authenticate"))
}

func TestErrorsReturnTheReplyOfTheirKind(t *testing.T) {
	cases := map[string]struct {
		err        error
		status     int
		code       string
		retryAfter string
	}{
		"unknown":           {errors.New("dsn with a password"), 500, "internal", ""},
		"lock held":         {lock.ErrNotAcquired, 423, "resource_locked", "1"},
		"locks unavailable": {fmt.Errorf("acquire: %w", lock.ErrUnavailable), 503, "unavailable", "1"},
		"lock lost":         {lock.ErrLost, 503, "unavailable", "1"},
		"deadline":          {context.DeadlineExceeded, 503, "unavailable", "1"},
		"retry after":       {apperr.New(apperr.TooManyAttempts, "Wait.").After(1500 * time.Millisecond), 429, "too_many_attempts", "2"},
		"code without kind": {apperr.New("made_up", "x"), 500, "internal", ""},
	}
	f := newFixture(t, "*")
	var next error
	httpapi.Get(f.Router(), "/fails", "", func(context.Context, httpapi.None) (httpapi.None, error) { return httpapi.None{}, next })
	for name, c := range cases {
		next = c.err
		reply := f.send(http.MethodGet, "/api/v1/fails", "")
		require.Equal(t, c.status, reply.Code, name)
		require.Equal(t, c.code, problemOf(t, reply)["code"], name)
		require.Equal(t, c.retryAfter, reply.Header().Get("Retry-After"), name)
		require.NotContains(t, reply.Body.String(), "password", name)
		require.NotContains(t, problemOf(t, reply)["detail"], "lock", name)
	}
}

// Proves D2.
func TestDatabaseErrorsReturnTheirCause(t *testing.T) {
	db := storagetest.SQLite(t)
	for number, detail := range map[uint16]string{
		1213: "Another change was made at the same time. Try again.",
		1205: "The database did not respond in time; another request may be changing the same record. Try again.",
		1047: "The database cannot be reached. Try again.",
		1290: "The database cannot be reached. Try again.",
		1114: "The database has no room left to write. Try again when there is.",
	} {
		seen := httpapi.Visible(fmt.Errorf("read: %w", db.Classify(&gomysql.MySQLError{Number: number})))
		require.Equal(t, apperr.Unavailable, seen.Code)
		require.Equal(t, detail, seen.Detail)
		require.Equal(t, time.Second, seen.RetryAfter)
	}
}

func TestAddressesThatAreNotTextAreRejected(t *testing.T) {
	f := newFixture(t, "*")
	httpapi.Get(f.Router(), "/things/:name", "", one)
	for path, about := range map[string]string{
		"/api/v1/things/%00": "The address", "/api/v1/things/%ff": "The address", "/api/v1/things/a?q=%00": "?q", "/api/v1/things/a?q=%ff": "?q",
		"/api/v1/things/a?q=%zz": "The query", "/api/v1/things/a?q=100%": "The query", "/api/v1/things/a?q=a;b": "The query",
	} {
		problem := problemOf(t, f.send(http.MethodGet, path, ""))
		require.Equal(t, "malformed_request", problem["code"], path)
		require.Regexp(t, "^"+regexp.QuoteMeta(about)+" ", problem["detail"], path)
	}
	require.Equal(t, "not_found", problemOf(t, f.send(http.MethodGet, "/api/v1/nothing", ""))["code"])
	reply := f.send(http.MethodPut, "/api/v1/things/a", "")
	require.Equal(t, "method_not_allowed", problemOf(t, reply)["code"])
	require.Contains(t, reply.Header().Get("Allow"), "GET")
}

// pages is a set of addresses with a page.
type pages []string

func (p pages) Has(r *http.Request) bool { return slices.Contains(p, r.URL.Path) }

func (p pages) ServeHTTP(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a page") }

func TestPagesAreServedWithoutAMatchingRoute(t *testing.T) {
	f := newFixture(t, "things:write")
	httpapi.Mutation(f.Router(), http.MethodPost, "/things", "things:write", create)
	f.HandlePages(pages{"/", "/configs/checkout.tax", "/apiary", "/api/v1/nothing"})

	for _, address := range []string{"/", "/configs/checkout.tax", "/apiary"} {
		answer := f.send(http.MethodGet, address, "")
		require.Equal(t, http.StatusOK, answer.Code, address)
		require.Equal(t, "a page", answer.Body.String())
	}
	for _, address := range []string{"/swagger.json", "/api/v1/nothing", "/api/v1", "/api", "/api/", "/api/v2/things"} {
		require.Equal(t, "not_found", problemOf(t, f.send(http.MethodGet, address, ""))["code"], address)
	}
	require.Equal(t, "method_not_allowed", problemOf(t, f.send(http.MethodGet, "/api/v1/things", ""))["code"])
	require.Equal(t, "not_found", problemOf(t, f.send(http.MethodPost, "/configs", "{}"))["code"])
}

func TestPageLimitsOutOfRangeAreRejected(t *testing.T) {
	f := newFixture(t, "*")
	httpapi.Get(f.Router(), "/things", "", func(_ context.Context, in httpapi.Page) (int, error) { return in.Page().Limit, nil })
	for _, limit := range []string{"0", "-1", "201", "abc", "1.5", "99999999999999999999"} {
		require.Equal(t, "malformed_request", problemOf(t, f.send(http.MethodGet, "/api/v1/things?limit="+limit, ""))["code"], limit)
	}
	require.Equal(t, "200", f.send(http.MethodGet, "/api/v1/things?limit=200", "").Body.String())
}

func TestUnchangedRepresentationReturnsNotModified(t *testing.T) {
	f := newFixture(t, "*")
	stamp := guard.Row{ID: 5, Version: 3}.Stamp()
	httpapi.Get(f.Router(), "/thing", "", func(context.Context, httpapi.None) (guard.Stamp, error) { return stamp, nil })
	for _, tag := range []string{stamp.ETag, "W/" + stamp.ETag, strings.TrimSuffix(stamp.ETag, `"`) + `-gzip"`, `"x", ` + stamp.ETag, "*"} {
		reply := f.send(http.MethodGet, "/api/v1/thing", "", "If-None-Match", tag)
		require.Equal(t, http.StatusNotModified, reply.Code, tag)
		require.Equal(t, stamp.ETag, reply.Header().Get("ETag"))
		require.Empty(t, reply.Body.String())
	}
	require.Equal(t, http.StatusOK, f.send(http.MethodGet, "/api/v1/thing", "", "If-None-Match", `"x"`).Code)
}

func TestEscapedPathsMatchTheSameRoute(t *testing.T) {
	f := newFixture(t, "*")
	httpapi.Get(f.Router(), "/things/:kind/:name", "", func(_ context.Context, in struct {
		Kind string `path:"kind"`
		Name string `path:"name"`
	}) ([]string, error) {
		return []string{in.Kind, in.Name}, nil
	})
	for _, path := range []string{"a:b/c@d", "a%3Ab/c%40d", "%61:b/c@%64"} {
		require.JSONEq(t, `["a:b","c@d"]`, f.send(http.MethodGet, "/api/v1/things/"+path, "").Body.String(), path)
	}
	require.JSONEq(t, `["a/b","%2F"]`, f.send(http.MethodGet, "/api/v1/things/a%2Fb/%252F", "").Body.String())
}

func TestHeadIsGetWithoutTheBody(t *testing.T) {
	f := newFixture(t, "things:read")
	stamp := guard.Row{ID: 5, Version: 3}.Stamp()
	find := httpapi.Named("name", func(_ context.Context, name string) (guard.Stamp, error) {
		if name != "a" {
			return guard.Stamp{}, apperr.MissingRow("thing", name)
		}
		return stamp, nil
	})
	httpapi.GetOf(f.Router(), "/things/:name", "things:read", find, func(_ context.Context, thing guard.Stamp, _ httpapi.None) (guard.Stamp, error) {
		return thing, nil
	})
	httpapi.Get(f.Router(), "/secrets", "secrets:read", one)
	httpapi.Mutation(f.Router(), http.MethodPost, "/things", "", create)
	httpapi.Listen(f.Router(), "/ticks", "", func(context.Context, httpapi.None, *httpapi.Stream) error {
		return errors.New("the stream was started")
	})
	f.Handle(http.MethodGet, "/healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	served := httptest.NewServer(f)
	defer served.Close()
	defer served.Client().CloseIdleConnections()
	send := func(method, path string, headers ...string) (int, http.Header, string) {
		request, err := http.NewRequestWithContext(t.Context(), method, served.URL+path, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "tester")
		for i := 0; i+1 < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		reply, err := served.Client().Do(request)
		require.NoError(t, err)
		defer reply.Body.Close()
		body, err := io.ReadAll(reply.Body)
		require.NoError(t, err)
		return reply.StatusCode, reply.Header, string(body)
	}

	for path, status := range map[string]int{"/api/v1/things/a": 200, "/api/v1/things/b": 404, "/api/v1/secrets": 403, "/healthz": 200} {
		got, header, body := send(http.MethodGet, path)
		require.Equal(t, status, got, path)
		require.NotEmpty(t, body, path)
		got, headOnly, body := send(http.MethodHead, path)
		require.Equal(t, status, got, path)
		require.Empty(t, body, path)
		for _, name := range []string{"Content-Type", "Content-Length", "Etag", "Cache-Control"} {
			require.Equal(t, header.Get(name), headOnly.Get(name), "%s of %s", name, path)
		}
	}
	unchanged, _, _ := send(http.MethodHead, "/api/v1/things/a", "If-None-Match", stamp.ETag)
	require.Equal(t, http.StatusNotModified, unchanged)
	for _, path := range []string{"/api/v1/things", "/api/v1/ticks"} {
		refused, _, _ := send(http.MethodHead, path)
		require.Equal(t, http.StatusMethodNotAllowed, refused, path)
	}
}

func TestOnlyATrustedProxySetsTheRequestID(t *testing.T) {
	// Requests of httptest come from 192.0.2.1.
	trusting := limited(t, func(o *httpapi.Options) {
		_, proxy, err := net.ParseCIDR("192.0.2.0/24")
		require.NoError(t, err)
		o.TrustedProxies = []*net.IPNet{proxy}
	})
	require.Equal(t, "mine-1", trusting.send(http.MethodGet, "/x", "", "X-Request-Id", "mine-1").Header().Get("X-Request-Id"))
	for _, unsound := range []string{"", "a b", strings.Repeat("x", 129), "\x01"} {
		got := trusting.send(http.MethodGet, "/x", "", "X-Request-Id", unsound).Header().Get("X-Request-Id")
		require.Len(t, got, 36, unsound)
	}
	anyone := limited(t, func(*httpapi.Options) {})
	require.Len(t, anyone.send(http.MethodGet, "/x", "", "X-Request-Id", "mine-1").Header().Get("X-Request-Id"), 36)
}

func TestStreamsDeliverImmediatelyAndEndAtShutdown(t *testing.T) {
	f := newFixture(t, "*")
	httpapi.Listen(f.Router(), "/ticks", "", func(ctx context.Context, _ httpapi.None, s *httpapi.Stream) error {
		if err := s.Send("7", "tick", map[string]int{"n": 1}); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- f.Serve(listener) }()

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/api/v1/ticks", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "tester")
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer reply.Body.Close()
	lines := bufio.NewScanner(reply.Body)
	var got []string
	for len(got) < 3 && lines.Scan() {
		got = append(got, lines.Text())
	}
	require.Equal(t, []string{"id: 7", "event: tick", `data: {"n":1}`}, got)

	limit, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	require.NoError(t, f.Shutdown(limit))
	for lines.Scan() {
	}
	require.NoError(t, lines.Err(), "the stream ended regularly")
	require.NoError(t, <-served)
}

// limited returns a server with options from prepare, and a caller without permissions.
func limited(t *testing.T, prepare func(o *httpapi.Options)) fixture {
	t.Helper()
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	p, _ := principal.From(ctx)
	p.Permissions = nil
	o := httpapi.Options{
		Runner:        uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}}),
		Authenticator: tester{p},
		Limiter:       ratelimit.NewInProcess(clock.NewFake(time.Unix(1, 0)).Now),
	}
	prepare(&o)
	return fixture{httpapi.NewServer(o), ctx, db}
}

// Proves G7.36.
func TestRatesOfPrincipalAndTenantPrecedePermissions(t *testing.T) {
	two := ratelimit.Limit{Rate: 1, Period: time.Second, Burst: 2}
	for name, prepare := range map[string]func(o *httpapi.Options){
		"a principal": func(o *httpapi.Options) { o.Rate = two },
		"a tenant":    func(o *httpapi.Options) { o.TenantRate = two },
	} {
		t.Run(name, func(t *testing.T) {
			f := limited(t, prepare)
			httpapi.Get(f.Router(), "/thing", "", one)
			httpapi.Get(f.Router(), "/secret", "secrets:read", one)
			require.Equal(t, 200, f.send(http.MethodGet, "/api/v1/thing", "").Code)
			refused := f.send(http.MethodGet, "/api/v1/secret", "")
			require.Equal(t, "forbidden", problemOf(t, refused)["code"])
			require.Equal(t, "0", refused.Header().Get("X-RateLimit-Remaining"), "a rejection is charged too")
			for _, path := range []string{"/api/v1/thing", "/api/v1/secret"} {
				reply := f.send(http.MethodGet, path, "")
				require.Equal(t, "rate_limited", problemOf(t, reply)["code"])
				require.Equal(t, "1", reply.Header().Get("Retry-After"))
			}
		})
	}
}

// stranger is an Authenticator that rejects all credentials.
type stranger struct{}

func (stranger) Authenticate(*http.Request) (principal.Principal, error) {
	return principal.Principal{}, apperr.New(apperr.InvalidCredentials, "The credentials are wrong.")
}

// Proves G7.36.
func TestRejectedCredentialsAreRateLimitedPerNetwork(t *testing.T) {
	f := limited(t, func(o *httpapi.Options) {
		o.Authenticator = stranger{}
		o.RefusedRate = ratelimit.Limit{Rate: 1, Period: time.Second, Burst: 2}
		_, loopback, err := net.ParseCIDR("192.0.2.1/32")
		require.NoError(t, err)
		o.TrustedProxies = []*net.IPNet{loopback}
	})
	httpapi.Get(f.Router(), "/thing", "", one)
	from := func(address string) string {
		return problemOf(t, f.send(http.MethodGet, "/api/v1/thing", "", "X-Forwarded-For", address))["code"].(string)
	}
	require.Equal(t, "invalid_credentials", from("2001:db8::1"))
	require.Equal(t, "invalid_credentials", from("2001:db8::2"))
	require.Equal(t, "rate_limited", from("2001:db8::3"))
	require.Equal(t, "invalid_credentials", from("2001:db8:0:1::1"))
}

func TestOnlyATrustedProxyReportsTLS(t *testing.T) {
	_, proxy, err := net.ParseCIDR("192.0.2.1/32")
	require.NoError(t, err)
	for _, trusted := range [][]*net.IPNet{nil, {proxy}} {
		f := limited(t, func(o *httpapi.Options) { o.TrustedProxies = trusted })
		httpapi.Get(f.Router(), "/thing", "", one)
		for _, header := range [][2]string{
			{"X-Forwarded-Proto", "https"}, {"X-Forwarded-Protocol", "https"}, {"X-Forwarded-Ssl", "on"}, {"X-Url-Scheme", "https"},
		} {
			reply := f.send(http.MethodGet, "/api/v1/thing", "", header[0], header[1])
			believed := trusted != nil && header[0] == "X-Forwarded-Proto"
			require.Equal(t, believed, reply.Header().Get("Strict-Transport-Security") != "", "%s from %v", header[0], trusted)
		}
	}
}

func TestDocumentWithInvalidCredentialsIsRateLimited(t *testing.T) {
	f := limited(t, func(o *httpapi.Options) {
		o.Authenticator = stranger{}
		o.RefusedRate = ratelimit.Limit{Rate: 1, Period: time.Minute, Burst: 2}
	})
	httpapi.Operations(f.Router(), http.MethodPost, "/document", func(context.Context, *httpapi.Document, struct {
		Body struct {
			Text string `json:"text"`
		}
	}) (httpapi.None, error) {
		return httpapi.None{}, nil
	})
	send := func(body string) int { return f.send(http.MethodPost, "/api/v1/document", body).Code }
	require.Equal(t, http.StatusNoContent, send(`{}`))
	require.Equal(t, http.StatusRequestEntityTooLarge, send(`{"text":"`+strings.Repeat("x", 16<<10)+`"}`))
	require.Equal(t, http.StatusTooManyRequests, send(`{}`))
}

// Proves G7.36.
func TestUnauthenticatedBodiesAreLimited(t *testing.T) {
	f := limited(t, func(*httpapi.Options) {})
	httpapi.Open(f.Router(), http.MethodPost, "/door", func(context.Context, struct {
		Body struct {
			Text string `json:"text"`
		}
	}) (httpapi.None, error) {
		return httpapi.None{}, nil
	})
	const around = len(`{"text":""}`)
	require.Equal(t, 204, f.send(http.MethodPost, "/api/v1/door", `{"text":"`+strings.Repeat("x", 16<<10-around)+`"}`).Code)
	reply := f.send(http.MethodPost, "/api/v1/door", `{"text":"`+strings.Repeat("x", 16<<10-around+1)+`"}`)
	require.Equal(t, "payload_too_large", problemOf(t, reply)["code"])
}

// Proves G7.36.
func TestOpenStreamsOfAPrincipalAreLimited(t *testing.T) {
	f := limited(t, func(o *httpapi.Options) { o.MaxStreams = 2 })
	httpapi.Listen(f.Router(), "/stream", "", func(ctx context.Context, _ httpapi.None, s *httpapi.Stream) error {
		if err := s.Ping(); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- f.Serve(listener) }()
	open := func() (status int, end func()) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/api/v1/stream", nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "tester")
		reply, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		end = func() { _ = reply.Body.Close() }
		t.Cleanup(end)
		return reply.StatusCode, end
	}
	status, endFirst := open()
	require.Equal(t, 200, status)
	status, _ = open()
	require.Equal(t, 200, status)
	status, _ = open()
	require.Equal(t, 429, status)

	endFirst()
	require.Eventually(t, func() bool {
		status, _ := open()
		return status == 200
	}, 10*time.Second, 10*time.Millisecond, "a stream that ended makes room")
	limit, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	require.NoError(t, f.Shutdown(limit))
	require.NoError(t, <-served)
}

func TestSlowUploadsDoNotBlockLargeBodies(t *testing.T) {
	f := limited(t, func(*httpapi.Options) {})
	httpapi.Mutation(f.Router(), http.MethodPost, "/import", "", func(_ context.Context, u *uow.Unit, in struct{ Body []byte }) (int, error) {
		u.Audit(uow.Entry{Action: "thing.import", Resource: "things"})
		return len(in.Body), nil
	}, httpapi.Large(8<<20))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- f.Serve(listener) }()
	const length = 3 << 20
	send := func(sent int) (net.Conn, *bufio.Reader) {
		connection, err := net.Dial("tcp", listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = connection.Close() })
		_, err = fmt.Fprintf(connection, "POST /api/v1/import HTTP/1.1\r\nHost: x\r\nAuthorization: tester\r\nContent-Length: %d\r\n\r\n", length)
		require.NoError(t, err)
		_, err = connection.Write(bytes.Repeat([]byte("x"), sent))
		require.NoError(t, err)
		return connection, bufio.NewReader(connection)
	}
	upload := func() time.Duration {
		start := clock.Mark()
		_, reader := send(length)
		reply, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, reply.StatusCode, "%s", text)
		require.Equal(t, fmt.Sprint(length), string(text))
		return clock.Since(start)
	}
	for range 4 {
		send(100_000)
	}
	upload()
	var stalled []*bufio.Reader
	for range 2 {
		_, reader := send(2 << 20)
		stalled = append(stalled, reader)
	}
	clock.Sleep(t.Context(), 100*time.Millisecond)
	require.Less(t, upload(), 20*time.Second)
	for _, reader := range stalled {
		reply, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusBadRequest, reply.StatusCode)
		_ = reply.Body.Close()
	}
	require.NoError(t, f.Close())
	require.NoError(t, <-served)
}

// dialer opens connections to a server that runs during a test.
type dialer struct {
	t       *testing.T
	address string
}

func dialed(t *testing.T, f fixture) dialer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- f.Serve(listener) }()
	t.Cleanup(func() {
		require.NoError(t, f.Close())
		require.NoError(t, <-served)
	})
	return dialer{t, listener.Addr().String()}
}

// ask requests a path over a new connection from a local address.
func (d dialer) ask(from, path string) (net.Conn, *bufio.Reader) {
	d.t.Helper()
	connection, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).Dial("tcp", d.address)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { _ = connection.Close() })
	_, err = connection.Write([]byte("GET /api/v1" + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: tester\r\n\r\n"))
	require.NoError(d.t, err)
	require.NoError(d.t, connection.SetReadDeadline(clock.Deadline(30*time.Second)))
	return connection, bufio.NewReader(connection)
}

func (d dialer) requireOK(answer *bufio.Reader) {
	d.t.Helper()
	reply, err := http.ReadResponse(answer, nil)
	require.NoError(d.t, err)
	defer reply.Body.Close()
	require.Equal(d.t, http.StatusOK, reply.StatusCode)
	_, err = io.Copy(io.Discard, reply.Body)
	require.NoError(d.t, err)
}

func TestConnectionsBeyondTheLimitWait(t *testing.T) {
	f := limited(t, func(o *httpapi.Options) { o.MaxConnections = 1 })
	release := make(chan struct{})
	httpapi.Get(f.Router(), "/thing", "", func(context.Context, httpapi.None) (int, error) {
		<-release
		return 1, nil
	})
	d := dialed(t, f)
	_, first := d.ask("127.0.0.1", "/thing")
	second, answer := d.ask("127.0.0.2", "/thing")
	require.NoError(t, second.SetReadDeadline(clock.Deadline(1500*time.Millisecond)))
	_, err := answer.ReadByte()
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "an active connection is not closed for another one")
	require.NoError(t, second.SetReadDeadline(time.Time{}))
	close(release)
	d.requireOK(first)
	d.requireOK(answer)
}

func TestIdleConnectionsDoNotBlockOtherNetworks(t *testing.T) {
	f := limited(t, func(o *httpapi.Options) { o.MaxConnections = 8 })
	httpapi.Get(f.Router(), "/thing", "", one)
	d := dialed(t, f)
	var crowd []*bufio.Reader
	for range 8 {
		_, answer := d.ask("127.0.0.1", "/thing")
		crowd = append(crowd, answer)
	}
	for _, other := range []string{"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"} {
		_, answer := d.ask(other, "/thing")
		d.requireOK(answer)
	}
	d.requireOK(crowd[0])
	_, err := crowd[0].ReadByte()
	require.ErrorIs(t, err, io.EOF, "the longest idle is closed")
	_, answer := d.ask("127.0.0.1", "/thing")
	d.requireOK(answer)
}

func TestNetworkAtItsShareDoesNotDisplaceOthers(t *testing.T) {
	_, proxy, err := net.ParseCIDR("127.0.0.9/32")
	require.NoError(t, err)
	f := limited(t, func(o *httpapi.Options) { o.MaxConnections, o.TrustedProxies = 8, []*net.IPNet{proxy} })
	release, busy := make(chan struct{}), make(chan struct{}, 8)
	var once sync.Once
	free := func() { once.Do(func() { close(release) }) }
	defer free()
	httpapi.Get(f.Router(), "/slow", "", func(context.Context, httpapi.None) (int, error) {
		busy <- struct{}{}
		<-release
		return 1, nil
	})
	httpapi.Get(f.Router(), "/thing", "", one)
	d := dialed(t, f)
	var waiting []*bufio.Reader
	for range 4 {
		_, answer := d.ask("127.0.0.1", "/slow")
		waiting = append(waiting, answer)
	}
	<-busy
	<-busy
	_, answer := d.ask("127.0.0.2", "/thing")
	d.requireOK(answer)
	require.Empty(t, busy, "a quarter of the connections is the share of a network")
	turnedAway, answer := d.ask("127.0.0.1", "/thing")
	_, err = answer.ReadByte()
	require.Error(t, err, "the network's share is waiting already")
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	_ = turnedAway.Close()
	for range 4 {
		d.ask("127.0.0.9", "/slow")
	}
	require.Eventually(t, func() bool { return len(busy) == 4 }, 10*time.Second, time.Millisecond, "a proxy has no limit per network")
	free()
	for _, answer := range waiting {
		d.requireOK(answer)
	}
}
