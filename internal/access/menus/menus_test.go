package menus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/events"
	"interlock/internal/lock"
	"interlock/internal/module"
	"interlock/test/tier"
)

func fieldOf(t testing.TB, err error) apperr.Field {
	t.Helper()
	var refused *apperr.Error
	require.True(t, errors.As(err, &refused), "%v", err)
	require.Len(t, refused.Fields, 1)
	return refused.Fields[0]
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// domains declare the permissions of the tests, and a page in each group.
var domains = []*module.Declaration{{
	Permissions: []principal.Grant{{Name: "configs:read"}, {Name: "orders:read"}},
	Pages: []module.Page{
		{Group: module.Operate, Path: "/orders", Permission: "orders:read"}, {Group: module.Sell, Path: "/items"},
		{Group: module.Govern, Path: "/configs", Permission: "configs:read"}, {Group: module.Inspect, Path: "/system"},
	},
}}

// desk sends requests to the routes of menus, in a tenant with the ready-made menus.
type desk struct {
	*httpapitest.Caller
	t     *testing.T
	ctx   context.Context
	db    *storage.DB
	bus   events.Bus
	menus *Service
}

// newDesk returns a desk that acts as the principal of ctx.
func newDesk(ctx context.Context, t *testing.T, db *storage.DB) desk {
	t.Helper()
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
	d := desk{t: t, ctx: ctx, db: db, bus: events.NewInProcess(64)}
	d.menus = New(Deps{DB: db, Bus: d.bus, Domains: domains})
	require.NoError(t, runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		u.Audit(uow.Entry{Action: "tenant.create", Resource: "tenants/test"})
		return d.menus.InsertReady(ctx, u)
	}))
	d.Caller = httpapitest.New(ctx, runner, func(r *httpapi.Router) { Routes(r, d.menus) })
	return d
}

func (d desk) tenant() int64 {
	p, _ := principal.From(d.ctx)
	return p.TenantID
}

// with returns a desk with only these permissions.
func (d desk) with(permissions ...string) desk {
	p, _ := principal.From(d.ctx)
	p.Permissions = permissions
	d.Caller = d.For(principal.With(d.ctx, p))
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
	return d.Send(d.t, method, path, body, headers...)
}

// hang creates a menu by REST, below another one's path or at the top, and returns its path and
// ETag.
func (d desk) hang(title, below string) (path, etag string) {
	d.t.Helper()
	made := d.do(http.StatusCreated, "POST", "/menus", map[string]any{"title": title, "parentId": idIn(below)})
	return fmt.Sprintf("/menus/%v", made.Body["id"]), made.Header.Get("ETag")
}

// idIn is the id at the end of a path, or nil for an empty path.
func idIn(path string) any {
	if path == "" {
		return nil
	}
	return json.Number(strings.TrimPrefix(path, "/menus/"))
}

// move moves a menu below another one, "" for the top, to a position.
func (d desk) move(path, below string, position int, headers ...string) int {
	d.t.Helper()
	return d.send("POST", path+"/move", map[string]any{"parentId": idIn(below), "position": position}, headers...).Status
}

func (d desk) tag(path string) string {
	d.t.Helper()
	return d.do(200, "GET", path, nil).Header.Get("ETag")
}

// titles returns the titles of the menus below another one, in display order.
func (d desk) titles(below string) (titles []string) {
	d.t.Helper()
	for _, item := range d.do(200, "GET", "/menus", nil).Items() {
		if fmt.Sprint(item["parentId"]) == fmt.Sprint(idIn(below)) {
			require.EqualValues(d.t, len(titles), item["position"])
			titles = append(titles, item["title"].(string))
		}
	}
	return titles
}

func TestNewTenantHasDeclaredPagesInGroups(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(ctx, t, db)
		require.Equal(t, []string{"Operate", "Sell", "Govern", "Inspect"}, d.titles(""))
		count, group := 0, 0
		for _, item := range d.do(200, "GET", "/menus", nil).Items() {
			if item["parentId"] == nil {
				require.EqualValues(t, menuGroups[group], item["title"])
				group, count = group+1, 0
				continue
			}
			ready := d.menus.pagesOf(menuGroups[group-1])[count]
			require.Equal(t, []any{ready.Path, ready.Permission, "", false}, []any{item["path"], item["permission"], item["title"], item["hidden"]})
			require.Len(t, d.do(200, "GET", fmt.Sprintf("/menus/%v/history", item["id"]), nil).Items(), 1)
			count++
		}
	})
}

func TestMenuIsCreatedReadEditedMovedAndDeleted(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(ctx, t, db)
		group, _ := d.hang("Returns", "")
		made := d.do(201, "POST", "/menus", map[string]any{
			"title": "Desk", "path": "/orders?status=shipped", "icon": "bag", "permission": "orders:read", "hidden": true, "parentId": idIn(group), "position": 9,
		})
		path := fmt.Sprintf("/menus/%v", made.Body["id"])
		require.Equal(t, "/api/v1"+path, made.Header.Get("Location"))
		require.EqualValues(t, 0, made.Body["position"])
		require.Equal(t, made.Body, d.do(200, "GET", path, nil).Body)

		edited := d.do(200, "PATCH", path, `{"title":"Counter","hidden":false}`, "If-Match", made.Header.Get("ETag"))
		require.Equal(t, "Counter", edited.Body["title"])
		same := d.do(200, "PATCH", path, `{"title":"Counter"}`, "If-Match", edited.Header.Get("ETag"))
		require.EqualValues(t, 2, same.Body["version"], "nothing was changed")
		moved := d.do(200, "POST", path+"/move", `{"parentId":null,"position":1}`, "If-Match", edited.Header.Get("ETag"))
		require.Equal(t, []any{nil, 1.0, 3.0}, []any{moved.Body["parentId"], moved.Body["position"], moved.Body["version"]})
		require.Equal(t, []string{"Operate", "Counter", "Sell", "Govern", "Inspect", "Returns"}, d.titles(""))
		there := d.do(200, "POST", path+"/move", `{"parentId":null,"position":1}`)
		require.EqualValues(t, 3, there.Body["version"], "the menu is already at this position")
		d.do(200, "POST", path+"/move", map[string]any{"parentId": idIn(group)})

		versions := d.do(200, "GET", path+"/history", nil).Items()
		require.Len(t, versions, 4)
		require.Equal(t, []any{"move", "move", "update", "create"}, []any{versions[0]["action"], versions[1]["action"], versions[2]["action"], versions[3]["action"]})
		require.Equal(t, []any{nil, 1.0}, []any{versions[1]["parentId"], versions[1]["position"]})

		refused := d.do(409, "DELETE", group, nil, "If-Match", d.tag(group))
		require.EqualValues(t, apperr.InUse, refused.Body["code"])
		d.do(412, "DELETE", path, nil, "If-Match", made.Header.Get("ETag"))
		d.do(204, "DELETE", path, nil, "If-Match", d.tag(path))
		d.do(404, "GET", path, nil)
		d.do(404, "POST", path+"/move", `{}`)
		d.do(204, "DELETE", group, nil, "If-Match", d.tag(group))
		var audited []string
		require.NoError(t, db.Read(ctx).Model(&uow.AuditRow{}).Pluck("action", &audited).Error)
		require.Subset(t, audited, []string{"menu.create", "menu.update", "menu.move", "menu.delete"})
	})
}

// Proves G7.31.
func TestMoveDoesNotChangeSiblingVersions(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(ctx, t, db)
		top, _ := d.hang("Top", "")
		paths, tags := map[string]string{}, map[string]string{}
		for _, title := range []string{"a", "b", "c", "d"} {
			paths[title], tags[title] = d.hang(title, top)
		}
		require.Equal(t, 200, d.move(paths["d"], top, 0))
		require.Equal(t, 200, d.move(paths["a"], top, 99))
		require.Equal(t, []string{"d", "b", "c", "a"}, d.titles(top))
		// Repeated until no key is free between two siblings, which are then renumbered.
		for range 80 {
			require.Equal(t, 200, d.move(paths["d"], top, 2))
			require.Equal(t, []string{"b", "c", "d", "a"}, d.titles(top))
			require.Equal(t, 200, d.move(paths["a"], top, 2))
			require.Equal(t, []string{"b", "c", "a", "d"}, d.titles(top))
		}
		require.Equal(t, []string{tags["b"], tags["c"]}, []string{d.tag(paths["b"]), d.tag(paths["c"])})
		d.do(200, "PATCH", paths["b"], `{"hidden":true}`, "If-Match", tags["b"])
	})
}

// Proves G7.32.
func TestInvalidMenuIsRejectedWithItsPointer(t *testing.T) {
	d := newDesk(storagetest.Tenant(t), t, storagetest.SQLite(t))
	path, etag := d.hang("Desk", "")
	for _, c := range []struct {
		body   string
		status int
		place  string
	}{
		{`{"title":""}`, 422, "/title"},
		{`{"title":" "}`, 422, "/title"},
		{`{"title":" ","path":"/orders"}`, 422, "/title"},
		{`{"title":"","path":"https://example.com"}`, 422, "/title"},
		{`{"title":"a\nb"}`, 422, "/title"},
		{`{"title":"` + strings.Repeat("x", 101) + `"}`, 422, "/title"},
		{`{"path":"orders"}`, 422, "/path"},
		{`{"path":"//example.com"}`, 422, "/path"},
		{`{"path":"/\\example.com"}`, 422, "/path"},
		{`{"path":"/a//example.com"}`, 422, "/path"},
		{`{"path":"/\t/example.com"}`, 422, "/path"},
		{`{"path":"/a b"}`, 422, "/path"},
		{`{"path":"/%zz"}`, 422, "/path"},
		{`{"path":"javascript:alert(1)"}`, 422, "/path"},
		{`{"path":"http://example.com"}`, 422, "/path"},
		{`{"path":"https://"}`, 422, "/path"},
		{`{"path":"https://me:secret@example.com"}`, 422, "/path"},
		{`{"path":"https:/\\example.com"}`, 422, "/path"},
		{`{"path":"/` + strings.Repeat("x", 500) + `"}`, 422, "/path"},
		{`{"icon":"<svg>"}`, 422, "/icon"},
		{`{"permission":"orders:fly"}`, 422, "/permission"},
		{`{"permission":"orders:*"}`, 422, "/permission"},
		{`{"parentId":1}`, 400, "/parentId"},
		{`{"hidden":"yes"}`, 400, "/hidden"},
	} {
		answer := d.send("PATCH", path, c.body, "If-Match", etag)
		require.Equal(t, c.status, answer.Status, "%s: %s", c.body, answer.Text)
		require.Equal(t, c.place, answer.Pointer(), "%s: %s", c.body, answer.Text)
		if strings.Contains(c.body, "parentId") {
			continue
		}
		with := strings.Replace(c.body, "{", `{"title":"x",`, 1)
		if strings.Contains(c.body, `"title"`) {
			with = c.body
		}
		require.Equal(t, c.status, d.send("POST", "/menus", with).Status, "%s", with)
	}
	for body, place := range map[string]string{`{"position":-1}`: "/position", `{"position":null}`: "/position", `{"position":1.5}`: "/position", `{"parentId":0}`: "/parentId", `{"parentId":"1"}`: "/parentId", `{"parentId":999999999}`: "/parentId"} {
		require.Equal(t, place, d.send("POST", path+"/move", body).Pointer(), body)
		require.Equal(t, place, d.send("POST", "/menus", strings.Replace(body, "{", `{"title":"x",`, 1)).Pointer(), body)
	}
	d.do(200, "POST", path+"/move", `{}`)
	require.EqualValues(t, 1, d.do(200, "GET", path, nil).Body["version"])
	require.Equal(t, []string{"Operate", "Sell", "Govern", "Inspect", "Desk"}, d.titles(""))
	for _, good := range []string{`{"path":"/orders/?a=b#c"}`, `{"path":"https://example.com/a?b=//c"}`, `{"path":""}`, `{"title":"","path":"/"}`} {
		d.do(200, "PATCH", path, good, "If-Match", d.tag(path))
	}
}

func TestNumberOfMenusAndLevelsIsLimited(t *testing.T) {
	d := newDesk(storagetest.Tenant(t), t, storagetest.SQLite(t))
	below := ""
	for level := range maxLevels {
		below, _ = d.hang(fmt.Sprint("level ", level), below)
	}
	deep := d.do(422, "POST", "/menus", map[string]any{"title": "deeper", "parentId": idIn(below)})
	require.Contains(t, deep.Text, "at most 4 levels")
	for len(d.do(200, "GET", "/menus", nil).Items()) < maxMenus {
		d.hang("one more", "")
	}
	full := d.do(422, "POST", "/menus", `{"title":"too many"}`)
	require.Contains(t, full.Text, "has 200 menus")
}

// Proves G7.31.
func TestMoveMergesWithEditButNotWithMove(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(ctx, t, db)
		group, _ := d.hang("Group", "")
		path, seen := d.hang("Desk", "")
		d.do(200, "PATCH", path, `{"title":"Counter"}`, "If-Match", seen)
		stale := d.do(412, "POST", path+"/move", map[string]any{"parentId": idIn(group)}, "If-Match", seen)
		require.Equal(t, true, stale.Body["autoMergeable"])
		require.Equal(t, []any{"/title"}, stale.Body["theirsOnly"])
		moved := d.do(200, "POST", path+"/move?merge=disjoint", map[string]any{"parentId": idIn(group)}, "If-Match", seen)
		require.Equal(t, []any{"/title"}, moved.Body["merged"].(map[string]any)["keptTheirs"])
		renamed := d.do(200, "PATCH", path+"?merge=disjoint", `{"icon":"bag"}`, "If-Match", seen)
		require.Equal(t, "Counter", renamed.Body["title"])
		require.Equal(t, moved.Body["parentId"], renamed.Body["parentId"])

		contested := d.do(412, "POST", path+"/move?merge=disjoint", `{"position":0}`, "If-Match", seen)
		require.Equal(t, "Desk", contested.Body["base"].(map[string]any)["title"])
		require.Nil(t, contested.Body["base"].(map[string]any)["parentId"])
		require.NotEmpty(t, contested.Body["conflicts"])
		back := d.do(412, "POST", path+"/move?merge=disjoint", `{"parentId":null}`, "If-Match", seen)
		require.Equal(t, false, back.Body["autoMergeable"], "another user has moved the displayed menu")
	})
}

// Moves of siblings do not change a menu: a move with its earlier ETag succeeds.
// Proves G7.31.
func TestMoveOfSiblingDoesNotConflict(t *testing.T) {
	d := newDesk(storagetest.Tenant(t), t, storagetest.SQLite(t))
	path, seen := d.hang("Desk", "")
	d.do(200, "PATCH", path, `{"icon":"bag"}`, "If-Match", seen)
	d.do(201, "POST", "/menus", `{"title":"First","position":0}`)
	moved := d.do(200, "POST", path+"/move?merge=disjoint", `{"position":1}`, "If-Match", seen)
	require.Equal(t, []any{"/icon"}, moved.Body["merged"].(map[string]any)["keptTheirs"])
	require.Equal(t, []string{"First", "Desk", "Operate", "Sell", "Govern", "Inspect"}, d.titles(""))
}

// Renumbered siblings keep their place, also for users who read them before.
func TestRenumberedMenuDoesNotConflict(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(ctx, t, db)
		path, seen := d.hang("Desk", "")
		d.do(200, "PATCH", path, `{"icon":"bag"}`, "If-Match", seen)
		var before, after Menu
		require.NoError(t, db.Read(storage.AcrossTenants(ctx)).Where("title = 'Desk'").Take(&before).Error)
		for range 40 {
			d.do(201, "POST", "/menus", `{"title":"Before it","position":4}`)
		}
		require.NoError(t, db.Read(storage.AcrossTenants(ctx)).Where("title = 'Desk'").Take(&after).Error)
		require.NotEqual(t, before.SortKey, after.SortKey, "40 menus came between two that had room for 32")
		moved := d.do(200, "POST", path+"/move?merge=disjoint", `{"position":0}`, "If-Match", seen)
		require.Equal(t, []any{"/icon"}, moved.Body["merged"].(map[string]any)["keptTheirs"])
	})
}

// Proves G7.32.
func TestCallerReadsOnlyVisibleMenus(t *testing.T) {
	d := newDesk(storagetest.Tenant(t), t, storagetest.SQLite(t))
	group, _ := d.hang("Returns", "")
	d.do(201, "POST", "/menus", map[string]any{"title": "Desk", "path": "/orders", "permission": "orders:read", "parentId": idIn(group)})
	d.do(201, "POST", "/menus", map[string]any{"title": "Rules", "path": "/configs", "permission": "configs:read", "parentId": idIn(group)})
	d.do(201, "POST", "/menus", map[string]any{"title": "Later", "hidden": true, "parentId": idIn(group)})
	clerk := d.with("orders:read")
	require.Equal(t, []string{"Desk"}, clerk.titles(group))
	require.Equal(t, []string{"Desk", "Rules", "Later"}, d.with("menus:read").titles(group))
	clerk.do(403, "GET", group, nil)
	clerk.do(403, "GET", group+"/history", nil)
	d.with("menus:read").do(403, "POST", group+"/move", `{}`)

	p, _ := principal.From(d.ctx)
	p.Kind = principal.Customer
	_, err := d.menus.Menus(principal.With(t.Context(), p))
	require.True(t, apperr.Has(err, apperr.Forbidden), "%v", err)
}

// A release without menus may have created the tenant.
func TestTenantWithoutMenusCreatesTheFirst(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(ctx, t, db)
		for _, table := range []string{"menus", "menu_histories", "menu_revisions"} {
			require.NoError(t, db.Write(ctx).Exec("DELETE FROM "+table+" WHERE tenant_id = ?", d.tenant()).Error)
		}
		require.Equal(t, []any{}, d.do(200, "GET", "/menus", nil).Body["items"])
		d.hang("First", "")
		require.Equal(t, []string{"First"}, d.titles(""))
	})
}

// Each of the two moves alone is valid, and together they form a cycle.
// Proves G7.30.
func TestConcurrentMovesNeverFormACycle(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(ctx, t, db)
		a, _ := d.hang("A", "")
		b, _ := d.hang("B", "")
		all := len(d.do(200, "GET", "/menus", nil).Items())
		for round := range tier.Rounds(25, 200) {
			var first, second int
			guarded := func(path string) []string {
				if round%2 == 0 {
					return nil
				}
				return []string{"If-Match", d.tag(path)}
			}
			asFirst, asSecond := guarded(a), guarded(b)
			var racing sync.WaitGroup
			racing.Go(func() { first = d.move(a, b, 0, asFirst...) })
			racing.Go(func() { second = d.move(b, a, 0, asSecond...) })
			racing.Wait()
			require.ElementsMatch(t, []int{200, 422}, []int{first, second}, "round %d", round)
			require.Len(t, d.do(200, "GET", "/menus", nil).Items(), all, "round %d: a circle hangs on nothing, and is not drawn", round)
			for _, path := range []string{a, b} {
				require.Equal(t, 200, d.move(path, "", 99))
			}
		}
	})
}

// Proves G7.30.
func TestConcurrentDeleteAndAddLeaveNoOrphan(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(ctx, t, db)
		for round := range 20 {
			path, etag := d.hang("Group", "")
			var added, deleted int
			var racing sync.WaitGroup
			racing.Go(func() { deleted = d.send("DELETE", path, nil, "If-Match", etag).Status })
			racing.Go(func() {
				added = d.send("POST", "/menus", map[string]any{"title": "below", "parentId": idIn(path)}).Status
			})
			racing.Wait()
			require.Contains(t, [][2]int{{201, 409}, {422, 204}}, [2]int{added, deleted}, "round %d", round)
		}
	})
}

func TestMenuChangesAreAnnouncedWithTheNavigation(t *testing.T) {
	d := newDesk(storagetest.Tenant(t), t, storagetest.SQLite(t))
	subscribed, err := d.bus.SubscribeTenant(t.Context(), d.tenant(), Topic, NavigationTopic)
	require.NoError(t, err)
	heard := subscribed.Deliveries()
	path, etag := d.hang("Desk", "")
	d.do(200, "PATCH", path, `{"title":"Counter"}`, "If-Match", etag)
	d.do(200, "POST", path+"/move", `{"position":0}`)
	d.do(204, "DELETE", path, nil, "If-Match", d.tag(path))
	for version, action := range []string{"create", "update", "move", "delete"} {
		var menu, navigation events.Change
		delivered := (<-heard).Event
		require.Equal(t, path, "/"+delivered.Topic+"/"+delivered.Key)
		require.NoError(t, json.Unmarshal(delivered.Payload, &menu))
		require.Equal(t, []any{action, int64(version + 1)}, []any{menu.Action, menu.Version})
		delivered = (<-heard).Event
		require.Equal(t, [2]string{NavigationTopic, ""}, [2]string{delivered.Topic, delivered.Key})
		require.NoError(t, json.Unmarshal(delivered.Payload, &navigation))
		require.Empty(t, navigation.Label)
	}
	require.Empty(t, heard)
}
