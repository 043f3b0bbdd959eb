package wallets_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/approvals"
	"interlock/internal/approvals/approvalstest"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/events"
	"interlock/internal/lock"
	"interlock/internal/wallets"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object = map[string]any

// bank is wallets, wired as app wires them, and called by the principal of ctx.
type bank struct {
	*httpapitest.Caller
	ctx     context.Context
	db      *storage.DB
	bus     *events.InProcess
	locks   lock.Locker
	runner  *uow.Runner
	wallets *wallets.Service
	// above are the tenant's thresholds, which last changed at rulesSince.
	approvals  *approvals.Service
	above      map[string]int64
	rulesSince time.Time
}

var opening = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

func open(ctx context.Context, t testing.TB, db *storage.DB) *bank {
	t.Helper()
	return openWith(ctx, t, db, lock.NewInProcess(lock.Observer{}))
}

func openWith(ctx context.Context, t testing.TB, db *storage.DB, locks lock.Locker) *bank {
	t.Helper()
	b := &bank{ctx: ctx, db: db, locks: locks, bus: events.NewInProcess(64), above: map[string]int64{}}
	t.Cleanup(b.bus.Close)
	now := clock.NewFake(opening)
	b.runner = uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: now})
	b.approvals = approvals.New(approvals.Deps{DB: db, Runner: b.runner, Bus: b.bus, Clock: now, Tenancy: approvalstest.OneVote{Above: b.above, Since: &b.rulesSince}})
	b.wallets = wallets.New(wallets.Deps{DB: db, Bus: b.bus, Approvals: b.approvals})
	b.Caller = b.as(ctx)
	return b
}

// as returns the routes as they are called by the principal of ctx.
func (b *bank) as(ctx context.Context) *httpapitest.Caller {
	return httpapitest.New(ctx, b.runner, func(r *httpapi.Router) {
		wallets.Routes(r, b.wallets)
		approvals.Routes(r, b.approvals)
	})
}

// enter sends an entry of a user's wallet.
func (b *bank) enter(t *testing.T, user principal.CustomerID, amount int64, reference string) httpapitest.Answer {
	t.Helper()
	return b.Send(t, http.MethodPost, "/wallets/"+url.PathEscape(string(user))+"/entries?wait=10000", object{"amount": amount, "kind": "test", "reference": reference})
}

func (b *bank) fund(t *testing.T, user principal.CustomerID, amount int64) {
	t.Helper()
	a := b.enter(t, user, amount, "opening")
	require.Equal(t, http.StatusCreated, a.Status, a.Body)
}

func (b *bank) balance(t *testing.T, user principal.CustomerID) int64 {
	t.Helper()
	wallet, err := b.wallets.Wallet(b.ctx, user)
	require.NoError(t, err)
	return wallet.Balance
}

// requireLedger holds a user's wallet against its entries, and the entries against the
// audit log: each version has one of each. A transfer's row is with who paid.
func (b *bank) requireLedger(t *testing.T, user principal.CustomerID, balance int64) {
	t.Helper()
	wallet, err := b.wallets.Wallet(b.ctx, user)
	require.NoError(t, err)
	require.Equal(t, balance, wallet.Balance)
	var entries []wallets.Entry
	require.NoError(t, b.db.Read(b.ctx).Where("user_id = ?", user).Order("version").Find(&entries).Error)
	require.Len(t, entries, int(wallet.Version))
	var sum, received int64
	for i, entry := range entries {
		sum += entry.Amount
		require.EqualValues(t, i+1, entry.Version)
		require.Equal(t, sum, entry.Balance)
		require.GreaterOrEqual(t, sum, int64(0))
		if entry.OtherUserID != nil && entry.Amount > 0 {
			received++
		}
	}
	require.Equal(t, wallet.Balance, sum)
	var audits int64
	require.NoError(t, b.db.Read(b.ctx).Model(&uow.AuditRow{}).Where("resource = ?", "wallets/"+url.PathEscape(string(user))).Count(&audits).Error)
	require.Equal(t, int64(len(entries))-received, audits, "one audit row each")
}
