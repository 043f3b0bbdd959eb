package inventory_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/events"
	"interlock/internal/inventory"
	"interlock/internal/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object = map[string]any

// house is items and their stock, wired as app wires them, and called by the principal
// of ctx.
type house struct {
	*httpapitest.Caller
	ctx    context.Context
	db     *storage.DB
	bus    *events.InProcess
	runner *uow.Runner
	stock  *inventory.Service
}

func open(ctx context.Context, t *testing.T, db *storage.DB) *house {
	t.Helper()
	return openWith(ctx, t, db, lock.NewInProcess(lock.Observer{}))
}

func openWith(ctx context.Context, t *testing.T, db *storage.DB, locks lock.Locker) *house {
	t.Helper()
	h := &house{ctx: ctx, db: db, bus: events.NewInProcess(64)}
	t.Cleanup(h.bus.Close)
	now := clock.NewFake(time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC))
	h.runner = uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: now})
	items := catalog.New(catalog.Deps{DB: db, Bus: h.bus, InUse: []catalog.InUse{inventory.ItemInUse}})
	h.stock = inventory.New(inventory.Deps{DB: db, Bus: h.bus, Items: items})
	h.Caller = httpapitest.New(ctx, h.runner, func(r *httpapi.Router) {
		catalog.Routes(r, items)
		inventory.Routes(r, h.stock)
	})
	return h
}

// item adds an item of which there are so many pieces.
func (h *house) item(t *testing.T, sku string, pieces int64) {
	t.Helper()
	a := h.Send(t, http.MethodPost, "/items", object{"sku": sku, "name": "Item " + sku, "price": 100})
	require.Equal(t, http.StatusCreated, a.Status, a.Body)
	if pieces > 0 {
		require.Equal(t, http.StatusCreated, h.adjust(t, sku, object{"delta": pieces, "reference": "opening"}).Status)
	}
}

// adjust sends an adjustment, with a reason.
func (h *house) adjust(t *testing.T, sku string, body object) httpapitest.Answer {
	t.Helper()
	sent := object{"reason": "because"}
	for name, value := range body {
		sent[name] = value
	}
	return h.Send(t, http.MethodPost, "/inventory/"+sku+"/adjustments?wait=10000", sent)
}

// in runs fn in a unit that has the locks of the items, as an order does.
func (h *house) in(fn func(ctx context.Context, u *uow.Unit) error, skus ...string) error {
	return h.runner.Do(h.ctx, func(ctx context.Context, u *uow.Unit) error {
		ctx, err := h.stock.Lock(ctx, u, 10*time.Second, skus...)
		if err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "test.move", Resource: "test"})
		return fn(ctx, u)
	})
}

// reserve promises pieces of one item to a holder in a unit of its own.
func (h *house) reserve(holder, reference, sku string, quantity int64) error {
	return h.in(func(ctx context.Context, u *uow.Unit) error {
		return h.stock.Reserve(ctx, u, holder, reference, map[string]int64{sku: quantity})
	}, sku)
}

// requireStock holds an item's numbers against its movements and its holds.
func (h *house) requireStock(t *testing.T, sku string, onHand, reserved int64) {
	t.Helper()
	stock, err := h.stock.Inventory(h.ctx, sku)
	require.NoError(t, err)
	require.Equal(t, [2]int64{onHand, reserved}, [2]int64{stock.OnHand, stock.Reserved}, "on hand and reserved of %s", sku)
	var movements []inventory.Movement
	require.NoError(t, h.db.Read(h.ctx).Where("sku = ?", sku).Order("version").Find(&movements).Error)
	require.Len(t, movements, int(stock.Version))
	var sumOnHand, sumReserved int64
	for i, m := range movements {
		sumOnHand += m.OnHandDelta
		sumReserved += m.ReservedDelta
		require.EqualValues(t, i+1, m.Version)
		require.Equal(t, [2]int64{sumOnHand, sumReserved}, [2]int64{m.OnHand, m.Reserved})
		require.True(t, m.Reserved >= 0 && m.OnHand >= m.Reserved, "movement %d", m.Version)
	}
	require.Equal(t, [2]int64{onHand, reserved}, [2]int64{sumOnHand, sumReserved})
	var held int64
	require.NoError(t, h.db.Read(h.ctx).Model(&inventory.Hold{}).Where("sku = ?", sku).Select("COALESCE(SUM(quantity), 0)").Scan(&held).Error)
	require.Equal(t, reserved, held, "what is reserved has a holder")
}

func (h *house) audits(t *testing.T) int64 {
	t.Helper()
	var n int64
	require.NoError(t, h.db.Read(h.ctx).Model(&uow.AuditRow{}).Count(&n).Error)
	return n
}
