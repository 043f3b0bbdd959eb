package activity

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/racing"
	"interlock/test/world"
)

// Proves G3.22.
func TestHighestActionIDWinsInEveryOrder(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		applied := 0
		for i, order := range [][]int64{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
			customer := s.customer(int64(100 + i))
			highest := int64(0)
			for _, id := range order {
				a := customer.tap(t, "SKU-1", "like", id, id != 2)
				require.Equal(t, http.StatusOK, a.Status, a.Body)
				outcome := "stale"
				if id > highest {
					highest, outcome = id, "applied"
					applied++
				}
				require.Equal(t, reply(highest != 2, highest, outcome), a.Body, "%v", order)
			}
			require.Equal(t, object{"active": true, "lastActionId": 3.0}, own(customer.look(t, "SKU-1"), "like"), "%v", order)
		}
		require.Equal(t, object{"like": 6.0, "dislike": 0.0, "bookmark": 0.0}, s.customer(1).look(t, "SKU-1")["counts"])
		s.requireCounts(t, applied)
	})
}

// The UPDATE does not depend on the row lock: an engine may drop it, as Galera does between
// its nodes.
// Proves G3.21.
func TestGuardedUpdateRejectsAnOvertakenAction(t *testing.T) {
	db, tap := storagetest.WithoutLocks(t)
	s := openActions(storagetest.Tenant(t), t, db)
	for i, c := range []struct {
		between int64 // the id of the action that is committed between the read and the UPDATE
		outcome object
	}{{10, reply(false, 10, "stale")}, {3, reply(true, 5, "applied")}} {
		customer := s.customer(int64(7 + i))
		require.Equal(t, http.StatusOK, customer.tap(t, "SKU-1", "like", 1, true).Status)
		tap.Before("UPDATE actions", func() {
			require.Equal(t, reply(true, c.between, "applied"), customer.tap(t, "SKU-1", "dislike", c.between, true).Body)
		})
		require.Equal(t, c.outcome, customer.tap(t, "SKU-1", "like", 5, true).Body)
		require.Equal(t, i+1, s.retries.by["again"], "the UPDATE was rejected and the unit ran again")
		seen := customer.look(t, "SKU-1")
		require.Equal(t, []any{c.between == 3, c.between == 10}, []any{own(seen, "like")["active"], own(seen, "dislike")["active"]})
		s.requireCounts(t, []int{2, 5}[i])
	}
}

// The final state depends only on the action with the highest id, in any order of arrival.
// Proves G3.22.
func TestLikeAndDislikeExcludeEachOtherInEveryOrder(t *testing.T) {
	type wish struct {
		kind   string
		active bool
	}
	script := []wish{{"like", true}, {"dislike", true}, {"dislike", false}, {"like", true}, {"dislike", true}, {"like", false}}
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		random := rand.New(rand.NewPCG(7, 7))
		for length := 1; length <= len(script); length++ {
			last := script[length-1]
			for round := range 5 {
				customer := s.customer(int64(1000*length + round))
				for _, i := range random.Perm(length) {
					a := customer.tap(t, "SKU-1", script[i].kind, int64(i+1), script[i].active)
					require.Equal(t, http.StatusOK, a.Status, a.Body)
				}
				seen := customer.look(t, "SKU-1")
				for _, kind := range []string{"like", "dislike"} {
					require.Equal(t, last.active && kind == last.kind, own(seen, kind)["active"], "%s after %d", kind, length)
				}
			}
		}
		require.Zero(t, s.customer(1000).look(t, "SKU-1")["counts"].(object)["bookmark"])
	})
}

func TestBookmarkHasSeparateIDsAndState(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		customer := s.customer(7)
		require.Equal(t, reply(true, 9, "applied"), customer.tap(t, "SKU-1", "like", 9, true).Body)
		require.Equal(t, reply(true, 3, "applied"), customer.tap(t, "SKU-1", "bookmark", 3, true).Body)
		require.Equal(t, reply(true, 10, "applied"), customer.tap(t, "SKU-1", "dislike", 10, true).Body)
		require.Equal(t, object{
			"entityType": "item", "entityId": "SKU-1", "counts": object{"like": 0.0, "dislike": 1.0, "bookmark": 1.0},
			"own": object{
				"like":     object{"active": false, "lastActionId": 10.0},
				"dislike":  object{"active": true, "lastActionId": 10.0},
				"bookmark": object{"active": true, "lastActionId": 3.0},
			},
		}, customer.look(t, "SKU-1"))
		s.requireCounts(t, 3)
	})
}

func TestWithoutActiveAnActionToggles(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		customer := s.customer(7)
		require.Equal(t, reply(true, 1, "applied"), customer.tap(t, "SKU-1", "like", 1, nil).Body)
		require.Equal(t, reply(true, 1, "duplicate"), customer.tap(t, "SKU-1", "like", 1, nil).Body, "sent again it does not toggle back")
		require.Equal(t, reply(false, 2, "applied"), customer.tap(t, "SKU-1", "like", 2, nil).Body)
		require.Equal(t, reply(true, 3, "applied"), customer.tap(t, "SKU-1", "dislike", 3, nil).Body)
		require.Equal(t, reply(true, 4, "applied"), customer.tap(t, "SKU-1", "like", 4, nil).Body)
		require.Equal(t, reply(false, 4, "stale"), customer.tap(t, "SKU-1", "dislike", 3, nil).Body)
		require.Equal(t, object{"like": 1.0, "dislike": 0.0, "bookmark": 0.0}, customer.look(t, "SKU-1")["counts"])
		s.requireCounts(t, 4)
	})
}

// Proves G3.25.
func TestReusedActionIDWithOtherContentIsRejected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		customer := s.customer(7)
		require.Equal(t, reply(true, 5, "applied"), customer.tap(t, "SKU-1", "like", 5, true).Body)
		require.Equal(t, reply(true, 5, "duplicate"), customer.tap(t, "SKU-1", "like", 5, true).Body)
		for name, a := range map[string]struct {
			kind   string
			active any
		}{"withdrawn": {"like", false}, "toggled": {"like", nil}, "the other of the pair": {"dislike", true}} {
			refused := customer.tap(t, "SKU-1", a.kind, 5, a.active)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, name)
			require.Equal(t, "idempotency_key_reused", refused.Body["code"], name)
		}
		require.Equal(t, reply(true, 5, "applied"), customer.tap(t, "SKU-2", "dislike", 5, true).Body, "another thing has separate ids")
		require.Equal(t, object{"active": true, "lastActionId": 5.0}, own(customer.look(t, "SKU-1"), "like"))
		s.requireCounts(t, 2)
	})
}

// Proves G3.25.
func TestActionIDInTheFutureIsRejectedAndBlocksNothing(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		customer := s.customer(7)
		bound := world.Opening.Add(5 * time.Minute).UnixMilli()
		for _, id := range []int64{bound + 1, math.MaxInt64} {
			a := customer.tap(t, "SKU-1", "like", id, true)
			require.Equal(t, http.StatusBadRequest, a.Status)
			require.Equal(t, "action_id_in_future", a.Body["code"])
		}
		require.Equal(t, reply(true, 1, "applied"), customer.tap(t, "SKU-1", "like", 1, true).Body)
		require.Equal(t, reply(true, bound, "applied"), customer.tap(t, "SKU-1", "like", bound, true).Body)
		s.requireCounts(t, 2)
	})
}

// A customer may have the number of a user as its name. A token acts for itself or for a customer.
// Proves G3.26.
func TestEachActorHasStatesOfItsOwn(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		customer, other := s.customer(7), s.customer(8)
		admin := s.as(principal.Principal{Kind: principal.Admin, UserID: 7})
		token := s.as(principal.Principal{Kind: principal.Token, UserID: 7})
		forCustomer := s.as(principal.Principal{Kind: principal.Token, UserID: 9, OnBehalfOf: "7"})
		require.Equal(t, reply(true, 5, "applied"), customer.tap(t, "SKU-1", "like", 5, true).Body)
		require.Equal(t, reply(true, 1, "applied"), other.tap(t, "SKU-1", "like", 1, true).Body)
		require.Equal(t, reply(true, 2, "applied"), admin.tap(t, "SKU-1", "dislike", 2, true).Body)

		require.Equal(t, reply(true, 5, "duplicate"), forCustomer.tap(t, "SKU-1", "like", 5, true).Body)
		require.Equal(t, reply(false, 2, "stale"), token.tap(t, "SKU-1", "like", 1, true).Body)
		require.Equal(t, object{"active": false, "lastActionId": 2.0}, own(token.look(t, "SKU-1"), "like"))
		require.Equal(t, object{"active": true, "lastActionId": 5.0}, own(forCustomer.look(t, "SKU-1"), "like"))
		require.Equal(t, object{"active": false, "lastActionId": 0.0}, own(s.customer(9).look(t, "SKU-1"), "like"))
		require.Equal(t, object{"like": 2.0, "dislike": 1.0, "bookmark": 0.0}, customer.look(t, "SKU-1")["counts"])
		s.requireCounts(t, 3)
	})
}

// Proves G3.26.
func TestAnotherTenantsActionsAreNotCounted(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		require.Equal(t, http.StatusOK, s.customer(7).tap(t, "SKU-1", "like", 5, true).Status)
		p, _ := principal.From(ctx)
		stranger := *s
		stranger.Ctx = principal.With(ctx, principal.Principal{Kind: principal.Admin, TenantID: p.TenantID + 1, UserID: 1})
		require.Equal(t, object{"like": 0.0, "dislike": 0.0, "bookmark": 0.0}, stranger.customer(7).look(t, "SKU-1")["counts"])
		require.Equal(t, reply(true, 1, "applied"), stranger.customer(7).tap(t, "SKU-1", "like", 1, true).Body)
		s.requireCounts(t, 1)
	})
}

func TestInvalidActionIsRejectedByField(t *testing.T) {
	s := openActions(storagetest.Tenant(t), t, storagetest.SQLite(t))
	customer := s.customer(7)
	for _, c := range []struct {
		name   string
		body   string
		status int
		code   string
	}{
		{"no such item", `{"entityType":"item","entityId":"SKU-9","action":"like","actionId":1}`, 404, "not_found"},
		{"a coupon is not an item", `{"entityType":"coupon","entityId":"SKU-1","action":"like","actionId":1}`, 404, "not_found"},
		{"another type", `{"entityType":"order","entityId":"SKU-1","action":"like","actionId":1}`, 422, "validation_failed"},
		{"another action", `{"entityType":"item","entityId":"SKU-1","action":"love","actionId":1}`, 422, "validation_failed"},
		{"no id", `{"entityType":"item","entityId":"SKU-1","action":"like"}`, 422, "validation_failed"},
		{"id 0", `{"entityType":"item","entityId":"SKU-1","action":"like","actionId":0}`, 422, "validation_failed"},
		{"an id that is text", `{"entityType":"item","entityId":"SKU-1","action":"like","actionId":"1"}`, 400, "malformed_request"},
		{"an id with a fraction", `{"entityType":"item","entityId":"SKU-1","action":"like","actionId":1.5}`, 400, "malformed_request"},
		{"an unknown member", `{"entityType":"item","entityId":"SKU-1","action":"like","actionId":1,"userId":8}`, 400, "malformed_request"},
	} {
		a := customer.Send(t, http.MethodPost, "/actions", c.body)
		require.Equal(t, c.status, a.Status, c.name)
		require.Equal(t, c.code, a.Body["code"], c.name)
	}
	for _, query := range []string{"", "?entityType=item", "?entityType=order&entityId=SKU-1", "?entityId=SKU-1"} {
		require.Equal(t, http.StatusBadRequest, customer.Send(t, http.MethodGet, "/actions"+query, nil).Status, query)
	}
	require.Equal(t, http.StatusNotFound, customer.Send(t, http.MethodGet, "/actions?entityType=item&entityId=SKU-9", nil).Status)
	s.requireCounts(t, 0)
}

func TestRecreatedThingStartsWithoutLikes(t *testing.T) {
	s := openActions(storagetest.Tenant(t), t, storagetest.SQLite(t))
	customer := s.customer(7)
	require.Equal(t, http.StatusOK, customer.tap(t, "SKU-1", "like", 5, true).Status)
	s.items.things["SKU-1"] = 13
	require.Zero(t, customer.look(t, "SKU-1")["counts"].(object)["like"])
	require.Equal(t, reply(true, 1, "applied"), customer.tap(t, "SKU-1", "like", 1, true).Body)
}

// Proves G3.23.
func TestHighestOfAHundredConcurrentActionsWins(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		const taps = 100
		customer, applied := s.customer(7), atomic.Int64{}
		order := rand.New(rand.NewPCG(1, 2)).Perm(taps)
		racing.Together(taps, func(i int) {
			id := int64(order[i] + 1)
			a := customer.tap(t, "SKU-1", []string{"like", "dislike"}[id%2], id, id%3 != 0)
			if a.Status != http.StatusOK {
				t.Errorf("action %d has status %d: %v", id, a.Status, a.Body)
			}
			if a.Body["outcome"] == "applied" {
				applied.Add(1)
			}
		})
		seen := customer.look(t, "SKU-1")
		require.Equal(t, object{"active": true, "lastActionId": 100.0}, own(seen, "like"))
		require.Equal(t, object{"like": 1.0, "dislike": 0.0, "bookmark": 0.0}, seen["counts"])
		s.requireCounts(t, int(applied.Load()))
	})
}

// All actors act on the same items concurrently, with their ids in random order: counts equal rows, and
// no engine rolls a unit back because of a deadlock.
// Proves G3.24.
func TestCountsEqualTheRowsAfterConcurrentActions(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		const actors, each = 40, 20
		var applied, liked atomic.Int64
		racing.Together(actors, func(i int) {
			customer := s.customer(int64(i + 1))
			random := rand.New(rand.NewPCG(uint64(i), 3))
			for _, n := range random.Perm(each) {
				id := int64(n + 1)
				kind := []string{"like", "dislike", "bookmark"}[random.IntN(3)]
				if id == each || kind == "bookmark" && id == each-1 {
					kind = "like"
				}
				a := customer.tap(t, fmt.Sprintf("SKU-%d", 1+n%2), kind, id, id == each || random.IntN(2) == 0)
				if a.Status != http.StatusOK {
					t.Errorf("action %d of %d has status %d: %v", id, i, a.Status, a.Body)
				}
				if a.Body["outcome"] == "applied" {
					applied.Add(1)
				}
			}
			if own(customer.look(t, "SKU-2"), "like")["active"] == true {
				liked.Add(1)
			}
		})
		require.EqualValues(t, actors, liked.Load(), "each one's highest id was a like")
		require.EqualValues(t, actors, s.customer(1).look(t, "SKU-2")["counts"].(object)["like"])
		s.requireCounts(t, int(applied.Load()))
		require.Zero(t, s.retries.by["write_conflict"], "deadlocks")
	})
}

// Proves G3.23.
func TestRestartPreservesAppliedActions(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		before := openActions(ctx, t, db)
		require.Equal(t, reply(true, 3, "applied"), before.customer(7).tap(t, "SKU-1", "like", 3, true).Body)
		reopened, err := storage.Open(ctx, storage.Options{URL: db.URL})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, reopened.Close()) })
		s := openActions(ctx, t, reopened)
		customer := s.customer(7)
		require.Equal(t, reply(true, 3, "stale"), customer.tap(t, "SKU-1", "like", 2, false).Body)
		require.Equal(t, reply(true, 3, "duplicate"), customer.tap(t, "SKU-1", "like", 3, true).Body)
		s.requireCounts(t, 1)
	})
}

func TestActionCostsThreeWritesAndAStaleOneNone(t *testing.T) {
	db, statements := storagetest.TappedMariaDB(t)
	customer := openActions(storagetest.Tenant(t), t, db).customer(7)
	tap := func(id int64, active any, outcome string) []string {
		statements.Take()
		require.Equal(t, outcome, customer.tap(t, "SKU-1", "like", id, active).Body["outcome"])
		return statements.Take()
	}
	begin, end := []string{"START TRANSACTION", "SELECT actions"}, []string{"INSERT INTO audit_entries", "SET @reached", "COMMIT"}
	costs := func(writes ...string) []string { return slices.Concat(begin, writes, end) }
	require.Equal(t, costs("INSERT INTO actions", "INSERT INTO action_counts"), tap(10, true, "applied"), "the first")
	require.Equal(t, costs("UPDATE actions", "SET @one", "INSERT INTO action_counts"), tap(20, false, "applied"), "another")
	require.Equal(t, costs("UPDATE actions", "SET @one"), tap(30, false, "applied"), "one that counts nothing")
	require.Equal(t, append(begin, "COMMIT"), tap(25, true, "stale"))
	require.Equal(t, append(begin, "COMMIT"), tap(30, false, "duplicate"))
}
