package activity

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/actions"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/world"
)

// things are the ids of things by their names.
type things map[string]int64

func (t things) Locate(_ context.Context, name string) (int64, string, error) {
	id, ok := t[name]
	if !ok {
		return 0, "", apperr.MissingRow("thing", name)
	}
	return id, name, nil
}

// reactions is the service of actions on two items and a coupon.
type reactions struct {
	*world.World
	retries *retries
	service *actions.Service
	items   *stock
}

func openActions(ctx context.Context, t testing.TB, db *storage.DB) *reactions {
	t.Helper()
	return openActionsWith(ctx, t, db, world.Options{})
}

func openActionsWith(ctx context.Context, t testing.TB, db *storage.DB, o world.Options) *reactions {
	t.Helper()
	counter := &retries{}
	o.Observer = counter
	s := &reactions{World: world.New(ctx, t, db, o), retries: counter, items: &stock{things: things{"SKU-1": 11, "SKU-2": 12}, fail: never}}
	s.service = actions.New(actions.Deps{DB: db, Clock: s.Clock, Items: s.items, Coupons: things{"C-1": 11}})
	s.Serve(func(r *httpapi.Router) { actions.Routes(r, s.service) })
	return s
}

// stock is the items of a shop. fail can return an error for a lookup.
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

// never returns no error.
func never(string) error { return nil }

// retries counts the retries of units by their reason.
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

// phone is a caller that sends actions.
type phone struct{ *httpapitest.Caller }

// as returns a caller that acts as p in the tenant.
func (s *reactions) as(p principal.Principal) phone {
	p.TenantID = s.Tenant()
	if p.Permissions == nil {
		p.Permissions = []string{"actions:*"}
	}
	return phone{s.For(principal.With(s.Ctx, p))}
}

// customer returns the caller of the customer with a number as its name.
func (s *reactions) customer(number int64) phone {
	return s.called(principal.CustomerID(fmt.Sprint(number)))
}

func (s *reactions) called(id principal.CustomerID) phone {
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
	a := p.Get(t, "/actions?entityType=item&entityId="+sku)
	return a.Body
}

func own(summary object, kind string) object { return summary["own"].(object)[kind].(object) }

func reply(active bool, last int64, outcome string) object {
	return object{"active": active, "lastActionId": float64(last), "outcome": outcome}
}

// requireCounts requires that the counts of all things equal their rows, and that each applied action has
// one audit row.
func (s *reactions) requireCounts(t *testing.T, applied int) {
	t.Helper()
	const counted = `SELECT COUNT(*) FROM (
		SELECT entity_type, entity_id, SUM(likes) AS likes, SUM(dislikes) AS dislikes, SUM(bookmarks) AS bookmarks
		  FROM action_counts WHERE tenant_id = ? GROUP BY entity_type, entity_id) c
		 WHERE likes     <> (SELECT COUNT(*) FROM actions a WHERE a.tenant_id = ? AND a.entity_type = c.entity_type AND a.entity_id = c.entity_id AND state = 'like')
		    OR dislikes  <> (SELECT COUNT(*) FROM actions a WHERE a.tenant_id = ? AND a.entity_type = c.entity_type AND a.entity_id = c.entity_id AND state = 'dislike')
		    OR bookmarks <> (SELECT COUNT(*) FROM actions a WHERE a.tenant_id = ? AND a.entity_type = c.entity_type AND a.entity_id = c.entity_id AND state = 'bookmark')`
	tenant := s.Tenant()
	var wrong int64
	require.NoError(t, s.DB.Read(s.Ctx).Raw(counted, tenant, tenant, tenant, tenant).Scan(&wrong).Error)
	require.Zero(t, wrong, "counts that differ from their rows")
	require.EqualValues(t, applied, s.Count(t, &uow.AuditRow{}, "resource LIKE 'actions/%'"), "one audit row for each that was applied")
}
