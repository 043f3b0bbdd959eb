package edgetest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/lock"
)

// everything is a request with each kind of parameter.
type everything struct {
	Number  int64          `path:"number" of:"thing"`
	Text    httpapi.Search `query:"q"`
	After   *time.Time     `query:"after"`
	Least   *int64         `query:"least" min:"0"`
	Deep    bool           `query:"deep"`
	Kind    string         `query:"kind" validate:"omitempty,oneof=pot lid"`
	Tags    []string       `query:"tag"`
	Wait    httpapi.Wait   `query:"wait"`
	Mark    string         `header:"X-Mark"`
	Session string         `cookie:"session"`
	Seen    *int64         `header:"Last-Event-ID" min:"0"`
	Body    *paint
	IfMatch *guard.Precondition
	Request *http.Request
	Address httpapi.Address
	Secure  httpapi.Secure
	httpapi.Page
}

type paint struct {
	Colour string `json:"colour" validate:"required"`
}

func (e *everything) Check() error {
	if e.Body != nil && e.Body.Colour == "clear" {
		return apperr.Invalid(apperr.Field{Pointer: "/colour", Code: "seen", Message: "must be seen"})
	}
	return nil
}

// routed returns a caller of routes, with a runner on a separate database.
func routed(t *testing.T, register func(r *httpapi.Router)) *httpapitest.Caller {
	t.Helper()
	return routedAs(storagetest.Tenant(t), t, register)
}

// routedAs is routed for the principal of ctx.
func routedAs(ctx context.Context, t *testing.T, register func(r *httpapi.Router)) *httpapitest.Caller {
	t.Helper()
	db := storagetest.SQLite(t)
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
	return httpapitest.New(ctx, runner, register)
}

func TestRouteReceivesItsDeclaredParameters(t *testing.T) {
	var got everything
	caller := routed(t, func(r *httpapi.Router) {
		httpapi.MultiUnit(r, http.MethodPost, "/things/:number", "", func(_ context.Context, _ *httpapi.Batch, in everything) (httpapi.None, error) {
			got = in
			return httpapi.None{}, nil
		})
	})
	a := caller.Send(t, http.MethodPost, "/things/7?q=tea&after=2026-11-21T08:00:00%2B01:00&least=0&deep=true&tag=a,b&tag=c&wait=0&limit=3&sort=-id",
		`{"colour":"red"}`, "X-Mark", "m", "Cookie", "session=s", "Last-Event-ID", "0", "If-Match", `"1-2"`)
	require.Equal(t, http.StatusNoContent, a.Status, a.Text)
	require.EqualValues(t, 7, got.Number)
	require.EqualValues(t, "tea", got.Text)
	require.Equal(t, time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC), *got.After)
	require.Zero(t, *got.Least)
	require.True(t, got.Deep)
	require.Equal(t, []string{"a", "b", "c"}, got.Tags)
	require.Zero(t, got.Wait.Duration(), "a wait of 0 is not replaced by the default")
	require.Equal(t, "m", got.Mark)
	require.Zero(t, *got.Seen)
	require.Equal(t, "red", got.Body.Colour)
	require.Equal(t, guard.Ref{ID: 1, Version: 2}, got.IfMatch.Ref)
	require.Equal(t, http.MethodPost, got.Request.Method)
	require.NotEmpty(t, got.Address)
	require.Equal(t, "s", got.Session)
	require.False(t, bool(got.Secure))
	require.Equal(t, 3, got.Page.Page().Limit)

	require.Equal(t, http.StatusNoContent, caller.Send(t, http.MethodPost, "/things/7", nil).Status)
	require.Nil(t, got.Body)
	require.Nil(t, got.IfMatch)
	require.Nil(t, got.Seen)
	require.Nil(t, got.After)
	require.Nil(t, got.Least)
	require.Empty(t, got.Session)
	require.Empty(t, got.Tags)
	require.Equal(t, httpapi.DefaultWait, got.Wait.Duration())
}

func TestUndeclaredParametersAreRejectedByName(t *testing.T) {
	caller := routed(t, func(r *httpapi.Router) {
		httpapi.MultiUnit(r, http.MethodPost, "/things/:number", "", func(context.Context, *httpapi.Batch, everything) (httpapi.None, error) {
			return httpapi.None{}, nil
		})
		httpapi.Get(r, "/things", "", func(context.Context, httpapi.None) (httpapi.None, error) { return httpapi.None{}, nil })
		httpapi.Act(r, http.MethodPost, "/things", "", func(context.Context, httpapi.None) (httpapi.None, error) { return httpapi.None{}, nil })
	})
	for _, wrong := range []struct {
		path, body string
		header     []string
		status     int
		pointer    string
	}{
		{"/things/0", "", nil, http.StatusNotFound, "(none)"},
		{"/things/7x?least=-1", "", nil, http.StatusNotFound, "(none)"},
		{"/things/7?colour=red", "", nil, http.StatusBadRequest, "?colour"},
		{"/things/7?q=%00", "", nil, http.StatusBadRequest, "?q"},
		{"/things/7?q=a&q=b", "", nil, http.StatusBadRequest, "?q"},
		{"/things/7?least=-1", "", nil, http.StatusBadRequest, "?least"},
		{"/things/7?after=noon", "", nil, http.StatusBadRequest, "?after"},
		{"/things/7?after=", "", nil, http.StatusBadRequest, "?after"},
		{"/things/7?after=0001-01-01T00:00:00Z", "", nil, http.StatusUnprocessableEntity, "?after"},
		{"/things/7?deep=1", "", nil, http.StatusBadRequest, "?deep"},
		{"/things/7?kind=cup", "", nil, http.StatusBadRequest, "?kind"},
		{"/things/7?limit=0", "", nil, http.StatusBadRequest, "?limit"},
		{"/things/7?wait=10001", "", nil, http.StatusBadRequest, "?wait"},
		{"/things/7", `{"color":"red"}`, nil, http.StatusBadRequest, "/color"},
		{"/things/7", `{"colour":""}`, []string{"If-Match", "*"}, http.StatusUnprocessableEntity, "/colour"},
		{"/things/7", `{"colour":"clear"}`, []string{"If-Match", "*"}, http.StatusUnprocessableEntity, "/colour"},
		{"/things/7", `{"colour":"red"}`, []string{"If-Match", "*"}, http.StatusBadRequest, "(none)"},
		{"/things/7", "", []string{"Last-Event-ID", "x"}, http.StatusBadRequest, "Last-Event-ID"},
		{"/things", `{"colour":"red"}`, nil, http.StatusBadRequest, "/colour"},
	} {
		a := caller.Send(t, http.MethodPost, wrong.path, wrong.body, wrong.header...)
		require.Equal(t, wrong.status, a.Status, "%s %s: %s", wrong.path, wrong.body, a.Text)
		require.Equal(t, wrong.pointer, a.Pointer(), "%s %s: %s", wrong.path, wrong.body, a.Text)
	}
	a := caller.Send(t, http.MethodGet, "/things?page=2", nil)
	require.Equal(t, http.StatusBadRequest, a.Status, a.Text)
	require.Equal(t, "?page", a.Pointer())
}

func TestCookiesDoNotChangeTheReply(t *testing.T) {
	caller := routed(t, func(r *httpapi.Router) {
		httpapi.Act(r, http.MethodPost, "/things", "", func(context.Context, httpapi.None) (httpapi.WithCookies[httpapi.Created[paint]], error) {
			return httpapi.WithCookies[httpapi.Created[paint]]{
				Out: httpapi.Created[paint]{Location: "/things/1", Body: paint{"red"}}, Cookies: []*http.Cookie{{Name: "session", Value: "s"}, {Name: "device", Value: "d"}},
			}, nil
		})
		httpapi.Act(r, http.MethodDelete, "/things", "", func(context.Context, httpapi.None) (httpapi.WithCookies[httpapi.None], error) {
			return httpapi.WithCookies[httpapi.None]{}, apperr.MissingRow("thing", "1")
		})
	})
	a := caller.Send(t, http.MethodPost, "/things", nil)
	require.Equal(t, http.StatusCreated, a.Status, a.Text)
	require.Equal(t, httpapi.Base+"/things/1", a.Header.Get("Location"))
	require.Equal(t, []string{"session=s", "device=d"}, a.Header.Values("Set-Cookie"))
	require.Equal(t, "red", a.Body["colour"])
	a = caller.Send(t, http.MethodDelete, "/things", nil)
	require.Equal(t, http.StatusNotFound, a.Status)
	require.Empty(t, a.Header.Get("Set-Cookie"))
}

// A repeated unit must not decide by data from its first run.
func TestRetriedUnitReadsItsResourceAgain(t *testing.T) {
	reads, runs := 0, 0
	find := httpapi.Numbered("thing", func(context.Context, int64) (int, error) {
		reads++
		return reads, nil
	})
	var given []int
	caller := routed(t, func(r *httpapi.Router) {
		httpapi.MutationOf(r, http.MethodPost, "/things/:id/paint", "", find, func(_ context.Context, u *uow.Unit, read int, _ httpapi.None) (httpapi.None, error) {
			u.Audit(uow.Entry{Action: "thing.paint", Resource: "things/1"})
			given = append(given, read)
			if runs++; runs == 1 {
				return httpapi.None{}, uow.Retry(errors.New("another write was first"))
			}
			return httpapi.None{}, nil
		})
	})
	a := caller.Send(t, http.MethodPost, "/things/1/paint", nil)
	require.Equal(t, http.StatusNoContent, a.Status, a.Text)
	require.Equal(t, []int{1, 2}, given)
}

func TestNotFoundPrecedesMalformedRequest(t *testing.T) {
	missing := func(context.Context, string) (None, error) { return None{}, apperr.MissingRow("thing", "x") }
	paintIt := func(context.Context, *uow.Unit, httpapi.Edit[paint]) (httpapi.None, error) {
		return httpapi.None{}, nil
	}
	caller := routed(t, func(r *httpapi.Router) {
		httpapi.MutationOf(r, http.MethodPatch, "/found/:name", "", httpapi.Named("name", missing),
			func(ctx context.Context, u *uow.Unit, _ None, in httpapi.Edit[paint]) (httpapi.None, error) {
				return paintIt(ctx, u, in)
			})
		httpapi.Mutation(r, http.MethodPatch, "/itself/:name", "", paintIt, httpapi.Exists(httpapi.Named("name", missing)))
	})
	for _, path := range []string{"/found/x?colour=red", "/itself/x?colour=red"} {
		require.Equal(t, http.StatusNotFound, caller.Send(t, http.MethodPatch, path, `{"colour":1}`).Status, path)
	}
}

// None is a resource without content.
type None struct{}

func TestPatchHasTheMembersOfItsContent(t *testing.T) {
	var got change.Edit
	caller := routed(t, func(r *httpapi.Router) {
		httpapi.Mutation(r, http.MethodPatch, "/things", "", func(_ context.Context, u *uow.Unit, in httpapi.Edit[paint]) (httpapi.None, error) {
			u.Audit(uow.Entry{Action: "thing.paint", Resource: "things/1"})
			got = in.Change()
			return httpapi.None{}, nil
		})
	})
	send := func(path, body string) httpapitest.Answer {
		return caller.Send(t, http.MethodPatch, path, body, "If-Match", `"1-2"`)
	}
	require.Equal(t, http.StatusNoContent, send("/things?merge=disjoint", `{"colour":"red"}`).Status)
	require.Equal(t, change.Edit{IfMatch: guard.Precondition{Ref: guard.Ref{ID: 1, Version: 2}}, Patch: map[string]any{"colour": "red"}, MergeDisjoint: true}, got)
	require.Equal(t, "/colour", send("/things", `{"colour":7}`).Pointer())
	require.Equal(t, "/size", send("/things", `{"size":7}`).Pointer())
	require.Equal(t, "?merge", send("/things?merge=all", `{"colour":"red"}`).Pointer())
	require.Equal(t, "?merge", send("/things?merge=", `{"colour":"red"}`).Pointer())
	require.Equal(t, http.StatusPreconditionRequired, caller.Send(t, http.MethodPatch, "/things", `{"colour":"red"}`).Status)
}

// force is a parameter that requires a permission and a step-up.
type force string

func (force) Needs() httpapi.Need { return httpapi.Need{Permission: "things:force", StepUp: true} }

func TestParameterCanRequireItsOwnPermission(t *testing.T) {
	p, _ := principal.From(storagetest.Tenant(t))
	type request struct {
		Reason force `query:"reason"`
	}
	register := func(r *httpapi.Router) {
		httpapi.Mutation(r, http.MethodPost, "/things", "things:write", func(_ context.Context, u *uow.Unit, in request) (httpapi.None, error) {
			u.Audit(uow.Entry{Action: "thing.paint", Resource: "things/1", Note: string(in.Reason)})
			return httpapi.None{}, nil
		})
	}
	for _, c := range []struct {
		permissions []string
		path        string
		status      int
	}{
		{[]string{"things:write"}, "/things", http.StatusNoContent},
		{[]string{"things:write"}, "/things?reason=so", http.StatusForbidden},
		{[]string{"things:write"}, "/things?reason=", http.StatusForbidden},
		{[]string{"things:write", "things:force"}, "/things?reason=so", http.StatusNoContent},
		{[]string{"things:force"}, "/things?reason=so", http.StatusForbidden},
	} {
		p.Permissions = c.permissions
		a := routedAs(principal.With(t.Context(), p), t, register).Send(t, http.MethodPost, c.path, nil)
		require.Equal(t, c.status, a.Status, "%v %s: %s", c.permissions, c.path, a.Text)
	}
	p.Permissions, p.StepUpRequired = []string{"*"}, true
	stale := routedAs(principal.With(t.Context(), p), t, register)
	require.Equal(t, http.StatusNoContent, stale.Send(t, http.MethodPost, "/things", nil).Status)
	require.Equal(t, "step_up_required", stale.Send(t, http.MethodPost, "/things?reason=so", nil).Body["code"])
}

func TestDownloadHasItsFileName(t *testing.T) {
	caller := routed(t, func(r *httpapi.Router) {
		httpapi.Get(r, "/things/export", "", func(context.Context, httpapi.None) (httpapi.Download[paint], error) {
			return httpapi.Download[paint]{Name: "things.json", Body: paint{Colour: "red"}}, nil
		})
	})
	a := caller.Send(t, http.MethodGet, "/things/export", nil)
	require.Equal(t, http.StatusOK, a.Status, a.Text)
	require.Equal(t, `attachment; filename="things.json"`, a.Header.Get("Content-Disposition"))
	require.Equal(t, `{"colour":"red"}`, a.Text)
}

func TestPatchNormalizesItsMembers(t *testing.T) {
	type terms struct {
		Owner *principal.CustomerID `json:"owner"`
		From  time.Time             `json:"from"`
		Least int64                 `json:"least"`
		Most  *int64                `json:"most"`
	}
	var got any
	caller := routed(t, func(r *httpapi.Router) {
		httpapi.Mutation(r, http.MethodPatch, "/things", "", func(_ context.Context, u *uow.Unit, in httpapi.Edit[terms]) (httpapi.None, error) {
			u.Audit(uow.Entry{Action: "thing.edit", Resource: "things/1"})
			got = in.Change().Patch
			return httpapi.None{}, nil
		})
	})
	for body, want := range map[string]map[string]any{
		`{"owner":42,"from":"2026-11-21T08:00:00.1234567+01:00"}`: {"owner": "42", "from": "2026-11-21T07:00:00.123456Z"},
		`{"owner":null,"least":1,"most":null}`:                    {"owner": nil, "least": json.Number("1"), "most": nil},
	} {
		a := caller.Send(t, http.MethodPatch, "/things", body, "If-Match", `"1-2"`)
		require.Equal(t, http.StatusNoContent, a.Status, a.Text)
		require.Equal(t, want, got)
	}
}

func TestAcceptedReplyHasTheLocationOfItsOutcome(t *testing.T) {
	type order struct {
		Key  httpapi.Key
		Body paint
	}
	find := httpapi.Numbered("thing", func(_ context.Context, id int64) (int64, error) {
		if id != 7 {
			return 0, apperr.MissingRow("thing", "x")
		}
		return id, nil
	})
	caller := routed(t, func(r *httpapi.Router) {
		httpapi.ActOf(r, http.MethodPost, "/things/:id/orders", "", find, func(_ context.Context, id int64, in order) (httpapi.Accepted[paint], error) {
			require.EqualValues(t, 7, id)
			return httpapi.Accepted[paint]{Location: "/tickets/1", Body: in.Body, Replayed: in.Key == "known"}, nil
		})
	})
	a := caller.Send(t, http.MethodPost, "/things/7/orders", `{"colour":"red"}`)
	require.Equal(t, http.StatusAccepted, a.Status, a.Text)
	require.Equal(t, httpapi.Base+"/tickets/1", a.Header.Get("Location"))
	require.Equal(t, "red", a.Body["colour"])
	require.Empty(t, a.Header.Get(httpapi.HeaderReplay))
	a = caller.Send(t, http.MethodPost, "/things/7/orders", `{"colour":"red"}`, "X-Idempotency-Key", "known")
	require.Equal(t, "true", a.Header.Get(httpapi.HeaderReplay))
	require.Equal(t, http.StatusNotFound, caller.Send(t, http.MethodPost, "/things/8/orders", `{}`).Status)
	require.Equal(t, http.StatusUnprocessableEntity, caller.Send(t, http.MethodPost, "/things/7/orders", `{"colour":""}`).Status)
	a = caller.Send(t, http.MethodPost, "/things/7/orders", `{}`, "X-Idempotency-Key", strings.Repeat("k", 129))
	require.Equal(t, "idempotency_key_invalid", a.Body["code"], a.Text)
}

func TestOperationsHaveTheirPermissionAndUnit(t *testing.T) {
	type document struct{ Body paint }
	db, ctx := storagetest.SQLite(t), storagetest.Tenant(t)
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
	p, _ := principal.From(ctx)
	p.Permissions = []string{"things:read"}
	caller := httpapitest.New(principal.With(ctx, p), runner, func(r *httpapi.Router) {
		httpapi.Operations(r, http.MethodPost, "/documents", func(ctx context.Context, d *httpapi.Document, in document) (paint, error) {
			err := d.Do(ctx, "things:write", new(paint), func(_ context.Context, u *uow.Unit) error {
				u.Audit(uow.Entry{Action: "thing.paint", Resource: "things/1"})
				return nil
			})
			return in.Body, err
		})
	})
	require.Equal(t, http.StatusForbidden, caller.Send(t, http.MethodPost, "/documents", `{"colour":"red"}`).Status)
	require.Equal(t, "/colour", caller.Send(t, http.MethodPost, "/documents", `{"colour":""}`).Pointer())
	require.Equal(t, "?q", caller.Send(t, http.MethodPost, "/documents?q=1", `{"colour":"red"}`).Pointer())
}

func TestUndescribedRequestPanicsAtRegistration(t *testing.T) {
	require.Panics(t, func() {
		routed(t, func(r *httpapi.Router) {
			httpapi.Get(r, "/things", "", func(context.Context, struct{ Colour string }) (httpapi.None, error) { return httpapi.None{}, nil })
		})
	})
}

// unreadable requires that registering a route with this type of request panics.
func unreadable[In any](t *testing.T, message string) {
	t.Helper()
	server := httpapi.NewServer(httpapi.Options{})
	require.PanicsWithValue(t, message, func() {
		httpapi.Get(server.Router(), "/things/:id", "", func(context.Context, In) (httpapi.None, error) { return httpapi.None{}, nil })
	})
}

func TestUnreadableParameterTypePanicsAtRegistration(t *testing.T) {
	type inPath struct {
		ID float64 `path:"id"`
	}
	type inQuery struct {
		IDs []int64 `query:"ids"`
	}
	type inHeader struct {
		Tags map[string]string `header:"Tags"`
	}
	type inCookie struct {
		Session int64 `cookie:"session"`
	}
	type optionalCookie struct {
		Session *string `cookie:"session"`
	}
	type twofold struct {
		Limit **int64 `query:"limit"`
	}
	unreadable[inPath](t, "httpapi: a path cannot be read into edgetest.inPath.ID, a float64")
	unreadable[inQuery](t, "httpapi: a query cannot be read into edgetest.inQuery.IDs, a []int64")
	unreadable[inHeader](t, "httpapi: a header cannot be read into edgetest.inHeader.Tags, a map[string]string")
	unreadable[inCookie](t, "httpapi: a cookie cannot be read into edgetest.inCookie.Session, a int64")
	unreadable[optionalCookie](t, "httpapi: a cookie cannot be read into edgetest.optionalCookie.Session, a *string")
	unreadable[twofold](t, "httpapi: a query cannot be read into edgetest.twofold.Limit, a **int64")
}
