package contract_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// protectedConfig is the subject of a request: a protected config with two versions, and an
// unprotected config.
type protectedConfig struct {
	key, etag string
	// stale is the ETag of its first version.
	stale string
	other map[string]any
}

// attempt is a request that would change the protected config.
type attempt struct {
	query string
	body  any
	// ifMatch is empty for no header.
	ifMatch string
	// status is the expected status; 0 for 202 with an approval.
	status int
}

type object = map[string]any

// later schedules a change.
var later = "?effectiveTime=" + time.Now().UTC().AddDate(1, 0, 0).Format(time.RFC3339)

// onProtected contains the attempts for each route that can write a config.
var onProtected = map[string]func(p protectedConfig) []attempt{
	"POST /api/v1/configs": func(p protectedConfig) []attempt {
		// An existing config is not created again, whether it is protected or not.
		return []attempt{{body: object{"key": p.key, "value": 9, "protected": false}, status: http.StatusConflict}}
	},
	"PATCH /api/v1/configs/{key}": func(p protectedConfig) []attempt {
		return []attempt{
			{body: object{"value": 9}, ifMatch: p.etag},
			{body: object{"remark": "of no account"}, ifMatch: p.etag},
			{body: object{"protected": false}, ifMatch: p.etag},
			{query: later, body: object{"value": 9}, ifMatch: p.etag},
			{query: "?merge=disjoint", body: object{"value": 8}, ifMatch: p.stale},
			{query: "?overwrite=because", body: object{"remark": "over"}, ifMatch: p.stale},
			{body: object{"value": 8}, ifMatch: p.stale, status: http.StatusPreconditionFailed},
			{body: object{"value": 1}, ifMatch: p.etag, status: http.StatusOK},
		}
	},
	"DELETE /api/v1/configs/{key}": func(p protectedConfig) []attempt {
		return []attempt{{ifMatch: p.etag}, {query: later, ifMatch: p.etag}}
	},
	"POST /api/v1/configs/{key}/rollback": func(p protectedConfig) []attempt {
		body := object{"toVersion": 1, "note": "back"}
		return []attempt{{body: body, ifMatch: p.etag}, {query: later, body: body, ifMatch: p.etag}}
	},
	"POST /api/v1/config-batches": func(p protectedConfig) []attempt {
		update := object{"key": p.key, "op": "update", "etag": p.etag, "patch": object{"value": 9}}
		other := object{"key": p.other["key"], "op": "update", "etag": p.other["etag"], "patch": object{"value": 9}}
		create := object{"key": p.key + ".new", "op": "create", "patch": object{"value": 9}}
		return []attempt{
			{body: object{"changes": []any{update}}},
			{query: later, body: object{"changes": []any{update}}},
			{body: object{"changes": []any{other, object{"key": p.key, "op": "delete", "etag": p.etag}, create}}},
			{body: object{"changes": []any{create, update, other}}},
			{body: object{"changes": []any{object{"key": p.key, "op": "update", "etag": p.etag, "patch": object{"protected": false}}}}},
		}
	},
	"POST /api/v1/configs/import": func(p protectedConfig) []attempt {
		rows := []any{object{"key": p.key, "value": 9}, object{"key": p.other["key"], "value": 9}, object{"key": p.key + ".new", "value": 9}}
		return []attempt{
			{body: object{"onExisting": "update", "configs": rows}},
			{query: later, body: object{"onExisting": "update", "configs": rows}},
			{body: object{"onExisting": "update", "configs": []any{object{"key": p.key, "value": 1, "remark": "second", "protected": false}}}},
			{query: "?dryRun=true", body: object{"onExisting": "update", "configs": rows}, status: http.StatusOK},
		}
	},
}

// elsewhere are the routes that write no config. Each route that changes data is in one of
// the two lists.
var elsewhere = strings.Fields(`
	session session/factor session/invitation session/invitation/check session/invitation/provider session/step-up session/step-up/challenge sessions sessions/{id} me me/password me/factors me/factors/{id} me/factors/{id}/confirm me/factors/{id}/rename
	me/factors/recovery-codes me/links me/links/{id} users/{id}/links/{linkId} users users/{id} users/{id}/disable users/{id}/enable users/{id}/reset-password users/{id}/invite users/{id}/reset-factors roles roles/{id} menus menus/{id} menus/{id}/move tokens tokens/{id} settings
	approvals/{id} approvals/{id}/comments approvals/{id}/approve approvals/{id}/reject approvals/{id}/withdraw approvals/{id}/rebase approvals/{id}/review
	items items/{sku} orders orders/{id} orders/{id}/pay orders/{id}/ship orders/{id}/shipments orders/{id}/complete orders/{id}/cancel order-batches orders/{id}/refunds
	orders/{id}/payments payments/{id}/apply payments/{id}/refund
	orders/{id}/returns my/orders/{id}/returns returns/{id}/receive returns/{id}/close returns/{id}/reject returns/{id}/refund returns/{id}/comments
	refunds/{id}/approve refunds/{id}/reject refunds/{id}/settle refunds/{id}/fail refunds/{id}/unknown
	work-orders work-orders/claim-next work-orders/{id}/claim work-orders/{id}/release work-orders/{id}/assign work-orders/{id}/resolve
	work-orders/{id}/reopen work-orders/{id}/close work-orders/{id}/comments
	inventory/{sku}/adjustments wallets/{userId}/entries wallet-transfers aggregates/{type}/{id}/events actions graphql
	coupon-campaigns coupon-campaigns/{id} coupon-campaigns/{id}/coupons coupons/{code}/redeem coupons/{code}/void
	flash-sales flash-sales/{id} flash-sales/{id}/open flash-sales/{id}/pause flash-sales/{id}/resume flash-sales/{id}/close
	flash-sales/{id}/reconcile flash-sales/{id}/dead/{messageId}/retry flash-sales/{id}/dead/{messageId}/discard flash-sales/{id}/orders
	configs/import/read webhooks webhooks/{id} webhooks/{id}/test webhooks/{id}/rotate-secret webhooks/{id}/replay
	imports/items/preview imports/stock/preview imports/customers/preview imports/coupons/preview presence`)

// Proves G8.1.
func TestEveryWritingRouteDeclaresWhetherItWritesConfigs(t *testing.T) {
	known := map[string]bool{}
	for _, o := range load(t).Operations() {
		path, ofAPI := strings.CutPrefix(o.Path, httpapi.Base+"/")
		if o.Method == http.MethodGet || !ofAPI {
			continue
		}
		known[o.Name] = true
		require.True(t, onProtected[o.Name] != nil || slices.Contains(elsewhere, path),
			"%s changes something: state in protected_test.go its effect on a protected config, or that it writes none", o.Name)
	}
	for name := range onProtected {
		require.True(t, known[name], "%s no longer exists", name)
	}
}

// newProtectedPair creates a protected config with two versions, and an unprotected config.
func newProtectedPair(t *testing.T, c *apptest.Caller) protectedConfig {
	key := newConfig(t, c)
	path := httpapi.Base + "/configs/" + key
	first := c.Do(t, "GET", path, nil).JSON(t)["etag"].(string)
	second := c.Do(t, "PATCH", path, `{"remark":"second","protected":true}`, "If-Match", first)
	require.Equal(t, http.StatusOK, second.Status, "protecting a config is an ordinary edit: %s", second.Body)
	return protectedConfig{
		key: key, etag: second.JSON(t)["etag"].(string), stale: first,
		other: c.Do(t, "GET", httpapi.Base+"/configs/"+newConfig(t, c), nil).JSON(t),
	}
}

// Proves G8.1.
func TestProtectedConfigChangesOnlyByApproval(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		for name, attempts := range onProtected {
			method, path, _ := strings.Cut(name, " ")
			t.Run(name, func(t *testing.T) {
				about := newProtectedPair(t, owner)
				configs := func() string {
					return string(owner.Do(t, "GET", httpapi.Base+"/configs?prefix=walk&limit=200", nil).Body)
				}
				before, proposals := configs(), map[any]bool{}
				for _, a := range attempts(about) {
					headers := []string{}
					if a.ifMatch != "" {
						headers = append(headers, "If-Match", a.ifMatch)
					}
					answer := owner.Do(t, method, strings.ReplaceAll(path, "{key}", about.key)+a.query, a.body, headers...)
					text, _ := json.Marshal(a.body)
					if a.status != 0 {
						require.Equal(t, a.status, answer.Status, "%s%s: %s", a.query, text, answer.Body)
						require.Equal(t, before, configs())
						continue
					}
					require.Equal(t, http.StatusAccepted, answer.Status, "%s%s: %s", a.query, text, answer.Body)
					approval := answer.JSON(t)
					require.Equal(t, approval["etag"], answer.Header.Get("ETag"))
					require.Equal(t, "pending", approval["status"])
					require.Contains(t, approval["targets"], "configs/"+about.key)
					location := answer.Header.Get("Location")
					require.Equal(t, approval["digest"], owner.Do(t, "GET", location, nil).JSON(t)["digest"])
					require.False(t, proposals[approval["id"]], "each is a separate approval")
					proposals[approval["id"]] = true
					require.Equal(t, before, configs(), "%s%s", a.query, text)
				}
			})
		}
	})
}

// Proves G7.17.
func TestBypassRequiresStepUpOnEveryRoute(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		enrolling := *owner
		d, session, codes := enrolled(t, &enrolling)
		var bypassing []func() apptest.Answer
		for name, attempts := range onProtected {
			method, path, _ := strings.Cut(name, " ")
			for i := range attempts(protectedConfig{other: object{}}) {
				about := newProtectedPair(t, owner)
				a := attempts(about)[i]
				if a.status != 0 || strings.Contains(a.query, "effectiveTime") {
					continue
				}
				query := "?bypass=emergency" + strings.Replace(a.query, "?", "&", 1)
				bypassing = append(bypassing, func() apptest.Answer {
					headers := slices.Clone(session)
					if a.ifMatch != "" {
						headers = append(headers, "If-Match", a.ifMatch)
					}
					return d.Do(t, method, strings.ReplaceAll(path, "{key}", about.key)+query, a.body, headers...)
				})
				require.Equal(t, "step_up_required", bypassing[len(bypassing)-1]().Code(), "%s%s", name, query)
				require.Equal(t, about.etag, owner.Do(t, "GET", httpapi.Base+"/configs/"+about.key, nil).JSON(t)["etag"], "nothing was done")
			}
		}
		d.steppedUp(&session, codes[0])
		for _, bypass := range bypassing {
			answer := bypass()
			require.Contains(t, []int{http.StatusOK, http.StatusNoContent}, answer.Status, "%s", answer.Body)
		}
	})
}

// Proves G8.30.
func TestApprovalRequestIsRepeatedUnderItsKey(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		key, etag := newProtected(t, owner)
		send := func() apptest.Answer {
			return owner.Do(t, "PATCH", httpapi.Base+"/configs/"+key, `{"value":2}`, "If-Match", etag, "X-Idempotency-Key", "propose-"+key)
		}
		first, again := send(), send()
		require.Equal(t, http.StatusAccepted, first.Status, "%s", first.Body)
		require.Equal(t, http.StatusAccepted, again.Status)
		require.Equal(t, "true", again.Header.Get("X-Idempotency-Replay"))
		require.Equal(t, string(first.Body), string(again.Body))
		for _, name := range []string{"Location", "ETag"} {
			require.Equal(t, first.Header.Get(name), again.Header.Get(name))
		}
		require.EqualValues(t, 1, owner.Do(t, "GET", httpapi.Base+"/approvals?resource=configs/"+key, nil).JSON(t)["total"])
	})
}

// money is the money that a request moves: a wallet with 5000, and a refund of 1000 of an
// order paid from it, which a colleague requested.
type money struct{ wallet, refund string }

// byHand contains the requests of each route with which a user moves money directly.
var byHand = map[string]func(m money) []attempt{
	"POST /api/v1/wallets/{userId}/entries": func(money) []attempt {
		entry := func(amount int, reference string) object {
			return object{"amount": amount, "kind": "correction", "reference": reference}
		}
		return []attempt{
			{body: entry(1001, "more")}, {body: entry(-1001, "less")},
			{body: entry(1, "opening"), status: http.StatusConflict},
		}
	},
	"POST /api/v1/wallet-transfers": func(m money) []attempt {
		transfer := func(amount int, reference string) object {
			return object{"fromUserId": m.wallet, "toUserId": m.wallet + "-other", "amount": amount, "reference": reference}
		}
		return []attempt{{body: transfer(1001, "moved")}}
	},
	"POST /api/v1/refunds/{id}/approve": func(money) []attempt { return []attempt{{body: object{}}} },
}

// notByHand are the other routes that move money or decide to: orders are paid by their amount, and
// promised refunds are paid. TestAboveTheThresholdVotesSendAPaymentBack covers payments/{id}/refund.
var notByHand = strings.Fields(`
	orders/{id}/pay orders/{id}/cancel order-batches orders/{id}/refunds orders/{id}/returns orders/{id}/payments payments/{id}/apply payments/{id}/refund
	refunds/{id}/reject refunds/{id}/settle refunds/{id}/fail refunds/{id}/unknown
	orders orders/{id} orders/{id}/ship orders/{id}/shipments orders/{id}/complete
	approvals/{id} approvals/{id}/comments approvals/{id}/approve approvals/{id}/reject approvals/{id}/withdraw approvals/{id}/rebase approvals/{id}/review`)

// Proves G8.26.
func TestEveryMoneyRouteDeclaresItsThreshold(t *testing.T) {
	known := map[string]bool{}
	for _, o := range load(t).Operations() {
		path, ofAPI := strings.CutPrefix(o.Path, httpapi.Base+"/")
		area, _, _ := strings.Cut(path, "/")
		if o.Method == http.MethodGet || !ofAPI || !slices.Contains([]string{"wallets", "wallet-transfers", "orders", "order-batches", "payments", "refunds", "approvals"}, area) {
			continue
		}
		known[o.Name] = true
		require.True(t, byHand[o.Name] != nil || slices.Contains(notByHand, path),
			"%s may move money: state in protected_test.go its effect above the thresholds, or that it needs no votes", o.Name)
	}
	for name := range byHand {
		require.True(t, known[name], "%s no longer exists", name)
	}
}

// Proves G8.26.
func TestManualMoneyAboveThresholdsNeedsApproval(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		// A colleague that is created after the request would count as its creator.
		colleague := newColleague(t, owner, "*")
		m := newMoney(t, owner)
		needs := func(tag string) object {
			answer := colleague.Do(t, "GET", httpapi.Base+"/wallets/"+m.wallet, nil, "If-None-Match", tag)
			require.Equal(t, http.StatusOK, answer.Status)
			return answer.JSON(t)
		}
		untouched := needs(`"none"`)
		require.NotContains(t, untouched, "changeNeeds")
		settings := httpapi.Base + "/settings"
		set := owner.Do(t, "PATCH", settings+"?bypass=test", `{"walletApprovalThreshold":1000,"refundApprovalThreshold":999}`, "If-Match", owner.Do(t, "GET", settings, nil).JSON(t)["etag"].(string))
		require.Equal(t, http.StatusOK, set.Status, "%s", set.Body)
		require.Equal(t, object{"above": 1000.0, "approvals": 1.0}, needs(untouched["etag"].(string))["changeNeeds"], "it is reported before a request")
		require.Equal(t, object{"approvals": 1.0}, owner.Do(t, "GET", httpapi.Base+"/refunds/"+m.refund, nil).JSON(t)["changeNeeds"])
		state := func() string {
			var text strings.Builder
			for _, path := range []string{"/wallets/" + m.wallet, "/wallets/" + m.wallet + "/entries", "/refunds/" + m.refund} {
				text.Write(owner.Do(t, "GET", httpapi.Base+path, nil).Body)
			}
			return text.String()
		}
		before := state()
		for name, attempts := range byHand {
			method, path, _ := strings.Cut(name, " ")
			path = strings.NewReplacer("{userId}", m.wallet, "{id}", m.refund).Replace(path)
			for _, a := range attempts(m) {
				answer := owner.Do(t, method, path, a.body)
				require.Equal(t, before, state(), "%s", name)
				if a.status != 0 {
					require.Equal(t, a.status, answer.Status, "%s: %s", name, answer.Body)
					continue
				}
				require.Equal(t, http.StatusAccepted, answer.Status, "%s: %s", name, answer.Body)
				location := answer.Header.Get("Location")
				approved := colleague.Do(t, "POST", location+"/approve", nil, "If-Match", answer.Header.Get("ETag"))
				require.Equal(t, "approved", approved.JSON(t)["status"], "%s: %s", name, approved.Body)
				require.NotEqual(t, before, state(), "%s: the last vote moves it", name)
				before = state()
			}
		}
	})
}

// newMoney creates a wallet, and a refund of an order paid from it, which a colleague
// requested.
func newMoney(t *testing.T, c *apptest.Caller) money {
	t.Helper()
	user := newWallet(t, c)
	order := created(t, c, "/orders", object{"userId": user, "items": []any{object{"sku": newStock(t, c), "quantity": 1}}})
	path := fmt.Sprint("/orders/", int64(order["id"].(float64)))
	require.Equal(t, http.StatusOK, c.Do(t, "POST", httpapi.Base+path+"/pay", `{"method":"wallet"}`).Status)
	refund := created(t, newColleague(t, c, "*"), path+"/refunds", object{"amount": 1000, "reason": "late"})
	return money{wallet: user, refund: fmt.Sprint(int64(refund["id"].(float64)))}
}
