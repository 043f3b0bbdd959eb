package activity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/edge/idempotency"
	"interlock/internal/lock"
	"interlock/test/world"
)

// likeBoth has two mutations. Each toggles, so that a second execution would withdraw the
// action.
const likeBoth = `mutation {
	one: toggleLikeItem(itemId: "SKU-1", actionId: 5) { isLiked }
	two: toggleLikeItem(itemId: "SKU-2", actionId: 5) { isLiked }
}`

var liked = object{"isLiked": true}

// send sends a document with an idempotency key.
func (p phone) send(t *testing.T, key, query string) httpapitest.Answer {
	t.Helper()
	a := p.Send(t, http.MethodPost, "/graphql", object{"query": query}, "X-Idempotency-Key", key)
	require.Equal(t, http.StatusOK, a.Status, a.Text)
	return a
}

func data(a httpapitest.Answer) object {
	found, _ := a.Body["data"].(object)
	return found
}

func codesOf(a httpapitest.Answer) []any {
	found, _ := a.Body["errors"].([]any)
	return codes(found)
}

func isReplay(a httpapitest.Answer) bool { return a.Header.Get(httpapi.HeaderReplay) == "true" }

// token returns a caller with an API token of user 1.
func (s *reactions) token(permissions ...string) phone {
	return s.as(principal.Principal{Kind: principal.Token, UserID: 1, Permissions: permissions})
}

// restarted returns another process on the same data, with empty caches.
func (s *reactions) restarted(t *testing.T) *reactions {
	again := openActionsWith(s.Ctx, t, s.DB, world.Options{Clock: s.Clock})
	again.items.fail = s.items.fail
	return again
}

func failing(item string, err error) func(string) error {
	return func(name string) error {
		if name == item {
			return err
		}
		return nil
	}
}

func unavailable() error {
	return apperr.New(apperr.Unavailable, "The database cannot be reached; nothing was changed. Try again.").After(time.Second)
}

// answerHalf sends likeBoth with the key k-1 while one of its items is unavailable.
func (s *reactions) answerHalf(t *testing.T, away string) {
	t.Helper()
	s.items.fail = failing(away, unavailable())
	require.Equal(t, []any{"UNAVAILABLE"}, codesOf(s.customer(7).send(t, "k-1", likeBoth)))
	s.items.fail = never
}

// Proves G3.9.
func TestRepeatExecutesAnUnavailableMutation(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		customer := s.customer(7)
		s.items.fail = failing("SKU-1", unavailable())
		first := customer.send(t, "k-1", likeBoth)
		require.Equal(t, []any{"UNAVAILABLE"}, codesOf(first))
		require.Equal(t, object{"one": nil, "two": liked}, data(first))

		s.items.fail = never
		again := customer.send(t, "k-1", likeBoth)
		require.Equal(t, object{"one": liked, "two": liked}, data(again), again.Text)
		require.Empty(t, codesOf(again))
		require.False(t, isReplay(again), "half of it had no outcome before")

		replay := customer.send(t, "k-1", likeBoth)
		require.True(t, isReplay(replay))
		require.Equal(t, again.Text, replay.Text)
		s.requireCounts(t, 2)
	})
}

// Proves G3.9.
func TestForbiddenMutationIsExecutedOncePermitted(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		require.Equal(t, []any{"FORBIDDEN", "FORBIDDEN"}, codesOf(s.token("actions:read").send(t, "k-1", likeBoth)))
		again := s.token("actions:write").send(t, "k-1", likeBoth)
		require.Equal(t, object{"one": liked, "two": liked}, data(again), again.Text)
		s.requireCounts(t, 2)
	})
}

// Proves G3.9.
func TestStoredMutationIsHiddenAfterThePermissionIsRevoked(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		writer := s.token("actions:write")
		first := writer.send(t, "k-1", likeBoth)
		require.Equal(t, object{"one": liked, "two": liked}, data(first))
		for name, where := range map[string]*reactions{"from memory": s, "from the database": s.restarted(t)} {
			refused := where.token("actions:read").send(t, "k-1", likeBoth)
			require.Equal(t, []any{"FORBIDDEN", "FORBIDDEN"}, codesOf(refused), name)
			require.Equal(t, object{"one": nil, "two": nil}, data(refused), name)
			require.False(t, isReplay(refused), "%s: it differs from the recorded reply", name)
			replay := where.token("actions:write").send(t, "k-1", likeBoth)
			require.True(t, isReplay(replay), name)
			require.Equal(t, first.Text, replay.Text, name)
		}
		s.requireCounts(t, 2)
	})
}

// Proves G3.9.
func TestRejectedMutationIsRejectedAgainUnderItsKey(t *testing.T) {
	const query = `mutation {
		missing: toggleLikeItem(itemId: "SKU-3", actionId: 5) { isLiked }
		invalid: toggleLikeItem(itemId: "SKU-1", actionId: 0) { isLiked }
		down: toggleLikeItem(itemId: "SKU-2", actionId: 5) { isLiked }
	}`
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		for _, recovers := range []bool{false, true} {
			s := openActions(storagetest.Tenant(t), t, db)
			if recovers {
				s.items.fail = failing("SKU-2", unavailable())
				require.Equal(t, []any{"ITEM_NOT_FOUND", "VALIDATION_FAILED", "UNAVAILABLE"}, codesOf(s.customer(7).send(t, "k-1", query)))
				s.items.fail = never
				s.items.things["SKU-3"] = 13
			}
			first := s.customer(7).send(t, "k-1", query)
			require.Equal(t, []any{"ITEM_NOT_FOUND", "VALIDATION_FAILED"}, codesOf(first), "a rejection stays: %s", first.Text)
			require.Equal(t, liked, data(first)["down"])
			s.items.things["SKU-3"] = 13
			for name, where := range map[string]*reactions{"from memory": s, "from the database": s.restarted(t)} {
				where.items.things["SKU-3"] = 13
				replay := where.customer(7).send(t, "k-1", query)
				require.True(t, isReplay(replay), name)
				require.Equal(t, first.Text, replay.Text, name)
			}
			s.requireCounts(t, 1)
		}
	})
}

// Proves G3.10.
func TestRepeatFinishesAnInterruptedDocument(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		for name, cut := range map[string]func(s *reactions, hangUp func()){
			"by a fault": func(s *reactions, _ func()) { s.items.fail = failing("SKU-2", errors.New("out of tea")) },
			"by a panic": func(s *reactions, _ func()) {
				s.items.fail = func(item string) error {
					if item == "SKU-2" {
						panic("out of tea")
					}
					return nil
				}
			},
			"by its caller, who disconnects within a mutation": func(s *reactions, hangUp func()) {
				s.items.fail = func(item string) error {
					if item == "SKU-2" {
						hangUp()
					}
					return nil
				}
			},
			"by its caller, who disconnects between two mutations": func(s *reactions, hangUp func()) { s.retries.committed = hangUp },
		} {
			t.Run(name, func(t *testing.T) {
				s := openActions(storagetest.Tenant(t), t, db)
				ctx, hangUp := context.WithCancel(t.Context())
				defer hangUp()
				cut(s, hangUp)
				answer := s.customer(7).SendContext(ctx, t, http.MethodPost, "/graphql", object{"query": likeBoth}, "X-Idempotency-Key", "k-1")
				require.NotContains(t, answer.Text, "tea", "the error is not revealed")
				if ctx.Err() != nil {
					require.Equal(t, "outcome_unknown", answer.Body["code"], answer.Text)
				} else {
					require.Equal(t, []any{"INTERNAL"}, codesOf(answer), answer.Text)
				}
				s.requireCounts(t, 1)

				s.items.fail, s.retries.committed = never, nil
				for _, where := range []*reactions{s, s.restarted(t)} {
					again := where.customer(7).send(t, "k-1", likeBoth)
					require.Equal(t, object{"one": liked, "two": liked}, data(again), again.Text)
					require.Empty(t, codesOf(again))
				}
				s.requireCounts(t, 2)
			})
		}
	})
}

func TestServerErrorOfAMutationIsStoredIfConfigured(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		for name, fail := range map[string]func(string) error{
			"a fault": func(string) error { return errors.New("out of tea") },
			"a panic": func(string) error { panic("out of tea") },
		} {
			ctx := storagetest.Tenant(t)
			s := openActionsWith(ctx, t, db, world.Options{Locks: away{}, Replies: func(d *idempotency.Deps) { d.StoreServerErrors = true }})
			s.items.fail = fail
			first := s.customer(7).send(t, "k-1", likeBoth)
			require.Equal(t, []any{"INTERNAL", "INTERNAL"}, codesOf(first), name)
			s.items.fail = never
			again := s.customer(7).send(t, "k-1", likeBoth)
			require.True(t, isReplay(again), name)
			require.Equal(t, first.Text, again.Text, name)
			s.requireCounts(t, 0)
		}
	})
}

// A key belongs to its document from the first mutation that has a result.
// Proves G3.10.
func TestDocumentKeyRejectsAnotherDocument(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		s.answerHalf(t, "SKU-2")
		for name, where := range map[string]*reactions{"here": s, "elsewhere": s.restarted(t)} {
			another := where.customer(7).Send(t, http.MethodPost, "/graphql", object{"query": `{ __typename }`}, "X-Idempotency-Key", "k-1")
			require.Equal(t, "idempotency_key_reused", another.Body["code"], "%s: %s", name, another.Text)
			elsewhere := where.customer(7).Send(t, http.MethodPost, "/actions",
				object{"entityType": "item", "entityId": "SKU-2", "action": "like", "actionId": 5}, "X-Idempotency-Key", "k-1")
			require.Equal(t, "idempotency_key_reused", elsewhere.Body["code"], "%s: %s", name, elsewhere.Text)
		}
		s.requireCounts(t, 1)
	})
}

func TestQueryUnderAKeyIsExecutedAgain(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		const question = `{ itemActions(itemId: "SKU-1") { likes } }`
		require.Equal(t, object{"itemActions": object{"likes": 0.0}}, data(s.customer(7).send(t, "k-1", question)))
		require.Equal(t, http.StatusOK, s.customer(8).tap(t, "SKU-1", "like", 1, true).Status)
		again := s.customer(7).send(t, "k-1", question)
		require.Equal(t, object{"itemActions": object{"likes": 1.0}}, data(again))
		require.False(t, isReplay(again))
		require.Zero(t, s.Count(t, &idempotency.Record{}, "1 = 1"))
	})
}

func TestDocumentKeyExpiresWithItsParts(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		s.answerHalf(t, "SKU-2")
		s.Clock.Advance(idempotency.DefaultRetention - time.Second)
		require.Equal(t, object{"one": liked, "two": liked}, data(s.customer(7).send(t, "k-1", likeBoth)), "a second is left")
		s.Clock.Advance(time.Second)
		fresh := s.customer(7).send(t, "k-1", `mutation { one: toggleLikeItem(itemId: "SKU-1", actionId: 6) { isLiked } }`)
		require.Equal(t, object{"one": object{"isLiked": false}}, data(fresh), "the key is free, of all that was under it")
		require.False(t, isReplay(fresh))
		s.requireCounts(t, 3)
		s.Clock.Advance(idempotency.DefaultRetention)
		require.NoError(t, s.Replies.Sweep(ctx, 10))
		require.Zero(t, s.Count(t, &idempotency.Record{}, "1 = 1"))
	})
}

func TestLateMutationExpiresWithItsDocument(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		s.answerHalf(t, "SKU-1")
		s.Clock.Advance(idempotency.DefaultRetention - time.Second)
		require.Empty(t, codesOf(s.customer(7).send(t, "k-1", likeBoth)))
		s.Clock.Advance(time.Second)
		require.NoError(t, s.Replies.Sweep(ctx, 10))
		require.Zero(t, s.Count(t, &idempotency.Record{}, "1 = 1"), "also the reply stored a second ago")
	})
}

// away is a lock service that is unreachable.
type away struct{}

func (away) Acquire(context.Context, time.Duration, ...string) (lock.Lease, error) {
	return nil, lock.ErrUnavailable
}

func (away) Held(context.Context) ([]lock.Holding, error) { return nil, lock.ErrUnavailable }

// Without a lease the attempts of several processes run concurrently, and the unique rows decide.
// Proves G3.10.
func TestConcurrentAttemptsReturnOneReply(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		for round := range 10 {
			ctx := storagetest.Tenant(t)
			const processes = 8
			var running sync.WaitGroup
			answers := make([]httpapitest.Answer, processes)
			for i := range processes {
				// Only every second attempt meets the outage.
				s := openActionsWith(ctx, t, db, world.Options{Locks: away{}})
				if i%2 == 0 {
					s.items.fail = failing([]string{"SKU-1", "SKU-2"}[round%2], apperr.MissingRow("thing", "SKU"))
				}
				customer := s.customer(7)
				running.Go(func() {
					answers[i] = customer.Send(t, http.MethodPost, "/graphql", object{"query": likeBoth}, "X-Idempotency-Key", "k-1")
				})
			}
			running.Wait()
			s := openActionsWith(ctx, t, db, world.Options{Locks: away{}})
			last := s.customer(7).send(t, "k-1", likeBoth)
			require.True(t, isReplay(last), last.Text)
			made := 0
			for name, value := range data(last) {
				require.Contains(t, []any{nil, liked}, value, name)
				if value != nil {
					made++
				}
			}
			for i, answer := range answers {
				if fmt.Sprint(codesOf(answer)) == "[REQUEST_IN_PROGRESS]" || answer.Status == http.StatusConflict {
					continue
				}
				require.Equal(t, last.Text, answer.Text, "process %d of round %d", i, round)
			}
			s.requireCounts(t, made)
		}
	})
}

func TestRejectionYieldsToAnotherAttemptsOutcome(t *testing.T) {
	const query = `mutation {
		one: toggleLikeItem(itemId: "SKU-1", actionId: 5) { isLiked }
		two: toggleLikeItem(itemId: "SKU-2", actionId: 5) { isLiked }
		mark: toggleBookmarkItem(itemId: "SKU-1", actionId: 5) { isBookmarked }
	}`
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, other := openActionsWith(ctx, t, db, world.Options{Locks: away{}}), openActionsWith(ctx, t, db, world.Options{Locks: away{}})
		asked := 0
		var others httpapitest.Answer
		s.items.fail = func(item string) error {
			if asked++; asked == 3 {
				others = other.customer(7).send(t, "k-1", query)
			}
			return failing("SKU-2", apperr.MissingRow("thing", item))(item)
		}
		answer := s.customer(7).send(t, "k-1", query)
		require.Equal(t, object{"one": liked, "two": liked, "mark": object{"isBookmarked": true}}, data(others), others.Text)
		require.Equal(t, others.Text, answer.Text)
		require.False(t, isReplay(answer), "it has made one of them")
		require.True(t, isReplay(s.customer(7).send(t, "k-1", query)))
		s.requireCounts(t, 3)
	})
}

func TestUnexecutedDocumentHasNoData(t *testing.T) {
	s := openActions(storagetest.Tenant(t), t, storagetest.SQLite(t))
	for name, query := range map[string]string{
		"no document":                `like it!`,
		"no such field":              `mutation { toggleLoveItem(itemId: "SKU-1", actionId: 1) { isLoved } }`,
		"no id":                      `mutation { toggleLikeItem(itemId: "SKU-1") { isLiked } }`,
		"an id beyond 64 bits":       `mutation { toggleLikeItem(itemId: "SKU-1", actionId: 92233720368547758070) { isLiked } }`,
		"an id that is not a number": `mutation { toggleLikeItem(itemId: "SKU-1", actionId: true) { isLiked } }`,
		"two operations":             `query A { __typename } query B { __typename }`,
		"an empty document":          `#`,
		"more than it may ask":       "{ " + strings.Repeat("...A ", 400) + "} fragment A on Query { a: __typename b: __typename c: __typename }",
	} {
		answer := s.customer(7).Send(t, http.MethodPost, "/graphql", object{"query": query})
		require.Equal(t, http.StatusOK, answer.Status, name)
		require.NotContains(t, answer.Body, "data", "%s: %s", name, answer.Text)
		require.Equal(t, "GRAPHQL_VALIDATION_FAILED", codesOf(answer)[0], name)
	}
	for name, id := range map[string]any{"a variable that is not a number": true, "a variable with a fraction": 1.5, "a variable that is missing": nil} {
		answer := s.customer(7).Send(t, http.MethodPost, "/graphql", object{
			"query": `mutation ($id: Long!) { toggleLikeItem(itemId: "SKU-1", actionId: $id) { isLiked } }`, "variables": object{"id": id},
		})
		require.NotContains(t, answer.Body, "data", "%s: %s", name, answer.Text)
		require.Equal(t, "GRAPHQL_VALIDATION_FAILED", codesOf(answer)[0], name)
	}
	answer := s.customer(7).send(t, "k-2", `mutation { toggleLikeItem(itemId: "SKU-9", actionId: 1) { isLiked } }`)
	require.Contains(t, answer.Text, `"data":{"toggleLikeItem":null}`, "an executed document has data")
}
