package callers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/access/accesstest"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/tenants"
	"interlock/internal/base/apperr"
	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// fixture is a Service with a separate tenant and a fake clock.
type fixture struct {
	*Service
	db      *storage.DB
	runner  *uow.Runner
	clock   *clock.Fake
	tenants *tenants.Service
	store   *sessions.Store
	tenant  tenants.Tenant
}

func newFixture(t testing.TB, db *storage.DB) *fixture {
	t.Helper()
	h := newProcess(db, clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
	id := 1 + rand.Int64N(1<<50)
	h.tenant = tenants.Tenant{ID: id, Name: fmt.Sprintf("t%d", id), Currency: "EUR", CreatedTime: h.clock.Now()}
	require.NoError(t, h.runner.Do(h.inside(t), func(ctx context.Context, u *uow.Unit) error {
		u.Audit(uow.Entry{Action: "tenant.create", Resource: "tenants/" + h.tenant.Name})
		return tenants.Insert(ctx, u, &h.tenant)
	}))
	return h
}

// newProcess returns a fixture without a tenant. Two on the same database simulate two processes.
func newProcess(db *storage.DB, clk *clock.Fake) *fixture {
	h := &fixture{db: db, clock: clk, store: sessions.NewStore(db, clk, 0)}
	h.runner = uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clk})
	h.tenants = tenants.New(db, h.runner, func() { h.Invalidate() })
	h.Service = New(Deps{DB: db, Clock: clk, Tenants: h.tenants, Sessions: h.store})
	return h
}

// inside is a context in the fixture's tenant.
func (h *fixture) inside(t testing.TB) context.Context {
	return principal.With(t.Context(), principal.System(h.tenant.ID, "test"))
}

func (h *fixture) crowd(t testing.TB, n int) []accesstest.Member {
	t.Helper()
	return accesstest.Crowd(t, h.db, h.tenant.ID, h.clock.Now(), n)
}

// revoke deletes the token of a member, as its route does.
func (h *fixture) revoke(t testing.TB, m accesstest.Member) {
	t.Helper()
	require.NoError(t, h.runner.Do(h.inside(t), func(ctx context.Context, u *uow.Unit) error {
		u.Audit(uow.Entry{Action: "token.revoke", Resource: "tokens/1"})
		tx, err := h.tenants.BumpRevision(ctx, u)
		if err != nil {
			return err
		}
		return tx.Exec("DELETE FROM api_tokens WHERE tenant_id = ? AND user_id = ?", m.TenantID, m.UserID).Error
	}))
}

// watch runs the background services of a process until the test ends.
func (h *fixture) watch(t *testing.T) *background.Group {
	services := background.NewGroup(h.clock)
	require.NoError(t, services.Start(t.Context(), h.Background()...))
	t.Cleanup(func() { services.Stop(context.Background()) })
	return services
}

// everywhere runs a statement that the service itself never runs, over all tenants.
func (h *fixture) everywhere(t testing.TB, statement string, values ...any) {
	t.Helper()
	result := h.db.Write(storage.AcrossTenants(t.Context())).Exec(statement, values...)
	require.NoError(t, result.Error)
	require.Positive(t, result.RowsAffected, statement)
}

func credentialOf(m accesstest.Member) credential {
	kind := principal.Admin
	if m.Token {
		kind = principal.Token
	}
	return credential{kind: kind, hash: secrets.DigestOf(m.Secret)}
}

// requireRecognised fails unless a process identified a member, with the permissions of its role.
func requireRecognised(t testing.TB, m accesstest.Member, p principal.Principal, err error) {
	t.Helper()
	require.NoError(t, err)
	require.Equal(t, []any{m.UserID, m.TenantID, accesstest.Permissions[m.Role]}, []any{p.UserID, p.TenantID, p.Permissions})
}

func requireCode(t testing.TB, code apperr.Code, err error) {
	t.Helper()
	require.Truef(t, apperr.Has(err, code), "want %s, have %v", code, err)
}

// tappedProcess returns a fixture, and a second process whose statements pass through a tap.
func tappedProcess(t *testing.T) (h, process *fixture, statements *storagetest.Tap) {
	t.Helper()
	address := storagetest.NewMariaDBURL(t)
	require.NoError(t, storagetest.Migrate(address))
	h = newFixture(t, storagetest.Open(t, address))
	statements, through := storagetest.NewTap(t, address)
	return h, newProcess(storagetest.Open(t, through), h.clock), statements
}

// readsOf returns the number of statements that read callers.
func readsOf(statements []string) (n int) {
	for _, s := range statements {
		if strings.HasPrefix(s, "SELECT") && !strings.Contains(s, "access_revisions") {
			n++
		}
	}
	return n
}
