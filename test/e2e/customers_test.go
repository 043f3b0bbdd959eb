package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/views/customers"
	"interlock/test/apptest"
)

// newKim returns the id of a customer that only this test uses, and a name that users write
// in texts. An id with a slash is escaped in paths, and one without can also name an
// aggregate.
func newKim(slash bool) (kim, wrote string) {
	n := rand.Uint32()
	kim = fmt.Sprintf("kim.%d@example.org", n)
	if slash {
		kim += "/7Q"
	}
	return kim, fmt.Sprintf("Kim Wu, %d Elm Street", n)
}

func emailOf(kim string) string { return "mail." + strings.ReplaceAll(kim, "/", "-") }

// livedShop writes rows about a customer to every table that can contain any.
func livedShop(t *testing.T, c *apptest.Caller, kim, wrote string) {
	t.Helper()
	second := newUser(t, c, fmt.Sprint("second-", rand.Uint32()), "admin")
	const tea = "TEA-1"
	newItem(t, c, tea, 100)
	key := 0
	keyed := func(path string, body any, headers ...string) object {
		key++
		a := c.Do(t, http.MethodPost, "/api/v1"+path, body, append(headers, "X-Idempotency-Key", fmt.Sprint("key-", key))...)
		require.Less(t, a.Status, 300, "%s: %s", path, a.Body)
		if len(a.Body) == 0 {
			return nil
		}
		return a.JSON(t)
	}
	wallet := "/wallets/" + url.PathEscape(kim)
	keyed(wallet+"/entries", object{"amount": 1000, "kind": "deposit", "reference": "opening of " + kim})
	keyed("/wallet-transfers", object{"fromUserId": kim, "toUserId": "lee", "amount": 100, "reference": "gift from " + kim})
	keyed("/wallet-transfers", object{"fromUserId": "lee", "toUserId": kim, "amount": 10, "reference": "thanks"})
	keyed("/wallet-transfers", object{"fromUserId": "lee", "toUserId": "moe", "amount": 10, "reference": "as " + kim + " said"})

	order := func() (object, string) {
		address := object{"name": wrote, "line1": wrote, "city": "Berlin", "country": "DE"}
		made := keyed("/orders", object{
			"userId": kim, "items": []object{{"sku": tea, "quantity": 2}}, "externalId": fmt.Sprint(kim, " ", key), "email": emailOf(kim),
			"shippingAddress": address, "billingAddress": address, "note": wrote, "metadata": object{"who": wrote},
		})
		path := fmt.Sprintf("/orders/%d", int64(made["id"].(float64)))
		patch(t, c, "/api/v1"+path, object{"note": wrote + " rang", "email": "x" + emailOf(kim), "metadata": object{"who": "now " + wrote}, "billingAddress": nil}, etag(made))
		return made, path
	}
	_, paid := order()
	keyed(paid+"/pay", object{"method": "wallet"})
	keyed(paid+"/ship", object{"carrier": "DHL", "trackingNo": wrote})
	keyed(paid+"/complete", nil)
	refund := keyed(paid+"/refunds", object{"amount": 50, "reason": wrote + " called"})
	answer(t, second, "/api/v1"+refundPath(refund)+"/approve", nil)
	// A refund of another customer, which the provider settled with a reference that
	// contains kim.
	others := keyed("/orders", object{"userId": "lee", "items": []object{{"sku": tea, "quantity": 1}}})
	othersPath := fmt.Sprintf("/orders/%d", int64(others["id"].(float64)))
	keyed(othersPath+"/pay", object{"method": "external", "reference": fmt.Sprint("psp-", rand.Uint32())})
	refund = keyed(othersPath+"/refunds", object{"amount": 50, "reason": "too late"})
	answer(t, second, "/api/v1"+refundPath(refund)+"/approve", nil)
	answer(t, second, "/api/v1"+refundPath(refund)+"/settle", object{"reference": "paid out to " + kim})
	_, cancelled := order()
	keyed(cancelled+"/cancel", object{"reason": kim + " has moved"})

	_, codes := newCoupons(t, c, 1)
	keyed("/coupons/"+codes[0]+"/redeem", object{"userId": kim})
	keyed("/actions", object{"actionId": 1, "action": "like", "entityType": "item", "entityId": tea}, "X-On-Behalf-Of", kim)
	events := func(path string) {
		keyed(path+"/events", object{"clientId": "till of " + kim, "events": []object{{
			"clientSeq": 1, "eventId": "visit " + kim, "eventType": "visit", "eventTime": "2026-01-31T09:30:00Z", "deltas": object{"visits": 1}, "payload": object{"who": kim, "name": wrote},
		}}})
	}
	if !strings.Contains(kim, "/") {
		events("/aggregates/loyalty/" + kim)
	}
	events("/aggregates/loyalty/all")
	work := keyed("/work-orders", object{"title": "Call " + kim, "body": wrote, "links": []string{"wallets/" + url.PathEscape(kim)}})
	path := fmt.Sprintf("/work-orders/%d", int64(work["id"].(float64)))
	keyed(path+"/comments", object{"text": wrote + " did not answer"})
	keyed(path+"/resolve", object{"resolution": wrote + " is content"})

	settings := read(t, c, "/api/v1/settings")
	patch(t, c, "/api/v1/settings?bypass=test", object{"walletApprovalThreshold": 0}, etag(settings))
	approval := keyed(wallet+"/entries", object{"amount": 5, "kind": "gift", "reference": "for " + kim})
	answer(t, second, fmt.Sprintf("/api/v1/approvals/%d/approve", int64(approval["id"].(float64))), nil, "If-Match", approval["etag"].(string))
	patch(t, c, "/api/v1/settings?bypass=test", object{"walletApprovalThreshold": nil}, etag(read(t, c, "/api/v1/settings")))
	finishedSale(t, c, kim)
}

// finishedSale writes the rows that a finished flash sale leaves about a customer.
func finishedSale(t *testing.T, c *apptest.Caller, kim string) {
	t.Helper()
	db, tenant, sale := c.Program.Services().DB, tenantOf(t, c), time.Now().UnixNano()
	write := db.Write(storage.AcrossTenants(t.Context()))
	at, ticket := time.Now().UTC(), ticketOf(kim)
	for _, one := range []struct {
		statement string
		values    []any
	}{
		{`INSERT INTO flash_sale_stocks (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, sale_id, allotted, sold, epoch, rejected, finished)
			VALUES (?, 1, ?, ?, 1, 'Li', ?, 0, 0, 1, 1, ?)`, []any{tenant, at, at, sale, true}},
		{`INSERT INTO flash_sale_tickets (sale_id, ticket, tenant_id, user_id, units, state, accepted, ahead, confirmed, order_id, order_no, reason)
			VALUES (?, ?, ?, ?, 1, 'rejected', 1, 0, 0, 0, '', '')`, []any{sale, ticket, tenant, kim}},
		{"INSERT INTO flash_sale_buyers (sale_id, user_id, tenant_id, units, ticket) VALUES (?, ?, ?, 0, ?)", []any{sale, kim, tenant, ticket}},
		{"INSERT INTO flash_sale_rejections (tenant_id, ticket, sale_id, user_id, units, reason, created_time) VALUES (?, ?, ?, ?, 1, 'sold_out', ?)", []any{tenant, ticket, sale, kim, at}},
	} {
		require.NoError(t, write.Exec(one.statement, one.values...).Error)
	}
}

// ticketOf returns the ticket of a customer.
func ticketOf(kim string) string {
	digest := sha256.Sum256([]byte(kim))
	return base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").EncodeToString(digest[:20])
}

func tenantOf(t *testing.T, c *apptest.Caller) int64 {
	t.Helper()
	ctx, err := c.Program.Services().Access.Tenants.InTenant(t.Context(), c.Tenant)
	require.NoError(t, err)
	p, _ := principal.From(ctx)
	return p.TenantID
}

// textsWith searches every column of every table for a text, and returns where it is. It
// skips the tombstones of lost units, which contain the resource of the unit for an hour
// (package uow).
func textsWith(t *testing.T, db *storage.DB, needle string) (found []string) {
	t.Helper()
	read := db.Read(storage.AcrossTenants(t.Context()))
	columns := "SELECT m.name AS tbl, p.name AS col FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'"
	if db.Dialect == storage.MySQL {
		columns = "SELECT table_name AS tbl, column_name AS col FROM information_schema.columns WHERE table_schema = DATABASE() AND character_maximum_length IS NOT NULL"
	}
	var all []struct{ Tbl, Col string }
	require.NoError(t, read.Raw(columns).Scan(&all).Error)
	require.Greater(t, len(all), 200)
	for _, one := range all {
		var n int
		held := ""
		if one.Tbl == "audit_entries" {
			held = " AND action <> 'unit.lost'"
		}
		require.NoError(t, read.Raw("SELECT COUNT(*) FROM "+one.Tbl+" WHERE INSTR(`"+one.Col+"`, ?) > 0"+held, needle).Scan(&n).Error, one.Tbl)
		if n > 0 {
			found = append(found, fmt.Sprintf("%s.%s (%d)", one.Tbl, one.Col, n))
		}
	}
	return found
}

func requirePromises(t *testing.T, sv *app.Services) {
	t.Helper()
	totals, err := sv.CheckPromises(t.Context())
	require.NoError(t, err)
	for _, total := range totals {
		require.Empty(t, total.Found, total.Promise.Name)
	}
}

// fingerprintOfAll contains every row of the tables that an erasure changes.
func fingerprintOfAll(t *testing.T, db *storage.DB) string {
	t.Helper()
	var all strings.Builder
	for _, table := range []string{"orders", "wallets", "wallet_entries", "audit_entries", "audit_targets", "refunds", "coupons", "actions", "aggregates", "aggregate_events", "approvals", "approval_votes", "idempotency_keys", "customer_erasures"} {
		var rows []map[string]any
		require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT * FROM "+table+" WHERE tenant_id > 0").Scan(&rows).Error)
		for _, row := range rows {
			delete(row, "last_replay_time")
			fmt.Fprintln(&all, table, row)
		}
	}
	return all.String()
}

// Proves E1.
func TestErasedCustomerIsInNoRowAndSumsAreCorrect(t *testing.T) {
	for _, slash := range []bool{false, true} {
		apptest.Each(t, func(t *testing.T, p *apptest.Program) { eraseAndLook(t, p, slash) })
	}
}

func eraseAndLook(t *testing.T, p *apptest.Program, slash bool) {
	t.Helper()
	c := p.Admin(t)
	kim, wrote := newKim(slash)
	livedShop(t, c, kim, wrote)
	sv := p.Services()
	ctx, err := sv.Access.Tenants.InTenant(t.Context(), c.Tenant)
	require.NoError(t, err)
	require.Greater(t, len(textsWith(t, sv.DB, kim)), 15, "there is something to find")
	before := read(t, c, "/api/v1/wallets/lee")["balance"]

	_, err = sv.Customers.Erase(ctx, principal.CustomerID(kim), false)
	var refused *apperr.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, apperr.InUse, refused.Code)
	require.Contains(t, refused.Detail, "their wallet has")

	done, err := sv.Customers.Erase(ctx, principal.CustomerID(kim), true)
	require.NoError(t, err)
	require.Regexp(t, `^erased-[a-z2-7]{24}$`, string(done.Pseudonym))
	require.Positive(t, done.Rows)
	require.Positive(t, done.Replies.Records)
	require.Zero(t, done.Replies.Kept)
	require.Empty(t, done.Left)
	for _, trace := range []string{kim, url.PathEscape(kim), wrote, emailOf(kim), ticketOf(kim)} {
		require.Empty(t, textsWith(t, sv.DB, trace), trace)
	}
	requirePromises(t, sv)
	require.Equal(t, before, read(t, c, "/api/v1/wallets/lee")["balance"])
	entries := read(t, c, "/api/v1/wallets/"+string(done.Pseudonym)+"/entries")["items"].([]any)
	require.Len(t, entries, 6)
	require.Len(t, read(t, c, "/api/v1/audit-log?action=customer.erase")["items"], 1)
	for _, order := range read(t, c, "/api/v1/orders?userId="+string(done.Pseudonym))["items"].([]any) {
		order := order.(object)
		require.Equal(t, []any{nil, nil, nil, object{}}, []any{order["email"], order["shippingAddress"], order["billingAddress"], order["metadata"]})
	}

	rows := fingerprintOfAll(t, sv.DB)
	again, err := sv.Customers.Erase(ctx, principal.CustomerID(kim), true)
	require.NoError(t, err)
	require.Equal(t, customers.Erased{}, again)
	require.Equal(t, rows, fingerprintOfAll(t, sv.DB), "a second run changes nothing")

	require.EqualValues(t, 0, read(t, c, "/api/v1/wallets/"+url.PathEscape(kim))["balance"], "the customer is anonymous now")
}

// The erasure is interrupted after each of its units in turn. The promises hold at each
// interruption, and the next run resumes.
// Proves E2.
func TestInterruptedErasureResumesAndPreservesSums(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		kim, wrote := newKim(false)
		livedShop(t, c, kim, wrote)
		sv := p.Services()
		ctx, err := sv.Access.Tenants.InTenant(t.Context(), c.Tenant)
		require.NoError(t, err)
		cut := errors.New("the process ends here")
		runs := 0
		names := map[principal.CustomerID]bool{}
		for ended := false; !ended; runs++ {
			require.Less(t, runs, 100)
			done, err := eraserThat(sv, func() error { return cut }).Erase(ctx, principal.CustomerID(kim), true)
			if ended = err == nil; !ended {
				require.ErrorIs(t, err, cut)
			}
			names[done.Pseudonym] = true
			requirePromises(t, sv)
		}
		require.Greater(t, runs, 15)
		require.Len(t, names, 1, "all under one pseudonym")
		require.Empty(t, textsWith(t, sv.DB, kim))
		require.Len(t, read(t, c, "/api/v1/audit-log?action=customer.erase")["items"], 1)
	})
}

// Proves E4.
func TestCustomerWithOpenOperationsIsNotErased(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		kim, _ := newKim(false)
		newItem(t, c, "TEA-1", 100)
		create(t, c, "/api/v1/orders", object{"userId": kim, "items": []object{{"sku": "TEA-1", "quantity": 1}}})
		sv := p.Services()
		ctx, err := sv.Access.Tenants.InTenant(t.Context(), c.Tenant)
		require.NoError(t, err)
		rows := fingerprintOfAll(t, sv.DB)
		_, err = sv.Customers.Erase(ctx, principal.CustomerID(kim), true)
		var refused *apperr.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "The customer cannot be erased yet; nothing was changed. 1 of their orders are pending, paid or shipped: complete or cancel them.", refused.Detail)
		require.Equal(t, rows, fingerprintOfAll(t, sv.DB))
	})
}

// eraserThat returns a Service that calls after when one of its units, except the last, has
// ended.
func eraserThat(sv *app.Services, after func() error) *customers.Service {
	return customers.New(customers.Deps{DB: sv.DB, Tables: app.Tables(), Runner: sv.Runner, Replies: sv.Idempotency, Clock: sv.Clock, LockWallets: sv.Wallets.Lock, After: after})
}

// refusedWith asserts that an erasure is rejected with all of these sentences.
func refusedWith(t *testing.T, err error, says ...string) {
	t.Helper()
	var refused *apperr.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, apperr.InUse, refused.Code)
	for _, one := range says {
		require.Contains(t, refused.Detail, one)
	}
}

// once returns a hook that calls do after the first unit only.
func once(do func()) func() error {
	called := false
	return func() error {
		if !called {
			called = true
			do()
		}
		return nil
	}
}

// Proves E3.
func TestPaymentDuringErasureIsNotForfeited(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		kim, _ := newKim(false)
		wallet := "/api/v1/wallets/" + kim
		pay := func(amount int, reference string) {
			create(t, c, wallet+"/entries", object{"amount": amount, "kind": "correction", "reference": reference})
		}
		pay(5, "first")
		pay(-5, "second")
		sv := p.Services()
		ctx, err := sv.Access.Tenants.InTenant(t.Context(), c.Tenant)
		require.NoError(t, err)
		done, err := eraserThat(sv, once(func() { pay(7, "third") })).Erase(ctx, principal.CustomerID(kim), false)
		refusedWith(t, err, "their wallet has 7", "completed steps remain")
		require.EqualValues(t, 7, read(t, c, wallet)["balance"], "it is his still, and can be paid out")
		require.Empty(t, read(t, c, "/api/v1/audit-log?action=customer.erase")["items"])
		requirePromises(t, sv)

		_, err = sv.Customers.Erase(ctx, principal.CustomerID(kim), false)
		refusedWith(t, err, "their wallet has 7", "completed steps remain")
		pay(-7, "fourth")
		again, err := sv.Customers.Erase(ctx, principal.CustomerID(kim), false)
		require.NoError(t, err)
		require.Equal(t, done.Pseudonym, again.Pseudonym)
		require.Len(t, read(t, c, "/api/v1/wallets/"+string(done.Pseudonym)+"/entries")["items"], 4)
		require.Empty(t, textsWith(t, sv.DB, kim))
		requirePromises(t, sv)
	})
}

// Proves E3.
func TestOrderPlacedDuringErasureStaysWithItsCustomer(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		kim, wrote := newKim(false)
		livedShop(t, c, kim, wrote)
		sv := p.Services()
		ctx, err := sv.Access.Tenants.InTenant(t.Context(), c.Tenant)
		require.NoError(t, err)
		var path string
		place := func() {
			made := create(t, c, "/api/v1/orders", object{"userId": kim, "items": []object{{"sku": "TEA-1", "quantity": 1}}})
			path = fmt.Sprintf("/api/v1/orders/%d", int64(made["id"].(float64)))
		}
		_, err = eraserThat(sv, once(place)).Erase(ctx, principal.CustomerID(kim), true)
		refusedWith(t, err, "1 of their orders are pending, paid or shipped", "completed steps remain")
		require.Equal(t, kim, read(t, c, path)["userId"])
		_, err = sv.Customers.Erase(ctx, principal.CustomerID(kim), true)
		refusedWith(t, err, "1 of their orders are pending, paid or shipped", "completed steps remain")
		answer(t, c, path+"/cancel", object{"reason": wrote})
		_, err = eraserThat(sv, once(func() {
			place()
			answer(t, c, path+"/cancel", object{"reason": "broken"})
		})).Erase(ctx, principal.CustomerID(kim), true)
		if err != nil { // the run had already checked the orders
			refusedWith(t, err, "1 orders were placed or ended during the erasure: run it again")
		}
		for rows := -1; rows != 0; {
			again, err := sv.Customers.Erase(ctx, principal.CustomerID(kim), true)
			require.NoError(t, err)
			rows = again.Rows
		}
		require.Empty(t, textsWith(t, sv.DB, kim))
		require.Empty(t, textsWith(t, sv.DB, wrote))
		requirePromises(t, sv)
	})
}

// The erasure pseudonymizes a finished order before the wallet, and the order can be
// refunded in between.
// Proves E3.
func TestRefundDuringErasureCreditsTheCustomersWallet(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		kim, wrote := newKim(false)
		livedShop(t, c, kim, wrote)
		second := newUser(t, c, fmt.Sprint("third-", rand.Uint32()), "admin")
		sv := p.Services()
		ctx, err := sv.Access.Tenants.InTenant(t.Context(), c.Tenant)
		require.NoError(t, err)
		had := int(read(t, c, "/api/v1/wallets/"+kim)["balance"].(float64))
		refunded := false
		done, err := eraserThat(sv, func() error {
			var renamed []int64
			require.NoError(t, sv.DB.Read(ctx).Raw("SELECT id FROM orders WHERE tenant_id = ? AND status = 3 AND user_id LIKE 'erased-%'", tenantOf(t, c)).Scan(&renamed).Error)
			if refunded || len(renamed) == 0 {
				return nil
			}
			refunded = true
			refund := create(t, c, fmt.Sprintf("/api/v1/orders/%d/refunds", renamed[0]), object{"amount": 20, "reason": "broken"})
			answer(t, second, "/api/v1"+refundPath(refund)+"/approve", nil)
			requirePromises(t, sv)
			return nil
		}).Erase(ctx, principal.CustomerID(kim), true)
		require.NoError(t, err)
		require.True(t, refunded)
		wallet := "/api/v1/wallets/" + string(done.Pseudonym)
		require.EqualValues(t, had+20, read(t, c, wallet)["balance"])
		newest := read(t, c, wallet+"/entries")["items"].([]any)[0].(object)
		require.EqualValues(t, 20, newest["amount"])
		require.EqualValues(t, had+20, newest["balance"])
		require.Empty(t, textsWith(t, sv.DB, kim))
		requirePromises(t, sv)
	})
}

// A short id is part of many texts that are not about the customer.
// Proves E4.
func TestErasureOfAShortIDChangesNoOtherCustomer(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		create(t, c, "/api/v1/wallets/7/entries", object{"amount": 5, "kind": "gift", "reference": "first"})
		create(t, c, "/api/v1/wallets/77/entries", object{"amount": 7, "kind": "gift", "reference": "order-7"})
		create(t, c, "/api/v1/wallets/8/entries", object{"amount": 7, "kind": "gift", "reference": "7"})
		create(t, c, "/api/v1/work-orders", object{"title": "7 cups are missing"})
		sv := p.Services()
		ctx, err := sv.Access.Tenants.InTenant(t.Context(), c.Tenant)
		require.NoError(t, err)
		done, err := sv.Customers.Erase(ctx, "7", true)
		require.NoError(t, err)
		requirePromises(t, sv)
		require.EqualValues(t, 0, read(t, c, "/api/v1/wallets/7")["balance"])
		require.EqualValues(t, 5, read(t, c, "/api/v1/wallets/"+string(done.Pseudonym))["balance"])
		require.EqualValues(t, 7, read(t, c, "/api/v1/wallets/77")["balance"])
		require.Equal(t, "order-7", read(t, c, "/api/v1/wallets/77/entries")["items"].([]any)[0].(object)["reference"])
		require.Equal(t, "7 cups are missing", read(t, c, "/api/v1/work-orders")["items"].([]any)[0].(object)["title"])
		require.Empty(t, read(t, c, "/api/v1/audit-log?resource=wallets/7")["items"])
	})
}

func TestExportContainsAllDataOfOneCustomer(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		kim, wrote := newKim(false)
		livedShop(t, c, kim, wrote)
		create(t, c, "/api/v1/wallets/stranger/entries", object{"amount": 5, "kind": "gift", "reference": "first"})
		sv := p.Services()
		ctx, err := sv.Access.Tenants.InTenant(t.Context(), c.Tenant)
		require.NoError(t, err)
		var out bytes.Buffer
		rows, err := sv.Customers.Export(ctx, principal.CustomerID(kim), &out, sv.Clock.Now())
		require.NoError(t, err)
		require.NotContains(t, out.String(), "stranger")
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		require.Len(t, lines, rows+2)
		tables := map[string]int{}
		for _, text := range lines {
			var line struct {
				Table    string
				Customer string
				Rows     int
			}
			require.NoError(t, json.Unmarshal([]byte(text), &line), text)
			tables[line.Table]++
		}
		require.Contains(t, lines[0], `"customer":"`+kim+`"`)
		require.Equal(t, fmt.Sprintf(`{"rows":%d}`, rows), lines[len(lines)-1])
		require.Equal(t, 6, tables["wallet_entries"], "his own side of transfers alone")
		for table, atLeast := range map[string]int{
			"orders": 2, "order_lines": 2, "shipments": 1, "shipment_lines": 1, "refunds": 1, "coupons": 1, "actions": 1, "work_orders": 1, "work_order_comments": 1, "aggregate_events": 2, "aggregates": 1,
			"approvals": 1, "audit_entries": 10, "flash_sale_tickets": 1, "flash_sale_rejections": 1, "order_histories": 4,
		} {
			require.GreaterOrEqual(t, tables[table], atLeast, table)
		}
	})
}
