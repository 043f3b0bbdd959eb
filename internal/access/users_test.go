package access

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/callers"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/tier"
)

// desk sends requests to a fixture's routes with the API token of one user.
type desk struct {
	*httpapitest.Caller
	t      *testing.T
	h      *fixture
	secret string
}

// newDesk returns the desk of the user admin.
func newDesk(t *testing.T, h *fixture, scopes ...string) desk {
	t.Helper()
	secret, _ := h.newToken(t, scopes...)
	caller := httpapitest.NewFor(h.Callers, h.runner, func(r *httpapi.Router) { Routes(r, h.Service) })
	return desk{caller, t, h, secret}
}

// of returns a desk for another user of the tenant.
func (d desk) of(username string, scopes ...string) desk {
	d.t.Helper()
	secret, _, err := d.h.Users.CreateToken(anonymous(d.t), users.TokenSpec{Tenant: d.h.tenant.Name, Username: username, Name: "desk", Scopes: scopes})
	require.NoError(d.t, err)
	d.secret = secret
	return d
}

func (d desk) do(status int, method, path string, body any, headers ...string) httpapitest.Answer {
	d.t.Helper()
	answer := d.send(method, path, body, headers...)
	require.Equal(d.t, status, answer.Status, "%s %s: %s", method, path, answer.Text)
	return answer
}

func (d desk) send(method, path string, body any, headers ...string) httpapitest.Answer {
	d.t.Helper()
	return d.Send(d.t, method, path, body, append(headers, "Authorization", "Bearer "+d.secret)...)
}

func (d desk) tag(path string) string {
	d.t.Helper()
	return d.do(200, "GET", path, nil).Header.Get("ETag")
}

// hire creates a user by REST and returns its path and ETag.
func (d desk) hire(username string, roles ...string) (path, etag string) {
	d.t.Helper()
	if roles == nil {
		roles = []string{}
	}
	made := d.do(http.StatusCreated, "POST", "/users", map[string]any{"username": username, "password": "a long password", "roles": roles})
	return fmt.Sprintf("/users/%v", made.Body["id"]), made.Header.Get("ETag")
}

// roles creates roles, each with one permission.
func (d desk) roles(named ...string) {
	d.t.Helper()
	for i := 0; i < len(named); i += 2 {
		require.NoError(d.t, d.h.Users.CreateRole(anonymous(d.t), d.h.tenant.Name, named[i], []string{named[i+1]}))
	}
}

func TestUserIsCreatedReadEditedDisabledAndEnabled(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		d.roles("support", "orders:read", "editor", "configs:*")
		made := d.do(201, "POST", "/users", `{"username":"li","displayName":"Li Wei","password":"a long password","roles":["support"]}`)
		path := fmt.Sprintf("/users/%v", made.Body["id"])
		require.Equal(t, "/api/v1"+path, made.Header.Get("Location"))
		require.NotContains(t, made.Text, "a long password")
		require.Equal(t, made.Body, d.do(200, "GET", path, nil).Body)
		require.Equal(t, http.StatusNotModified, d.send("GET", path, nil, "If-None-Match", made.Header.Get("ETag")).Status)

		edited := d.do(200, "PATCH", path, `{"displayName":"Li","roles":["support","editor"]}`, "If-Match", made.Header.Get("ETag"))
		require.Equal(t, []any{"editor", "support"}, edited.Body["roles"])
		require.EqualValues(t, 2, edited.Body["version"])
		same := d.do(200, "PATCH", path, `{"roles":{"add":["editor"],"remove":["none"]}}`, "If-Match", edited.Header.Get("ETag"))
		require.EqualValues(t, 2, same.Body["version"], "an equal set is not a change")

		disabled := d.do(200, "POST", path+"/disable", nil)
		require.Equal(t, true, disabled.Body["disabled"])
		require.Equal(t, disabled.Body, d.do(200, "POST", path+"/disable", nil).Body, "a disabled user stays disabled")
		d.do(412, "POST", path+"/enable", nil, "If-Match", edited.Header.Get("ETag"))
		d.do(200, "POST", path+"/enable", nil, "If-Match", disabled.Header.Get("ETag"))
		d.do(200, "POST", path+"/reset-password", `{"password":"another long password"}`)
		_, err := h.signIn(t, "li", "another long password")
		require.NoError(t, err)

		var actions []any
		for _, version := range d.do(200, "GET", path+"/history?sort=version", nil).Items() {
			actions = append(actions, version["action"])
		}
		require.Equal(t, []any{"create", "update", "disable", "enable", "password"}, actions)
		require.Len(t, d.do(200, "GET", "/users?q=LI&role=editor&disabled=false&sort=-displayName", nil).Items(), 1)
		require.Empty(t, d.do(200, "GET", "/users?role=nobody", nil).Items())
		d.do(400, "GET", "/users?disabled=perhaps", nil)
		require.Subset(t, h.audited(t), []string{"user.create", "user.update", "user.disable", "user.enable", "user.password"})
	})
}

func TestInvalidUserIsRejectedWithItsPointer(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	d := newDesk(t, h)
	path, etag := d.hire("li")
	for _, c := range []struct {
		method, path, body string
		status             int
		pointer            string
	}{
		{"POST", "/users", `{"username":"Li","password":"a long password"}`, 422, "/username"},
		{"POST", "/users", `{"username":"ｌｉ","password":"a long password"}`, 422, "/username"},
		{"POST", "/users", `{"username":"li","password":"a long password"}`, 409, "(none)"},
		{"POST", "/users", `{"username":"ana","password":"elevenchars"}`, 422, "/password"},
		{"POST", "/users", `{"username":"ana","password":""}`, 422, "/password"},
		{"POST", "/users", `{"username":"ana","password":"a long password","roles":["admin "]}`, 422, "/roles"},
		{"POST", "/users", `{"username":"ana","password":"a long password","disabled":true}`, 400, "/disabled"},
		{"PATCH", path, `{"roles":["nobody"]}`, 422, "/roles"},
		{"PATCH", path, `{"roles":null}`, 400, "/roles"},
		{"PATCH", path, `{"roles":["admin",7]}`, 400, "/roles/1"},
		{"PATCH", path, `{"roles":{"add":[7]}}`, 400, "/roles/add/0"},
		{"PATCH", path, `{"roles":{"give":["admin"]}}`, 400, "/roles/give"},
		{"PATCH", path, `{"roles":{"add":["admin"],"remove":["admin"]}}`, 400, "/roles/remove"},
		{"PATCH", path, `{"password":"a long password"}`, 400, "/password"},
		{"PATCH", path, `{"username":"admin"}`, 409, "(none)"},
		{"PATCH", path, `{"username":""}`, 422, "/username"},
		{"PATCH", path, `{"displayName":null}`, 400, "/displayName"},
		{"POST", path + "/reset-password", `{"password":"elevenchars"}`, 422, "/password"},
	} {
		answer := d.send(c.method, c.path, c.body, "If-Match", etag)
		require.Equal(t, c.status, answer.Status, "%s: %s", c.body, answer.Text)
		require.Equal(t, c.pointer, answer.Pointer(), c.body)
	}
	require.EqualValues(t, 1, d.do(200, "GET", path, nil).Body["version"])
	require.EqualValues(t, 2, d.do(200, "GET", "/users", nil).Body["total"])
}

// Proves G7.28.
func TestConcurrentRoleGrantsMergeUnlessEqual(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		d := newDesk(t, newFixture(t, db))
		d.roles("support", "orders:read", "editor", "configs:*", "payer", "orders:pay")
		path, seen := d.hire("li", "support")
		d.do(200, "PATCH", path, `{"roles":["support","editor"]}`, "If-Match", seen)

		stale := d.do(412, "PATCH", path, `{"roles":["support","payer"]}`, "If-Match", seen)
		require.Equal(t, true, stale.Body["autoMergeable"])
		require.Equal(t, []any{"support"}, stale.Body["base"].(map[string]any)["roles"])
		merged := d.do(200, "PATCH", path+"?merge=disjoint", `{"roles":["support","payer"]}`, "If-Match", seen)
		require.Equal(t, []any{"editor", "payer", "support"}, merged.Body["roles"])
		require.Equal(t, map[string]any{"fromVersion": 1.0, "keptTheirs": []any{"/roles/editor"}}, merged.Body["merged"])

		taken := d.do(200, "PATCH", path+"?merge=disjoint", `{"roles":{"remove":["support"]}}`, "If-Match", seen)
		require.Equal(t, []any{"editor", "payer"}, taken.Body["roles"])
		contested := d.do(412, "PATCH", path+"?merge=disjoint", `{"roles":{"add":["editor"]}}`, "If-Match", seen)
		require.Equal(t, []any{map[string]any{"pointer": "/roles/editor", "yours": true, "theirs": true}}, contested.Body["conflicts"])
	})
}

// Proves G7.28.
func TestTwentyConcurrentRoleGrantsAllSucceed(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		d := newDesk(t, newFixture(t, db))
		path, seen := d.hire("li")
		const admins = 20
		for i := range admins {
			d.roles(fmt.Sprintf("role-%d", i), "orders:read")
		}
		var racing sync.WaitGroup
		statuses := make([]int, admins)
		for i := range admins {
			racing.Go(func() {
				body := fmt.Sprintf(`{"roles":{"add":["role-%d"]}}`, i)
				statuses[i] = d.send("PATCH", path+"?merge=disjoint", body, "If-Match", seen).Status
			})
		}
		racing.Wait()
		for _, status := range statuses {
			require.Equal(t, http.StatusOK, status)
		}
		after := d.do(200, "GET", path, nil).Body
		require.Len(t, after["roles"], admins)
		require.EqualValues(t, 1+admins, after["version"])
		require.EqualValues(t, 1+admins, d.do(200, "GET", path+"/history", nil).Body["total"])
	})
}

// Proves G7.26.
func TestCallerCannotGrantPermissionsTheyLack(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		d.roles("lead", "users:*", "payer", "orders:pay", "wide", "orders:*")
		leadPath, _ := d.hire("lead", "lead", "payer")
		lead := d.of("lead")
		path, etag := lead.hire("li", "payer")
		for _, body := range []string{`{"roles":["admin"]}`, `{"roles":{"add":["wide"]}}`} {
			refused := lead.do(403, "PATCH", path, body, "If-Match", etag)
			require.EqualValues(t, apperr.Forbidden, refused.Body["code"])
		}
		lead.do(403, "POST", "/users", `{"username":"ana","password":"a long password","roles":["admin"]}`)
		admin := fmt.Sprintf("/users/%v", d.do(200, "GET", "/users?role=admin", nil).Items()[0]["id"])
		lead.do(403, "POST", admin+"/reset-password", `{"password":"a password that lead knows"}`)
		_, err := h.signIn(t, "admin", adminPassword)
		require.NoError(t, err)

		boss, _ := d.hire("boss", "admin")
		d.do(200, "POST", boss+"/disable", nil)
		lead.do(403, "POST", boss+"/enable", nil)
		require.Equal(t, true, d.do(200, "GET", boss, nil).Body["disabled"])
		require.EqualValues(t, 0, d.do(200, "GET", "/users?q=ana", nil).Body["total"])

		// Scopes of a token limit the permissions that it can grant.
		d.of("admin", "users:write", "users:read").do(403, "PATCH", leadPath, `{"roles":{"add":["wide"]}}`, "If-Match", d.do(200, "GET", leadPath, nil).Header.Get("ETag"))
		lead.do(200, "PATCH", path, `{"roles":[]}`, "If-Match", etag)
	})
}

// Proves G7.27.
func TestLastManagerRetainsAccess(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		admin := d.do(200, "GET", "/users?role=admin", nil).Items()[0]
		path, etag := fmt.Sprintf("/users/%v", admin["id"]), admin["etag"].(string)
		for _, refused := range []httpapitest.Answer{
			d.do(409, "PATCH", path, `{"roles":[]}`, "If-Match", etag),
			d.do(409, "POST", path+"/disable", nil),
		} {
			require.EqualValues(t, apperr.InUse, refused.Body["code"])
			require.Contains(t, refused.Body["detail"], "access:*")
		}
		require.Equal(t, admin, d.do(200, "GET", path, nil).Body)

		d.roles("keeper", "access:*")
		other, _ := d.hire("li", "keeper")
		d.do(200, "POST", other+"/disable", nil)
		d.do(409, "POST", path+"/disable", nil)
		d.do(200, "POST", other+"/enable", nil)
		d.do(200, "PATCH", path, `{"roles":[]}`, "If-Match", etag)

		// The command line is exempt, so that an operator can restore access.
		require.NoError(t, h.Users.SetUserDisabled(anonymous(t), h.tenant.Name, "li", true))
		require.NoError(t, h.Users.SetUserRoles(anonymous(t), h.tenant.Name, "admin", []string{"admin"}))
		require.Equal(t, []any{"admin"}, d.do(200, "GET", path, nil).Body["roles"])
	})
}

// Proves G7.27.
func TestConcurrentRevocationsLeaveOneManager(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		first := fmt.Sprintf("/users/%v", d.do(200, "GET", "/users?role=admin", nil).Items()[0]["id"])
		second, _ := d.hire("li", "admin")
		desks, paths := []desk{d.of("admin"), d.of("li")}, []string{second, first}
		acts := []func(d desk, path, etag string) int{
			func(d desk, path, etag string) int {
				return d.send("PATCH", path, `{"roles":[]}`, "If-Match", etag).Status
			},
			func(d desk, path, _ string) int { return d.send("POST", path+"/disable", nil).Status },
		}
		for round := range tier.Rounds(25, 200) {
			var racing sync.WaitGroup
			for i := range desks {
				etag := d.do(200, "GET", paths[i], nil).Header.Get("ETag")
				act := acts[(round+i*(round/2))%2]
				racing.Go(func() { act(desks[i], paths[i], etag) })
			}
			racing.Wait()
			var managers int64
			require.NoError(t, db.Read(h.inside(t)).Raw(`SELECT COUNT(*) FROM users u JOIN user_roles r ON r.user_id = u.id
				WHERE u.tenant_id = ? AND u.disabled = ?`, h.tenant.ID, false).Scan(&managers).Error)
			require.EqualValues(t, 1, managers, "round %d", round)
			for _, username := range []string{"admin", "li"} {
				require.NoError(t, h.Users.SetUserDisabled(anonymous(t), h.tenant.Name, username, false))
				require.NoError(t, h.Users.SetUserRoles(anonymous(t), h.tenant.Name, username, []string{"admin"}))
			}
		}
	})
}

// Proves G7.10.
func TestDisabledUserIsRejectedInAllProcesses(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		path, _ := d.hire("li", "admin")
		li := d.of("li")
		// The fake clock does not advance, so without a notification the cache would stay valid.
		elsewhere := newProcess(db, h.clock)
		elsewhere.watch(t)
		_, err := elsewhere.Callers.Authenticate(withBearer(li.secret))
		require.NoError(t, err)
		elsewhere.noticesChanges(t, d)

		_, err = elsewhere.Callers.Authenticate(withBearer(li.secret))
		require.NoError(t, err)
		defer elsewhere.Callers.Follow()()
		changed := elsewhere.Callers.Changed()
		began := time.Now()
		d.do(200, "POST", path+"/disable", nil)
		li.do(401, "GET", "/users", nil)
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			require.Fail(t, "the other process never noticed")
		}
		_, err = elsewhere.Callers.Authenticate(withBearer(li.secret))
		requireCode(t, apperr.InvalidCredentials, err)
		require.Less(t, time.Since(began), time.Second)
	})
}

func TestIdleProcessDoesNotPollForChanges(t *testing.T) {
	db, statements := storagetest.TappedMariaDB(t)
	h := newFixture(t, db)
	d := newDesk(t, h)
	elsewhere := newProcess(db, h.clock)
	elsewhere.watch(t)
	asks := func() bool {
		return slices.Contains(statements.Take(), "SELECT access_revisions")
	}
	require.Eventually(t, asks, 10*time.Second, callers.WatchEvery, "the first number is requested")
	isQuiet := func() bool {
		_ = statements.Take()
		clock.Sleep(t.Context(), 3*callers.WatchEvery)
		return !asks()
	}
	require.True(t, isQuiet())
	// The next caller is cached, and from then on a change is noticed.
	changed := elsewhere.Callers.Changed()
	_, _ = elsewhere.Callers.Authenticate(withBearer(d.secret))
	require.Eventually(t, asks, 10*time.Second, callers.WatchEvery)
	require.Eventually(t, isQuiet, 20*time.Second, callers.WatchEvery, "and not for ever")
	unfollow := elsewhere.Callers.Follow()
	require.Eventually(t, asks, 10*time.Second, callers.WatchEvery, "a stream may be open for hours")
	unfollow()
	elsewhere.noticesChanges(t, d)
	<-changed
}

// noticesChanges returns when a watching process has noticed a change that d made, which shows
// that it has started to watch.
func (h *fixture) noticesChanges(t *testing.T, d desk) {
	t.Helper()
	defer h.Callers.Follow()()
	spare, _ := d.hire("ana")
	ticks := time.NewTicker(callers.WatchEvery / 4)
	defer ticks.Stop()
	start := time.Now()
	for began, verbs := h.Callers.Changed(), []string{"/disable", "/enable"}; ; verbs[0], verbs[1] = verbs[1], verbs[0] {
		require.Less(t, time.Since(start), 20*time.Second, "the other process never noticed")
		d.do(200, "POST", spare+verbs[0], nil)
		select {
		case <-began:
			return
		case <-ticks.C:
		}
	}
}

func TestUsersOfAnotherTenantAreNotFound(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		d, stranger := newDesk(t, newFixture(t, db)), newDesk(t, newFixture(t, db))
		path, etag := d.hire("li")
		stranger.do(404, "GET", path, nil)
		stranger.do(404, "PATCH", path, `{"roles":[]}`, "If-Match", etag)
		stranger.do(404, "POST", path+"/disable", nil)
		stranger.do(404, "POST", path+"/reset-password", `{"password":"a long password"}`)
		require.EqualValues(t, 1, stranger.do(200, "GET", "/users", nil).Body["total"])
	})
}

// Proves G7.22.
func TestUserWithMorePermissionsCannotBeChanged(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		d.roles("clerk", "users:write", "support", "orders:read", "editor", "configs:write")
		d.hire("li", "clerk", "support")
		boss, bossTag := d.hire("boss", "editor", "support")
		peer, peerTag := d.hire("peer", "support")
		li := d.of("li")
		for _, patch := range []string{`{"username":"nobody"}`, `{"displayName":"Nobody"}`, `{"roles":[]}`, `{"roles":{"remove":["support"]}}`} {
			refused := li.do(403, "PATCH", boss, patch, "If-Match", bossTag)
			require.Contains(t, refused.Body["detail"], "configs:write", patch)
		}
		li.do(403, "POST", boss+"/disable", nil)
		require.Equal(t, bossTag, d.do(200, "GET", boss, nil).Header.Get("ETag"))
		li.do(200, "PATCH", peer, `{"displayName":"Peer"}`, "If-Match", peerTag)
		li.do(200, "POST", peer+"/disable", nil)
	})
}
