package access

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/users"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/events"
)

func TestUserAndRoleChangesAreAnnounced(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	subscribed, err := h.bus.SubscribeTenant(t.Context(), h.tenant.ID, users.UserTopic, users.RoleTopic)
	require.NoError(t, err)
	heard := subscribed.Deliveries()
	d := newDesk(t, h)
	tagOf := func(path string) string { return d.do(200, "GET", path, nil).Header.Get("ETag") }

	role, _ := d.establish("support", "orders:read")
	user, _ := d.hire("li", "support")
	d.do(200, "PATCH", user, `{"roles":[]}`, "If-Match", tagOf(user))
	d.do(200, "POST", user+"/disable", nil)
	d.do(200, "POST", user+"/disable", nil)
	d.do(200, "POST", user+"/enable", nil)
	d.do(200, "POST", user+"/reset-password", `{"password":"another long one"}`)
	d.do(409, "POST", "/roles", `{"name":"support"}`)
	d.do(200, "PATCH", role, `{"permissions":{"add":["configs:read"]}}`, "If-Match", tagOf(role))
	d.do(http.StatusNoContent, "DELETE", role, nil, "If-Match", tagOf(role))

	type said struct {
		what, label string
		version     int64
	}
	wanted := []said{
		{role + " create", "support", 1}, {user + " create", "li", 1}, {user + " update", "li", 2}, {user + " disable", "li", 3},
		{user + " enable", "li", 4}, {user + " password", "li", 5}, {role + " update", "support", 2}, {role + " delete", "support", 3},
	}
	for _, want := range wanted {
		delivered := <-heard
		require.False(t, delivered.Lagged)
		event := delivered.Event
		var change events.Change
		require.NoError(t, json.Unmarshal(event.Payload, &change))
		path := strings.Join([]string{"", event.Topic, event.Key}, "/")
		require.Equal(t, want, said{path + " " + change.Action, change.Label, change.Version})
		require.Equal(t, "admin", change.By.Name)
	}
	require.Empty(t, heard)
}
