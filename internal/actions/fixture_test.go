package actions_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/actions"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/edge/idempotency"
	"interlock/internal/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object = map[string]any

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// things are the names that can be acted on, with their ids.
type things map[string]int64

func (t things) Locate(_ context.Context, name string) (int64, string, error) {
	id, ok := t[name]
	if !ok {
		return 0, "", apperr.MissingRow("thing", name)
	}
	return id, name, nil
}

// shop is actions on a store, wired as app wires them.
type shop struct {
	ctx     context.Context
	db      *storage.DB
	retries *retries
	service *actions.Service
	runner  *uow.Runner
	items   *stock
	keeper  *idempotency.Keeper
	clock   *clock.Fake
}

// stock is the items of a shop, which fail is asked about before each is found.
type stock struct {
	things
	fail func(name string) error
}

func (s *stock) Locate(ctx context.Context, name string) (int64, string, error) {
	if err := s.fail(name); err != nil {
		return 0, "", err
	}
	return s.things.Locate(ctx, name)
}

// never is what fails nothing.
func never(string) error { return nil }

func open(ctx context.Context, db *storage.DB) *shop {
	return openWith(ctx, db, lock.NewInProcess(lock.Observer{}))
}

// openWith is open with a locker of the test's own.
func openWith(ctx context.Context, db *storage.DB, locks lock.Locker, set ...func(d *idempotency.Deps)) *shop {
	now, counter := clock.NewFake(noon), &retries{}
	runner := uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: now, Observer: counter})
	items := &stock{things: things{"SKU-1": 11, "SKU-2": 12}, fail: never}
	service := actions.New(actions.Deps{DB: db, Clock: now, Items: items, Coupons: things{"C-1": 11}})
	keeping := idempotency.Deps{DB: db, Locks: locks, Clock: now, Epochs: epoch.NewWatch(db, now)}
	for _, fn := range set {
		fn(&keeping)
	}
	keeper := idempotency.New(keeping)
	return &shop{ctx: ctx, db: db, retries: counter, service: service, runner: runner, items: items, keeper: keeper, clock: now}
}

// retries counts why units were run again.
type retries struct {
	mu sync.Mutex
	by map[string]int
	// committed is called after each COMMIT, unless it is nil.
	committed func()
}

func (r *retries) UnitRetried(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = map[string]int{}
	}
	r.by[reason]++
}

func (r *retries) UnitEnded(outcome string) {
	if outcome == "committed" && r.committed != nil {
		r.committed()
	}
}

// phone is one caller.
type phone struct{ *httpapitest.Caller }

// as returns a caller who is p in the shop's tenant.
func (s *shop) as(p principal.Principal) phone {
	tenant, _ := principal.From(s.ctx)
	p.TenantID = tenant.TenantID
	if p.Permissions == nil {
		p.Permissions = []string{"actions:*"}
	}
	return phone{httpapitest.NewKeyed(principal.With(s.ctx, p), s.runner, s.keeper, func(r *httpapi.Router) { actions.Routes(r, s.service) })}
}

// customer returns the one whom the shop calls by this number.
func (s *shop) customer(number int64) phone {
	return s.called(principal.CustomerID(fmt.Sprint(number)))
}

func (s *shop) called(id principal.CustomerID) phone {
	return s.as(principal.Principal{Kind: principal.Customer, CustomerID: id, Name: "customer"})
}

// tap sends an action on an item; active is nil to toggle.
func (p phone) tap(t *testing.T, sku, kind string, id int64, active any) httpapitest.Answer {
	t.Helper()
	body := object{"entityType": "item", "entityId": sku, "action": kind, "actionId": id}
	if active != nil {
		body["active"] = active
	}
	return p.Send(t, http.MethodPost, "/actions", body)
}

func (p phone) look(t *testing.T, sku string) object {
	t.Helper()
	a := p.Send(t, http.MethodGet, "/actions?entityType=item&entityId="+sku, nil)
	require.Equal(t, http.StatusOK, a.Status, a.Body)
	return a.Body
}

func own(summary object, kind string) object { return summary["own"].(object)[kind].(object) }

func reply(active bool, last int64, outcome string) object {
	return object{"active": active, "lastActionId": float64(last), "outcome": outcome}
}

// requireCounts holds the counts of every thing against the rows of who acts on it, and
// the audit log against what was applied.
func (s *shop) requireCounts(t *testing.T, applied int) {
	t.Helper()
	const counted = `SELECT COUNT(*) FROM (
		SELECT entity_type, entity_id, SUM(likes) AS likes, SUM(dislikes) AS dislikes, SUM(bookmarks) AS bookmarks
		  FROM action_counts WHERE tenant_id = ? GROUP BY entity_type, entity_id) c
		 WHERE likes     <> (SELECT COUNT(*) FROM actions a WHERE a.tenant_id = ? AND a.entity_type = c.entity_type AND a.entity_id = c.entity_id AND state = 'like')
		    OR dislikes  <> (SELECT COUNT(*) FROM actions a WHERE a.tenant_id = ? AND a.entity_type = c.entity_type AND a.entity_id = c.entity_id AND state = 'dislike')
		    OR bookmarks <> (SELECT COUNT(*) FROM actions a WHERE a.tenant_id = ? AND a.entity_type = c.entity_type AND a.entity_id = c.entity_id AND state = 'bookmark')`
	tenant, _ := principal.From(s.ctx)
	var wrong int64
	require.NoError(t, s.db.Read(s.ctx).Raw(counted, tenant.TenantID, tenant.TenantID, tenant.TenantID, tenant.TenantID).Scan(&wrong).Error)
	require.Zero(t, wrong, "counts that differ from their rows")
	var audits int64
	require.NoError(t, s.db.Read(s.ctx).Model(&uow.AuditRow{}).Where("resource LIKE 'actions/%'").Count(&audits).Error)
	require.EqualValues(t, applied, audits, "one audit row for each that was applied")
}
