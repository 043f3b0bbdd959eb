package e2e_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
	"interlock/test/tier"
)

// traffic sends random requests of two admins. It uses few names, so that requests meet.
type traffic struct {
	t      *testing.T
	random *rand.Rand
	admins []*apptest.Caller
}

func oneOf[T any](tr *traffic, of ...T) T { return of[tr.random.IntN(len(of))] }

func (tr *traffic) user() string { return oneOf(tr, "ada", "kim") }

// reference returns a reference, sometimes one that the service uses for its records.
func (tr *traffic) reference() string {
	return oneOf(tr, "R-1", "R-2", "R-3", fmt.Sprint("R-", tr.random.IntN(1000)), fmt.Sprintf("@refunds/%d", 1+tr.random.IntN(20)), fmt.Sprintf("@orders/%d/pay", 1+tr.random.IntN(20)))
}

// send sends a request of one of the admins and requires a response other than a server error.
func (tr *traffic) send(method, path string, body any, headers ...string) object {
	tr.t.Helper()
	answer := oneOf(tr, tr.admins...).Do(tr.t, method, "/api/v1"+path, body, headers...)
	require.Less(tr.t, answer.Status, 500, "%s %s: %s", method, path, answer.Body)
	if answer.Status >= 400 || len(answer.Body) == 0 {
		return nil
	}
	return answer.JSON(tr.t)
}

// some returns a random one of the newest items of a list, nil when there is none.
func (tr *traffic) some(path, filter string) object {
	items := tr.send(http.MethodGet, path+"?limit=20"+filter, nil)["items"].([]any)
	if len(items) == 0 {
		return nil
	}
	return oneOf(tr, items...).(object)
}

// step performs a step of a random record of a list.
func (tr *traffic) step(list string, bodies object) {
	row := tr.some(list, "")
	if row == nil {
		return
	}
	// Mostly possible steps, so that records progress, and some rejected ones.
	allowed, _ := row["allowedTransitions"].([]any)
	actions := slices.DeleteFunc(slices.Sorted(maps.Keys(bodies)), func(action string) bool {
		return tr.random.IntN(5) > 0 && !slices.Contains(allowed, any(action)) && !slices.Contains([]string{"payments", "refunds", "shipments"}, action)
	})
	if len(actions) == 0 {
		return
	}
	id, named := row["code"]
	if !named {
		id = int64(row["id"].(float64))
	}
	action := oneOf(tr, actions...)
	headers := []string{}
	if oneOf(tr, true, false) {
		headers = []string{"If-Match", row["etag"].(string)}
	}
	tr.send(http.MethodPost, fmt.Sprintf("%s/%v/%s", list, id, action), bodies[action], headers...)
}

func (tr *traffic) entry() {
	body := object{"amount": tr.random.IntN(200) - 50, "kind": oneOf(tr, "topup", "correction", "payment", "refund", "transfer"), "reference": tr.reference()}
	user := tr.user()
	// An entry that imitates the settlement of a refund, or the payment of an order.
	if refund := tr.some("/refunds", "&status=settled"); refund != nil && oneOf(tr, true, false) {
		user, body = refund["userId"].(string), object{"amount": refund["amount"], "kind": "refund", "reference": refund["reference"]}
	}
	tr.send(http.MethodPost, "/wallets/"+user+"/entries", body)
}

func (tr *traffic) order() {
	items := []object{{"sku": "TEA-1", "quantity": 1 + tr.random.IntN(3)}}
	if oneOf(tr, true, false) {
		items = append(items, object{"sku": "CUP-1", "quantity": 1})
	}
	body := object{"userId": tr.user(), "items": items}
	if coupon := tr.some("/coupons", ""); coupon != nil && oneOf(tr, true, false) {
		body["couponCode"] = coupon["code"]
	}
	switch tr.random.IntN(4) {
	case 0:
		body["externalId"] = fmt.Sprint("shop-", tr.random.IntN(100))
	case 1:
		body["expectedTotal"] = 20 * tr.random.IntN(4)
	case 2:
		body["paymentTerms"] = oneOf(tr, "on_delivery", "invoice")
	}
	tr.send(http.MethodPost, "/orders", body)
}

// payment applies an unmatched payment to an order, or sends it back.
func (tr *traffic) payment() {
	order := tr.some("/orders", "")
	if order == nil {
		return
	}
	tr.step("/payments", object{"apply": object{"orderId": order["id"]}, "refund": object{"reason": "paid twice"}})
	path := fmt.Sprintf("/orders/%d", idOf(order))
	tr.send(http.MethodPatch, path, object{"note": tr.reference()}, "If-Match", order["etag"].(string))
}

func (tr *traffic) stepOfOrder() {
	reason, parcel := object{"reason": "late"}, object{"carrier": "DHL", "trackingNo": "1", "shipRefunded": oneOf(tr, true, false)}
	method := oneOf(tr, "wallet", "external")
	tr.step("/orders", object{
		"pay": object{"method": method, "reference": tr.reference()}, "ship": parcel,
		"payments": object{"method": method, "reference": tr.reference(), "amount": 1 + tr.random.IntN(40)}, "complete": nil, "cancel": reason,
		"shipments": object{"carrier": "DHL", "trackingNo": "2", "lines": []object{{"lineId": 1 + tr.random.IntN(2), "quantity": 1 + tr.random.IntN(2)}}},
		"refunds":   object{"reason": "broken", "lines": []object{{"sku": oneOf(tr, "TEA-1", "CUP-1"), "quantity": 1 + tr.random.IntN(2), "restock": oneOf(tr, true, false)}}},
		"returns":   object{"reason": "too small", "lines": []object{{"lineId": 1, "quantity": 1}}},
	})
}

func (tr *traffic) config() {
	key := oneOf(tr, "a", "b", "c")
	config := tr.send(http.MethodGet, "/configs/"+key, nil)
	switch {
	case config == nil:
		tr.send(http.MethodPost, "/configs", object{"key": key, "value": 1, "protected": oneOf(tr, true, false)})
	case tr.random.IntN(8) == 0:
		tr.send(http.MethodDelete, "/configs/"+key, nil, "If-Match", config["etag"].(string))
	default:
		tr.send(http.MethodPatch, "/configs/"+key, object{"value": tr.random.IntN(100)}, "If-Match", config["etag"].(string))
	}
}

func (tr *traffic) events() {
	event := object{"eventType": "sold", "eventTime": time.Now(), "deltas": object{"units": tr.random.IntN(5)}, "clientSeq": tr.random.IntN(50)}
	if oneOf(tr, true, false) {
		event = object{"eventType": "sold", "eventTime": "2026-11-21T08:00:00Z", "deltas": object{"units": 1}, "eventId": tr.reference()}
	}
	tr.send(http.MethodPost, "/aggregates/day/"+oneOf(tr, "1", "2")+"/events", object{"clientId": oneOf(tr, "till", "web"), "events": []object{event}})
}

// one sends one request, preceded by the reads that it needs.
func (tr *traffic) one() {
	switch tr.random.IntN(12) {
	case 0, 1:
		tr.entry()
	case 2:
		tr.send(http.MethodPost, "/wallet-transfers", object{"fromUserId": "ada", "toUserId": "kim", "amount": 1 + tr.random.IntN(50), "reference": tr.reference()})
	case 3:
		tr.send(http.MethodPost, "/inventory/TEA-1/adjustments", object{"delta": tr.random.IntN(20) - 5, "reason": "count", "reference": tr.reference()})
	case 4:
		tr.order()
	case 5, 6:
		tr.stepOfOrder()
		tr.payment()
	case 7, 8:
		reason := object{"reason": "no"}
		for range 3 {
			tr.step("/refunds", object{"approve": nil, "reject": reason, "fail": reason, "unknown": reason, "settle": object{"reference": tr.reference()}})
		}
		tr.step("/returns", object{
			"receive": object{"lines": []object{{"lineId": 1, "quantity": 1, "restock": oneOf(tr, true, false)}}}, "close": nil, "reject": reason, "refund": object{},
		})
	case 9:
		tr.step("/coupon-campaigns", object{"coupons": object{"count": 1}})
		tr.step("/coupons", object{"redeem": object{"userId": tr.user()}, "void": nil})
	case 10:
		tr.config()
		tr.step("/approvals", object{"approve": nil, "reject": object{"reason": "no"}, "withdraw": nil})
		tr.events()
	case 11:
		// Each webhook delivers all changes of items, so there are few.
		if tr.random.IntN(20) == 0 || tr.some("/webhooks", "") == nil {
			tr.send(http.MethodPost, "/webhooks", object{"url": "https://receiver.invalid", "topics": []string{"items"}, "enabled": oneOf(tr, true, false)})
		}
		tr.step("/webhooks", object{"rotate-secret": nil, "replay": object{"after": "2026-01-01T00:00:00Z"}})
		tr.send(http.MethodPost, "/work-orders", object{"title": "Call back"})
		tr.step("/work-orders", object{"claim": nil, "release": nil, "resolve": object{"resolution": "done"}, "reopen": nil, "close": nil, "comments": object{"text": "?"}})
		tr.send(http.MethodPost, "/actions", object{"actionId": time.Now().UnixMilli(), "action": oneOf(tr, "like", "dislike", "bookmark"), "entityType": "item", "entityId": "TEA-1"},
			"X-On-Behalf-Of", tr.user())
	}
}

// Proves C1.
func TestRandomLegalTrafficViolatesNoPromise(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		tr := &traffic{t: t, random: rand.New(rand.NewPCG(seed, 1)), admins: []*apptest.Caller{c, newUser(t, c, "second", "admin")}}
		for _, sku := range []string{"TEA-1", "CUP-1"} {
			newItem(t, c, sku, 20)
		}
		create(t, c, "/api/v1/coupon-campaigns", object{
			"name": "Spring", "kind": "amount", "value": 5, "total": 1000, "perUser": 1000, "validFrom": "2026-01-01T00:00:00Z", "validTo": "2099-01-01T00:00:00Z",
		})
		// One refund that was paid outside, so that there is one from the start.
		order := newOrder(t, c, "TEA-1")
		answer(t, c, orderPath(order)+"/pay", paymentOf(order))
		refund := create(t, c, orderPath(order)+"/refunds", object{"amount": 5, "reason": "late"})
		answer(t, tr.admins[1], "/api/v1"+refundPath(refund)+"/approve", nil)
		answer(t, tr.admins[1], "/api/v1"+refundPath(refund)+"/settle", object{"reference": "R-0"})
		for range tier.Rounds(400, 10_000) {
			tr.one()
		}
		require.Empty(t, check(t, p.Services()))
	})
}
