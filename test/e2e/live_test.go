package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
	"interlock/test/tier"
)

const livePath = "/api/v1/events"

// Proves G7.7.
func TestEveryChangeIsAnnouncedWithActorTimeAndResult(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c, stranger := p.Admin(t), p.Admin(t)
		ada := colleague(t, c, "ada", "Ada")
		live, elsewhere := open(t, c, livePath), open(t, stranger, livePath)

		row := newConfig(t, ada, "seen", 1, "number")
		live.requireChange(t, "configs", "seen", "create", row)
		row = patch(t, ada, "/api/v1/configs/seen", object{"value": 2}, etag(row))
		live.requireChange(t, "configs", "seen", "update", row)
		row = answer(t, ada, "/api/v1/configs/seen/rollback", object{"toVersion": 1}, "If-Match", etag(row))
		live.requireChange(t, "configs", "seen", "rollback", row)
		require.Equal(t, http.StatusNoContent, ada.Do(t, http.MethodDelete, "/api/v1/configs/seen", nil, "If-Match", etag(row)).Status)
		live.requireGone(t, "configs", "seen", 4)

		row = create(t, ada, "/api/v1/items", object{"sku": "TEA-1", "name": "Tea", "price": 100})
		require.Equal(t, "Tea", live.requireChange(t, "items", "TEA-1", "create", row)["label"])
		row = patch(t, ada, "/api/v1/items/TEA-1", object{"status": "archived"}, etag(row))
		live.requireChange(t, "items", "TEA-1", "update", row)
		require.Equal(t, http.StatusNoContent, ada.Do(t, http.MethodDelete, "/api/v1/items/TEA-1", nil, "If-Match", etag(row)).Status)
		live.requireGone(t, "items", "TEA-1", 3)

		campaign := create(t, ada, "/api/v1/coupon-campaigns", object{
			"name": "Spring", "kind": "amount", "value": 10, "minimumAmount": 0, "total": 9, "perUser": 9,
			"validFrom": "2020-01-01T00:00:00Z", "validTo": "2100-01-01T00:00:00Z",
		})
		id := fmt.Sprint(int64(campaign["id"].(float64)))
		require.Equal(t, "Spring", live.requireChange(t, "coupon-campaigns", id, "create", campaign)["label"])
		issued := create(t, ada, "/api/v1/coupon-campaigns/"+id+"/coupons", object{"count": 2})
		live.requireChange(t, "coupon-campaigns", id, "issue", read(t, c, "/api/v1/coupon-campaigns/"+id))
		many := live.next(t, "coupons").Data
		require.Equal(t, []any{"", "issue", "Ada", nil}, []any{many["key"], many["action"], name(many, "changedBy"), many["version"]})

		first, second := issued["codes"].([]any)[0].(string), issued["codes"].([]any)[1].(string)
		row = answer(t, ada, "/api/v1/coupons/"+first+"/redeem", object{"userId": 7})
		live.requireChange(t, "coupons", first, "redeem", row)
		row = answer(t, ada, "/api/v1/coupons/"+second+"/void", object{"reason": "lost"})
		live.requireChange(t, "coupons", second, "void", row)

		newItem(t, ada, "TEA-2", 100)
		order := newOrder(t, ada, "TEA-2")
		key := fmt.Sprint(int64(order["id"].(float64)))
		require.Equal(t, order["orderNo"], live.requireChange(t, "orders", key, "create", order)["label"])
		order = answer(t, ada, orderPath(order)+"/pay", paymentOf(order))
		live.requireChange(t, "orders", key, "pay", order)

		newConfig(t, stranger, "own", 1, "number")
		require.Equal(t, "ready", receive(t, elsewhere.events, "ready").Name)
		require.Equal(t, "own", receive(t, elsewhere.events, "the first change").Data["key"], "nothing of another tenant comes before it")
	})
}

func patch(t *testing.T, c *apptest.Caller, path string, body any, tag string) object {
	t.Helper()
	a := c.Do(t, http.MethodPatch, path, body, "If-Match", tag)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	return a.JSON(t)
}

// answer sends a POST request and returns the representation in the response.
func answer(t *testing.T, c *apptest.Caller, path string, body any, headers ...string) object {
	t.Helper()
	a := c.Do(t, http.MethodPost, path, body, headers...)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	return a.JSON(t)
}

// requireChange checks that the next event of a topic is Ada's change that wrote row.
func (s *stream) requireChange(t *testing.T, topic, key, action string, row object) object {
	t.Helper()
	data := s.next(t, topic).Data
	require.Equal(t, []any{topic, key, action}, []any{data["topic"], data["key"], data["action"]})
	require.Equal(t, []any{row["version"], row["etag"], row["status"], row["updatedTime"], row["updatedBy"]},
		[]any{data["version"], data["etag"], data["status"], data["changedTime"], data["changedBy"]})
	require.Equal(t, "Ada", name(data, "changedBy"))
	return data
}

// requireGone checks that the next event of a topic is Ada's deletion of a row.
func (s *stream) requireGone(t *testing.T, topic, key string, version int) {
	t.Helper()
	data := s.next(t, topic).Data
	require.Equal(t, []any{key, "delete", "Ada", float64(version)}, []any{data["key"], data["action"], name(data, "changedBy"), data["version"]})
	require.NotContains(t, data, "etag")
	require.NotContains(t, data, "status")
}

func TestReplicasShowOneAnothersChangesAndPeople(t *testing.T) {
	tier.NeedServers(t)
	address := os.Getenv("INTERLOCK_TEST_REDIS_URL")
	require.NotEmpty(t, address, "INTERLOCK_TEST_REDIS_URL is not set: run through `make test`")
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL = newDatabase(t)
	// The event bus treats each database number as a separate installation.
	s.RedisURL = fmt.Sprintf("%s/%d", strings.TrimSuffix(address, "/0"), 1+rand.N(15))
	here, there := apptest.Start(t, s), apptest.Start(t, s)
	ada := here.Admin(t)
	li := colleague(t, ada, "li", "Li")
	ada.Program = there
	live := open(t, ada, livePath)
	live.next(t, "ready")

	row := newConfig(t, li, "shared", 1, "number")
	data := live.next(t, "configs").Data
	require.Equal(t, []any{"shared", row["etag"], "Li"}, []any{data["key"], data["etag"], name(data, "changedBy")})

	const resource = "configs/shared"
	beat(t, li, object{"resource": resource, "field": "/value"})
	seen := live.next(t, "presence").Data
	require.Equal(t, resource, seen["resource"])
	require.Equal(t, []any{"Li", "/value"}, person(seen["people"]))
	require.Equal(t, []any{"Li", "/value"}, person(beat(t, ada, object{"resource": resource})["others"]))
	beat(t, li, object{"resource": resource, "leaving": true})
	for {
		if people := live.next(t, "presence").Data["people"].([]any); len(people) == 1 && people[0].(object)["name"] != "Li" {
			return
		}
	}
}

func beat(t *testing.T, c *apptest.Caller, heartbeat object) object {
	t.Helper()
	return answer(t, c, "/api/v1/presence", heartbeat)
}

// person returns the name and the field of the only entry of people.
func person(people any) []any {
	list := people.([]any)
	if len(list) != 1 {
		return list
	}
	return []any{list[0].(object)["name"], list[0].(object)["field"]}
}

func TestChangeStreamEndsCleanlyAtShutdown(t *testing.T) {
	p, stop, ended := alone(t, "sqlite")
	live := open(t, p.Admin(t), livePath)
	live.next(t, "ready")
	stop()
	require.NoError(t, receive(t, live.ended, "the end of the stream"))
	require.NoError(t, receive(t, ended, "the end of the program"))
}
