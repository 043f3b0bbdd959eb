package contract_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/passkey/passkeytest"
	"interlock/internal/edge/httpapi"
	"interlock/internal/mq"
	"interlock/test/apptest"
	"interlock/test/contract/validate"
)

// day is a run of one caller through the API.
type day struct {
	*apptest.Caller
	t *testing.T
}

func (d day) do(status int, method, path string, body any, headers ...string) map[string]any {
	d.t.Helper()
	answer := d.Do(d.t, method, httpapi.Base+path, body, headers...)
	require.Equal(d.t, status, answer.Status, "%s %s: %s", method, path, answer.Body)
	if len(answer.Body) == 0 {
		return nil
	}
	return answer.JSON(d.t)
}

func (d day) etag(path string) string {
	d.t.Helper()
	return d.do(http.StatusOK, http.MethodGet, path, nil)["etag"].(string)
}

// TestEveryOperationSucceedsAsDocumented calls all operations once. The caller's transport
// checks each exchange against the document; the test asserts that no operation was left
// out.
func TestEveryOperationSucceedsAsDocumented(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		d := day{p.Admin(t), t}
		d.sell()
		d.payment()
		d.refund()
		d.sendBack()
		d.work()
		d.subscribe()
		d.repeat()
		d.stock()
		d.bank()
		d.record()
		d.flash()
		d.redeem()
		d.act()
		d.configure()
		d.decide()
		d.watch()
		d.followEvents()
		d.look()
		d.admit()
		d.signInAndOut()
		d.operate()

		seen := d.HTTP.Transport.(*validate.Transport)
		for _, o := range load(t).Operations() {
			require.True(t, seen.Succeeded(o.Name), "%s was not called with success", o.Name)
		}
	})
}

func (d day) sell() {
	sku := newItem(d.t, d.Caller)
	d.do(200, "PATCH", "/items/"+sku, `{"price":2190}`, "If-Match", d.etag("/items/"+sku))
	d.do(200, "GET", "/items?q="+strings.ToLower(sku)+"&sort=-price&status=active", nil)
	require.EqualValues(d.t, 2, d.do(200, "GET", "/items/"+sku+"/history", nil)["total"])
	spare := newItem(d.t, d.Caller)
	d.do(204, "DELETE", "/items/"+spare, nil, "If-Match", d.etag("/items/"+spare))

	order := "/orders/" + newOrder(d.t, d.Caller)
	answer := d.Do(d.t, "GET", httpapi.Base+order, nil, "If-None-Match", d.etag(order))
	require.Equal(d.t, http.StatusNotModified, answer.Status)
	d.do(412, "PATCH", order, `{"note":"x"}`, "If-Match", `"zz-1"`)
	d.do(200, "PATCH", order, `{"note":"x","email":"li@example.com","tags":["gift"],"metadata":{"a":"b"}}`, "If-Match", d.etag(order))
	placement := fmt.Sprintf(`{"userId":7,"items":[{"sku":%q,"quantity":1}],"externalId":%q,"shippingAddress":{"name":"Li","line1":"a","city":"b","country":"CN"},"tax":1}`, sku, sku)
	d.do(201, "POST", "/inventory/"+sku+"/adjustments", `{"delta":1,"reason":"opening","reference":"opening"}`)
	d.do(201, "POST", "/orders", placement)
	d.do(200, "POST", "/orders", placement)
	d.do(409, "POST", "/orders", strings.Replace(placement, `"tax":1`, `"tax":2`, 1))
	d.do(409, "POST", "/orders", fmt.Sprintf(`{"userId":7,"items":[{"sku":%q,"quantity":1}],"expectedTotal":1}`, sku))
	d.do(200, "POST", order+"/pay", `{"method":"external","reference":"PSP-1"}`, "If-Match", d.etag(order))
	d.do(412, "POST", order+"/ship", `{"carrier":"DHL","trackingNo":"1"}`, "If-Match", `"zz-1"`)
	d.do(422, "POST", order+"/shipments", `{"lines":[{"lineId":1,"quantity":2}],"carrier":"DHL","trackingNo":"1"}`)
	d.do(200, "POST", order+"/ship", `{"carrier":"DHL","trackingNo":"1"}`)
	d.do(409, "POST", order+"/shipments", `{"carrier":"DHL","trackingNo":"1"}`)
	parcels := "/orders/" + newPaidOrder(d.t, d.Caller) + "/shipments"
	d.do(201, "POST", parcels, `{"lines":[{"lineId":1,"quantity":1}],"carrier":"DHL","trackingNo":"2"}`)
	require.Len(d.t, d.do(200, "GET", parcels+"?sort=id", nil)["items"], 1)
	d.do(200, "POST", order+"/complete", nil)
	d.do(409, "POST", order+"/cancel", `{"reason":"too late"}`)
	d.do(200, "GET", order+"/history?sort=version", nil)
	d.do(200, "POST", "/orders/"+newOrder(d.t, d.Caller)+"/cancel", `{"reason":"changed their mind"}`)
	verdicts := d.do(200, "POST", "/order-batches", map[string]any{"action": "complete", "ids": []int64{1, 1 << 60}})
	require.Len(d.t, verdicts["items"], 2)
	d.do(200, "GET", "/orders?status=completed&userId=7&from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&q=20", nil)
	for _, export := range []string{"/orders/export", "/orders/export?format=jsonl", "/payments/export"} {
		require.Equal(d.t, http.StatusOK, d.Do(d.t, "GET", httpapi.Base+export, nil).Status)
	}
	for _, by := range []string{"day", "week", "month", "sku", "sale"} {
		d.do(200, "GET", "/reports/sales?by="+by, nil)
	}
	buyer := d.do(200, "GET", order, nil)["userId"].(string)
	require.NotEmpty(d.t, d.do(200, "GET", "/customers?q="+buyer, nil)["items"])
	d.do(201, "POST", "/my"+order+"/returns", `{"lines":[{"lineId":1,"quantity":1}],"reason":"too small"}`, "X-On-Behalf-Of", buyer)
	for _, path := range []string{"/my/orders", "/my" + order, "/my" + order + "/returns", "/my/wallet", "/my/coupons", "/my/tickets"} {
		d.do(200, "GET", path, nil, "X-On-Behalf-Of", buyer)
	}
}

// payment records payments in part, unmatched and again.
func (d day) payment() {
	boss := day{newColleague(d.t, d.Caller, "refunds:*", "payments:*"), d.t}
	path := "/orders/" + newOrder(d.t, d.Caller)
	d.do(422, "POST", path+"/payments", `{"method":"external","provider":"refund","reference":"pi_1"}`)
	part := d.do(201, "POST", path+"/payments", `{"method":"external","provider":"stripe","reference":"pi_1","amount":990}`)
	require.Equal(d.t, part, d.do(200, "POST", path+"/payments", `{"method":"external","provider":"stripe","reference":"pi_1"}`))
	d.do(409, "POST", path+"/payments", `{"method":"external","provider":"stripe","reference":"pi_1","amount":1}`)
	d.do(202, "POST", path+"/payments", `{"method":"external","provider":"stripe","reference":"pi_2","amount":1001}`)
	d.do(409, "POST", path+"/payments", `{"method":"wallet","reference":"w_1","amount":1001}`)
	d.do(404, "POST", "/orders/999999999/payments", `{"method":"wallet","reference":"w_1","amount":1}`)
	stray := "/payments/" + newPayment(d.t, d.Caller)
	d.do(422, "POST", stray+"/apply", `{"orderId":999999999}`)
	d.do(200, "POST", stray+"/apply", map[string]any{"orderId": part["orderId"]}, "If-Match", d.etag(stray))
	d.do(409, "POST", stray+"/apply", map[string]any{"orderId": part["orderId"]})
	boss.do(409, "POST", stray+"/refund", `{"reason":"paid twice"}`)
	back := "/payments/" + newPayment(d.t, d.Caller)
	d.do(403, "POST", back+"/refund", `{"reason":"paid twice"}`)
	boss.do(200, "POST", back+"/refund", `{"reason":"paid twice"}`)
	d.do(200, "GET", back+"/history?sort=version", nil)
	require.Len(d.t, d.do(200, "GET", path+"/payments", nil)["items"], 3)
	d.do(200, "GET", "/payments?status=unmatched&orderId=1&userId=7&method=external&provider=stripe&q=pi_&from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&sort=-amount", nil)
}

// refund refunds a payment, which requires two users.
func (d day) refund() {
	boss := day{newColleague(d.t, d.Caller, "refunds:*"), d.t}
	refund := func() string { return "/refunds/" + newRefund(d.t, d.Caller) }
	first := refund()
	order := fmt.Sprint("/orders/", int64(d.do(200, "GET", first, nil)["orderId"].(float64)))
	beyond := d.do(422, "POST", order+"/refunds", `{"amount":996,"reason":"too much"}`)
	require.EqualValues(d.t, 995, beyond["refundable"])
	sku := d.do(200, "GET", order, nil)["items"].([]any)[0].(map[string]any)["sku"]
	d.do(201, "POST", order+"/refunds", map[string]any{"amount": 5, "reason": "a piece", "lines": []any{map[string]any{"sku": sku, "quantity": 1, "restock": true}}})
	seen := d.etag(first)
	d.do(403, "POST", first+"/approve", nil)
	boss.do(200, "POST", first+"/approve", nil, "If-Match", seen)
	boss.do(412, "POST", first+"/approve", nil, "If-Match", seen)
	boss.do(409, "POST", first+"/approve", nil)
	boss.do(200, "POST", first+"/unknown", `{"reason":"no answer"}`)
	boss.do(200, "POST", first+"/settle", `{"reference":"re_1"}`)
	answer := d.Do(d.t, "GET", httpapi.Base+first, nil, "If-None-Match", d.etag(first))
	require.Equal(d.t, http.StatusNotModified, answer.Status)
	second := refund()
	boss.do(200, "POST", second+"/reject", `{"reason":"no"}`)
	third := refund()
	boss.do(200, "POST", third+"/approve", nil)
	boss.do(200, "POST", third+"/fail", `{"reason":"the card has expired"}`)
	d.do(200, "GET", first+"/history?sort=version", nil)
	d.do(200, "GET", "/refunds?status=failed&orderId=1&userId=7&from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&sort=-amount", nil)

	user := newWallet(d.t, d.Caller)
	paid := d.do(201, "POST", "/orders", map[string]any{"userId": user, "items": []any{map[string]any{"sku": newStock(d.t, d.Caller), "quantity": 2}}})
	byWallet := fmt.Sprint("/orders/", int64(paid["id"].(float64)))
	d.do(200, "POST", byWallet+"/pay", `{"method":"wallet"}`)
	part := d.do(201, "POST", byWallet+"/refunds", `{"amount":100,"reason":"late"}`)
	require.Equal(d.t, "settled", boss.do(200, "POST", fmt.Sprint("/refunds/", int64(part["id"].(float64)), "/approve"), nil)["status"])
	require.EqualValues(d.t, 0, d.do(200, "POST", byWallet+"/cancel", `{"reason":"changed their mind"}`)["refundable"])
	require.Len(d.t, d.do(200, "GET", fmt.Sprint("/refunds?orderId=", int64(paid["id"].(float64))), nil)["items"], 2)
}

// sendBack receives, refunds, closes and rejects returns.
func (d day) sendBack() {
	first, second := "/returns/"+newReturn(d.t, d.Caller), "/returns/"+newReturn(d.t, d.Caller)
	d.do(409, "POST", first+"/close", nil)
	d.do(422, "POST", first+"/receive", `{"lines":[{"lineId":1,"quantity":2,"restock":true}]}`)
	seen := d.etag(first)
	d.do(200, "POST", first+"/receive", `{"lines":[{"lineId":1,"quantity":1,"restock":true}]}`, "If-Match", seen)
	d.do(412, "POST", first+"/receive", `{"lines":[{"lineId":1,"quantity":1,"restock":true}]}`, "If-Match", seen)
	require.NotNil(d.t, d.do(200, "POST", first+"/refund", nil)["refundId"])
	d.do(409, "POST", first+"/refund", `{"amount":1}`)
	d.do(200, "POST", first+"/close", nil)
	d.do(200, "POST", second+"/reject", `{"reason":"used"}`)
	answer := d.Do(d.t, "GET", httpapi.Base+first, nil, "If-None-Match", d.etag(first))
	require.Equal(d.t, http.StatusNotModified, answer.Status)
	d.do(200, "GET", first+"/history?sort=version", nil)
	d.do(201, "POST", first+"/comments", `{"text":"The courier has been called."}`)
	d.do(422, "POST", first+"/comments", `{"text":""}`)
	require.NotEmpty(d.t, d.do(200, "GET", first+"/comments?sort=-id", nil)["items"])
	d.do(200, "GET", "/returns?status=closed&orderId=1&userId=7&q=20&from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&sort=-updatedTime", nil)
}

// work runs work orders with two users.
func (d day) work() {
	colleague := day{newColleague(d.t, d.Caller, "work-orders:read", "work-orders:write"), d.t}
	order := "/work-orders/" + newWorkOrder(d.t, d.Caller)
	answer := d.Do(d.t, "GET", httpapi.Base+order, nil, "If-None-Match", d.etag(order))
	require.Equal(d.t, http.StatusNotModified, answer.Status)
	seen := d.etag(order)
	holder := colleague.do(200, "POST", order+"/claim", nil, "If-Match", seen)["holder"]
	require.Equal(d.t, holder, d.do(409, "POST", order+"/claim", nil)["holder"])
	d.do(412, "POST", order+"/claim", nil, "If-Match", seen)
	d.do(200, "POST", order+"/release", nil)
	d.do(200, "POST", order+"/assign", map[string]any{"userId": holder.(map[string]any)["id"]})
	d.do(422, "POST", order+"/assign", `{"userId":999999999}`)
	colleague.do(201, "POST", order+"/comments", `{"text":"The courier has been called."}`)
	colleague.do(200, "POST", order+"/resolve", `{"resolution":"done"}`)
	d.do(200, "POST", order+"/close", nil)
	d.do(200, "POST", order+"/reopen", nil)
	d.do(200, "GET", order+"/history?sort=version", nil)
	require.NotEmpty(d.t, d.do(200, "GET", order+"/comments?sort=-id", nil)["items"])
	d.do(200, "GET", "/work-orders?q=walk&status=open&priority=normal&holderId=1&link=orders/1&dueBy=2100-01-01T00:00:00Z&sort=priority", nil)
	require.Equal(d.t, "claimed", d.do(200, "POST", "/work-orders/claim-next", nil)["status"])
	d.do(404, "POST", "/work-orders/claim-next", nil)
}

func (d day) repeat() {
	body := map[string]any{"sku": unique("WALK"), "name": "Keyed item", "price": 1990}
	first := d.Do(d.t, "POST", httpapi.Base+"/items", body, "X-Idempotency-Key", "scenario")
	require.Equal(d.t, 201, first.Status)
	again := d.Do(d.t, "POST", httpapi.Base+"/items", body, "Idempotency-Key", "scenario")
	require.Equal(d.t, first.Body, again.Body)
	require.Equal(d.t, "true", again.Header.Get("X-Idempotency-Replay"))
	d.do(422, "POST", "/items", map[string]any{"sku": "OTHER", "name": "Other", "price": 1}, "X-Idempotency-Key", "scenario")
	d.do(400, "POST", "/items", body, "X-Idempotency-Key", "")
	keys := d.do(200, "GET", "/idempotency-keys?key=scenario&status=201&sort=id", nil)["items"].([]any)
	require.Len(d.t, keys, 1)
	found := d.do(200, "GET", fmt.Sprint("/idempotency-keys/", int64(keys[0].(map[string]any)["id"].(float64))), nil)
	require.EqualValues(d.t, 1, found["replays"])
}

func (d day) subscribe() {
	hook := "/webhooks/" + newWebhook(d.t, d.Caller)
	newWebhook(d.t, d.Caller)
	d.do(200, "GET", "/webhooks?sort=id&limit=1", nil)
	stale := d.etag(hook)
	d.do(200, "PATCH", hook, `{"filter":{"actions":["ship"]}}`, "If-Match", stale)
	d.do(412, "PATCH", hook, `{"content":"full"}`, "If-Match", stale)
	require.Equal(d.t, false, d.do(200, "POST", hook+"/test", nil)["delivered"])
	require.EqualValues(d.t, 3, d.do(200, "GET", hook+"/deliveries?sort=id", nil)["total"])
	require.NotEmpty(d.t, d.do(200, "POST", hook+"/rotate-secret", nil)["secret"])
	d.do(200, "POST", hook+"/replay", `{"after":"2026-01-01T00:00:00Z"}`)
	require.Equal(d.t, "gone", d.do(410, "POST", hook+"/replay", `{"after":"another-1"}`)["code"])
	require.EqualValues(d.t, 3, d.do(200, "GET", hook+"/history", nil)["total"])
	d.do(204, "DELETE", hook, nil, "If-Match", d.etag(hook))
}

func (d day) stock() {
	sku := newStock(d.t, d.Caller)
	stock := "/inventory/" + sku
	d.do(200, "POST", stock+"/adjustments", `{"delta":10,"reason":"opening stock","reference":"opening"}`)
	d.do(409, "POST", stock+"/adjustments", `{"delta":11,"reason":"opening stock","reference":"opening"}`)
	d.do(201, "POST", stock+"/adjustments?wait=0", `{"setTo":8,"changeFrom":10,"reason":"count","reference":"count-1"}`)
	d.do(409, "POST", stock+"/adjustments", `{"setTo":9,"changeFrom":10,"reason":"count","reference":"count-2"}`)
	d.do(409, "POST", stock+"/adjustments", `{"delta":-9,"reason":"broken","reference":"broken"}`)
	answer := d.Do(d.t, "GET", httpapi.Base+stock, nil, "If-None-Match", d.etag(stock))
	require.Equal(d.t, http.StatusNotModified, answer.Status)
	d.do(200, "GET", stock+"/movements?reference=count-1", nil)
	require.EqualValues(d.t, 2, d.do(200, "GET", stock+"/movements?sort=id", nil)["total"])
	d.do(200, "GET", "/inventory?q="+strings.ToLower(sku)+"&sort=available&maxAvailable=8&sku="+sku, nil)
	refused := d.do(409, "POST", "/orders", map[string]any{"userId": 7, "items": []any{map[string]any{"sku": sku, "quantity": 9}}})
	require.Equal(d.t, "insufficient_stock", refused["code"])
	d.do(200, "GET", "/inventory/"+newItem(d.t, d.Caller), nil)
}

func (d day) bank() {
	user := newWallet(d.t, d.Caller)
	wallet := "/wallets/" + user
	d.do(200, "POST", wallet+"/entries", `{"amount":5000,"kind":"topup","reference":"opening"}`)
	d.do(409, "POST", wallet+"/entries", `{"amount":5001,"kind":"topup","reference":"opening"}`)
	d.do(409, "POST", wallet+"/entries?wait=0", `{"amount":-5001,"kind":"debit","reference":"too-much"}`)
	d.do(200, "GET", wallet+"/entries?reference=opening&kind=topup", nil)
	answer := d.Do(d.t, "GET", httpapi.Base+wallet, nil, "If-None-Match", d.etag(wallet))
	require.Equal(d.t, http.StatusNotModified, answer.Status)
	d.do(200, "GET", "/wallets/1", nil)
	d.do(200, "GET", "/wallets?sort=-balance&q="+user, nil)
	transfer := `{"fromUserId":"` + user + `","toUserId":7,"amount":4000,"reference":"` + unique("transfer") + `"}`
	d.do(201, "POST", "/wallet-transfers", transfer)
	d.do(200, "POST", "/wallet-transfers", transfer)
	order := "/orders/" + newOrder(d.t, d.Caller)
	d.do(200, "POST", order+"/pay", `{"method":"wallet"}`)
	d.do(200, "POST", order+"/cancel", `{"reason":"changed their mind"}`)
}

func (d day) record() {
	shelf := "/aggregates/shelf/" + newAggregate(d.t, d.Caller)
	write := func(status int, request string) map[string]any {
		return d.do(status, "POST", shelf+"/events?wait=1000", request)
	}
	event := func(seq, in int) string {
		return fmt.Sprintf(`{"clientSeq":%d,"eventType":"stored","eventTime":"2026-01-31T09:30:00Z","deltas":{"in":%d},"payload":[1,null]}`, seq, in)
	}
	strict := func(version string, events ...string) string {
		return `{"clientId":"scanner","enforceClientIdempotency":true,"expectedVersion":` + version + `,"events":[` + strings.Join(events, ",") + `]}`
	}
	require.EqualValues(d.t, 3, write(201, strict("1", event(6, 1), event(8, 1)))["version"])
	require.Equal(d.t, "idempotency_violation", write(409, strict("1", event(8, 1), event(9, 1)))["code"])
	require.Equal(d.t, "payload_mismatch", write(409, strict("null", event(8, 2)))["code"])
	require.Equal(d.t, "sequence_superseded", write(409, strict("null", event(7, 1)))["code"])
	require.Equal(d.t, "version_conflict", write(412, strict("2", event(9, 1)))["code"])
	d.do(412, "POST", "/aggregates/shelf/nothing/events", strict("2", event(9, 1)))
	write(422, strict("3", event(9, 1), event(9, 1)))
	write(422, strict("3", fmt.Sprintf(`{"clientSeq":9,"eventType":"stored","eventTime":"2026-01-31T09:30:00Z","deltas":{"in":%d}}`, math.MaxInt64)))

	answer := d.Do(d.t, "GET", httpapi.Base+shelf, nil, "If-None-Match", d.etag(shelf))
	require.Equal(d.t, http.StatusNotModified, answer.Status)
	require.EqualValues(d.t, 2, d.do(200, "GET", shelf+"/events?after=1&sort=-version", nil)["total"])
	d.do(200, "GET", "/aggregates?type=shelf&q=walk&sort=id", nil)
}

func (d day) act() {
	sku, coupon := newItem(d.t, d.Caller), newCoupon(d.t, d.Caller)
	like := map[string]any{"entityType": "item", "entityId": sku, "action": "like", "actionId": 2, "active": true}
	require.Equal(d.t, "applied", d.do(200, "POST", "/actions", like)["outcome"])
	require.Equal(d.t, "duplicate", d.do(200, "POST", "/actions", like)["outcome"])
	like["active"] = nil
	d.do(422, "POST", "/actions", like)
	like["actionId"] = int64(1) << 60
	d.do(400, "POST", "/actions", like)
	d.do(404, "POST", "/actions", `{"entityType":"coupon","entityId":"none","action":"like","actionId":1}`)
	d.do(200, "GET", "/actions?entityType=coupon&entityId="+coupon, nil)
	mutation := map[string]any{
		"query":     `mutation ($sku: String!) { toggleDislikeItem(itemId: $sku, actionId: 3) { isDisliked } none: toggleLikeItem(itemId: "none", actionId: 1) { isLiked } }`,
		"variables": map[string]any{"sku": sku},
	}
	reply := d.do(200, "POST", "/graphql", mutation, "X-Idempotency-Key", unique("graphql"))
	require.Equal(d.t, map[string]any{"toggleDislikeItem": map[string]any{"isDisliked": true}, "none": nil}, reply["data"])
	require.Len(d.t, reply["errors"], 1)
	counts := d.do(200, "GET", "/actions?entityType=item&entityId="+sku, nil)["counts"]
	require.Equal(d.t, map[string]any{"like": 0.0, "dislike": 1.0, "bookmark": 0.0}, counts)
	anonymous := *d.Caller
	anonymous.Token = ""
	refused := anonymous.Do(d.t, "POST", httpapi.Base+"/graphql", mutation).JSON(d.t)
	extensions := refused["errors"].([]any)[0].(map[string]any)["extensions"]
	require.Equal(d.t, map[string]any{"code": "USER_NOT_AUTHENTICATED"}, extensions)
}

func (d day) flash() {
	id := newSale(d.t, d.Caller)
	sale := "/flash-sales/" + id
	d.do(409, "POST", sale+"/reconcile", nil)
	d.do(200, "PATCH", sale, `{"name":"Noon sale","queueCap":null}`, "If-Match", d.etag(sale))
	d.do(412, "POST", sale+"/open", nil, "If-Match", `"zz-1"`)
	d.do(409, "POST", sale+"/orders", `{"quantity":1}`, "X-On-Behalf-Of", "12")
	d.do(200, "POST", sale+"/open", nil)
	d.do(409, "DELETE", sale, nil, "If-Match", d.etag(sale))
	d.do(409, "PATCH", sale, `{"quantityDelta":1000}`, "If-Match", d.etag(sale))
	d.do(409, "PATCH", sale, `{"quantityDelta":-5,"endsTime":"2099-01-01T00:00:00Z"}`, "If-Match", d.etag(sale))
	d.do(200, "PATCH", sale, `{"rate":100,"quantityDelta":1}`, "If-Match", d.etag(sale))
	d.do(403, "POST", sale+"/orders", `{"quantity":1}`)
	var bought map[string]any
	d.stream("/events?topics=flash-sales", func(lines *bufio.Scanner) {
		d.event(lines, "ready", "EventTopics")
		bought = d.do(202, "POST", sale+"/orders", `{"quantity":2}`, "X-On-Behalf-Of", "12", "X-Idempotency-Key", "walk-1")
		// The numbers arrive about once a second, as a change with the action stats.
		for !strings.Contains(d.event(lines, "flash-sales", "Change"), `"confirmed":2`) {
		}
	})
	d.do(422, "POST", sale+"/orders", `{"quantity":1}`, "X-On-Behalf-Of", "12", "X-Idempotency-Key", "walk-1")
	d.do(409, "POST", sale+"/orders", `{"quantity":1}`, "X-On-Behalf-Of", "12")
	d.do(202, "POST", sale+"/orders", `{"quantity":2}`, "X-On-Behalf-Of", "13")
	d.do(409, "POST", sale+"/orders", `{"quantity":2}`, "X-On-Behalf-Of", "14")
	ticket := sale + "/tickets/" + bought["ticket"].(string)
	d.await(func() bool { return d.do(200, "GET", ticket, nil, "X-On-Behalf-Of", "12")["status"] == "confirmed" })
	d.do(404, "GET", ticket, nil, "X-On-Behalf-Of", "13")
	d.do(200, "POST", sale+"/pause", nil)
	d.do(409, "POST", sale+"/orders", `{"quantity":1}`, "X-On-Behalf-Of", "14")
	d.do(200, "POST", sale+"/resume", nil)
	d.bury(sale, id)
	require.Equal(d.t, true, d.do(200, "POST", sale+"/reconcile", nil)["consistent"])
	require.Equal(d.t, true, d.do(200, "GET", sale+"/stats", nil)["balanced"])
	d.do(200, "GET", sale+"/samples?minutes=10", nil)
	d.do(200, "GET", "/flash-sales?q=noon&status=open&sort=-startsTime", nil)
	d.do(200, "POST", sale+"/close", nil)
	d.do(409, "POST", sale+"/pause", nil)
	d.do(200, "GET", sale+"/history?limit=3", nil)
	spare := "/flash-sales/" + newSale(d.t, d.Caller)
	d.do(202, "PATCH", spare+later, `{"price":1}`, "If-Match", d.etag(spare))
	d.do(204, "DELETE", spare, nil, "If-Match", d.etag(spare))
}

// bury enqueues an unreadable message for a sale and decides on the dead message.
func (d day) bury(sale, id string) {
	queue := mq.NewSQL(d.Program.Services().DB, clock.System{}, mq.Options{}).Queue("fs:" + id)
	require.NoError(d.t, queue.Enqueue(d.t.Context(), mq.Message{ID: "BROKEN", Body: []byte("no letter")}))
	dead := func() bool { return d.do(200, "GET", sale+"/dead?limit=1", nil)["total"] == 1.0 }
	d.await(dead)
	d.do(204, "POST", sale+"/dead/BROKEN/retry", nil)
	d.await(dead)
	d.do(204, "POST", sale+"/dead/BROKEN/discard", nil)
	require.False(d.t, dead())
}

func (d day) await(holds func() bool) {
	d.t.Helper()
	require.Eventually(d.t, holds, 20*time.Second, 20*time.Millisecond)
}

func (d day) redeem() {
	campaign := "/coupon-campaigns/" + newCampaign(d.t, d.Caller)
	d.do(200, "PATCH", campaign, `{"name":"Spring sale"}`, "If-Match", d.etag(campaign))
	d.do(200, "GET", campaign+"/history", nil)
	d.do(200, "GET", "/coupon-campaigns?q=spring", nil)
	issued := d.do(201, "POST", campaign+"/coupons", `{"userIds":[7,"8"]}`)
	d.do(409, "POST", campaign+"/coupons", `{"count":1000}`)
	codes := issued["codes"].([]any)
	first, second := "/coupons/"+codes[0].(string), "/coupons/"+codes[1].(string)
	d.do(200, "POST", first+"/redeem", `{"userId":7}`)
	d.do(409, "POST", first+"/redeem", `{"userId":7}`)
	d.do(422, "POST", second+"/redeem", `{"userId":9}`)
	d.do(200, "POST", second+"/void", `{"reason":"wrong person"}`, "If-Match", d.etag(second))
	d.do(200, "GET", first+"/history", nil)
	d.do(200, "GET", "/coupons?campaignId=1&userId=7&status=used", nil)
	spare := "/coupon-campaigns/" + newCampaign(d.t, d.Caller)
	d.do(204, "DELETE", spare, nil, "If-Match", d.etag(spare))
}

func (d day) configure() {
	key := newConfig(d.t, d.Caller)
	config := "/configs/" + key
	stale := d.etag(config)
	d.do(200, "PATCH", config, `{"value":2}`, "If-Match", stale, "Content-Type", "application/merge-patch+json")
	d.do(412, "PATCH", config, `{"value":3}`, "If-Match", stale)
	merged := d.do(200, "PATCH", config+"?merge=disjoint", `{"remark":"why"}`, "If-Match", stale)
	require.NotNil(d.t, merged["merged"])
	d.do(409, "POST", "/configs", map[string]any{"key": key, "value": 1})
	d.do(200, "POST", config+"/rollback", `{"toVersion":1,"note":"too early"}`, "If-Match", d.etag(config))
	d.do(200, "GET", config+"/history?limit=2", nil)
	d.do(200, "GET", "/configs?prefix=walk&valueType=number&q=1&sort=-updatedTime", nil)

	changes := []any{
		map[string]any{"key": key, "op": "update", "etag": d.etag(config), "patch": map[string]any{"value": 5}},
		map[string]any{"key": unique("batch"), "op": "create", "patch": map[string]any{"value": "text"}},
	}
	batch := map[string]any{"note": "together", "changes": changes}
	d.do(200, "POST", "/config-batches", batch)
	d.do(409, "POST", "/config-batches", batch)

	exported := d.do(200, "GET", "/configs/export?prefix=walk", nil)
	exported["onExisting"] = "update"
	d.do(200, "POST", "/configs/import?dryRun=true", exported)
	d.do(200, "POST", "/configs/import", exported)
	d.do(409, "POST", "/configs/import", map[string]any{"configs": []any{map[string]any{"key": key, "value": 6}}})
	d.do(422, "POST", "/configs/import", map[string]any{"configs": []any{map[string]any{"key": "a b", "value": 6}}})
	d.do(200, "POST", "/configs/import/read", map[string]any{"file": "c.yaml", "text": "walk:\n  read: 1\n  rejected: .inf\n"})
	d.do(422, "POST", "/configs/import/read", map[string]any{"file": "c.yaml", "text": "["})
	for _, flags := range []string{"/ofrep/v1/evaluate/flags", "/ofrep/v1/evaluate/flags/" + key} {
		require.Equal(d.t, http.StatusOK, d.Do(d.t, "POST", flags, `{"context":{"targetingKey":"7"}}`).Status)
	}
	d.do(204, "DELETE", config, nil, "If-Match", d.etag(config))
}

// decide creates approvals for changes of protected configs and votes on them.
func (d day) decide() {
	other := d
	user := created(d.t, d.Caller, "/users", map[string]any{"username": unique("walk"), "password": "correct horse battery", "roles": []string{"admin"}})
	other.Caller = d.As(d.t, user["username"].(string))

	const atOnce = "/settings?bypass=walk"
	d.do(200, "PATCH", atOnce, `{"approvalsRequired":2}`, "If-Match", d.etag("/settings"))
	d.do(412, "PATCH", "/settings", `{"approvalDays":3}`, "If-Match", `"zz-1"`)
	d.do(200, "PATCH", atOnce, `{"approvalsRequired":1}`, "If-Match", d.etag("/settings"))
	proposal := d.do(202, "PATCH", "/settings", `{"walletApprovalThreshold":5000,"refundApprovalThreshold":0}`, "If-Match", d.etag("/settings"))
	other.do(200, "POST", fmt.Sprint("/approvals/", int64(proposal["id"].(float64)), "/approve"), nil, "If-Match", proposal["etag"].(string))
	set := d.do(200, "GET", "/settings", nil)
	require.EqualValues(d.t, 5000, set["walletApprovalThreshold"])
	d.waitWithMoney(other)
	same := d.do(200, "PATCH", atOnce, `{"refundApprovalThreshold":null}`, "If-Match", set["etag"].(string))
	require.Nil(d.t, same["refundApprovalThreshold"])
	require.Equal(d.t, same["etag"], d.do(200, "PATCH", "/settings", `{"refundApprovalThreshold":null}`, "If-Match", same["etag"].(string))["etag"], "there was none")
	d.do(422, "PATCH", "/settings", `{"walletApprovalThreshold":-1}`, "If-Match", d.etag("/settings"))
	d.do(200, "PATCH", atOnce, `{"walletApprovalThreshold":null}`, "If-Match", d.etag("/settings"))
	require.EqualValues(d.t, 6, d.do(200, "GET", "/settings/history?sort=version", nil)["total"])

	approval := "/approvals/" + newApproval(d.t, d.Caller)
	seen := d.etag(approval)
	require.Equal(d.t, http.StatusNotModified, d.Do(d.t, "GET", httpapi.Base+approval, nil, "If-None-Match", seen).Status)
	d.do(403, "POST", approval+"/approve", nil, "If-Match", seen)
	d.do(200, "PATCH", approval, `{"patch":{"value":3},"note":"three"}`, "If-Match", seen)
	other.do(412, "POST", approval+"/approve", nil, "If-Match", seen)
	other.do(201, "POST", approval+"/comments", `{"text":"Is this the rate of 2026?"}`)
	other.do(422, "POST", approval+"/comments", `{"text":""}`)
	require.NotEmpty(d.t, d.do(200, "GET", approval+"/comments?sort=-id", nil)["items"])
	require.NotZero(d.t, other.do(200, "GET", "/dashboard", nil)["approvals"].(map[string]any)["toDecide"])
	require.NotEmpty(d.t, other.do(200, "GET", "/approvals?waitingFor=me&status=pending&author="+fmt.Sprint(int64(d.do(200, "GET", approval, nil)["author"].(map[string]any)["id"].(float64)))+"&sort=-updatedTime", nil)["items"])
	other.do(200, "POST", approval+"/approve", nil, "If-Match", d.etag(approval))
	other.do(409, "POST", approval+"/approve", nil, "If-Match", d.etag(approval))
	d.do(200, "GET", approval+"/history?sort=version", nil)
	key := strings.TrimPrefix(d.do(200, "GET", approval, nil)["resource"].(string), "configs/")
	require.NotEmpty(d.t, d.do(200, "GET", "/search?q="+key, nil)["items"])

	rejected := "/approvals/" + newApproval(d.t, d.Caller)
	other.do(200, "POST", rejected+"/reject", `{"reason":"no"}`, "If-Match", d.etag(rejected))
	withdrawn := "/approvals/" + newApproval(d.t, d.Caller)
	d.do(200, "POST", withdrawn+"/withdraw", nil, "If-Match", d.etag(withdrawn))

	// A scheduled change waits for its time.
	free := newConfig(d.t, d.Caller)
	planned := d.do(202, "PATCH", "/configs/"+free+later, `{"value":8}`, "If-Match", d.etag("/configs/"+free))
	waiting := fmt.Sprint("/approvals/", int64(planned["id"].(float64)))
	d.do(200, "PATCH", waiting, `{"effectiveTime":"`+time.Now().UTC().AddDate(2, 0, 0).Format(time.RFC3339)+`"}`, "If-Match", d.etag(waiting))
	d.do(422, "PATCH", waiting, `{"effectiveTime":null}`, "If-Match", d.etag(waiting))
	require.NotEmpty(d.t, d.do(200, "GET", "/approvals?status=scheduled&resource=configs/"+free, nil)["items"])
	d.do(400, "PATCH", "/configs/"+free+"?effectiveTime=soon", `{"value":8}`, "If-Match", d.etag("/configs/"+free))
	d.do(422, "DELETE", "/configs/"+free+"?effectiveTime=2020-01-01T00:00:00Z", nil, "If-Match", d.etag("/configs/"+free))

	// A direct change makes the other approvals stale, and is reviewed.
	overtaken := d.do(202, "PATCH", "/configs/"+key, `{"remark":"mine"}`, "If-Match", d.etag("/configs/"+key))
	d.do(200, "PATCH", "/configs/"+key+"?bypass=emergency", `{"value":7}`, "If-Match", d.etag("/configs/"+key))
	stale := fmt.Sprint("/approvals/", int64(overtaken["id"].(float64)))
	require.Equal(d.t, "approval_stale", other.do(409, "POST", stale+"/approve", nil, "If-Match", d.etag(stale))["code"])
	d.do(200, "POST", stale+"/rebase", nil, "If-Match", d.etag(stale))
	other.do(200, "POST", stale+"/approve?bypass=later", nil, "If-Match", d.etag(stale))
	bypassed := d.do(200, "GET", "/approvals?status=bypassed&author=me&resource=configs/"+key, nil)["items"].([]any)[0].(map[string]any)
	other.do(200, "POST", fmt.Sprint("/approvals/", int64(bypassed["id"].(float64)), "/review"), `{"note":"fine"}`, "If-Match", bypassed["etag"].(string))
	d.do(200, "POST", fmt.Sprint("/users/", int64(user["id"].(float64)), "/disable"), nil)
}

// watch reads the feed from its beginning and checks each event against the document.
func (d day) watch() {
	d.stream("/configs/watch", func(lines *bufio.Scanner) {
		d.event(lines, "ready", "ConfigFeedPlace")
		newConfig(d.t, d.Caller)
		d.event(lines, "change", "ConfigEvent")
	})
	d.do(200, "GET", "/configs/snapshot?prefix=walk", nil)
}

// followEvents opens an event stream, changes a row of each topic, and checks each event against
// the contract.
func (d day) followEvents() {
	config := "configs/" + newConfig(d.t, d.Caller)
	d.do(200, "POST", "/presence", map[string]any{"resource": config, "field": "/value", "tab": "a"})
	d.stream("/events?topics=configs,approvals,orders,items,coupons,coupon-campaigns,inventory,wallets,aggregates,flash-sales,presence", func(lines *bufio.Scanner) {
		d.event(lines, "ready", "EventTopics")
		d.event(lines, "presence", "Presence")
		d.do(200, "POST", "/presence", map[string]any{"resource": config, "tab": "a", "leaving": true})
		d.event(lines, "presence", "Presence")
		d.do(204, "DELETE", "/"+config, nil, "If-Match", d.etag("/"+config))
		d.event(lines, "configs", "Change")
		newApproval(d.t, d.Caller)
		d.event(lines, "configs", "Change")
		d.event(lines, "approvals", "Change")
		newOrder(d.t, d.Caller)
		d.event(lines, "items", "Change")
		d.event(lines, "inventory", "Change")
		d.event(lines, "inventory", "Change")
		d.event(lines, "orders", "Change")
		newWallet(d.t, d.Caller)
		d.event(lines, "wallets", "Change")
		newAggregate(d.t, d.Caller)
		d.event(lines, "aggregates", "Change")
		newSale(d.t, d.Caller)
		d.event(lines, "items", "Change")
		d.event(lines, "inventory", "Change")
		d.event(lines, "flash-sales", "Change")
		newCoupon(d.t, d.Caller)
		d.event(lines, "coupon-campaigns", "Change")
		d.event(lines, "coupon-campaigns", "Change")
		d.event(lines, "coupons", "Change")
	})
	require.NotEmpty(d.t, d.do(200, "GET", "/search?q=walk", nil)["items"])
	for _, file := range [][2]string{{"items", "SKU;Preis\nTEA;12,50\n"}, {"stock", "SKU;Bestand\nTEA;3\n"}, {"customers", "User\n12\n"}, {"coupons", "A-1 A-2"}} {
		require.NotEmpty(d.t, d.do(200, "POST", "/imports/"+file[0]+"/preview?decimal=comma", file[1], "Content-Type", "application/octet-stream")["rows"])
	}
	require.NotEmpty(d.t, d.do(200, "GET", "/dashboard", nil)["recentChanges"])
	require.Contains(d.t, d.do(200, "GET", "/queues", nil), "locks")
	require.Contains(d.t, d.do(200, "GET", "/system", nil), "findings")
	require.NotEmpty(d.t, d.do(200, "GET", "/promises", nil)["promises"])
	require.NotEmpty(d.t, d.do(200, "GET", "/promises/export", nil)["signature"])
}

// stream opens a stream of server-sent events and closes it when read is done.
func (d day) stream(path string, read func(lines *bufio.Scanner)) {
	request, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.Program.URL+httpapi.Base+path, nil)
	require.NoError(d.t, err)
	request.Header.Set("Authorization", "Bearer "+d.Token)
	reply, err := d.HTTP.Do(request)
	require.NoError(d.t, err)
	defer reply.Body.Close()
	read(bufio.NewScanner(reply.Body))
}

// fromBackground are the topics on which background jobs publish events of earlier
// purchases: a worker turns tickets into orders later.
var fromBackground = []string{"orders", "inventory", "flash-sales"}

// event returns the data of the next event with a name. It also checks the events that
// background jobs publish in between against the document.
func (d day) event(lines *bufio.Scanner, name, schema string) string {
	d.t.Helper()
	contract := load(d.t)
	event := ""
	for lines.Scan() {
		if next, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			event = next
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case !ok:
		case event == name:
			require.NoError(d.t, contract.CheckSchema(schema, []byte(data)))
			return data
		default:
			require.Contains(d.t, fromBackground, event, "want %s", name)
			require.NoError(d.t, contract.CheckSchema("Change", []byte(data)))
		}
	}
	require.FailNow(d.t, "the stream ended", "%v", lines.Err())
	return ""
}

func (d day) look() {
	exported := d.Do(d.t, "GET", httpapi.Base+"/audit-log/export", nil)
	require.Equal(d.t, 200, exported.Status, "%s", exported.Body)
	log := d.do(200, "GET", "/audit-log?resource=configs/&actor=admin&action=config.delete,config.update&from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z&limit=1", nil)
	require.NotEmpty(d.t, log["items"])
	require.NotEmpty(d.t, d.do(200, "GET", "/permissions", nil)["items"])
}

// arrangeMenus covers the navigation.
func (d day) arrangeMenus() {
	group := d.do(201, "POST", "/menus", `{"title":"`+unique("Returns")+`","position":0}`)
	menu := "/menus/" + newMenu(d.t, d.Caller)
	seen := d.etag(menu)
	d.do(200, "PATCH", menu, `{"hidden":true}`, "If-Match", seen)
	d.do(412, "PATCH", menu, `{"hidden":true}`, "If-Match", seen)
	into := fmt.Sprintf(`{"parentId":%d,"position":7}`, int64(group["id"].(float64)))
	d.do(412, "POST", menu+"/move", into, "If-Match", seen)
	require.NotNil(d.t, d.do(200, "POST", menu+"/move?merge=disjoint", into, "If-Match", seen)["merged"])
	d.do(412, "POST", menu+"/move?merge=disjoint", `{"parentId":null}`, "If-Match", seen)
	d.do(200, "PATCH", menu+"?merge=disjoint", `{"title":"Returns desk"}`, "If-Match", seen)
	above := fmt.Sprint("/menus/", int64(group["id"].(float64)))
	d.do(422, "POST", above+"/move", `{"parentId":`+strings.TrimPrefix(menu, "/menus/")+`}`)
	d.do(422, "PATCH", menu, `{"path":"//elsewhere.example"}`, "If-Match", d.etag(menu))
	d.do(409, "DELETE", above, nil, "If-Match", d.etag(above))
	require.EqualValues(d.t, 4, d.do(200, "GET", menu+"/history?limit=2", nil)["total"])
	require.NotEmpty(d.t, d.do(200, "GET", "/menus", nil)["items"])
	d.do(204, "DELETE", menu, nil, "If-Match", d.etag(menu))
	d.do(204, "DELETE", above, nil, "If-Match", d.etag(above))
}

// admit covers users, roles and tokens.
func (d day) admit() {
	user := "/users/" + newUser(d.t, d.Caller)
	seen := d.etag(user)
	d.do(200, "PATCH", user, `{"displayName":"Li","roles":{"add":["admin"]}}`, "If-Match", seen)
	d.do(412, "PATCH", user, `{"displayName":"Wei"}`, "If-Match", seen)
	d.do(200, "PATCH", user+"?merge=disjoint", `{"username":"`+unique("li")+`"}`, "If-Match", seen)
	d.do(409, "PATCH", user, `{"username":"admin"}`, "If-Match", d.etag(user))
	d.do(409, "POST", "/users", `{"username":"admin","password":"correct horse battery"}`)
	d.do(412, "POST", user+"/disable", nil, "If-Match", seen)
	d.do(200, "POST", user+"/disable", nil)
	d.do(409, "POST", fmt.Sprint("/users/", int64(d.do(200, "GET", "/users?q=admin&role=admin&disabled=false", nil)["items"].([]any)[0].(map[string]any)["id"].(float64)), "/disable"), nil)
	d.do(200, "POST", user+"/enable", nil, "If-Match", d.etag(user))
	d.do(200, "POST", user+"/reset-password", `{"password":"another horse battery"}`)
	d.do(200, "POST", user+"/reset-factors", nil, "If-Match", d.etag(user))
	d.comeByInvitation(user)
	require.EqualValues(d.t, 8, d.do(200, "GET", user+"/history?limit=3", nil)["total"])
	answer := d.Do(d.t, "GET", httpapi.Base+user, nil, "If-None-Match", d.etag(user))
	require.Equal(d.t, http.StatusNotModified, answer.Status)

	role := "/roles/" + newRole(d.t, d.Caller)
	seen = d.etag(role)
	d.do(200, "PATCH", role, `{"permissions":{"add":["configs:write"]}}`, "If-Match", seen)
	d.do(412, "PATCH", role, `{"permissions":{"add":["configs:write"]}}`, "If-Match", seen)
	d.do(200, "PATCH", role+"?merge=disjoint", `{"permissions":["configs:read","orders:*"]}`, "If-Match", seen)
	d.do(409, "PATCH", role, `{"name":"admin"}`, "If-Match", d.etag(role))
	d.do(409, "POST", "/roles", `{"name":"admin"}`)
	d.do(200, "GET", role+"/history?sort=version", nil)
	admin := d.do(200, "GET", "/roles?q=admin&sort=-name", nil)["items"].([]any)[0].(map[string]any)
	d.do(409, "DELETE", fmt.Sprint("/roles/", int64(admin["id"].(float64))), nil, "If-Match", admin["etag"].(string))
	d.do(204, "DELETE", role, nil, "If-Match", d.etag(role))
	d.arrangeMenus()

	token := d.do(201, "POST", "/tokens", `{"name":"till","scopes":["orders:*"],"expiresTime":"2099-01-31T09:30:00Z"}`)
	issued := fmt.Sprint("/tokens/", int64(token["id"].(float64)))
	require.Nil(d.t, d.do(201, "POST", "/tokens", `{"name":"all of mine"}`)["scopes"])
	d.do(404, "POST", "/tokens", `{"name":"nobody's","userId":999999999,"scopes":["orders:read"]}`)
	d.do(422, "POST", "/tokens", `{"name":"empty","scopes":[]}`)
	require.NotEmpty(d.t, d.do(200, "GET", "/tokens?q=till&sort=name&userId="+fmt.Sprint(int64(token["userId"].(float64))), nil)["items"])
	d.do(412, "DELETE", issued, nil, "If-Match", `"zz-1"`)
	d.do(204, "DELETE", issued, nil, "If-Match", d.etag(issued))
}

// comeByInvitation lets a user choose a password.
func (d day) comeByInvitation(user string) {
	d.do(412, "POST", user+"/invite", nil, "If-Match", `"zz-1"`)
	invited := d.do(200, "POST", user+"/invite", nil, "If-Match", d.etag(user))
	shown := map[string]any{"invitation": invited["invitation"].(map[string]any)["token"]}
	stranger := *d.Caller
	stranger.Token = ""
	anybody := day{&stranger, d.t}
	require.Equal(d.t, invited["username"], anybody.do(200, "POST", "/session/invitation/check", shown)["username"])
	shown["password"] = "short"
	anybody.do(422, "POST", "/session/invitation", shown)
	shown["password"] = "nine green bottles"
	anybody.do(201, "POST", "/session/invitation", shown)
	anybody.do(401, "POST", "/session/invitation", shown)
}

func (d day) signInAndOut() {
	d.Token = ""
	credentials := map[string]any{"tenant": d.Tenant, "username": "admin", "password": "correct horse"}
	signedIn := d.Do(d.t, "POST", httpapi.Base+"/session", credentials)
	require.Equal(d.t, http.StatusCreated, signedIn.Status, "%s", signedIn.Body)
	cookie, _, _ := strings.Cut(signedIn.Header.Get("Set-Cookie"), ";")
	csrf := fmt.Sprint(signedIn.JSON(d.t)["csrfToken"])
	d.do(200, "GET", "/session", nil, "Cookie", cookie)
	d.do(403, "DELETE", "/session", nil, "Cookie", cookie)
	d.account("Cookie", cookie, "X-CSRF-Token", csrf)
	cookie, csrf = d.secondFactor(cookie, csrf)
	d.link("Cookie", cookie, "X-CSRF-Token", csrf)
	d.do(204, "DELETE", "/session", nil, "Cookie", cookie, "X-CSRF-Token", csrf)
	d.do(401, "GET", "/session", nil, "Cookie", cookie)
	credentials["password"] = "wrong"
	d.do(401, "POST", "/session", credentials)
}

// account covers the operations of a user on the user's account, in a session.
func (d day) account(session ...string) {
	with := func(headers ...string) []string { return append(headers, session...) }
	me := d.do(200, "GET", "/me", nil, session...)
	d.do(200, "PATCH", "/me", `{"displayName":"Ana"}`, with("If-Match", me["etag"].(string))...)
	d.do(412, "PATCH", "/me", `{"displayName":"Bo"}`, with("If-Match", me["etag"].(string))...)
	d.do(422, "POST", "/me/password", `{"currentPassword":"not this one","newPassword":"another horse battery"}`, session...)
	d.do(200, "POST", "/me/password", `{"currentPassword":"correct horse","newPassword":"another horse battery"}`, session...)
	d.do(200, "POST", "/me/password", `{"currentPassword":"another horse battery","newPassword":"correct horse battery"}`, session...)
	credentials := map[string]any{"tenant": d.Tenant, "username": "admin", "password": "correct horse battery"}
	d.do(201, "POST", "/session", credentials)
	d.do(201, "POST", "/session", credentials)
	open := d.do(200, "GET", "/sessions?sort=-createdTime", nil, session...)["items"].([]any)
	d.do(204, "DELETE", fmt.Sprint("/sessions/", int64(open[0].(map[string]any)["id"].(float64))), nil, session...)
	d.do(204, "DELETE", "/sessions", nil, session...)
	require.Len(d.t, d.do(200, "GET", "/sessions", nil, session...)["items"], 1)
}

// secondFactor sets a second factor up, signs in with it, verifies it again and removes it.
// It returns the resulting session.
func (d day) secondFactor(cookie, csrf string) (newCookie, newCSRF string) {
	session := []string{"Cookie", cookie, "X-CSRF-Token", csrf}
	d.do(422, "POST", "/me/factors", `{"kind":"totp","name":"Phone","password":"not this one"}`, session...)
	setup := d.do(201, "POST", "/me/factors", `{"kind":"totp","name":"Phone","password":"correct horse battery"}`, session...)
	factor := fmt.Sprint("/me/factors/", int64(setup["id"].(float64)))
	d.do(422, "POST", factor+"/confirm", `{"code":"none"}`, session...)
	codes := d.do(200, "POST", factor+"/confirm", fmt.Sprintf(`{"code":%q}`, codeOf(d.t, setup["secret"], 0)), session...)["recoveryCodes"].([]any)
	require.Len(d.t, codes, 10)
	d.do(404, "POST", factor+"/confirm", `{"code":"none"}`, d.steppedUp(&session, codes[0])...)

	credentials := map[string]any{"tenant": d.Tenant, "username": "admin", "password": "correct horse battery"}
	challenge := d.do(202, "POST", "/session", credentials)
	require.Equal(d.t, []any{"totp", "recovery"}, challenge["methods"])
	d.do(401, "POST", "/session/factor", map[string]any{"challenge": challenge["challenge"], "method": "recovery", "code": codes[0]})
	answer := d.Do(d.t, "POST", httpapi.Base+"/session/factor", map[string]any{"challenge": challenge["challenge"], "method": "totp", "code": codeOf(d.t, setup["secret"], 1)})
	require.Equal(d.t, http.StatusCreated, answer.Status, "%s", answer.Body)
	d.do(401, "POST", "/session/factor", map[string]any{"challenge": challenge["challenge"], "method": "recovery", "code": codes[1]})

	codes = d.do(200, "POST", "/me/factors/recovery-codes", nil, session...)["recoveryCodes"].([]any)
	listed := d.do(200, "GET", "/me/factors", nil, session...)
	require.Len(d.t, listed["items"], 1)
	require.EqualValues(d.t, 10, listed["recoveryCodesLeft"])
	d.do(200, "POST", factor+"/rename", `{"from":"Phone","name":"Old phone"}`, d.steppedUp(&session, codes[0])...)
	d.do(422, "POST", factor+"/rename", `{"from":"Phone","name":"Other phone"}`, session...)
	d.passkey(&session)
	d.do(204, "DELETE", factor, nil, session...)
	d.do(404, "POST", "/me/factors/recovery-codes", nil, session...)
	d.do(422, "POST", "/session/step-up", `{"method":"totp","code":"123456"}`, session...)
	return session[1], session[3]
}

// passkey registers a passkey in addition to another factor, signs in with it, verifies it
// again and removes it.
func (d day) passkey(session *[]string) {
	key := passkeytest.New("http://localhost")
	d.do(422, "POST", "/me/factors", `{"kind":"passkey","name":"Laptop"}`, append([]string{"Origin", "https://elsewhere.example"}, *session...)...)
	setup := d.Do(d.t, "POST", httpapi.Base+"/me/factors", `{"kind":"passkey","name":"Laptop"}`, *session...)
	require.Equal(d.t, http.StatusCreated, setup.Status, "%s", setup.Body)
	factor := fmt.Sprint("/me/factors/", int64(setup.JSON(d.t)["id"].(float64)))
	d.do(422, "POST", factor+"/confirm", `{"credential":{}}`, *session...)
	d.do(422, "POST", factor+"/confirm", `{}`, *session...)
	made := d.do(200, "POST", factor+"/confirm", map[string]any{"credential": key.Create(d.t, member(d.t, setup, "options"))}, *session...)
	require.Equal(d.t, "localhost", made["passkey"].(map[string]any)["site"])

	challenge := d.Do(d.t, "POST", httpapi.Base+"/session", map[string]any{"tenant": d.Tenant, "username": "admin", "password": "correct horse battery"})
	require.Equal(d.t, http.StatusAccepted, challenge.Status, "%s", challenge.Body)
	require.Equal(d.t, []any{"passkey", "totp", "recovery"}, challenge.JSON(d.t)["methods"])
	shown := map[string]any{"challenge": challenge.JSON(d.t)["challenge"], "method": "passkey"}
	d.do(422, "POST", "/session/factor", shown)
	shown["credential"] = map[string]any{}
	d.do(401, "POST", "/session/factor", shown)
	shown["credential"] = key.Get(d.t, member(d.t, challenge, "passkey"))
	d.do(201, "POST", "/session/factor", shown)
	d.do(401, "POST", "/session/factor", shown)

	challenge = d.Do(d.t, "POST", httpapi.Base+"/session/step-up/challenge", nil, *session...)
	require.Equal(d.t, http.StatusOK, challenge.Status, "%s", challenge.Body)
	shown = map[string]any{"method": "passkey", "credential": key.Get(d.t, member(d.t, challenge, "passkey"))}
	d.do(422, "POST", "/session/step-up", shown, *session...)
	shown["challenge"] = challenge.JSON(d.t)["challenge"]
	answer := d.Do(d.t, "POST", httpapi.Base+"/session/step-up", shown, *session...)
	require.Equal(d.t, http.StatusOK, answer.Status, "%s", answer.Body)
	*session = sessionOf(d.t, answer)
	require.Len(d.t, d.do(200, "GET", "/me/factors", nil, *session...)["items"], 2)
	d.do(204, "DELETE", factor, nil, *session...)
}

// member returns a member of a response as JSON.
func member(t *testing.T, answer apptest.Answer, name string) []byte {
	t.Helper()
	text, err := json.Marshal(answer.JSON(t)[name])
	require.NoError(t, err)
	return text
}

// link links a user to an identity of a provider, signs in with it, and removes the link.
// Another user accepts an invitation with an identity, and an admin removes that link.
func (d day) link(session ...string) {
	require.NotEmpty(d.t, d.do(200, "GET", "/session/providers?tenant="+d.Tenant, nil)["items"])
	d.do(422, "POST", "/me/links", `{"provider":"corp","password":"not this one"}`, session...)
	link := d.Do(d.t, "POST", httpapi.Base+"/me/links", `{"provider":"corp","password":"correct horse battery"}`, session...)
	require.Equal(d.t, http.StatusOK, link.Status, "%s", link.Body)
	browser := strings.Split(link.Header.Get("Set-Cookie"), ";")[0]
	require.Contains(d.t, d.answer(link.JSON(d.t)["location"], "admin", browser), "result=linked")
	links := d.do(200, "GET", "/me/links", nil, session...)["items"].([]any)
	require.Len(d.t, links, 1)

	redirect := d.Do(d.t, "GET", httpapi.Base+"/session/oidc/corp?tenant="+d.Tenant, nil, "Cookie", browser)
	require.Equal(d.t, http.StatusSeeOther, redirect.Status, "%s", redirect.Body)
	require.Contains(d.t, d.answer(redirect.Header.Get("Location"), "admin", browser), "result=signed-in")
	require.Contains(d.t, d.answer(redirect.Header.Get("Location"), "admin", browser), "failure=over")

	invited := d.do(201, "POST", "/users", `{"username":"by.provider"}`, session...)
	shown := map[string]any{"invitation": invited["invitation"].(map[string]any)["token"], "provider": "corp"}
	to := d.do(200, "POST", "/session/invitation/provider", shown, "Cookie", browser)["location"]
	require.Contains(d.t, d.answer(to, "by.provider", browser), "result=signed-in")
	d.do(401, "POST", "/session/invitation/provider", shown)
	of := fmt.Sprintf("/users/%d/links", int64(invited["id"].(float64)))
	pathOf := func(of string, link any) string {
		return fmt.Sprintf("%s/%d", of, int64(link.(map[string]any)["id"].(float64)))
	}
	theirs := d.do(200, "GET", of, nil, session...)["items"].([]any)
	d.do(409, "DELETE", pathOf(of, theirs[0]), nil, session...)
	d.do(200, "POST", strings.TrimSuffix(of, "/links")+"/reset-password", `{"password":"nine green bottles"}`, session...)
	d.do(204, "DELETE", pathOf(of, theirs[0]), nil, session...)
	d.do(204, "DELETE", pathOf("/me/links", links[0]), nil, session...)
}

// answer signs a user in at the provider, and returns the target of the redirect.
func (d day) answer(location any, who, browser string) string {
	d.t.Helper()
	callback, found := strings.CutPrefix(apptest.Provider().SignIn(d.t, location.(string), who+" of "+d.Tenant), d.Program.URL)
	require.True(d.t, found, callback)
	answer := d.Do(d.t, "GET", callback, nil, "Cookie", browser)
	require.Equal(d.t, http.StatusSeeOther, answer.Status, "%s", answer.Body)
	return answer.Header.Get("Location")
}

// steppedUp uses a recovery code in a session and returns the session that replaces it.
func (d day) steppedUp(session *[]string, code any) []string {
	d.t.Helper()
	answer := d.Do(d.t, "POST", httpapi.Base+"/session/step-up", map[string]any{"method": "recovery", "code": code}, *session...)
	require.Equal(d.t, http.StatusOK, answer.Status, "%s", answer.Body)
	*session = sessionOf(d.t, answer)
	return *session
}

// sessionOf returns the headers that authenticate a session, from the response that started
// it.
func sessionOf(t *testing.T, answer apptest.Answer) []string {
	t.Helper()
	cookie, _, _ := strings.Cut(answer.Header.Get("Set-Cookie"), ";")
	return []string{"Cookie", cookie, "X-CSRF-Token", fmt.Sprint(answer.JSON(t)["csrfToken"])}
}

// codeOf returns the one-time code of a secret, a number of periods from now.
func codeOf(t *testing.T, secret any, periods int) string {
	t.Helper()
	code, err := totp.GenerateCode(secret.(string), clock.System{}.Now().Add(time.Duration(periods)*30*time.Second))
	require.NoError(t, err)
	return code
}

func (d day) operate() {
	for _, path := range []string{"/healthz", "/health", "/readyz", "/metrics", "/openapi.json", "/docs", "/graphiql", "/problems", "/problems/version_conflict"} {
		require.Equal(d.t, http.StatusOK, d.Do(d.t, "GET", path, nil).Status, path)
	}
}

// waitWithMoney creates an entry and a refund above the thresholds, which wait for another
// user's vote.
func (d day) waitWithMoney(other day) {
	// The entries of one author on one wallet count together.
	clerk := func() day { return day{newColleague(d.t, d.Caller, "wallets:*"), d.t} }
	user := newWallet(d.t, clerk().Caller)
	enter := func(by day, status, amount int, reference string) map[string]any {
		return by.do(status, "POST", "/wallets/"+user+"/entries", map[string]any{"amount": amount, "kind": "payout", "reference": reference})
	}
	pathOf := func(approval map[string]any) string {
		return fmt.Sprint("/approvals/", int64(approval["id"].(float64)))
	}
	enter(d, 201, 5000, "again")
	proposal := enter(d, 202, -6000, "all")
	enter(clerk(), 201, -5000, "half")
	approval := pathOf(proposal)
	stale := other.do(409, "POST", approval+"/approve", nil, "If-Match", proposal["etag"].(string))
	require.Equal(d.t, []any{"approval_stale", 5000.0}, []any{stale["code"], stale["current"].(map[string]any)["balance"]})
	d.do(409, "POST", approval+"/rebase", nil, "If-Match", d.etag(approval))
	enter(clerk(), 201, 1000, "back")
	d.do(200, "POST", approval+"/rebase", nil, "If-Match", d.etag(approval))
	require.Len(d.t, other.do(200, "GET", approval, nil)["sides"], 1)
	other.do(200, "POST", approval+"/approve", nil, "If-Match", d.etag(approval))
	d.do(200, "GET", approval+"/history", nil)

	boss := day{newColleague(d.t, d.Caller, "refunds:*", "approvals:read"), d.t}
	refund := "/refunds/" + newRefund(d.t, d.Caller)
	waiting := boss.do(202, "POST", refund+"/approve", nil)
	require.Len(d.t, other.do(200, "GET", pathOf(waiting), nil)["sides"], 1)
	boss.do(200, "POST", refund+"/reject", `{"reason":"no"}`)
	overtaken := other.do(409, "POST", pathOf(waiting)+"/approve", nil, "If-Match", d.etag(pathOf(waiting)))
	require.Equal(d.t, "rejected", overtaken["current"].(map[string]any)["status"])
	require.Len(d.t, d.do(200, "GET", pathOf(waiting), nil)["sides"], 1)
}
