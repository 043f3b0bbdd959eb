package access

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/tenants"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// establish creates a role by REST and returns its path and ETag.
func (d desk) establish(name string, permissions ...string) (path, etag string) {
	d.t.Helper()
	made := d.do(http.StatusCreated, "POST", "/roles", map[string]any{"name": name, "permissions": permissions})
	return fmt.Sprintf("/roles/%v", made.Body["id"]), made.Header.Get("ETag")
}

// Proves G7.29.
func TestRoleIsCreatedReadEditedAndDeleted(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		path, etag := d.establish("support", "orders:read", "orders:read")
		made := d.do(200, "GET", path, nil)
		require.Equal(t, []any{"orders:read"}, made.Body["permissions"])
		edited := d.do(200, "PATCH", path, `{"name":"Support","permissions":{"add":["configs:*"],"remove":["orders:read"]}}`, "If-Match", etag)
		require.Equal(t, []any{"configs:*"}, edited.Body["permissions"])

		user, _ := d.hire("li", "Support")
		tag := edited.Header.Get("ETag")
		refused := d.do(409, "DELETE", path, nil, "If-Match", tag)
		require.EqualValues(t, apperr.InUse, refused.Body["code"])
		require.Equal(t, []any{"configs:*"}, d.do(200, "GET", path, nil).Body["permissions"])
		d.do(200, "PATCH", user, `{"roles":[]}`, "If-Match", d.do(200, "GET", user, nil).Header.Get("ETag"))
		d.do(412, "DELETE", path, nil, "If-Match", etag)
		require.Len(t, d.do(200, "GET", path+"/history", nil).Items(), 2)
		d.do(204, "DELETE", path, nil, "If-Match", tag)
		d.do(404, "GET", path, nil)
		require.Len(t, d.do(200, "GET", "/roles?q=ADM&sort=-name", nil).Items(), 1)
		require.Subset(t, h.audited(t), []string{"role.create", "role.update", "role.delete"})
	})
}

func TestInvalidRoleIsRejectedWithItsPointer(t *testing.T) {
	d := newDesk(t, newFixture(t, storagetest.SQLite(t)))
	path, etag := d.establish("support", "orders:read")
	for _, c := range []struct {
		method, path, body string
		status             int
		pointer            string
	}{
		{"POST", "/roles", `{"name":""}`, 422, "/name"},
		{"POST", "/roles", `{"name":"support"}`, 409, "(none)"},
		{"POST", "/roles", `{"name":"x","permissions":["orders:fly"]}`, 422, "/permissions"},
		{"PATCH", path, `{"permissions":{"add":["*:read"]}}`, 422, "/permissions"},
		{"PATCH", path, `{"permissions":["orders:read",null]}`, 400, "/permissions/1"},
		{"PATCH", path, `{"name":"admin"}`, 409, "(none)"},
	} {
		answer := d.send(c.method, c.path, c.body, "If-Match", etag)
		require.Equal(t, c.status, answer.Status, "%s: %s", c.body, answer.Text)
		require.Equal(t, c.pointer, answer.Pointer(), c.body)
	}
	require.EqualValues(t, 1, d.do(200, "GET", path, nil).Body["version"])
}

// Proves G7.28.
func TestConcurrentPermissionEditsMergeUnlessEqual(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		d := newDesk(t, newFixture(t, db))
		path, seen := d.establish("support", "orders:read")
		d.do(200, "PATCH", path, `{"permissions":["orders:read","orders:pay"]}`, "If-Match", seen)
		merged := d.do(200, "PATCH", path+"?merge=disjoint", `{"permissions":["orders:read","configs:read"]}`, "If-Match", seen)
		require.Equal(t, []any{"configs:read", "orders:pay", "orders:read"}, merged.Body["permissions"])
		require.Equal(t, map[string]any{"fromVersion": 1.0, "keptTheirs": []any{"/permissions/orders:pay"}}, merged.Body["merged"])
		contested := d.do(412, "PATCH", path+"?merge=disjoint", `{"permissions":{"add":["orders:pay"]}}`, "If-Match", seen)
		require.Equal(t, []any{map[string]any{"pointer": "/permissions/orders:pay", "yours": true, "theirs": true}}, contested.Body["conflicts"])
		require.Equal(t, []any{"orders:read"}, contested.Body["base"].(map[string]any)["permissions"])
	})
}

// Proves G7.26.
func TestRoleCannotGainPermissionsTheCallerLacks(t *testing.T) {
	d := newDesk(t, newFixture(t, storagetest.SQLite(t)))
	path, etag := d.establish("support", "orders:read")
	keeper := d.of("admin", "access:*", "orders:read", "configs:read")
	keeper.do(403, "PATCH", path, `{"permissions":{"add":["configs:write"]}}`, "If-Match", etag)
	keeper.do(403, "PATCH", path, `{"permissions":["orders:*"]}`, "If-Match", etag)
	keeper.do(403, "POST", "/roles", `{"name":"mine","permissions":["*"]}`)
	keeper.do(200, "PATCH", path, `{"permissions":{"add":["configs:read"],"remove":["orders:read"]}}`, "If-Match", etag)
}

// Proves G7.22.
func TestPermissionThatTheCallerLacksStaysInItsRole(t *testing.T) {
	d := newDesk(t, newFixture(t, storagetest.SQLite(t)))
	path, etag := d.establish("cashier", "orders:read", "orders:pay")
	keeper := d.of("admin", "access:*", "orders:read")
	for _, patch := range []string{`{"permissions":{"remove":["orders:pay"]}}`, `{"permissions":[]}`, `{"name":"clerk"}`} {
		refused := keeper.do(403, "PATCH", path, patch, "If-Match", etag)
		require.Contains(t, refused.Body["detail"], "orders:pay", patch)
	}
	keeper.do(403, "DELETE", path, nil, "If-Match", etag)
	require.Equal(t, etag, d.tag(path))
	keeper.do(200, "PATCH", path, `{"permissions":{"remove":["orders:read"]}}`, "If-Match", etag)
}

// Proves G7.27.
func TestRoleRetainsTheLastAccessPermission(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		d := newDesk(t, newFixture(t, db))
		admin := d.do(200, "GET", "/roles?q=admin", nil).Items()[0]
		path, etag := fmt.Sprintf("/roles/%v", admin["id"]), admin["etag"].(string)
		refused := d.do(409, "PATCH", path, `{"permissions":["configs:*"]}`, "If-Match", etag)
		require.EqualValues(t, apperr.InUse, refused.Body["code"])
		d.do(200, "PATCH", path, `{"permissions":["access:*","users:*","orders:read"]}`, "If-Match", etag)
		require.Equal(t, []any{"access:*", "orders:read", "users:*"}, d.do(200, "GET", path, nil).Body["permissions"])
	})
}

// Proves G7.29.
func TestConcurrentGrantAndDeleteOfRoleAreSerialized(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		d := newDesk(t, newFixture(t, db))
		user, _ := d.hire("li")
		for round := range 20 {
			path, etag := d.establish(fmt.Sprintf("role-%d", round), "orders:read")
			seen := d.do(200, "GET", user, nil).Header.Get("ETag")
			var given, deleted int
			var racing sync.WaitGroup
			racing.Go(func() { deleted = d.send("DELETE", path, nil, "If-Match", etag).Status })
			racing.Go(func() {
				given = d.send("PATCH", user, fmt.Sprintf(`{"roles":["role-%d"]}`, round), "If-Match", seen).Status
			})
			racing.Wait()
			require.Contains(t, [][2]int{{200, 409}, {422, 204}}, [2]int{given, deleted}, "round %d", round)
		}
	})
}

func TestNewTenantHasTheReadyMadeRoles(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	h.Service.readyRoles = users.RolesForJobs(domains)
	tenant, err := h.CreateTenant(anonymous(t), "with-roles", "a long password", "")
	require.NoError(t, err)
	var names []string
	require.NoError(t, h.db.Read(tenants.AsOperator(t.Context(), tenant)).Model(&users.Role{}).Order("id").Pluck("name", &names).Error)
	require.Equal(t, []string{AdminRole, "viewer", "support", "operator", "config editor", "approver", "auditor"}, names)
}

func TestReadyMadeRolesAreCreatedOnceAndRemainEdited(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	d := newDesk(t, h)
	require.NoError(t, h.Users.MakeReadyRoles(anonymous(t), h.tenant.Name))
	viewer := d.do(200, "GET", "/roles?q=viewer", nil).Items()[0]
	require.Equal(t, []any{"access:read", "configs:read", "menus:read", "orders:read", "tokens:read", "users:read"}, viewer["permissions"])
	d.do(200, "PATCH", fmt.Sprintf("/roles/%v", viewer["id"]), `{"permissions":["orders:read"]}`, "If-Match", viewer["etag"].(string))
	require.NoError(t, h.Users.MakeReadyRoles(anonymous(t), h.tenant.Name))
	require.Equal(t, []any{"orders:read"}, d.do(200, "GET", "/roles?q=viewer", nil).Items()[0]["permissions"])
	require.EqualValues(t, 1+len(users.ReadyRoles), d.do(200, "GET", "/roles", nil).Body["total"])
}
