package flashsale

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/flashsale/gate"
	"interlock/internal/inventory"
	"interlock/internal/mq"
)

// core is the shared part of a Service: its dependencies and this process's caches of
// sales.
type core struct {
	db        *storage.DB
	runner    *uow.Runner
	bus       events.Bus
	clock     clock.Clock
	gate      gate.Gate
	queues    mq.Broker
	items     *catalog.Service
	inventory *inventory.Service
	orders    Orders
	approvals *approvals.Service
	random    io.Reader
	metrics   *metrics

	snapshots sync.Map // sale id → *snapshot
	loading   singleflight.Group
	exhausted sync.Map // sale id → soldOut
	// wake starts a round of this process's worker.
	wake chan struct{}
	// resting reports whether the worker pauses longer than usual, because its sales are
	// idle.
	resting atomic.Bool
	peers   *workerPeers
}

// Sale returns a sale. Errors: NotFound.
func (s *core) Sale(ctx context.Context, id int64) (*Sale, error) {
	sale, err := findSale(s.db.Read(ctx), id)
	return sale, storage.Found(err, "flash sale", strconv.FormatInt(id, 10))
}

// auditAndAnnounce adds the unit's audit entry and announces the change after commit.
func (s *core) auditAndAnnounce(u *uow.Unit, verb string, sale *Sale, detail any) {
	u.AfterCommit(func(context.Context) { s.forget(sale.ID) })
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "flash_sale", Topic: Topic, Key: strconv.FormatInt(sale.ID, 10), Detail: detail,
		Change: events.Change{
			Version: sale.Version, ETag: sale.Ref().ETag(), Action: verb, Status: Machine.Of(sale.Status).Name, Label: sale.Name,
		},
	})
}

// lockWait bounds the wait of an allotment change for the inventory lock.
const lockWait = 3 * time.Second

// itemName returns the name of the item that a sale sells. Errors: ValidationFailed if it
// cannot be ordered now.
func (s *core) itemName(ctx context.Context, u *uow.Unit, sku string) (string, error) {
	items, err := s.items.ForSale(ctx, u, []string{sku})
	if err != nil {
		return "", err
	}
	item, found := items[sku]
	if !found {
		return "", apperr.Invalid(apperr.Field{Pointer: "/sku", Code: "not_for_sale", Message: "names no item that is for sale"})
	}
	return item.Name, nil
}

func (s *core) rows() change.Rows[Sale, *Sale] {
	return change.Rows[Sale, *Sale]{
		DB: s.db, Label: (*Sale).Label, View: func(ctx context.Context, sale *Sale) any { return saleViewOf(ctx, *sale) }, Find: findSale,
	}
}

// lifecycle declares the statuses of sales to package change.
func (s *core) lifecycle() change.Lifecycle[Sale, *Sale] {
	return change.Lifecycle[Sale, *Sale]{
		Rows: s.rows(), Machine: Machine, Edited: true,
		State: func(sale *Sale) status.State { return Machine.Of(sale.Status) },
	}
}

// applyCommitted sends committed rules to the gate. If that fails, the reconciler does it.
func (s *core) applyCommitted(ctx context.Context, id int64) {
	err := s.apply(ctx, id)
	if err != nil {
		slog.WarnContext(ctx, "flash sale: gate update failed; the reconciler will retry", "sale", id, "error", err)
	}
	s.wakeWorker()
}

func (s *core) apply(ctx context.Context, id int64) error {
	s.forget(id)
	snap, err := s.load(ctx, id)
	if err != nil || snap.stock == nil {
		return err
	}
	return s.gate.Apply(ctx, rulesOf(snap.sale, snap.stock))
}

// locked runs fn under the inventory lock of the item, outside any transaction. While fn runs, no
// batch of the sale is between its first gate step and its COMMIT.
func (s *core) locked(ctx context.Context, sale *Sale, wait time.Duration, fn func(ctx context.Context, stock *Stock) error) error {
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		ctx, err := s.inventory.Lock(ctx, u, wait, sale.SKU)
		if err != nil {
			return err
		}
		stock, err := stockOf(s.db.Read(ctx), sale.ID)
		if err != nil {
			return err
		}
		if stock == nil {
			return fmt.Errorf("%s was opened and has no units", sale.Label())
		}
		return fn(ctx, stock)
	})
}

// letter returns a dead letter, nil if there is none.
func (s *core) letter(ctx context.Context, id int64, message string) (*mq.DeadMessage, error) {
	found, err := s.letters(ctx, id, message)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// letters returns the dead letters among messages.
func (s *core) letters(ctx context.Context, id int64, messages ...string) ([]mq.DeadMessage, error) {
	requested := make(map[string]bool, len(messages))
	for _, message := range messages {
		requested[message] = true
	}
	queue := s.queues.Queue(gate.QueueName(id))
	var found []mq.DeadMessage
	for after, more := "", true; more && len(found) < len(requested); more = after != "" {
		var dead []mq.DeadMessage
		var err error
		if dead, after, err = queue.Dead(ctx, after, mq.MaxListed); err != nil {
			return nil, err
		}
		for _, m := range dead {
			if requested[m.ID] {
				found = append(found, m)
			}
		}
	}
	return found, nil
}

// wakeWorker starts a round of this process's worker now.
func (s *core) wakeWorker() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// asProgram returns a context that acts as the program, for the tenant of ctx.
func asProgram(ctx context.Context) context.Context {
	p, _ := principal.From(ctx)
	return asProgramOf(ctx, p.TenantID)
}

func asProgramOf(ctx context.Context, tenant int64) context.Context {
	return principal.With(ctx, principal.System(tenant, "flash sale"))
}
