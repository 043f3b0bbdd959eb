package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// actions returns the actions that the audit log lists under a resource, oldest first.
func actions(t *testing.T, c *apptest.Caller, resource string) (found []string) {
	t.Helper()
	for _, entry := range read(t, c, "/api/v1/audit-log?sort=id&resource="+resource)["items"].([]any) {
		found = append(found, entry.(object)["action"].(string))
	}
	return found
}

// Proves G6.2.
func TestAuditLogListsActOnManyUnderEach(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		one, other, same := newConfig(t, c, "filed.one", 1, "number"), newConfig(t, c, "filed.other", 1, "number"), newConfig(t, c, "filed.same", 1, "number")
		require.Equal(t, http.StatusOK, c.Do(t, http.MethodPatch, "/api/v1/configs/filed.one", object{"value": 2}, "If-Match", etag(one)).Status)
		require.Zero(t, rows(t, c, "audit_targets", "1 = 1"), "an act on one record has no targets")

		one = read(t, c, "/api/v1/configs/filed.one")
		batch := c.Do(t, http.MethodPost, "/api/v1/config-batches", object{"changes": []object{
			{"key": "filed.one", "op": "update", "etag": etag(one), "patch": object{"value": 3}},
			{"key": "filed.other", "op": "delete", "etag": etag(other)},
			{"key": "filed.same", "op": "update", "etag": etag(same), "patch": object{"value": 1}},
		}})
		require.Equalf(t, http.StatusOK, batch.Status, "%s", batch.Body)
		imported := c.Do(t, http.MethodPost, "/api/v1/configs/import", object{"onExisting": "update", "configs": []object{
			{"key": "filed.one", "value": 4, "valueType": "number"}, {"key": "filed.new", "value": 1, "valueType": "number"},
		}})
		require.Equalf(t, http.StatusOK, imported.Status, "%s", imported.Body)
		require.Equal(t, []string{"config.create", "config.update", "config.batch", "config.import"}, actions(t, c, "configs/filed.one"))
		require.Equal(t, []string{"config.create", "config.batch"}, actions(t, c, "configs/filed.other"))
		require.Equal(t, []string{"config.create"}, actions(t, c, "configs/filed.same"), "the batch did not change it")
		require.Equal(t, []string{"config.import"}, actions(t, c, "configs/filed.new"))
		require.Empty(t, actions(t, c, "configs/filed"))
		require.Len(t, actions(t, c, "configs/"), 6, "a batch is listed once")
		require.Equal(t, 2.0, read(t, c, "/api/v1/audit-log?total=exact&resource=configs/filed.other")["total"])
		require.Equal(t, []string{"config.import"}, actions(t, c, "configs/filed.one&action=config.import"))

		_, codes := newCoupons(t, c, 2)
		newItem(t, c, "FILED", 5)
		order := create(t, c, "/api/v1/orders", object{"userId": "kim", "items": []object{{"sku": "FILED", "quantity": 1}}, "couponCode": codes[0]})
		require.Equal(t, []string{"coupon_campaign.issue", "order.create"}, actions(t, c, "coupons/"+codes[0]))
		require.Equal(t, []string{"coupon_campaign.issue"}, actions(t, c, "coupons/"+codes[1]))
		require.Equal(t, []string{"order.create"}, actions(t, c, strings.TrimPrefix(orderPath(order), "/api/v1/")))

		create(t, c, "/api/v1/wallets/kim/entries", object{"amount": 10, "kind": "gift", "reference": "gift"})
		create(t, c, "/api/v1/wallet-transfers", object{"fromUserId": "kim", "toUserId": "lee", "amount": 10, "reference": "filed"})
		require.Equal(t, []string{"wallet.transfer"}, actions(t, c, "wallets/lee"))
	})
}
