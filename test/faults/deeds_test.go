package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/test/apptest"
)

type object = map[string]any

// deed is a request that changes something, with its idempotency key, and a query that
// detects whether the change was made.
type deed struct {
	name   string
	key    string
	method string
	path   string
	body   any
	// tag is sent as If-Match; "" for none.
	tag string
	// status is the status of a successful response.
	status int
	// effect is a query that counts how often the change was made.
	effect string
	about  []any
	// alsoAudited is the number of audit rows in addition to the request's audit row.
	alsoAudited int64
}

// send sends the deed with its key.
func (d deed) send(ctx context.Context, c *apptest.Caller) (apptest.Answer, error) {
	headers := []string{"X-Idempotency-Key", d.key, "X-Request-Id", d.key}
	if d.tag != "" {
		headers = append(headers, "If-Match", d.tag)
	}
	return c.Try(ctx, d.method, "/api/v1"+d.path, d.body, headers...)
}

// deeds prepares requests of every kind, in random order, for one program.
type deeds struct {
	random *rand.Rand
	made   int
	// kinds are the kinds to draw from.
	kinds []kindOfDeed
	drawn []kindOfDeed
}

// kindOfDeed creates the prerequisites of a deed and returns the deed; name is unique.
type kindOfDeed struct {
	name string
	// locked deeds acquire a lock, and fail while the lock service is unreachable.
	locked  bool
	prepare func(t *testing.T, c *apptest.Caller, name string) deed
}

func newDeeds(random *rand.Rand) *deeds { return &deeds{random: random, kinds: kindsOfDeeds} }

// withoutLocks removes the deeds that need a lock.
func (ds *deeds) withoutLocks() *deeds {
	ds.kinds = slices.DeleteFunc(slices.Clone(ds.kinds), func(k kindOfDeed) bool { return k.locked })
	return ds
}

// next prepares a deed. Each kind is used once before any kind is repeated.
func (ds *deeds) next(t *testing.T, c *apptest.Caller) deed {
	t.Helper()
	if len(ds.drawn) == 0 {
		ds.drawn = slices.Clone(ds.kinds)
		ds.random.Shuffle(len(ds.drawn), func(i, j int) { ds.drawn[i], ds.drawn[j] = ds.drawn[j], ds.drawn[i] })
	}
	kind := ds.drawn[0]
	ds.drawn = ds.drawn[1:]
	ds.made++
	name := fmt.Sprintf("%s-%d", kind.name, ds.made)
	d := kind.prepare(t, c, name)
	d.name, d.key = name, "key-of-"+name
	return d
}

// must sends a request that a deed depends on.
func must(t *testing.T, c *apptest.Caller, path string, body any) object {
	t.Helper()
	answer := c.Do(t, http.MethodPost, "/api/v1"+path, body)
	require.Equalf(t, http.StatusCreated, answer.Status, "POST %s: %s", path, answer.Body)
	return answer.JSON(t)
}

func newItem(t *testing.T, c *apptest.Caller, sku string) object {
	return must(t, c, "/items", object{"sku": sku, "name": "Green tea", "price": 1990})
}

func newOrder(t *testing.T, c *apptest.Caller, name string) int64 {
	newItem(t, c, name)
	must(t, c, "/inventory/"+name+"/adjustments", object{"delta": 5, "reason": "opening stock", "reference": "opening"})
	order := must(t, c, "/orders", object{"userId": 7, "items": []any{object{"sku": name, "quantity": 1}}})
	return int64(order["id"].(float64))
}

func newCampaign(t *testing.T, c *apptest.Caller, name string) int64 {
	return int64(must(t, c, "/coupon-campaigns", campaign(name))["id"].(float64))
}

func campaign(name string) object {
	return object{
		"name": name, "kind": "amount", "value": 500, "minimumAmount": 0, "total": 10, "perUser": 10,
		"validFrom": "2020-01-01T00:00:00Z", "validTo": "2100-01-01T00:00:00Z",
	}
}

const movesTo = "SELECT COUNT(*) FROM order_histories WHERE order_id = ? AND to_status = ?"

var kindsOfDeeds = []kindOfDeed{
	{"create-item", false, func(_ *testing.T, _ *apptest.Caller, name string) deed {
		return deed{
			method: http.MethodPost, path: "/items", body: object{"sku": name, "name": "Green tea", "price": 1990}, status: http.StatusCreated,
			effect: "SELECT COUNT(*) FROM items WHERE sku = ?", about: []any{name},
		}
	}},
	{"edit-item", false, func(t *testing.T, c *apptest.Caller, name string) deed {
		item := newItem(t, c, name)
		return deed{
			method: http.MethodPatch, path: "/items/" + name, body: object{"price": 2190}, tag: item["etag"].(string), status: http.StatusOK,
			effect: "SELECT version - 1 FROM items WHERE sku = ?", about: []any{name},
		}
	}},
	{"create-config", false, func(_ *testing.T, _ *apptest.Caller, name string) deed {
		return deed{
			method: http.MethodPost, path: "/configs", body: object{"key": name, "value": 1, "valueType": "number"}, status: http.StatusCreated,
			effect: "SELECT COUNT(*) FROM configs WHERE `key` = ?", about: []any{name},
		}
	}},
	{"edit-config", false, func(t *testing.T, c *apptest.Caller, name string) deed {
		config := must(t, c, "/configs", object{"key": name, "value": 1, "valueType": "number"})
		return deed{
			method: http.MethodPatch, path: "/configs/" + name, body: object{"value": 2}, tag: config["etag"].(string), status: http.StatusOK,
			effect: "SELECT version - 1 FROM configs WHERE `key` = ?", about: []any{name},
		}
	}},
	{"start-campaign", false, func(_ *testing.T, _ *apptest.Caller, name string) deed {
		return deed{
			method: http.MethodPost, path: "/coupon-campaigns", body: campaign(name), status: http.StatusCreated,
			effect: "SELECT COUNT(*) FROM coupon_campaigns WHERE name = ?", about: []any{name},
		}
	}},
	{"issue-coupons", false, func(t *testing.T, c *apptest.Caller, name string) deed {
		id := newCampaign(t, c, name)
		return deed{
			method: http.MethodPost, path: fmt.Sprintf("/coupon-campaigns/%d/coupons", id), body: object{"count": 1}, status: http.StatusCreated,
			effect: "SELECT COUNT(*) FROM coupons WHERE campaign_id = ?", about: []any{id},
		}
	}},
	{"redeem-coupon", false, func(t *testing.T, c *apptest.Caller, name string) deed {
		issued := must(t, c, fmt.Sprintf("/coupon-campaigns/%d/coupons", newCampaign(t, c, name)), object{"count": 1})
		code := issued["codes"].([]any)[0].(string)
		return deed{
			method: http.MethodPost, path: "/coupons/" + code + "/redeem", body: object{"userId": 7}, status: http.StatusOK,
			effect: "SELECT version - 1 FROM coupons WHERE code = ?", about: []any{code},
		}
	}},
	// Without active the action toggles, so that a second execution would withdraw it.
	{"like", false, func(t *testing.T, c *apptest.Caller, name string) deed {
		item := newItem(t, c, name)
		return deed{
			method: http.MethodPost, path: "/actions", status: http.StatusOK,
			body:   object{"entityType": "item", "entityId": name, "action": "like", "actionId": 1},
			effect: "SELECT COALESCE(SUM(likes), 0) FROM action_counts WHERE entity_type = 'item' AND entity_id = (SELECT id FROM items WHERE sku = ?)",
			about:  []any{item["sku"]},
		}
	}},
	{"adjust-stock", true, func(t *testing.T, c *apptest.Caller, name string) deed {
		newItem(t, c, name)
		return deed{
			method: http.MethodPost, path: "/inventory/" + name + "/adjustments", body: object{"delta": 1, "reason": "found", "reference": "found"}, status: http.StatusCreated,
			effect: "SELECT COALESCE(SUM(on_hand_delta), 0) FROM inventory_movements WHERE sku = ?", about: []any{name},
		}
	}},
	{"place-order", true, func(t *testing.T, c *apptest.Caller, name string) deed {
		newItem(t, c, name)
		must(t, c, "/inventory/"+name+"/adjustments", object{"delta": 5, "reason": "opening stock", "reference": "opening"})
		return deed{
			method: http.MethodPost, path: "/orders", body: object{"userId": 7, "items": []any{object{"sku": name, "quantity": 1}}}, status: http.StatusCreated,
			effect: "SELECT COUNT(*) FROM order_lines WHERE sku = ?", about: []any{name},
		}
	}},
	{"pay-order", true, func(t *testing.T, c *apptest.Caller, name string) deed {
		id := newOrder(t, c, name)
		return deed{
			method: http.MethodPost, path: fmt.Sprintf("/orders/%d/pay", id), body: object{"method": "external", "reference": name}, status: http.StatusOK,
			effect: movesTo, about: []any{id, 1},
		}
	}},
	{"cancel-order", true, func(t *testing.T, c *apptest.Caller, name string) deed {
		id := newOrder(t, c, name)
		return deed{
			method: http.MethodPost, path: fmt.Sprintf("/orders/%d/cancel", id), body: object{"reason": "changed my mind"}, status: http.StatusOK,
			effect: movesTo, about: []any{id, 4},
		}
	}},
	{"claim-work-order", false, func(t *testing.T, c *apptest.Caller, name string) deed {
		id := int64(must(t, c, "/work-orders", object{"title": name})["id"].(float64))
		return deed{
			method: http.MethodPost, path: fmt.Sprintf("/work-orders/%d/claim", id), status: http.StatusOK,
			effect: "SELECT version - 1 FROM work_orders WHERE id = ?", about: []any{id},
		}
	}},
	// The last vote's unit makes the change of a protected config.
	{"approve-change", false, func(t *testing.T, c *apptest.Caller, name string) deed {
		author := newUser(t, c, name, "admin")
		config := must(t, c, "/configs", object{"key": name, "value": 1, "valueType": "number", "protected": true})
		proposal := author.Do(t, http.MethodPatch, "/api/v1/configs/"+name, object{"value": 2}, "If-Match", config["etag"].(string))
		require.Equalf(t, http.StatusAccepted, proposal.Status, "%s", proposal.Body)
		return deed{
			method: http.MethodPost, path: fmt.Sprintf("/approvals/%d/approve", int64(proposal.JSON(t)["id"].(float64))), tag: proposal.Header.Get("ETag"), status: http.StatusOK,
			effect: "SELECT version - 1 FROM configs WHERE `key` = ?", about: []any{name}, alsoAudited: 1,
		}
	}},
	{"transfer", true, func(t *testing.T, c *apptest.Caller, name string) deed {
		must(t, c, "/wallets/from-"+name+"/entries", object{"amount": 5, "kind": "topup", "reference": "opening"})
		return deed{
			method: http.MethodPost, path: "/wallet-transfers", status: http.StatusCreated,
			body:   object{"fromUserId": "from-" + name, "toUserId": "to-" + name, "amount": 3, "reference": name},
			effect: "SELECT COUNT(*) FROM wallet_entries WHERE user_id = ? AND reference = ?", about: []any{"to-" + name, name},
		}
	}},
	{"fill-wallet", true, func(_ *testing.T, _ *apptest.Caller, name string) deed {
		return deed{
			method: http.MethodPost, path: "/wallets/12/entries", body: object{"amount": 1, "kind": "topup", "reference": name}, status: http.StatusCreated,
			effect: "SELECT COUNT(*) FROM wallet_entries WHERE user_id = '12' AND reference = ?", about: []any{name},
		}
	}},
}

// witness reads the store directly.
type witness struct{ db *storage.DB }

func newWitness(t *testing.T, databaseURL string) witness {
	t.Helper()
	db, err := storage.Open(t.Context(), storage.Options{URL: databaseURL, MaxConnections: 2})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return witness{db}
}

func (w witness) number(t *testing.T, query string, arguments ...any) (n int64) {
	t.Helper()
	require.NoError(t, w.db.Read(storage.AcrossTenants(context.WithoutCancel(t.Context()))).Raw(query, arguments...).Scan(&n).Error)
	return n
}

func (w witness) text(t *testing.T, query string, arguments ...any) (text string) {
	t.Helper()
	require.NoError(t, w.db.Read(storage.AcrossTenants(context.WithoutCancel(t.Context()))).Raw(query, arguments...).Scan(&text).Error)
	return text
}

// effects counts how often a deed was done, and audited counts all audit rows.
func (w witness) effects(t *testing.T, d deed) int64 {
	t.Helper()
	return w.number(t, d.effect, d.about...)
}

func (w witness) audited(t *testing.T) int64 {
	t.Helper()
	return w.number(t, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0")
}
