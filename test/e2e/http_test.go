package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/test/apptest"
)

func TestReadReturnsNotModified(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		const path = "/api/v1/configs/cached"
		c := p.Admin(t)
		created := newConfig(t, c, "cached", 1, "number")
		answer := c.Do(t, http.MethodGet, path, nil)
		require.Equal(t, etag(created), answer.Header.Get("ETag"))
		require.Equal(t, created, answer.JSON(t))

		for name, tag := range map[string]string{
			"the tag": etag(created), "as a weak tag": "W/" + etag(created), "among others": `"a", ` + etag(created), "any": "*",
		} {
			unchanged := c.Do(t, http.MethodGet, path, nil, "If-None-Match", tag)
			require.Equal(t, http.StatusNotModified, unchanged.Status, name)
			require.Empty(t, unchanged.Body, name)
			require.Equal(t, etag(created), unchanged.Header.Get("ETag"), name)
		}
		require.Equal(t, http.StatusOK, c.Do(t, http.MethodPatch, path, object{"value": 2}, "If-Match", etag(created)).Status)
		require.Equal(t, http.StatusOK, c.Do(t, http.MethodGet, path, nil, "If-None-Match", etag(created)).Status)
	})
}

func TestCreationReturnsTheLocation(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		newItem(t, c, "LOC-1", 100)
		for path, body := range map[string]any{
			"/api/v1/configs": object{"key": "located", "value": 1, "valueType": "number"},
			"/api/v1/items":   object{"sku": "LOC-2", "name": "Located", "price": 1},
			"/api/v1/orders":  object{"userId": 1, "items": []object{{"sku": "LOC-1", "quantity": 1}}},
		} {
			answer := c.Do(t, http.MethodPost, path, body)
			require.Equalf(t, http.StatusCreated, answer.Status, "%s: %s", path, answer.Body)
			require.NotEmpty(t, answer.Header.Get("ETag"), path)
			location := answer.Header.Get("Location")
			require.True(t, strings.HasPrefix(location, path+"/"), location)
			require.Equal(t, answer.JSON(t), read(t, c, location))
		}
	})
}

func TestRepliesAndAuditRowsHaveTheRequestID(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		body := object{"key": "traced", "value": 1, "valueType": "number"}
		answer := c.Do(t, http.MethodPost, "/api/v1/configs", body, "X-Request-Id", "checkout-7f3a")
		require.Equal(t, http.StatusCreated, answer.Status)
		require.Equal(t, "checkout-7f3a", answer.Header.Get("X-Request-Id"))
		require.EqualValues(t, 1, rows(t, c, "audit_entries", "resource = 'configs/traced' AND request_id = 'checkout-7f3a'"))

		again := c.Do(t, http.MethodPost, "/api/v1/configs", body, "X-Request-Id", "checkout-7f3b")
		require.Equal(t, "checkout-7f3b", requireProblem(t, again, http.StatusConflict, "already_exists")["requestId"])
		for _, unsound := range []string{"", "with space", strings.Repeat("x", 129)} {
			given := c.Do(t, http.MethodGet, "/api/v1/configs/traced", nil, "X-Request-Id", unsound).Header.Get("X-Request-Id")
			require.NotEmpty(t, given)
			require.NotEqual(t, unsound, given)
		}
	})
}

// The service writes no such row, but a manual repair of a database may.
func TestNonNumericActorIDIsShownUnchanged(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		created := c.Do(t, http.MethodPost, "/api/v1/configs", object{"key": "repaired", "value": 1, "valueType": "number"}, "Idempotency-Key", "repair")
		require.Equal(t, http.StatusCreated, created.Status, string(created.Body))
		write := p.Services().DB.Write(storage.AcrossTenants(t.Context()))
		for table, path := range map[string]string{"audit_entries": "/api/v1/audit-log?resource=configs/repaired", "idempotency_keys": "/api/v1/idempotency-keys?key=repair"} {
			changed := write.Exec("UPDATE "+table+" SET actor_id = 'ops', actor_name = 'Operations' WHERE tenant_id = ?", tenantOf(t, c))
			require.NoError(t, changed.Error)
			require.NotZero(t, changed.RowsAffected)
			items := read(t, c, path)["items"].([]any)
			require.Len(t, items, 1)
			require.Equal(t, object{"id": "ops", "name": "Operations"}, items[0].(object)["actor"], path)
		}
	})
}

func TestEveryReplyCarriesTheSecurityHeaders(t *testing.T) {
	p := apptest.Shared(t, "sqlite")
	c := p.Admin(t)
	c.HTTP = apptest.Client // the pages are not part of the contract
	for _, path := range []string{"/", "/docs", "/openapi.json", "/healthz", "/readyz", "/metrics", "/api/v1/configs", "/api/v1/nowhere", "/nowhere"} {
		header := c.Do(t, http.MethodGet, path, nil).Header
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
		require.Equal(t, "DENY", header.Get("X-Frame-Options"), path)
		require.Equal(t, "no-referrer", header.Get("Referrer-Policy"), path)
		require.Contains(t, header.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
		require.NotContains(t, header.Get("Content-Security-Policy"), "unsafe-eval", path)
		require.Empty(t, header.Get("Server"), path)
		if strings.HasPrefix(path, "/api/") {
			require.Equal(t, "no-store", header.Get("Cache-Control"), path)
		}
	}
}

func TestUnknownAddressesReturnProblems(t *testing.T) {
	p := apptest.Shared(t, "sqlite")
	c := p.Admin(t)
	for _, path := range []string{"/api/v1/nowhere", "/api/v1/configs/absent", "/api/v1/orders/999999", "/api/v1/orders/x", "/api/v1/orders/0",
		"/api/v1/orders/99999999999999999999", "/api/v1/items/absent", "/api/v1/coupons/ABSENT", "/api/v1/coupon-campaigns/999999"} {
		requireProblem(t, c.Do(t, http.MethodGet, path, nil), http.StatusNotFound, "not_found")
	}
	plain := *c
	plain.HTTP = apptest.Client // unknown addresses are no part of the contract
	for _, path := range []string{"/nowhere", "/v1/kv/a", "/swagger.json", "/orders/1/nowhere", "/assets/absent.js"} {
		requireProblem(t, plain.Do(t, http.MethodGet, path, nil, "Accept", "text/html"), http.StatusNotFound, "not_found")
	}
	require.Equal(t, http.StatusOK, plain.Do(t, http.MethodGet, "/", nil, "Accept", "text/html").Status)
	requireProblem(t, plain.Do(t, http.MethodGet, "/", nil, "Accept", "application/json"), http.StatusNotFound, "not_found")
	answer := c.Do(t, http.MethodPut, "/api/v1/configs", object{})
	requireProblem(t, answer, http.StatusMethodNotAllowed, "method_not_allowed")
	require.Contains(t, answer.Header.Get("Allow"), http.MethodPost)
}

// Proves G7.1.
func TestCallerOfAnotherTenantReadsAndChangesNothing(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner, stranger := p.Admin(t), p.Admin(t)
		config := newConfig(t, owner, "secret", 1, "number")
		newItem(t, owner, "SECRET-1", 100)
		item := read(t, owner, "/api/v1/items/SECRET-1")
		order := newOrder(t, owner, "SECRET-1")
		campaign, codes := newCoupons(t, owner, 1)
		campaignPath := fmt.Sprintf("/api/v1/coupon-campaigns/%d", int64(campaign["id"].(float64)))
		auditBefore := rows(t, owner, "audit_entries", "1 = 1")

		requests := []struct {
			method, path string
			body         any
			etag         string
		}{
			{http.MethodGet, "/api/v1/configs/secret", nil, ""},
			{http.MethodGet, "/api/v1/configs/secret/history", nil, ""},
			{http.MethodPatch, "/api/v1/configs/secret", object{"value": 2}, etag(config)},
			{http.MethodDelete, "/api/v1/configs/secret", nil, etag(config)},
			{http.MethodPost, "/api/v1/configs/secret/rollback", object{"toVersion": 1, "note": "x"}, etag(config)},
			{http.MethodGet, "/api/v1/items/SECRET-1", nil, ""},
			{http.MethodPatch, "/api/v1/items/SECRET-1", object{"price": 1}, etag(item)},
			{http.MethodDelete, "/api/v1/items/SECRET-1", nil, etag(item)},
			{http.MethodGet, orderPath(order), nil, ""},
			{http.MethodGet, orderPath(order) + "/history", nil, ""},
			{http.MethodPost, orderPath(order) + "/pay", paymentOf(order), ""},
			{http.MethodPost, orderPath(order) + "/cancel", object{"reason": "x"}, ""},
			{http.MethodGet, campaignPath, nil, ""},
			{http.MethodPost, campaignPath + "/coupons", object{"count": 1}, ""},
			{http.MethodGet, "/api/v1/coupons/" + codes[0], nil, ""},
			{http.MethodPost, "/api/v1/coupons/" + codes[0] + "/redeem", object{"userId": 1}, ""},
			{http.MethodPost, "/api/v1/coupons/" + codes[0] + "/void", nil, ""},
		}
		for _, r := range requests {
			var headers []string
			if r.etag != "" {
				headers = []string{"If-Match", r.etag}
			}
			answer := stranger.Do(t, r.method, r.path, r.body, headers...)
			requireProblem(t, answer, http.StatusNotFound, "not_found")
		}
		for _, list := range []string{"/api/v1/configs", "/api/v1/items", "/api/v1/orders", "/api/v1/coupon-campaigns"} {
			require.Empty(t, read(t, stranger, list)["items"], list)
		}
		for _, entry := range read(t, stranger, "/api/v1/audit-log")["items"].([]any) {
			require.NotContains(t, entry.(object)["resource"], "secret")
		}

		require.Equal(t, config, read(t, owner, "/api/v1/configs/secret"))
		require.Equal(t, item, read(t, owner, "/api/v1/items/SECRET-1"))
		require.Equal(t, order, read(t, owner, orderPath(order)))
		require.Equal(t, "unused", read(t, owner, "/api/v1/coupons/"+codes[0])["status"])
		require.Equal(t, auditBefore, rows(t, owner, "audit_entries", "1 = 1"))
		require.Zero(t, rows(t, stranger, "audit_entries", "resource LIKE 'configs/%'"))
	})
}
