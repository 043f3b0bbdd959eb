package shop

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/orders"
	"interlock/test/world"
)

func (s *Shop) patch(t *testing.T, order object, query string, patch any, headers ...string) httpapitest.Answer {
	t.Helper()
	return s.Send(t, http.MethodPatch, OrderPath(order)+query, patch, append([]string{"If-Match", order["etag"].(string)}, headers...)...)
}

// tags returns the tags of an order in the table for lists by tag.
func (s *Shop) tags(t *testing.T, order object) (tags []string) {
	t.Helper()
	const query = "SELECT tag FROM order_tags WHERE order_id = ? ORDER BY tag"
	require.NoError(t, s.DB.Read(storage.AcrossTenants(s.Ctx)).Raw(query, world.ID(order)).Scan(&tags).Error)
	return tags
}

// Proves G1.11.
func TestOrderEditIsGuardedLikeEveryEdit(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		order := s.Create(t, "/orders", fromStorefront(nil))
		require.Equal(t, []string{"gift", "vip"}, s.tags(t, order))
		require.Equal(t, http.StatusPreconditionRequired, s.Send(t, http.MethodPatch, OrderPath(order), object{"note": "x"}).Status)

		change := object{"note": nil, "email": "wu@example.com", "tags": []string{"urgent", "gift"}, "metadata": object{"channel": nil, "shop": "2"}, "billingAddress": nil}
		first := s.patch(t, order, "", change, "X-Idempotency-Key", "k")
		require.Equal(t, http.StatusOK, first.Status, first.Body)
		require.Equal(t, []any{"", "wu@example.com", []any{"gift", "urgent"}, object{"shop": "2"}, nil, home, 2.0},
			world.Members(first.Body, "note", "email", "tags", "metadata", "billingAddress", "shippingAddress", "version"))
		require.Equal(t, []string{"gift", "urgent"}, s.tags(t, order))
		require.Equal(t, first.Body, s.Get(t, OrderPath(order)).Body)
		require.Equal(t, first.Text, s.patch(t, order, "", change, "X-Idempotency-Key", "k").Text, "a replay")
		same := s.patch(t, first.Body, "", object{"tags": []string{"urgent", "gift"}, "note": "", "metadata": object{"shop": "2"}})
		require.Equal(t, []any{http.StatusOK, 2.0}, []any{same.Status, same.Body["version"]}, "no effect, no version")

		event := s.Send(t, http.MethodGet, OrderPath(order)+"/history", nil).Items()[0]
		require.Equal(t, []any{"update", "pending", "pending"}, world.Members(event, "action", "from", "to"))
		require.Equal(t, object{"note": "Ring twice.", "email": "li@example.com", "tags": []any{"gift", "vip"}, "metadata": object{"channel": "web"}, "billingAddress": home},
			event["detail"].(object)["before"])
		require.EqualValues(t, 1, s.Count(t, &uow.AuditRow{}, "resource = ? AND action = 'order.update'", strings.TrimPrefix(OrderPath(order), "/")))

		byOperations := s.Send(t, http.MethodPatch, OrderPath(order), `[{"op":"replace","path":"/note","value":"Leave it."},{"op":"add","path":"/tags/-","value":"late"}]`,
			"If-Match", first.Body["etag"].(string), "Content-Type", "application/json-patch+json")
		require.Equal(t, []any{"Leave it.", []any{"gift", "late", "urgent"}}, world.Members(byOperations.Body, "note", "tags"), byOperations.Text)
	})
}

// Proves G1.11.
func TestStaleOrderEditReturnsConflictOrMerges(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		order := s.Create(t, "/orders", fromStorefront(nil))
		second := s.patch(t, order, "", object{"note": "Ring once."}).Body
		require.Equal(t, "Do not ring.", s.patch(t, second, "", object{"note": "Do not ring.", "tags": []string{}}).Body["note"])
		paid := s.Post(t, 200, OrderPath(order)+"/pay", Outside())

		refused := s.patch(t, order, "", object{"note": "Knock.", "email": "wu@example.com"})
		require.Equal(t, []any{http.StatusPreconditionFailed, "version_conflict", 1.0, 4.0, false}, append([]any{refused.Status},
			world.Members(refused.Body, "code", "expectedVersion", "currentVersion", "autoMergeable")...), refused.Text)
		base := refused.Body["base"].(object)
		require.Equal(t, []any{1.0, "Ring twice.", []any{"gift", "vip"}}, world.Members(base, "version", "note", "tags"), "two edits and a payment ago")
		require.Equal(t, paid, refused.Body["current"])
		require.Equal(t, []any{object{"pointer": "/note", "base": "Ring twice.", "yours": "Knock.", "theirs": "Do not ring."}}, refused.Body["conflicts"])
		require.Equal(t, []any{"/tags"}, refused.Body["theirsOnly"])

		require.Equal(t, http.StatusPreconditionFailed, s.patch(t, order, "?merge=disjoint", object{"note": "Knock."}).Status)
		merged := s.patch(t, order, "?merge=disjoint", object{"email": "wu@example.com"})
		require.Equal(t, []any{http.StatusOK, "wu@example.com", "Do not ring.", "paid", 5.0}, append([]any{merged.Status},
			world.Members(merged.Body, "email", "note", "status", "version")...), merged.Text)
		require.Equal(t, object{"fromVersion": 1.0, "keptTheirs": []any{"/note", "/tags"}}, merged.Body["merged"])
	})
}

func TestAddressesChangeOnlyBeforeTheShipment(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		order := s.Create(t, "/orders", fromStorefront(nil))
		moved := s.patch(t, order, "", object{"shippingAddress": object{"line1": "Short Street 2", "postalCode": ""}})
		require.Equal(t, object{"name": "Li Wei", "line1": "Short Street 2", "city": "Berlin", "country": "DE"}, moved.Body["shippingAddress"])
		s.Post(t, 200, OrderPath(order)+"/pay", Outside())
		shipped := s.Post(t, 200, OrderPath(order)+"/ship", object{"carrier": "DHL", "trackingNo": "1"})
		refused := s.patch(t, shipped, "", object{"shippingAddress": object{"line1": "Wrong Street 3"}, "note": "x"})
		require.Equal(t, []any{http.StatusUnprocessableEntity, "/shippingAddress"}, []any{refused.Status, refused.Pointer()}, refused.Text)
		require.Equal(t, shipped, s.Get(t, OrderPath(order)).Body)
		require.Equal(t, "x", s.patch(t, shipped, "", object{"note": "x", "shippingAddress": shipped["shippingAddress"]}).Body["note"])
		require.EqualValues(t, 5, s.Count(t, &orders.Event{}, "order_id = ?", world.ID(order)))
	})
}

func TestInvalidOrderEditIsRejectedByField(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 100, 10)
	order := s.Create(t, "/orders", fromStorefront(nil))
	for _, c := range []struct {
		pointer string
		status  int
		patch   object
	}{
		{"/email", 422, object{"email": "wu"}},
		{"/tags", 422, object{"tags": []string{"a", "a"}}},
		{"/shippingAddress/country", 422, object{"shippingAddress": object{"country": "XX"}}},
		{"/metadata/a", 400, object{"metadata": object{"a": 1}}},
		{"/amount", 400, object{"amount": 1}},
		{"/externalId", 400, object{"externalId": "other"}},
	} {
		refused := s.patch(t, order, "", c.patch)
		require.Equal(t, []any{c.status, c.pointer}, []any{refused.Status, refused.Pointer()}, refused.Text)
	}
	require.Equal(t, order, s.Get(t, OrderPath(order)).Body)
}
