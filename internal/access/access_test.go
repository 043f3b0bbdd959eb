package access

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/access/passwords"
	"interlock/internal/access/sessions"
	"interlock/internal/access/tenants"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/lock"
	"interlock/internal/module"
)

func TestMain(m *testing.M) {
	storagetest.Covers(
		"internal/access", "internal/access/users", "internal/access/factors", "internal/access/sessions", "internal/access/tenants",
		"internal/access/tenantsettings", "internal/access/guesses", "internal/access/callers",
	)
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// fixture is a Service with a separate tenant, a fake clock, and cheap hashes that are
// counted.
type fixture struct {
	*Service
	db     *storage.DB
	bus    events.Bus
	clock  *clock.Fake
	tenant tenants.Tenant
	hashed atomic.Int64
}

const adminPassword = "correct horse battery"

var catalogue = []principal.Grant{
	{Name: "access:read"}, {Name: "access:write"}, {Name: "users:read"}, {Name: "users:write"}, {Name: "tokens:read"}, {Name: "tokens:write"}, {Name: "configs:read"}, {Name: "configs:write"}, {Name: "orders:read"}, {Name: "orders:pay"}, {Name: "orders:decide", Decides: true}, {Name: "menus:read"}, {Name: "menus:write"}, {Name: principal.Impersonate},
}

// domains declares one domain with a page in each group.
var domains = []*module.Declaration{{Permissions: catalogue, Pages: []module.Page{
	{Group: module.Operate, Path: "/orders", Permission: "orders:read"}, {Group: module.Sell, Path: "/items"},
	{Group: module.Govern, Path: "/configs", Permission: "configs:read"}, {Group: module.Govern, Path: "/users", Permission: "users:read"},
	{Group: module.Inspect, Path: "/system"},
}}}

// anonymous is the context of an unauthenticated request.
func anonymous(t testing.TB) context.Context { return t.Context() }

func newFixture(t testing.TB, db *storage.DB) *fixture {
	t.Helper()
	h := newProcess(db, clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
	var err error
	h.tenant, err = h.CreateTenant(anonymous(t), fmt.Sprintf("t%d", rand.Uint64()), adminPassword, "EUR")
	require.NoError(t, err)
	return h
}

// newProcess returns a fixture without a tenant. Two on the same database simulate two
// processes.
func newProcess(db *storage.DB, clk *clock.Fake) *fixture {
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clk})
	h := &fixture{db: db, bus: events.NewInProcess(64), clock: clk}
	h.Service = New(Deps{DB: db, Runner: runner, Clock: clk, Bus: h.bus, Domains: domains, HashCost: passwords.Cost{MemoryKiB: 8, Passes: 1}})
	h.passwords.Timeout = time.Minute
	h.passwords.Compare = func(password, hash string) (bool, error) {
		h.hashed.Add(1)
		return argon2id.ComparePasswordAndHash(password, hash)
	}
	return h
}

func (h *fixture) signIn(t testing.TB, username, password string) (token string, err error) {
	signedIn, err := h.SignIn(anonymous(t), SignIn{Tenant: h.tenant.Name, Username: username, Password: password})
	return signedIn.Token, err
}

func (h *fixture) mustSignIn(t testing.TB) string {
	t.Helper()
	token, err := h.signIn(t, "admin", adminPassword)
	require.NoError(t, err)
	return token
}

func (h *fixture) newToken(t testing.TB, scopes ...string) (secret string, token *users.Token) {
	t.Helper()
	secret, token, err := h.Users.CreateToken(anonymous(t), users.TokenSpec{Tenant: h.tenant.Name, Username: "admin", Name: "robot", Scopes: scopes})
	require.NoError(t, err)
	return secret, token
}

// inside is a context in the fixture's tenant.
func (h *fixture) inside(t testing.TB) context.Context {
	return principal.With(t.Context(), principal.System(h.tenant.ID, "test"))
}

// audited returns the actions in the tenant's audit log, oldest first.
func (h *fixture) audited(t testing.TB) []string {
	t.Helper()
	var actions []string
	require.NoError(t, h.db.Read(h.inside(t)).Model(&uow.AuditRow{}).Order("id").Pluck("action", &actions).Error)
	return actions
}

func withCookie(method, token string) *http.Request {
	r := httptest.NewRequest(method, "/", nil)
	r.AddCookie(&http.Cookie{Name: sessions.Cookie, Value: token})
	return r
}

func withBearer(token string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

func requireCode(t testing.TB, code apperr.Code, err error) {
	t.Helper()
	require.Truef(t, apperr.Has(err, code), "want %s, have %v", code, err)
}

func retryAfter(t testing.TB, err error) time.Duration {
	t.Helper()
	var e *apperr.Error
	require.ErrorAs(t, err, &e)
	return e.RetryAfter
}
