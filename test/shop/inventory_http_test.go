package shop

import (
	"context"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/inventory"
	"interlock/test/racing"
)

// adjust sends an adjustment, with a reason.
func (s *Shop) adjust(t *testing.T, sku string, body object) httpapitest.Answer {
	t.Helper()
	sent := object{"reason": "because"}
	for name, value := range body {
		sent[name] = value
	}
	return s.Send(t, http.MethodPost, "/inventory/"+sku+"/adjustments?wait=10000", sent)
}

// in runs fn in a unit that owns the locks of the items, as an order does.
func (s *Shop) in(fn func(ctx context.Context, u *uow.Unit) error, skus ...string) error {
	return s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
		ctx, err := s.Inventory.Lock(ctx, u, 10*time.Second, skus...)
		if err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "test.move", Resource: "test"})
		return fn(ctx, u)
	})
}

// reserve reserves a quantity of one item for a holder in its own unit.
func (s *Shop) reserve(holder, reference, sku string, quantity int64) error {
	return s.in(func(ctx context.Context, u *uow.Unit) error {
		return s.Inventory.Reserve(ctx, u, holder, reference, map[string]int64{sku: quantity})
	}, sku)
}

// requireStock requires the stock of an item, equal to the sums of its movements and its holds.
func (s *Shop) requireStock(t *testing.T, sku string, onHand, reserved int64) {
	t.Helper()
	stock, err := s.Inventory.Inventory(s.Ctx, sku)
	require.NoError(t, err)
	require.Equal(t, [2]int64{onHand, reserved}, [2]int64{stock.OnHand, stock.Reserved}, "on hand and reserved of %s", sku)
	var movements []inventory.Movement
	require.NoError(t, s.DB.Read(s.Ctx).Where("sku = ?", sku).Order("version").Find(&movements).Error)
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
	require.NoError(t, s.DB.Read(s.Ctx).Model(&inventory.Hold{}).Where("sku = ?", sku).Select("COALESCE(SUM(quantity), 0)").Scan(&held).Error)
	require.Equal(t, reserved, held, "reserved units have a holder")
}

func TestUnusedStockReadsAsZeros(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Item(t, "TEA-1", 100)
		a := s.Get(t, "/inventory/TEA-1")
		require.Equal(t, object{
			"sku": "TEA-1", "onHand": 0.0, "reserved": 0.0, "available": 0.0, "version": 0.0,
			"etag": nil, "createdTime": nil, "updatedTime": nil, "updatedBy": nil,
		}, a.Body)
		require.Zero(t, s.Send(t, http.MethodGet, "/inventory/TEA-1/movements", nil).Body["total"])
		for _, path := range []string{"/inventory/TEA-2", "/inventory/TEA-2/movements", "/inventory/TEA-1%20", "/inventory/tea-1"} {
			require.Equal(t, http.StatusNotFound, s.Send(t, http.MethodGet, path, nil).Status, path)
		}
		require.Equal(t, http.StatusNotFound, s.adjust(t, "TEA-2", object{"delta": 1, "reference": "r"}).Status)
	})
}

func TestAdjustmentChangesStockAndIsFoundByReference(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Item(t, "TEA-1", 100)
		before := s.Count(t, &uow.AuditRow{}, "1 = 1")
		heard, err := s.Bus.Subscribe(ctx, inventory.Topic)
		require.NoError(t, err)
		defer heard.Close()
		made := s.adjust(t, "TEA-1", object{"delta": 10, "reference": "delivery 1", "reason": "Delivery"})
		require.Equal(t, http.StatusCreated, made.Status, made.Body)
		require.Equal(t, []any{"adjust", 10.0, 10.0, 0.0, 10.0, 10.0, 1.0, nil, "Delivery", "delivery 1", object{"id": 7.0, "name": "Tester"}}, []any{
			made.Body["kind"], made.Body["delta"], made.Body["onHandDelta"], made.Body["reservedDelta"], made.Body["onHand"], made.Body["available"],
			made.Body["version"], made.Body["holder"], made.Body["reason"], made.Body["reference"], made.Body["createdBy"],
		})
		require.Equal(t, "TEA-1", (<-heard.Deliveries()).Event.Key)
		taken := s.adjust(t, "TEA-1", object{"delta": -4, "reference": "broken"})
		require.EqualValues(t, 6, taken.Body["available"])

		location := strings.TrimPrefix(made.Header.Get("Location"), "/api/v1")
		require.Equal(t, []object{made.Body}, s.Send(t, http.MethodGet, location, nil).Items())
		require.Equal(t, []object{taken.Body, made.Body}, s.Send(t, http.MethodGet, "/inventory/TEA-1/movements", nil).Items())
		read := s.Send(t, http.MethodGet, "/inventory/TEA-1", nil)
		require.Equal(t, read.Body["etag"], read.Header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, s.Send(t, http.MethodGet, "/inventory/TEA-1", nil, "If-None-Match", read.Header.Get("ETag")).Status)
		s.requireStock(t, "TEA-1", 6, 0)
		require.Equal(t, before+2, s.Count(t, &uow.AuditRow{}, "1 = 1"), "one audit row each")
	})
}

func TestRepeatedMovementReferenceReplaysOrConflicts(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		s.Item(t, "TEA-2", 100)
		for first, others := range map[*object][]object{
			{"delta": 5, "reference": "a"}: {
				{"delta": 6, "reference": "a"}, {"delta": 5, "reference": "a", "reason": "other"}, {"setTo": 15, "changeFrom": 10, "reference": "a"},
			},
			{"setTo": 20, "changeFrom": 15, "reference": "b"}: {
				{"setTo": 21, "changeFrom": 15, "reference": "b"}, {"setTo": 20, "changeFrom": 14, "reference": "b"}, {"delta": 5, "reference": "b"},
				{"setTo": 25, "changeFrom": 20, "reference": "b"},
			},
		} {
			if (*first)["setTo"] != nil {
				require.Contains(t, []int{200, 201}, s.adjust(t, "TEA-1", object{"delta": 5, "reference": "a"}).Status)
			}
			made := s.adjust(t, "TEA-1", *first)
			again := s.adjust(t, "TEA-1", *first)
			require.Equal(t, http.StatusOK, again.Status, again.Body)
			require.Equal(t, made.Body, again.Body)
			for _, other := range others {
				a := s.adjust(t, "TEA-1", other)
				require.Equal(t, http.StatusConflict, a.Status, other)
				require.Equal(t, "payload_mismatch", a.Body["code"], other)
				require.Equal(t, made.Body, a.Body["first"])
			}
		}
		require.Equal(t, http.StatusCreated, s.adjust(t, "TEA-2", object{"delta": 1, "reference": "a"}).Status, "another item has separate references")
		s.requireStock(t, "TEA-1", 20, 0)
	})
}

// Proves G4.12.
func TestCountReplacesOnlyTheDisplayedQuantity(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Item(t, "TEA-1", 100)
		fresh := s.adjust(t, "TEA-1", object{"setTo": 5, "changeFrom": 1, "reference": "never"})
		require.Equal(t, []any{"status_changed", nil, nil}, []any{fresh.Body["code"], fresh.Body["changedBy"], fresh.Body["changedTime"]})
		require.Equal(t, http.StatusCreated, s.adjust(t, "TEA-1", object{"setTo": 12, "changeFrom": 0, "reference": "first"}).Status)
		require.Equal(t, http.StatusCreated, s.adjust(t, "TEA-1", object{"setTo": 12, "changeFrom": 12, "reference": "right"}).Status)
		stale := s.adjust(t, "TEA-1", object{"setTo": 9, "changeFrom": 11, "reference": "stale"})
		require.Equal(t, http.StatusConflict, stale.Status)
		require.Equal(t, "status_changed", stale.Body["code"])
		require.Equal(t, s.Send(t, http.MethodGet, "/inventory/TEA-1", nil).Body, stale.Body["current"])
		require.Equal(t, object{"id": 7.0, "name": "Tester"}, stale.Body["changedBy"])
		require.Equal(t, 11.0, stale.Body["changeFrom"])
		require.NoError(t, s.reserve("orders/1", "@orders/1/place", "TEA-1", 7))
		below := s.adjust(t, "TEA-1", object{"setTo": 6, "changeFrom": 12, "reference": "below"})
		require.Equal(t, "insufficient_stock", below.Body["code"])
		require.Equal(t, http.StatusCreated, s.adjust(t, "TEA-1", object{"setTo": 7, "changeFrom": 12, "reference": "to the brim"}).Status)
		s.requireStock(t, "TEA-1", 7, 7)
	})
}

func TestWithdrawalBeyondAvailableStockIsRejected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		require.NoError(t, s.reserve("orders/1", "@orders/1/place", "TEA-1", 4))
		a := s.adjust(t, "TEA-1", object{"delta": -7, "reference": "out"})
		require.Equal(t, http.StatusConflict, a.Status)
		require.Equal(t, "insufficient_stock", a.Body["code"])
		require.Equal(t, []any{object{"sku": "TEA-1", "wanted": 7.0, "available": 6.0}}, a.Body["lines"])
		require.Equal(t, "insufficient_stock", s.adjust(t, "TEA-1", object{"delta": math.MinInt64, "reference": "out"}).Body["code"])
		over := s.adjust(t, "TEA-1", object{"delta": math.MaxInt64, "reference": "in"})
		require.Equal(t, []any{422, "/delta"}, []any{over.Status, over.Pointer()})
		require.Equal(t, http.StatusCreated, s.adjust(t, "TEA-1", object{"delta": math.MaxInt64 - 10, "reference": "in"}).Status)
		s.requireStock(t, "TEA-1", math.MaxInt64, 4)
	})
}

func TestItemWithStockIsNotDeleted(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 1)
		etag := s.Send(t, http.MethodGet, "/items/TEA-1", nil).Header.Get("ETag")
		refused := s.Send(t, http.MethodDelete, "/items/TEA-1", nil, "If-Match", etag)
		require.Equal(t, "in_use", refused.Body["code"])
		require.Equal(t, http.StatusCreated, s.adjust(t, "TEA-1", object{"delta": -1, "reference": "out"}).Status)
		require.Equal(t, http.StatusNoContent, s.Send(t, http.MethodDelete, "/items/TEA-1", nil, "If-Match", etag).Status)
		require.Equal(t, http.StatusNotFound, s.Send(t, http.MethodGet, "/inventory/TEA-1", nil).Status)
	})
}

// Proves G4.11.
func TestConcurrentDeletionAndDeliveryAreExclusive(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		for range 8 {
			s.Item(t, "TEA-1", 100)
			etag := s.Send(t, http.MethodGet, "/items/TEA-1", nil).Header.Get("ETag")
			var deleted, delivered httpapitest.Answer
			racing.Together(2, func(i int) {
				if i == 0 {
					deleted = s.Send(t, http.MethodDelete, "/items/TEA-1", nil, "If-Match", etag)
				} else {
					delivered = s.adjust(t, "TEA-1", object{"delta": 1, "reference": etag})
				}
			})
			if deleted.Status == http.StatusNoContent {
				require.Equal(t, http.StatusNotFound, delivered.Status)
				continue
			}
			require.Equal(t, []int{http.StatusConflict, http.StatusCreated}, []int{deleted.Status, delivered.Status})
			require.Equal(t, http.StatusCreated, s.adjust(t, "TEA-1", object{"delta": -1, "reference": "undo " + etag}).Status)
			require.Equal(t, http.StatusNoContent, s.Send(t, http.MethodDelete, "/items/TEA-1", nil, "If-Match", etag).Status)
		}
	})
}

// Row locks do not exclude the other servers of a cluster.
// Proves G4.11.
func TestDeletionAndDeliveryAreExclusiveWithoutLocks(t *testing.T) {
	db, tap := storagetest.WithoutLocks(t)
	s := Open(storagetest.Tenant(t), t, db)
	remove := func() httpapitest.Answer {
		etag := s.Send(t, http.MethodGet, "/items/TEA-1", nil).Header.Get("ETag")
		return s.Send(t, http.MethodDelete, "/items/TEA-1", nil, "If-Match", etag)
	}
	deliver := func() httpapitest.Answer { return s.adjust(t, "TEA-1", object{"delta": 1, "reference": "delivery"}) }
	// during starts other before a statement of one, and continues one when other has ended or
	// waits for a row.
	during := func(statement string, one, other func() httpapitest.Answer) (a, b httpapitest.Answer) {
		ended := make(chan struct{})
		tap.Before(statement, func() {
			go func() { b = other(); close(ended) }()
			select {
			case <-ended:
			case <-time.After(300 * time.Millisecond): // other waits for the row
			}
		})
		a = one()
		<-ended
		return a, b
	}

	s.Item(t, "TEA-1", 100)
	delivered, deleted := during("INSERT INTO inventory_movements", deliver, remove)
	require.Equal(t, []int{http.StatusCreated, http.StatusConflict}, []int{delivered.Status, deleted.Status})

	require.Equal(t, http.StatusCreated, s.adjust(t, "TEA-1", object{"delta": -1, "reference": "all of it"}).Status)
	deleted, delivered = during("COMMIT", remove, func() httpapitest.Answer { return s.adjust(t, "TEA-1", object{"delta": 1, "reference": "later"}) })
	require.Equal(t, []int{http.StatusNoContent, http.StatusNotFound}, []int{deleted.Status, delivered.Status})
}

func TestListShowsLowStockFirst(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		for sku, pieces := range map[string]int64{"CUP-1": 3, "TEA-1": 30, "TEA_2": 8, "TEA-3": 0} {
			s.Stock(t, sku, 100, pieces)
		}
		require.NoError(t, s.reserve("orders/1", "@orders/1/place", "TEA-1", 29))
		skus := func(query string) []any {
			a := s.Get(t, "/inventory"+query)
			found := []any{}
			for _, row := range a.Items() {
				found = append(found, row["sku"])
			}
			return found
		}
		require.Equal(t, []any{"TEA-1", "CUP-1", "TEA_2"}, skus("?sort=available"))
		require.Equal(t, []any{"TEA-1", "CUP-1"}, skus("?sort=available&maxAvailable=3"))
		require.Equal(t, []any{"TEA-1", "TEA_2"}, skus("?q=tea"))
		require.Equal(t, []any{"TEA_2"}, skus("?q=_"))
		require.Equal(t, []any{"CUP-1"}, skus("?sku=CUP-1"))
		first := s.Send(t, http.MethodGet, "/inventory?sort=-available&limit=2", nil)
		require.Equal(t, []any{"CUP-1", "TEA-1"}, append(skus("?sort=-available&limit=2")[1:], skus("?sort=-available&limit=2&cursor="+first.Body["nextCursor"].(string))...))
	})
}

func TestInvalidAdjustmentIsRejectedAtItsField(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Item(t, "TEA-1", 100)
	before := s.Count(t, &uow.AuditRow{}, "1 = 1")
	for _, c := range []struct {
		name, body string
		status     int
		pointer    string
	}{
		{"nothing to do", `{"reason":"x","reference":"r"}`, 422, "/delta"},
		{"a delta of 0", `{"delta":0,"reason":"x","reference":"r"}`, 422, "/delta"},
		{"both", `{"delta":1,"setTo":1,"changeFrom":0,"reason":"x","reference":"r"}`, 422, "/delta"},
		{"no changeFrom", `{"setTo":1,"reason":"x","reference":"r"}`, 422, "/changeFrom"},
		{"no setTo", `{"changeFrom":1,"reason":"x","reference":"r"}`, 422, "/setTo"},
		{"less than nothing", `{"setTo":-1,"changeFrom":0,"reason":"x","reference":"r"}`, 422, "/setTo"},
		{"no reason", `{"delta":1,"reference":"r"}`, 422, "/reason"},
		{"no reference", `{"delta":1,"reason":"x"}`, 422, "/reference"},
		{"a reference of the service's own", `{"delta":1,"reason":"x","reference":"@orders/1/place"}`, 422, "/reference"},
		{"a fraction", `{"delta":1.5,"reason":"x","reference":"r"}`, 400, "/delta"},
		{"an unknown field", `{"delta":1,"reason":"x","reference":"r","note":""}`, 400, "/note"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, "/inventory/TEA-1/adjustments", c.body)
			require.Equal(t, c.status, a.Status, a.Body)
			require.Equal(t, c.pointer, a.Pointer())
		})
	}
	require.Equal(t, before, s.Count(t, &uow.AuditRow{}, "1 = 1"))
	s.requireStock(t, "TEA-1", 0, 0)
}

func TestLockedStockReturnsRetryAfter(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Item(t, "TEA-1", 100)
	s.Item(t, "TEA-2", 100)
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := s.Inventory.Lock(ctx, u, 0, "TEA-1")
			close(held)
			<-release
			return err
		})
	}()
	<-held
	body := object{"delta": 1, "reason": "x", "reference": "r"}
	a := s.Send(t, http.MethodPost, "/inventory/TEA-1/adjustments?wait=0", body)
	require.Equal(t, []any{http.StatusLocked, "resource_locked", "1"}, []any{a.Status, a.Body["code"], a.Header.Get("Retry-After")})
	s.Post(t, http.StatusCreated, "/inventory/TEA-2/adjustments?wait=0", body)
	close(release)
	require.NoError(t, <-done)
	s.requireStock(t, "TEA-1", 0, 0)
}
