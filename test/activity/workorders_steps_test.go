package activity

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/test/world"
)

func TestWorkOrderFollowsItsMachineAndRecordsHistory(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		o := openOffice(ctx, t, db)
		a := o.boss.Send(t, http.MethodPost, "/work-orders", object{
			"title": "A teapot arrived broken", "body": "See the picture.", "priority": "high", "dueTime": "2026-11-22T08:00:00Z", "links": []string{"orders/12", "orders/13"},
		})
		require.Equal(t, http.StatusCreated, a.Status, a.Body)
		order := a.Body
		require.Equal(t, "/api/v1"+workOrderPath(order), a.Header.Get("Location"))
		require.Equal(t, []any{"high", "open", []any{"claim", "assign", "resolve"}, "2026-11-22T08:00:00.000000Z", []any{"orders/12", "orders/13"}, nil, true, nil, 0.0, object{"id": 9.0, "name": "Boss"}},
			world.Members(order, "priority", "status", "allowedTransitions", "dueTime", "links", "holder", "offered", "resolution", "comments", "createdBy"))
		require.Equal(t, order, object(o.li.Get(t, workOrderPath(order)).Body))

		li := object{"id": 7.0, "name": "Li"}
		held := o.li.Post(t, 200, workOrderPath(order)+"/claim", nil, "If-Match", order["etag"].(string))
		require.Equal(t, []any{"claimed", []any{"release", "assign", "resolve"}, li, false}, world.Members(held, "status", "allowedTransitions", "holder", "offered"))
		lost := o.ana.Post(t, 409, workOrderPath(order)+"/claim", nil)
		require.Equal(t, []any{"transition_not_allowed", "claimed", li, held}, world.Members(lost, "code", "currentStatus", "holder", "current"))
		require.Contains(t, lost["detail"], "has been held by Li")
		for _, step := range []struct {
			action string
			body   any
		}{{"release", nil}, {"resolve", object{"resolution": "mine"}}} {
			require.Equal(t, li, o.ana.Post(t, 409, workOrderPath(order)+"/"+step.action, step.body)["holder"], "a held order is not claimed by others")
		}
		o.ana.Post(t, 403, workOrderPath(order)+"/assign", object{"userId": 8})
		given := o.boss.Post(t, 200, workOrderPath(order)+"/assign", object{"userId": 8})
		require.Equal(t, object{"id": 8.0, "name": "Ana"}, given["holder"])
		o.ana.Post(t, 200, workOrderPath(order)+"/release", nil)
		o.li.Post(t, 200, workOrderPath(order)+"/claim", nil)
		done := o.boss.Post(t, 200, workOrderPath(order)+"/resolve", object{"resolution": "A new one is on its way."})
		require.Equal(t, []any{"resolved", []any{"reopen", "close"}, li, "A new one is on its way."}, world.Members(done, "status", "allowedTransitions", "holder", "resolution"))
		o.ana.Post(t, 200, workOrderPath(order)+"/reopen", nil)
		o.ana.Post(t, 200, workOrderPath(order)+"/resolve", object{"resolution": "It is there."})
		o.li.Post(t, 200, workOrderPath(order)+"/close", nil)
		again := o.li.Post(t, 200, workOrderPath(order)+"/reopen", nil)
		require.Equal(t, []any{"open", nil, nil, true}, world.Members(again, "status", "holder", "resolution", "offered"))

		history := o.li.Get(t, workOrderPath(order)+"/history").Items()
		actions := []any{}
		for _, event := range history {
			actions = append(actions, event["action"])
		}
		require.Equal(t, []any{"reopen", "close", "resolve", "claim", "reopen", "resolve", "claim", "release", "assign", "claim", "create"}, actions)
		var audits int64
		require.NoError(t, db.Read(ctx).Model(&uow.AuditRow{}).Where("resource = ?", strings.TrimPrefix(workOrderPath(order), "/")).Count(&audits).Error)
		require.EqualValues(t, 10, audits, "one entry a unit: the claim before the resolution is of the same")
		o.requireHistories(t)
	})
}

// Proves G2.7.
func TestActionOnAnOpenWorkOrderClaimsIt(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		o := openOffice(ctx, t, db)
		resolved := o.li.Post(t, 200, workOrderPath(o.open(t, object{}))+"/resolve", object{"resolution": "done"})
		require.Equal(t, object{"id": 7.0, "name": "Li"}, resolved["holder"])

		order := o.open(t, object{})
		comment := o.ana.Post(t, http.StatusCreated, workOrderPath(order)+"/comments", object{"text": "I have called them."})
		require.Equal(t, []any{order["id"], "I have called them.", object{"id": 8.0, "name": "Ana"}}, world.Members(comment, "workOrderId", "text", "createdBy"))
		o.li.Post(t, 201, workOrderPath(order)+"/comments", object{"text": "So have I."})
		held := o.li.Get(t, workOrderPath(order)).Body
		require.Equal(t, []any{"claimed", object{"id": 8.0, "name": "Ana"}, 2.0, 4.0}, world.Members(held, "status", "holder", "comments", "version"))
		said := o.li.Get(t, workOrderPath(order)+"/comments").Items()
		require.Len(t, said, 2)
		require.Equal(t, comment, object(said[0]))
		require.Equal(t, object{"id": 8.0, "name": "Ana"}, o.li.Post(t, 409, workOrderPath(order)+"/claim", nil)["holder"], "the last commenter is not the holder")
		o.ana.Post(t, 200, workOrderPath(order)+"/resolve", object{"resolution": "done"})
		o.li.Post(t, 201, workOrderPath(order)+"/comments", object{"text": "Thank you."})
		require.Equal(t, "resolved", o.li.Get(t, workOrderPath(order)).Body["status"])
		o.requireHistories(t)
	})
}

// Proves G2.7.
func TestWorkOrdersOfADisabledHolderReopen(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		o := openOffice(ctx, t, db)
		first, second := o.open(t, object{"priority": "urgent"}), o.open(t, object{})
		seen := o.li.Post(t, 200, workOrderPath(first)+"/claim", nil)
		o.li.Post(t, 200, workOrderPath(second)+"/claim", nil)
		o.ana.Post(t, http.StatusNotFound, "/work-orders/claim-next", nil)
		o.people.disable(7)
		shown := o.ana.Send(t, http.MethodGet, workOrderPath(first), nil, "If-None-Match", seen["etag"].(string))
		require.Equal(t, http.StatusOK, shown.Status, "its version has not changed and it has")
		require.Equal(t, []any{true, []any{"claim", "release", "assign", "resolve"}}, world.Members(shown.Body, "offered", "allowedTransitions"))
		o.people.disable()
		shown = o.ana.Send(t, http.MethodGet, workOrderPath(first), nil, "If-None-Match", seen["etag"].(string))
		require.Equal(t, []any{http.StatusOK, false}, []any{shown.Status, shown.Body["offered"]}, "a reader of the offer sees that it has ended")
		o.people.disable(7)
		refused := o.boss.Send(t, http.MethodPost, workOrderPath(first)+"/assign", object{"userId": 7})
		require.Equal(t, []any{http.StatusUnprocessableEntity, "/userId"}, []any{refused.Status, refused.Pointer()})
		require.Equal(t, []any{first["id"], object{"id": 8.0, "name": "Ana"}}, world.Members(o.ana.Post(t, 200, "/work-orders/claim-next", nil), "id", "holder"))
		o.ana.Post(t, 200, workOrderPath(second)+"/claim", nil)
		o.li.Post(t, 409, workOrderPath(second)+"/claim", nil)
		o.requireHistories(t)
	})
}

// Proves G2.8.
func TestNextIsTheOldestOfTheHighestPriority(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		o := openOffice(ctx, t, db)
		var ids []any
		for _, priority := range []string{"low", "urgent", "normal", "high", "urgent", "", "low"} {
			body := object{}
			if priority != "" {
				body["priority"] = priority
			}
			ids = append(ids, o.open(t, body)["id"])
			o.Clock.Advance(1)
		}
		for _, want := range []int{1, 4, 3, 2, 5, 0, 6} {
			require.Equal(t, ids[want], o.li.Post(t, 200, "/work-orders/claim-next", nil)["id"])
		}
		refused := o.li.Send(t, http.MethodPost, "/work-orders/claim-next", nil)
		require.Equal(t, []any{404.0, "not_found"}, world.Members(refused.Body, "status", "code"))
		o.requireHistories(t)
	})
}

// Proves G2.7.
func TestInvalidWorkOrderIsRejectedByField(t *testing.T) {
	o := openOffice(storagetest.Tenant(t), t, storagetest.SQLite(t))
	order := o.open(t, object{})
	for name, c := range map[string]struct {
		path    string
		body    any
		status  int
		pointer string
	}{
		"no title":                    {"/work-orders", object{}, 422, "/title"},
		"a long title":                {"/work-orders", object{"title": strings.Repeat("t", 201)}, 422, "/title"},
		"an unknown priority":         {"/work-orders", object{"title": "x", "priority": "asap"}, 422, "/priority"},
		"a time that is none":         {"/work-orders", object{"title": "x", "dueTime": "soon"}, 400, "/dueTime"},
		"a link to nothing":           {"/work-orders", object{"title": "x", "links": []string{"orders"}}, 422, "/links/0"},
		"a link twice":                {"/work-orders", object{"title": "x", "links": []string{"orders/12", "orders/12"}}, 422, "/links"},
		"a link to no order":          {"/work-orders", object{"title": "x", "links": []string{"orders/12", "orders/14"}}, 422, "/links/1"},
		"a link to no id":             {"/work-orders", object{"title": "x", "links": []string{"orders/tea"}}, 422, "/links/0"},
		"a link to no kind":           {"/work-orders", object{"title": "x", "links": []string{"parcels/1"}}, 422, "/links/0"},
		"a link to an action":         {"/work-orders", object{"title": "x", "links": []string{"work-orders/claim-next"}}, 422, "/links/0"},
		"an unknown field":            {"/work-orders", object{"title": "x", "holder": 7}, 400, "/holder"},
		"no resolution":               {workOrderPath(order) + "/resolve", object{}, 422, "/resolution"},
		"no text":                     {workOrderPath(order) + "/comments", object{}, 422, "/text"},
		"a long text":                 {workOrderPath(order) + "/comments", object{"text": strings.Repeat("t", 5_001)}, 422, "/text"},
		"assigned to no user":         {workOrderPath(order) + "/assign", object{}, 422, "/userId"},
		"assigned to an unknown user": {workOrderPath(order) + "/assign", object{"userId": 99}, 422, "/userId"},
		"a claim with a reason":       {workOrderPath(order) + "/claim", object{"reason": "x"}, 400, "/reason"},
	} {
		a := o.boss.Send(t, http.MethodPost, c.path, c.body)
		require.Equal(t, c.status, a.Status, "%s: %v", name, a.Body)
		require.Equal(t, c.pointer, a.Pointer(), name)
	}
	require.Equal(t, "/links/0", o.li.Send(t, http.MethodPost, "/work-orders", object{"title": "x", "links": []string{"orders/12"}}).Pointer(), "li may not read orders")
	o.li.Post(t, http.StatusPreconditionFailed, workOrderPath(order)+"/resolve", object{}, "If-Match", `"1-9"`)
	require.Equal(t, http.StatusConflict, o.li.Send(t, http.MethodPost, workOrderPath(order)+"/release", nil).Status, "no user has it")
	require.Equal(t, order, object(o.li.Get(t, workOrderPath(order)).Body))
}

func TestWorkOrdersAreListedByFilter(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		o := openOffice(ctx, t, db)
		a := o.open(t, object{"title": "Call the courier", "priority": "low", "links": []string{"orders/12"}})
		b := o.open(t, object{"title": "Count the shelf", "dueTime": "2026-11-22T08:00:00Z"})
		c := o.open(t, object{"title": "Call the customer", "priority": "urgent", "links": []string{"orders/12", "orders/13"}})
		o.li.Post(t, 200, workOrderPath(b)+"/claim", nil)
		ids := func(query string) (listed []any) {
			for _, item := range o.li.Get(t, "/work-orders?"+query).Items() {
				listed = append(listed, item["id"])
			}
			return listed
		}
		require.Equal(t, []any{c["id"], b["id"], a["id"]}, ids(""))
		require.Equal(t, []any{c["id"], b["id"], a["id"]}, ids("sort=priority"))
		require.Equal(t, []any{b["id"]}, ids("status=claimed&holderId=7"))
		require.Equal(t, []any{c["id"], a["id"]}, ids("link=orders/12"))
		require.Equal(t, []any{c["id"]}, ids("priority=urgent"))
		require.Equal(t, []any{b["id"]}, ids("dueBy=2026-11-22T08:00:00Z"))
		require.Equal(t, []any{c["id"], a["id"]}, ids("q=call"))
		for _, query := range []string{"status=lost", "priority=asap", "sort=title", "holder=7", "dueBy=soon"} {
			require.Equal(t, http.StatusBadRequest, o.li.Send(t, http.MethodGet, "/work-orders?"+query, nil).Status, query)
		}
		counts, err := o.service.CountByStatus(ctx)
		require.NoError(t, err)
		require.Equal(t, map[string]storage.Count{"open": {N: 2}, "claimed": {N: 1}, "resolved": {N: 0}, "closed": {N: 0}}, counts)
		found, err := o.service.ByTitle(ctx, "call the", 5)
		require.NoError(t, err)
		require.Len(t, found, 2)
	})
}

// Proves G8.31.
func TestEachMutatingRouteIsReplayedUnderItsKey(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		o := openOffice(ctx, t, db)
		claimed := func() string {
			order := o.open(t, object{})
			o.boss.Post(t, 200, workOrderPath(order)+"/claim", nil)
			return workOrderPath(order)
		}
		done := func(steps ...string) string {
			at := claimed()
			o.boss.Post(t, 200, at+"/resolve", object{"resolution": "done"})
			for _, step := range steps {
				o.boss.Post(t, 200, at+"/"+step, nil)
			}
			return at
		}
		for i, c := range []struct {
			path   string
			body   any
			status int
		}{
			{"/work-orders", object{"title": "x"}, 201},
			{workOrderPath(o.open(t, object{})) + "/claim", nil, 200},
			{"/work-orders/claim-next", nil, 200},
			{claimed() + "/release", nil, 200},
			{claimed() + "/assign", object{"userId": 7}, 200},
			{claimed() + "/resolve", object{"resolution": "done"}, 200},
			{claimed() + "/comments", object{"text": "said"}, 201},
			{done() + "/close", nil, 200},
			{done("close") + "/reopen", nil, 200},
		} {
			key := fmt.Sprintf("key-%d", i)
			first := o.boss.Send(t, http.MethodPost, c.path, c.body, "X-Idempotency-Key", key)
			require.Equal(t, c.status, first.Status, "%s: %v", c.path, first.Body)
			again := o.boss.Send(t, http.MethodPost, c.path, c.body, "X-Idempotency-Key", key)
			require.Equal(t, []any{c.status, first.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("X-Idempotency-Replay")}, c.path)
		}
		o.requireHistories(t)
	})
}
