package activity

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/racing"
	"interlock/test/world"
)

// ask sends a GraphQL document and returns its data and errors.
func (p phone) ask(t *testing.T, query string, variables object) (data object, errors []any) {
	t.Helper()
	a := p.Post(t, http.StatusOK, "/graphql", object{"query": query, "variables": variables})
	data, _ = a["data"].(object)
	errors, _ = a["errors"].([]any)
	return data, errors
}

func codes(errors []any) []any {
	var found []any
	for _, e := range errors {
		found = append(found, e.(object)["extensions"].(object)["code"])
	}
	return found
}

// Proves G3.22.
func TestGraphQLHighestActionIDWinsInEveryOrder(t *testing.T) {
	const like = `mutation ($id: Long!, $active: Boolean) { toggleLikeItem(itemId: "SKU-1", actionId: $id, active: $active) { isLiked lastActionId } }`
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		applied := 0
		for i, order := range [][]int64{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
			customer, highest := s.customer(int64(100+i)), int64(0)
			for _, id := range order {
				if id > highest {
					highest = id
					applied++
				}
				data, errors := customer.ask(t, like, object{"id": id, "active": id != 2})
				require.Empty(t, errors)
				require.Equal(t, object{"isLiked": highest != 2, "lastActionId": float64(highest)}, data["toggleLikeItem"])
			}
		}
		data, errors := s.customer(100).ask(t, `{ itemActions(itemId: "SKU-1") { likes dislikes bookmarks isLiked isDisliked isBookmarked lastReactionId lastBookmarkId } }`, nil)
		require.Empty(t, errors)
		require.Equal(t, object{
			"likes": 6.0, "dislikes": 0.0, "bookmarks": 0.0, "isLiked": true, "isDisliked": false, "isBookmarked": false,
			"lastReactionId": 3.0, "lastBookmarkId": 0.0,
		}, data["itemActions"])
		s.requireCounts(t, applied)
	})
}

func TestGraphQLAndRESTAreOneCounter(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		customer := s.customer(7)
		require.Equal(t, reply(true, 5, "applied"), customer.tap(t, "SKU-1", "like", 5, true).Body)
		data, errors := customer.ask(t, `mutation {
			stale: toggleLikeItem(itemId: "SKU-1", actionId: 4, active: false) { isLiked lastActionId }
			swap: toggleDislikeItem(itemId: "SKU-1", actionId: 6) { isDisliked lastActionId }
			mark: toggleBookmarkItem(itemId: "SKU-1", actionId: 1) { isBookmarked lastActionId }
			coupon: toggleLikeCoupon(couponId: "C-1", actionId: 1) { isLiked lastActionId }
			off: toggleDislikeCoupon(couponId: "C-1", actionId: "2", active: false) { isDisliked lastActionId }
		}`, nil)
		require.Empty(t, errors)
		require.Equal(t, object{
			"stale":  object{"isLiked": true, "lastActionId": 5.0},
			"swap":   object{"isDisliked": true, "lastActionId": 6.0},
			"mark":   object{"isBookmarked": true, "lastActionId": 1.0},
			"coupon": object{"isLiked": true, "lastActionId": 1.0},
			"off":    object{"isDisliked": false, "lastActionId": 2.0},
		}, data)
		require.Equal(t, object{"like": 0.0, "dislike": 1.0, "bookmark": 1.0}, customer.look(t, "SKU-1")["counts"])
		s.requireCounts(t, 5)
	})
}

func TestGraphQLErrorsCarryTheirCode(t *testing.T) {
	s := openActions(storagetest.Tenant(t), t, storagetest.SQLite(t))
	customer := s.customer(7)
	require.Equal(t, http.StatusOK, customer.tap(t, "SKU-1", "like", 5, true).Status)
	const likeItem = `mutation ($id: Long!) { toggleLikeItem(itemId: "SKU-1", actionId: $id) { isLiked } }`
	for _, c := range []struct {
		name, query string
		variables   object
		code        string
	}{
		{"no such item", `mutation { toggleLikeItem(itemId: "SKU-9", actionId: 1) { isLiked } }`, nil, "ITEM_NOT_FOUND"},
		{"no such item to bookmark", `mutation { toggleBookmarkItem(itemId: "C-1", actionId: 1) { isBookmarked } }`, nil, "ITEM_NOT_FOUND"},
		{"no such coupon", `mutation { toggleDislikeCoupon(couponId: "SKU-1", actionId: 1) { isDisliked } }`, nil, "COUPON_NOT_FOUND"},
		{"no such coupon to read", `{ couponActions(couponId: "SKU-1") { likes } }`, nil, "COUPON_NOT_FOUND"},
		{"far in the future", likeItem, object{"id": world.Opening.Add(time.Hour).UnixMilli()}, "ACTION_ID_IN_FUTURE"},
		{"the largest id", likeItem, object{"id": math.MaxInt64}, "ACTION_ID_IN_FUTURE"},
		{"other content under the id", likeItem, object{"id": 5}, "IDEMPOTENCY_KEY_REUSED"},
		{"id 0", likeItem, object{"id": 0}, "VALIDATION_FAILED"},
		{"an id with a fraction", likeItem, object{"id": 1.5}, "GRAPHQL_VALIDATION_FAILED"},
		{"an id that is not a number", likeItem, object{"id": true}, "GRAPHQL_VALIDATION_FAILED"},
		{"an id beyond 64 bits", `mutation { toggleLikeItem(itemId: "SKU-1", actionId: 92233720368547758070) { isLiked } }`, nil, "GRAPHQL_VALIDATION_FAILED"},
		{"no id", `mutation { toggleLikeItem(itemId: "SKU-1") { isLiked } }`, nil, "GRAPHQL_VALIDATION_FAILED"},
		{"no such field", `mutation { toggleLoveItem(itemId: "SKU-1", actionId: 1) { isLoved } }`, nil, "GRAPHQL_VALIDATION_FAILED"},
		{"no document", `like it!`, nil, "GRAPHQL_VALIDATION_FAILED"},
	} {
		_, errors := customer.ask(t, c.query, c.variables)
		require.Equal(t, []any{c.code}, codes(errors), "%s: %v", c.name, errors)
	}
	require.Equal(t, object{"active": true, "lastActionId": 5.0}, own(customer.look(t, "SKU-1"), "like"))
	s.requireCounts(t, 1)
}

func TestGraphQLAsksThePermissionOfEachField(t *testing.T) {
	s := openActions(storagetest.Tenant(t), t, storagetest.SQLite(t))
	reader := s.as(principal.Principal{Kind: principal.Token, UserID: 1, Permissions: []string{"actions:read"}})
	_, errors := reader.ask(t, `mutation { toggleLikeItem(itemId: "SKU-1", actionId: 1) { isLiked } }`, nil)
	require.Equal(t, []any{"FORBIDDEN"}, codes(errors))
	data, errors := reader.ask(t, `{ itemActions(itemId: "SKU-1") { likes } }`, nil)
	require.Empty(t, errors)
	require.Equal(t, object{"likes": 0.0}, data["itemActions"])
	other := s.as(principal.Principal{Kind: principal.Token, UserID: 1, Permissions: []string{"orders:read"}})
	_, errors = other.ask(t, `{ itemActions(itemId: "SKU-1") { likes } }`, nil)
	require.Equal(t, []any{"FORBIDDEN"}, codes(errors))
	s.requireCounts(t, 0)
}

func TestGraphQLHighestOfAHundredConcurrentActionsWins(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		const taps = 100
		customer := s.customer(7)
		order := rand.New(rand.NewPCG(1, 2)).Perm(taps)
		racing.Together(taps, func(i int) {
			id := order[i] + 1
			query := fmt.Sprintf(`mutation { toggleLikeItem(itemId: "SKU-1", actionId: %d, active: %t) { lastActionId } }`, id, id%2 == 0)
			a := customer.Send(t, http.MethodPost, "/graphql", object{"query": query})
			if a.Status != http.StatusOK || a.Body["errors"] != nil {
				t.Errorf("action %d has status %d: %v", id, a.Status, a.Body)
			}
		})
		seen := customer.look(t, "SKU-1")
		require.Equal(t, object{"active": true, "lastActionId": 100.0}, own(seen, "like"))
		require.Equal(t, 1.0, seen["counts"].(object)["like"])
	})
}

// It is as deep as the introspection query of GraphiQL.
func TestIntrospectionIsAllowedAndDeepQueriesAreRejected(t *testing.T) {
	s := openActions(storagetest.Tenant(t), t, storagetest.SQLite(t))
	nested := func(depth int) string {
		return `{ __schema { types { name fields { args { type { ` + strings.Repeat("ofType { ", depth) + "name" + strings.Repeat(" }", depth) + ` } } } } } }`
	}
	data, errors := s.customer(7).ask(t, nested(9), nil)
	require.Empty(t, errors)
	require.Contains(t, fmt.Sprint(data), "ToggleBookmarkResult")
	_, errors = s.customer(7).ask(t, nested(30), nil)
	require.NotEmpty(t, errors)
	require.Equal(t, "GRAPHQL_VALIDATION_FAILED", codes(errors)[0])
}
