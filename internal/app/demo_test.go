package app_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/aggregates"
	"interlock/internal/app/demo"
	"interlock/internal/approvals"
	"interlock/internal/approvals/approvalstest"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/catalog"
	"interlock/internal/config"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/events"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/inventory"
	"interlock/internal/lock"
	"interlock/internal/mq"
	"interlock/internal/orders"
	"interlock/internal/payments"
	"interlock/internal/refunds"
	"interlock/internal/returns"
	"interlock/internal/wallets"
	"interlock/internal/workorders"
)

// interrupting cancels the load after a number of steps, like Ctrl-C.
type interrupting struct {
	left   int
	cancel context.CancelFunc
}

func (*interrupting) Begin(string, int) {}

func (p *interrupting) Step() {
	if p.left--; p.left == 0 {
		p.cancel()
	}
}

var size = demo.Size{Configs: 30, Items: 10, Wallets: 15, Orders: 60, Coupons: 5, Shelves: 3}

func newLoader(db *storage.DB) *demo.Loader {
	bus := events.NewInProcess(16)
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
	votes := approvals.New(approvals.Deps{DB: db, Bus: bus, Clock: clock.System{}, Tenancy: approvalstest.OneVote{}})
	l := &demo.Loader{
		Size: size, Approvals: votes, Planner: principal.Person{ID: 7, Name: "Li"},
		Runner: runner, Clock: clock.System{},
		Configs: config.New(config.Deps{
			DB: db, Bus: bus, Clock: clock.System{}, Epochs: epoch.NewWatch(db, clock.System{}),
			Approvals: votes,
		}),
		Catalog: catalog.New(catalog.Deps{DB: db, Bus: bus, InUse: []catalog.InUse{orders.ItemInUse}}),
		Coupons: coupons.New(coupons.Deps{DB: db, Runner: runner, Bus: bus, Clock: clock.System{}, OrderOwner: orders.OwnerOf}),
	}
	l.Inventory = inventory.New(inventory.Deps{DB: db, Bus: bus, Items: l.Catalog})
	l.Wallets = wallets.New(wallets.Deps{DB: db, Bus: bus, Approvals: votes})
	l.Ledger = aggregates.New(aggregates.Deps{DB: db, Bus: bus})
	l.Orders = orders.New(orders.Deps{
		DB: db, Runner: runner, Bus: bus, Catalog: l.Catalog, Coupons: l.Coupons, Stock: l.Inventory, Wallets: l.Wallets, Refunds: refundsOf{l},
		Payments: payments.New(payments.Deps{DB: db, Bus: bus, Approvals: votes}), Deadlines: noDeadlines{},
	})
	l.WorkOrders = workorders.New(workorders.Deps{DB: db, Bus: bus, People: noDisabledUsers{}})
	l.Refunds = refunds.New(refunds.Deps{DB: db, Bus: bus, Orders: l.Orders, Stock: l.Inventory, Wallets: l.Wallets, Approvals: votes})
	l.Returns = returns.New(returns.Deps{DB: db, Bus: bus, Orders: l.Orders, Refunds: l.Refunds, Stock: l.Inventory})
	queues := mq.NewSQL(db, clock.System{}, mq.Options{})
	l.Sales = flashsale.New(flashsale.Deps{
		DB: db, Runner: runner, Bus: bus, Clock: clock.System{}, Gate: gate.NewSQL(db, queues, clock.System{}), Queues: queues,
		Items: l.Catalog, Inventory: l.Inventory, Approvals: votes,
	})
	return l
}

// noDeadlines is a tenant that cancels no unpaid orders.
type noDeadlines struct{}

func (noDeadlines) UnpaidAfter(context.Context) (time.Duration, error) { return 0, nil }

// noDisabledUsers is a tenant without disabled users.
type noDisabledUsers struct{}

func (noDisabledUsers) UnableAmong(context.Context, string, ...int64) ([]int64, error) {
	return nil, nil
}

func (noDisabledUsers) Person(context.Context, int64) (principal.Person, bool, error) {
	return principal.Person{}, false, nil
}

// refundsOf finds refunds when an order is cancelled, as package app does.
type refundsOf struct{ loader *demo.Loader }

func (r refundsOf) TakeOver(ctx context.Context, u *uow.Unit, order *orders.Order) (map[int64]int64, error) {
	return r.loader.Refunds.TakeOver(ctx, u, order)
}

func (r refundsOf) RefundRest(ctx context.Context, u *uow.Unit, cancelled *orders.Order, payment *payments.Payment, rest int64) (int64, error) {
	return r.loader.Refunds.RefundRest(ctx, u, cancelled, payment, rest)
}

func TestDemoResumesAndASecondRunAddsNothing(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	p, _ := principal.From(ctx)
	ctx = principal.With(ctx, principal.System(p.TenantID, "demo"))
	l := newLoader(db)

	interrupted, cancel := context.WithCancel(ctx)
	l.Progress = &interrupting{left: size.Configs + 2 + 2*size.Items + size.Wallets + 33, cancel: cancel}
	require.ErrorIs(t, l.Load(interrupted), context.Canceled)

	l.Progress = &interrupting{left: -1}
	require.NoError(t, l.Load(ctx))
	want := map[string]int64{
		"configs": int64(size.Configs), "items": int64(size.Items), "inventories": int64(size.Items),
		"wallets": int64(size.Wallets), "orders": int64(size.Orders),
		"coupon_campaigns": 4, "coupons": int64(4 * size.Coupons),
		"flash_sales": 1, "aggregates": int64(size.Shelves), "approvals": 4,
		"refunds": 3, "work_orders": 5,
	}
	require.Equal(t, want, counts(t, ctx, db))
	var audits int64
	require.NoError(t, db.Read(ctx).Model(&uow.AuditRow{}).Count(&audits).Error)

	require.NoError(t, l.Load(ctx))
	require.Equal(t, want, counts(t, ctx, db))
	var after int64
	require.NoError(t, db.Read(ctx).Model(&uow.AuditRow{}).Count(&after).Error)
	require.Equal(t, audits, after, "the second run changed nothing")

	var statuses []struct {
		Status int
		N      int
	}
	require.NoError(t, db.Read(ctx).Model(&orders.Order{}).Select("status, COUNT(*) AS n").Group("status").Order("status").Scan(&statuses).Error)
	sales, err := l.Sales.ByName(ctx, "Half-price harvest", 2)
	require.NoError(t, err)
	require.Len(t, sales, 1)
	stats, err := l.Sales.Stats(ctx, &sales[0])
	require.NoError(t, err)
	require.EqualValues(t, 500, stats.Remaining, "the sale is open")
	require.Len(t, statuses, len(orders.Machine.States), "orders in every status")
	requireAFortnight(t, ctx, db)
	var scheduled []string
	require.NoError(t, db.Read(ctx).Model(&approvals.Approval{}).Where("status = 8 AND author_id = 7").Order("kind").Pluck("kind", &scheduled).Error)
	require.Equal(t, []string{"config.update", "flash_sale.update"}, scheduled)
}

// A unit may run again, so a rolled back run must leave nothing behind.
func TestDemoIsUnchangedByCommitConflicts(t *testing.T) {
	db, tap := storagetest.TappedMariaDB(t)
	load := func() (refunded, worked []int) {
		ctx := storagetest.Tenant(t)
		p, _ := principal.From(ctx)
		ctx = principal.With(ctx, principal.System(p.TenantID, "demo"))
		l := newLoader(db)
		l.Progress = &interrupting{left: -1}
		require.NoError(t, l.Load(ctx))
		require.NoError(t, db.Read(ctx).Model(&refunds.Refund{}).Order("status").Pluck("status", &refunded).Error)
		require.NoError(t, db.Read(ctx).Model(&workorders.WorkOrder{}).Order("status").Pluck("status", &worked).Error)
		return refunded, worked
	}
	refunded, worked := load()
	var commits atomic.Int64
	tap.Refuse(func(statement string) *storagetest.Refusal {
		if statement == "COMMIT" && commits.Add(1)%2 == 1 {
			return &storagetest.Refusal{Number: 1213, Message: "Deadlock found when trying to get lock; try restarting transaction"}
		}
		return nil
	})
	refundedAgain, workedAgain := load()
	require.Greater(t, commits.Load(), int64(100))
	require.Equal(t, refunded, refundedAgain)
	require.Equal(t, worked, workedAgain)
}

// requireAFortnight requires that orders are spread over many days, that none is from the future,
// and that unpaid ones are not overdue.
func requireAFortnight(t *testing.T, ctx context.Context, db *storage.DB) {
	t.Helper()
	var placed []orders.Order
	require.NoError(t, db.Read(ctx).Find(&placed).Error)
	now := clock.System{}.Now()
	days := map[string]bool{}
	for _, order := range placed {
		days[order.CreatedTime.Format(time.DateOnly)] = true
		require.WithinRange(t, order.CreatedTime, now.Add(-14*24*time.Hour), now)
		require.WithinRange(t, order.UpdatedTime, order.CreatedTime, now)
		require.Contains(t, order.OrderNo, order.CreatedTime.Format("20060102"))
		if orders.Machine.Of(order.Status).Name == "pending" {
			require.WithinRange(t, order.CreatedTime, now.Add(-25*time.Minute), now)
		}
	}
	require.Greater(t, len(days), 10)
}

func counts(t *testing.T, ctx context.Context, db *storage.DB) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	for table, model := range map[string]any{
		"configs": &config.Config{}, "items": &catalog.Item{}, "orders": &orders.Order{}, "refunds": &refunds.Refund{}, "work_orders": &workorders.WorkOrder{},
		"inventories": &inventory.Inventory{}, "wallets": &wallets.Wallet{},
		"coupon_campaigns": &coupons.Campaign{}, "coupons": &coupons.Coupon{},
		"flash_sales": &flashsale.Sale{}, "approvals": &approvals.Approval{}, "aggregates": &aggregates.Aggregate{},
	} {
		var n int64
		require.NoError(t, db.Read(ctx).Model(model).Count(&n).Error)
		found[table] = n
	}
	return found
}
