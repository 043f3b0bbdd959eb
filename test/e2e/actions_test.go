package e2e_test

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"interlock/internal/settings"
	"interlock/test/apptest"
)

const shopSecret = "a secret that only the shop has, 32+"

// customerOf returns a caller with a token that the shop signed for a customer of a tenant.
func customerOf(t *testing.T, c *apptest.Caller, id string) *apptest.Caller {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": id, "tenant": c.Tenant, "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte(shopSecret))
	require.NoError(t, err)
	customer := *c
	customer.Token = token
	return &customer
}

func like(t *testing.T, c *apptest.Caller, sku string, id int64, active bool, headers ...string) apptest.Answer {
	t.Helper()
	body := object{"entityType": "item", "entityId": sku, "action": "like", "actionId": id, "active": active}
	return c.Do(t, http.MethodPost, "/api/v1/actions", body, headers...)
}

const likeTea = `mutation ($id: Long!) { toggleLikeItem(itemId: "TEA", actionId: $id, active: true) { isLiked lastActionId } }`

func askGraphQL(t *testing.T, c *apptest.Caller, query string, variables object, headers ...string) object {
	t.Helper()
	answer := c.Do(t, http.MethodPost, "/api/v1/graphql", object{"query": query, "variables": variables}, headers...)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	return answer.JSON(t)
}

func eachShop(t *testing.T, test func(t *testing.T, admin *apptest.Caller)) {
	onEachEngine(t, func(t *testing.T, p *apptest.Program) {
		admin := p.Admin(t)
		answer := admin.Do(t, http.MethodPost, "/api/v1/items", object{"sku": "TEA", "name": "Green tea", "price": 1990})
		require.Equal(t, http.StatusCreated, answer.Status, "%s", answer.Body)
		test(t, admin)
	}, func(s *settings.Settings) { s.CustomerJWTSecret = shopSecret })
}

// Proves G3.26.
func TestCustomerActsOverRESTAndGraphQL(t *testing.T) {
	eachShop(t, func(t *testing.T, admin *apptest.Caller) {
		ada, bob := customerOf(t, admin, "ada@example.com"), customerOf(t, admin, "1002")
		require.Equal(t, "applied", like(t, ada, "TEA", 5, true).JSON(t)["outcome"])
		again := askGraphQL(t, ada, likeTea, object{"id": 5})
		require.Equal(t, object{"toggleLikeItem": object{"isLiked": true, "lastActionId": 5.0}}, again["data"])

		const look = "/api/v1/actions?entityType=item&entityId=TEA"
		seen := bob.Do(t, http.MethodGet, look, nil).JSON(t)
		require.Equal(t, object{"like": 1.0, "dislike": 0.0, "bookmark": 0.0}, seen["counts"])
		require.Equal(t, object{"active": false, "lastActionId": 0.0}, seen["own"].(object)["like"], "the likes of Ada are not those of Bob")
		require.Equal(t, "stale", like(t, admin, "TEA", 4, false, "X-On-Behalf-Of", "ada@example.com").JSON(t)["outcome"])
		require.Equal(t, "applied", like(t, admin, "TEA", 1, true).JSON(t)["outcome"], "the token's own user")

		require.Equal(t, http.StatusForbidden, bob.Do(t, http.MethodGet, "/api/v1/items", nil).Status)
		require.EqualValues(t, 2, rows(t, admin, "actions", "state = 'like'"))
		require.EqualValues(t, 2, rows(t, admin, "audit_entries", "action = 'action.like'"))
	})
}

func TestGraphQLRejectsInvalidCredentialsByField(t *testing.T) {
	eachShop(t, func(t *testing.T, admin *apptest.Caller) {
		anonymous, wrong := *admin, *admin
		anonymous.Token, wrong.Token = "", "ilk_wrong"
		for _, c := range []*apptest.Caller{&anonymous, &wrong} {
			reply := askGraphQL(t, c, likeTea, object{"id": 1})
			require.Equal(t, object{"toggleLikeItem": nil}, reply["data"])
			require.Equal(t, object{"code": "USER_NOT_AUTHENTICATED"}, reply["errors"].([]any)[0].(object)["extensions"])
			for _, query := range []string{`{ __schema { types { name } } }`, `{ __type(name: "Mutation") { fields { name } } }`} {
				reply := askGraphQL(t, c, query, nil)
				require.NotContains(t, reply, "data", query)
				require.Equal(t, object{"code": "USER_NOT_AUTHENTICATED"}, reply["errors"].([]any)[0].(object)["extensions"], query)
			}
		}
		require.Zero(t, rows(t, admin, "actions", "state <> ''"))
	})
}

func TestGraphQLRequestIsRepeatedUnderItsKey(t *testing.T) {
	eachShop(t, func(t *testing.T, admin *apptest.Caller) {
		const toggle = `mutation { toggleLikeItem(itemId: "TEA", actionId: 1) { isLiked } }`
		body := object{"query": toggle}
		first := admin.Do(t, http.MethodPost, "/api/v1/graphql", body, "X-Idempotency-Key", "g-1")
		again := admin.Do(t, http.MethodPost, "/api/v1/graphql", body, "X-Idempotency-Key", "g-1")
		require.True(t, isReplay(again))
		require.Equal(t, string(first.Body), string(again.Body))
		require.EqualValues(t, 1, rows(t, admin, "actions", "state = 'like'"))
	})
}

// Proves G3.9.
func TestGraphQLRepeatChecksPermissionsAgain(t *testing.T) {
	eachShop(t, func(t *testing.T, admin *apptest.Caller) {
		const toggle = `mutation { toggleLikeItem(itemId: "TEA", actionId: 1) { isLiked } none: toggleLikeItem(itemId: "NONE", actionId: 1) { isLiked } }`
		send := func(c *apptest.Caller) apptest.Answer {
			return c.Do(t, http.MethodPost, "/api/v1/graphql", object{"query": toggle}, "X-Idempotency-Key", "g-1")
		}
		reader, writer := admin.Program.Caller(t, admin.Tenant, "actions:read"), admin.Program.Caller(t, admin.Tenant, "actions:write")
		refused := send(reader)
		require.Equal(t, object{"toggleLikeItem": nil, "none": nil}, refused.JSON(t)["data"], "%s", refused.Body)
		require.Zero(t, rows(t, admin, "actions", "state = 'like'"))

		first := send(writer)
		require.False(t, isReplay(first))
		require.Equal(t, object{"toggleLikeItem": object{"isLiked": true}, "none": nil}, first.JSON(t)["data"], "%s", first.Body)
		replay := send(admin)
		require.True(t, isReplay(replay), "the same user, whatever the token")
		require.Equal(t, string(first.Body), string(replay.Body))
		again := send(reader)
		require.Equal(t, string(refused.Body), string(again.Body), "a stored reply is hidden without the permission")
		require.False(t, isReplay(again))

		keys := read(t, admin, "/api/v1/idempotency-keys?key=g-1")["items"].([]any)
		require.Len(t, keys, 1, "the request, and not its parts")
		require.Equal(t, "/api/v1/graphql", keys[0].(object)["path"])
		other := admin.Do(t, http.MethodPost, "/api/v1/items", object{"sku": "X", "name": "X", "price": 1}, "X-Idempotency-Key", "g-1")
		require.Equal(t, "idempotency_key_reused", other.Code())
		require.EqualValues(t, 1, rows(t, admin, "actions", "state = 'like'"))
	})
}

func TestUnexecutedGraphQLRequestHasNoData(t *testing.T) {
	eachShop(t, func(t *testing.T, admin *apptest.Caller) {
		reply := askGraphQL(t, admin, `mutation { toggleLikeItem(itemId: "TEA") { isLiked } }`, nil)
		require.NotContains(t, reply, "data")
		require.Equal(t, object{"code": "GRAPHQL_VALIDATION_FAILED"}, reply["errors"].([]any)[0].(object)["extensions"])
	})
}

// Proves G3.23.
func TestHTTPHighestOfAHundredActionsWins(t *testing.T) {
	eachShop(t, func(t *testing.T, admin *apptest.Caller) {
		const taps = 100
		customer := customerOf(t, admin, "1001")
		var running sync.WaitGroup
		for _, n := range rand.New(rand.NewPCG(5, 5)).Perm(taps) {
			running.Go(func() {
				body := object{"entityType": "item", "entityId": "TEA", "action": "like", "actionId": n + 1, "active": n%2 == 1}
				answer, err := customer.Try(t.Context(), http.MethodPost, "/api/v1/actions", body)
				if err != nil || answer.Status != http.StatusOK {
					t.Errorf("action %d has status %d: %s %v", n+1, answer.Status, answer.Body, err)
				}
			})
		}
		running.Wait()
		require.EqualValues(t, 1, rows(t, admin, "actions", "last_action_id = 100 AND state = 'like'"))
		require.EqualValues(t, 1, rows(t, admin, "action_counts", "likes = 1 AND dislikes = 0"))
	})
}
