package shop

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/catalog"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/orders"
)

// addItem adds an item without stock and returns its ETag.
func (s *Shop) addItem(t *testing.T, sku string, price int64) string {
	t.Helper()
	a := s.Send(t, http.MethodPost, "/items", object{"sku": sku, "name": "Tea " + sku, "price": price})
	require.Equal(t, http.StatusCreated, a.Status, a.Body)
	return a.Header.Get("ETag")
}

func TestItemIsAddedReadEditedAndDeleted(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		created := s.Send(t, http.MethodPost, "/items", object{"sku": "TEA-1", "name": "Tea", "price": 1990, "ownedByUserId": 12})
		require.Equal(t, http.StatusCreated, created.Status)
		require.Equal(t, "/api/v1/items/TEA-1", created.Header.Get("Location"))
		require.Equal(t, created.Body["etag"], created.Header.Get("ETag"))
		require.Equal(t, "active", created.Body["status"])
		require.Equal(t, "12", created.Body["ownedByUserId"])

		read := s.Send(t, http.MethodGet, "/items/TEA-1", nil)
		require.Equal(t, created.Body, read.Body)
		require.Equal(t, http.StatusNotModified, s.Send(t, http.MethodGet, "/items/TEA-1", nil, "If-None-Match", read.Header.Get("ETag")).Status)

		for _, same := range []any{12, "12"} {
			unchanged := s.Send(t, http.MethodPatch, "/items/TEA-1", object{"ownedByUserId": same}, "If-Match", read.Header.Get("ETag"))
			require.Equal(t, read.Body, unchanged.Body, "an equal decimal text is not a change")
		}
		edited := s.Send(t, http.MethodPatch, "/items/TEA-1", object{"price": 2190, "ownedByUserId": nil, "status": "archived"}, "If-Match", read.Header.Get("ETag"))
		require.Equal(t, http.StatusOK, edited.Status, edited.Body)
		require.EqualValues(t, 2, edited.Body["version"])
		require.EqualValues(t, 2190, edited.Body["price"])
		require.Nil(t, edited.Body["ownedByUserId"])
		require.NotContains(t, edited.Body, "merged")

		history := s.Send(t, http.MethodGet, "/items/TEA-1/history", nil)
		versions := history.Items()
		require.Len(t, versions, 2)
		require.Equal(t, "update", versions[0]["action"])
		require.EqualValues(t, 1990, versions[1]["price"])
		require.Equal(t, object{"id": float64(7), "name": "Tester"}, versions[1]["changedBy"])

		require.Equal(t, http.StatusNoContent, s.Send(t, http.MethodDelete, "/items/TEA-1", nil, "If-Match", edited.Header.Get("ETag")).Status)
		require.Equal(t, http.StatusNotFound, s.Send(t, http.MethodGet, "/items/TEA-1", nil).Status)
		require.EqualValues(t, 3, s.Count(t, &uow.AuditRow{}, "resource = ?", "items/TEA-1"))
	})
}

func TestInvalidItemIsRejectedByField(t *testing.T) {
	cases := []struct {
		name, body string
		status     int
		pointer    string
	}{
		{"no sku", `{"name":"Tea","price":1}`, 422, "/sku"},
		{"a sku with a slash", `{"sku":"a/b","name":"Tea","price":1}`, 422, "/sku"},
		{"a sku that clients take out of addresses", `{"sku":"..","name":"Tea","price":1}`, 422, "/sku"},
		{"a sku of 65 characters", `{"sku":"` + strings.Repeat("a", 65) + `","name":"Tea","price":1}`, 422, "/sku"},
		{"no name", `{"sku":"a","price":1}`, 422, "/name"},
		{"a name of 201 characters", `{"sku":"a","name":"` + strings.Repeat("é", 201) + `","price":1}`, 422, "/name"},
		{"no price", `{"sku":"a","name":"Tea"}`, 422, "/price"},
		{"a negative price", `{"sku":"a","name":"Tea","price":-1}`, 422, "/price"},
		{"a price with a fraction", `{"sku":"a","name":"Tea","price":1.5}`, 400, "/price"},
		{"a price beyond an int64", `{"sku":"a","name":"Tea","price":9223372036854775808}`, 400, "/price"},
		{"an owner without a name", `{"sku":"a","name":"Tea","price":1,"ownedByUserId":""}`, 422, "/ownedByUserId"},
		{"an owner and a half", `{"sku":"a","name":"Tea","price":1,"ownedByUserId":1.5}`, 400, "/ownedByUserId"},
		{"an unknown status", `{"sku":"a","name":"Tea","price":1,"status":"sold"}`, 422, "/status"},
		{"an unknown field", `{"sku":"a","name":"Tea","price":1,"colour":"red"}`, 400, "/colour"},
	}
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, "/items", c.body)
			require.Equal(t, c.status, a.Status, a.Body)
			require.Equal(t, c.pointer, a.Pointer())
		})
	}
	require.Zero(t, s.Count(t, &catalog.Item{}, "1 = 1"))
}

func TestSkuIsUniqueWithinATenant(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		Open(ctx, t, db).addItem(t, "TEA-1", 100)
		again := Open(ctx, t, db).Send(t, http.MethodPost, "/items", object{"sku": "TEA-1", "name": "Other", "price": 1})
		require.Equal(t, http.StatusConflict, again.Status)
		require.EqualValues(t, apperr.AlreadyExists, again.Body["code"])
		Open(storagetest.Tenant(t), t, db).addItem(t, "TEA-1", 200)
	})
}

func TestStaleEditReturnsConflictAndMergesOnRequest(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		seen := s.addItem(t, "TEA-1", 100)
		require.Equal(t, http.StatusOK, s.Send(t, http.MethodPatch, "/items/TEA-1", `{"name":"Black tea"}`, "If-Match", seen).Status)

		contested := s.Send(t, http.MethodPatch, "/items/TEA-1", `{"name":"Green tea"}`, "If-Match", seen)
		require.Equal(t, http.StatusPreconditionFailed, contested.Status)
		require.Equal(t, "Tea TEA-1", contested.Body["base"].(map[string]any)["name"])
		require.Equal(t, "Black tea", contested.Body["current"].(map[string]any)["name"])
		require.Equal(t, []any{object{"pointer": "/name", "base": "Tea TEA-1", "yours": "Green tea", "theirs": "Black tea"}}, contested.Body["conflicts"])

		disjoint := s.Send(t, http.MethodPatch, "/items/TEA-1?merge=disjoint", `{"price":120}`, "If-Match", seen)
		require.Equal(t, http.StatusOK, disjoint.Status, disjoint.Body)
		require.Equal(t, object{"fromVersion": float64(1), "keptTheirs": []any{"/name"}}, disjoint.Body["merged"])
		require.Equal(t, "Black tea", disjoint.Body["name"])
		require.EqualValues(t, 120, disjoint.Body["price"])

		require.Equal(t, http.StatusPreconditionRequired, s.Send(t, http.MethodPatch, "/items/TEA-1", `{"price":1}`).Status)
		require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodPatch, "/items/TEA-1", `{"price":1}`, "If-Match", "*").Status)
		require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodPatch, "/items/TEA-1", `{"sku":"x"}`, "If-Match", seen).Status)
		require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodPatch, "/items/TEA-1", `{"name":null}`, "If-Match", seen).Status)
		require.Equal(t, http.StatusUnprocessableEntity, s.Send(t, http.MethodPatch, "/items/TEA-1", `{"price":-1}`, "If-Match", disjoint.Header.Get("ETag")).Status)
		require.EqualValues(t, 3, s.Send(t, http.MethodGet, "/items/TEA-1", nil).Body["version"])
	})
}

func TestEditWithoutEffectWritesNothing(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		seen := s.addItem(t, "TEA-1", 100)
		same := s.Send(t, http.MethodPatch, "/items/TEA-1", `{"price":100}`, "If-Match", seen)
		require.Equal(t, http.StatusOK, same.Status)
		require.Equal(t, seen, same.Header.Get("ETag"))
		require.EqualValues(t, 1, s.Count(t, &catalog.Revision{}, "1 = 1"))
		require.EqualValues(t, 1, s.Count(t, &uow.AuditRow{}, "1 = 1"))
	})
}

func TestItemOfAnOrderIsNotDeleted(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 1)
		order := OrderPath(s.Place(t))
		s.Post(t, http.StatusOK, order+"/pay", Outside())
		s.Post(t, http.StatusOK, order+"/ship", object{"carrier": "DHL", "trackingNo": "1"})
		require.Zero(t, s.Get(t, "/inventory/TEA-1").Body["onHand"])
		refused := s.Send(t, http.MethodDelete, "/items/TEA-1", nil, "If-Match", s.Get(t, "/items/TEA-1").Header.Get("ETag"))
		require.Equal(t, http.StatusConflict, refused.Status)
		require.EqualValues(t, apperr.InUse, refused.Body["code"])
		s.Get(t, "/items/TEA-1")
	})
}

// Proves G4.11.
func TestItemIsLockedDuringItsSale(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 1)
		seen := s.Get(t, "/items/TEA-1").Header.Get("ETag")
		sold, finish := make(chan struct{}), make(chan struct{})
		var sales sync.WaitGroup
		sales.Go(func() {
			err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				_, _, err := s.Orders.Place(ctx, u, orders.Placement{UserID: Buyer, Lines: []orders.LineRequest{{SKU: "TEA-1", Quantity: 1}}})
				if err != nil {
					return err
				}
				found, err := s.Catalog.ForSale(ctx, u, []string{"TEA-1", "none"})
				if len(found) != 1 || found["TEA-1"].Price != 100 {
					t.Errorf("found %v, error %v", found, err)
				}
				close(sold)
				<-finish
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		<-sold
		deleted := make(chan httpapitest.Answer)
		go func() { deleted <- s.Send(t, http.MethodDelete, "/items/TEA-1", nil, "If-Match", seen) }()
		select {
		case a := <-deleted:
			t.Fatalf("deleted while a unit sells it: %v", a)
		case <-time.After(100 * time.Millisecond):
		}
		close(finish)
		sales.Wait()
		require.Equal(t, http.StatusConflict, (<-deleted).Status)
	})
}

func TestItemsAreListedByFilterSortAndCursor(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		for i, sku := range []string{"b_1", "a%1", "C.3"} {
			s.Send(t, http.MethodPost, "/items", object{"sku": strings.ReplaceAll(sku, "%", "-"), "name": "Name " + sku, "price": 300 - i})
		}
		list := func(query string) []string {
			a := s.Get(t, "/items?"+query)
			var skus []string
			for _, item := range a.Items() {
				skus = append(skus, item["sku"].(string))
			}
			return skus
		}
		require.Equal(t, []string{"C.3", "a-1", "b_1"}, list(""))
		require.Equal(t, []string{"C.3", "a-1", "b_1"}, list("sort=price"))
		require.Equal(t, []string{"b_1", "a-1"}, list("sort=-price&limit=2"))
		require.Equal(t, []string{"b_1"}, list("q=B_"), "an underscore is itself")
		require.Equal(t, []string{"a-1"}, list("q=A%25"), "a percent sign is itself")
		require.Empty(t, list("status=archived"))
		s.Send(t, http.MethodPost, "/items", object{"sku": "D", "name": "ÄPFEL", "price": 900})
		require.Equal(t, []string{"D"}, list("q="+url.QueryEscape("ÄPF")))
		require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodGet, "/items?status=sold", nil).Status)
		require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodGet, "/items?sort=owner", nil).Status)
		require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodGet, "/items?q="+strings.Repeat("_", 60_000), nil).Status)

		first := s.Send(t, http.MethodGet, "/items?limit=2&sort=name", nil)
		require.EqualValues(t, 4, first.Body["total"])
		second := s.Send(t, http.MethodGet, "/items?limit=2&sort=name&cursor="+first.Body["nextCursor"].(string), nil)
		require.Len(t, second.Body["items"], 2)
		require.Nil(t, second.Body["nextCursor"])
	})
}

func TestAnotherTenantsItemIsNotFound(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		seen := Open(ctx, t, db).addItem(t, "TEA-1", 100)
		stranger := Open(storagetest.Tenant(t), t, db)
		require.Equal(t, http.StatusNotFound, stranger.Send(t, http.MethodGet, "/items/TEA-1", nil).Status)
		require.Equal(t, http.StatusNotFound, stranger.Send(t, http.MethodGet, "/items/TEA-1/history", nil).Status)
		require.Equal(t, http.StatusNotFound, stranger.Send(t, http.MethodPatch, "/items/TEA-1", `{"price":1}`, "If-Match", seen).Status)
		require.Equal(t, http.StatusNotFound, stranger.Send(t, http.MethodDelete, "/items/TEA-1", nil, "If-Match", seen).Status)
	})
}
