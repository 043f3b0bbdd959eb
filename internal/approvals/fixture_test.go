package approvals_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"gorm.io/gorm"

	"interlock/internal/access"
	"interlock/internal/approvals"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/config"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/events"
	"interlock/internal/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object = map[string]any

// tenancy is the real one, as the program wires it.
type tenancy struct{ *access.Service }

func (t tenancy) Rules(_ context.Context, db *gorm.DB) (approvals.Rules, error) {
	rules, _, err := t.RulesIn(db)
	return approvals.Rules{Required: rules.ApprovalsRequired, Lasts: time.Duration(rules.ApprovalDays) * 24 * time.Hour}, err
}

// office is a tenant with configs, users and approvals on one engine.
type office struct {
	t         *testing.T
	ctx       context.Context
	db        *storage.DB
	clock     *clock.Fake
	runner    *uow.Runner
	access    *access.Service
	approvals *approvals.Service
	configs   *config.Service
	users     int64
}

func open(t *testing.T, ctx context.Context, db *storage.DB) *office {
	t.Helper()
	now := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	bus := events.NewInProcess(64)
	t.Cleanup(bus.Close)
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: now})
	o := &office{t: t, ctx: ctx, db: db, clock: now, runner: runner}
	o.access = access.New(access.Deps{DB: db, Runner: runner, Bus: bus, Clock: now})
	o.approvals = approvals.New(approvals.Deps{DB: db, Runner: runner, Bus: bus, Clock: now, Tenancy: tenancy{o.access}})
	epochs := epoch.NewWatch(db, clock.System{})
	require.NoError(t, epochs.Look(ctx))
	o.configs = config.New(config.Deps{DB: db, Bus: bus, Clock: now, Epochs: epochs, Approvals: o.approvals})
	o.insert("access_revisions", object{"version": 1})
	o.insert("tenant_settings", o.stamped(object{"approvals_required": 1, "approval_days": 7}))
	return o
}

// replica is another process on the same data, whose locks know nothing of this one's.
func (o *office) replica() *office {
	other := *o
	bus := events.NewInProcess(64)
	o.t.Cleanup(bus.Close)
	other.runner = uow.NewRunner(uow.Options{DB: o.db, Locks: lock.NewInProcess(lock.Observer{}), Clock: o.clock})
	other.access = access.New(access.Deps{DB: o.db, Runner: other.runner, Bus: bus, Clock: o.clock})
	other.approvals = approvals.New(approvals.Deps{DB: o.db, Runner: other.runner, Bus: bus, Clock: o.clock, Tenancy: tenancy{other.access}})
	epochs := epoch.NewWatch(o.db, clock.System{})
	require.NoError(o.t, epochs.Look(o.ctx))
	other.configs = config.New(config.Deps{DB: o.db, Bus: bus, Clock: o.clock, Epochs: epochs, Approvals: other.approvals})
	return &other
}

func (o *office) tenant() int64 {
	p, _ := principal.From(o.ctx)
	return p.TenantID
}

// insert adds a row of the tenant and returns its id.
func (o *office) insert(table string, row object) int64 {
	o.t.Helper()
	p, _ := principal.From(o.ctx)
	row["tenant_id"] = p.TenantID
	require.NoError(o.t, o.db.Write(storage.AcrossTenants(o.ctx)).Table(table).Create(row).Error)
	var id int64
	if table == "users" || table == "roles" {
		require.NoError(o.t, o.db.Read(o.ctx).Raw("SELECT MAX(id) FROM "+table+" WHERE tenant_id = ?", p.TenantID).Scan(&id).Error)
	}
	return id
}

func (o *office) stamped(row object) object {
	row["version"], row["created_time"], row["updated_time"], row["updated_by"], row["updated_by_name"] = 1, o.clock.Now(), o.clock.Now(), 0, "test"
	return row
}

// need sets how many votes a change takes.
func (o *office) need(votes int) {
	o.t.Helper()
	p, _ := principal.From(o.ctx)
	require.NoError(o.t, o.db.Write(o.ctx).Exec("UPDATE tenant_settings SET approvals_required = ? WHERE tenant_id = ?", votes, p.TenantID).Error)
}

// desk is where one user works, with one credential.
type desk struct {
	*httpapitest.Caller
	*office
	who principal.Principal
}

// The permissions of the roles that tests give.
var (
	editor   = []string{"configs:read", "configs:write", "approvals:read"}
	approver = []string{"configs:read", "approvals:read", "approvals:decide"}
	both     = append([]string{"configs:write"}, approver...)
)

// user adds a user with a role of its own and returns its desk.
func (o *office) user(name string, permissions ...string) *desk {
	o.t.Helper()
	o.users++
	unique := fmt.Sprintf("%s-%d", name, o.users)
	user := o.insert("users", o.stamped(object{"username": unique, "display_name": name, "password_hash": "", "disabled": false}))
	role := o.insert("roles", o.stamped(object{"name": unique}))
	o.insert("user_roles", object{"user_id": user, "role_id": role})
	for _, permission := range permissions {
		o.insert("role_permissions", object{"role_id": role, "permission": permission})
	}
	p, _ := principal.From(o.ctx)
	return o.desk(principal.Principal{Kind: principal.Admin, TenantID: p.TenantID, UserID: user, Name: name, Permissions: permissions})
}

func (o *office) desk(who principal.Principal) *desk {
	ctx := principal.With(o.ctx, who)
	return &desk{httpapitest.New(ctx, o.runner, func(r *httpapi.Router) {
		config.Routes(r, o.configs)
		approvals.Routes(r, o.approvals)
	}), o, who}
}

// token is another desk of the same user: that of an API token.
func (d *desk) token() *desk {
	who := d.who
	who.Kind, who.CredentialID = principal.Token, "token-7"
	return d.office.desk(who)
}

// ctx is that of the desk's user.
func (d *desk) ctx() context.Context { return principal.With(d.office.ctx, d.who) }

// disable shuts a user out.
func (d *desk) disable() { d.setDisabled(true) }

// setDisabled shuts a user out, or lets it in again.
func (d *desk) setDisabled(disabled bool) {
	d.t.Helper()
	require.NoError(d.t, d.runner.Do(d.office.ctx, func(ctx context.Context, u *uow.Unit) error {
		user, err := d.access.User(ctx, d.who.UserID)
		if err != nil {
			return err
		}
		if disabled {
			_, err = d.access.DisableUser(ctx, u, user, nil)
		} else {
			_, err = d.access.EnableUser(ctx, u, user, nil)
		}
		return err
	}))
}

func (d *desk) do(status int, method, path string, body any, headers ...string) httpapitest.Answer {
	d.t.Helper()
	answer := d.Send(d.t, method, path, body, headers...)
	require.Equal(d.t, status, answer.Status, "%s %s: %s", method, path, answer.Text)
	return answer
}

// protect creates a protected config and returns its etag.
func (d *desk) protect(key string, value any) string {
	d.t.Helper()
	return d.do(http.StatusCreated, "POST", "/configs", object{"key": key, "value": value, "protected": true}).Header.Get("ETag")
}

// propose asks for another value and returns the approval that waits for it.
func (d *desk) propose(key, etag string, patch any) approval {
	d.t.Helper()
	return approvalOf(d.t, d.do(http.StatusAccepted, "PATCH", "/configs/"+key, patch, "If-Match", etag))
}

// act takes an action on an approval as it was read.
func (d *desk) act(status int, a approval, action string, body any) httpapitest.Answer {
	d.t.Helper()
	return d.do(status, "POST", a.path+"/"+action, body, "If-Match", a.etag)
}

func (d *desk) read(a approval) approval {
	d.t.Helper()
	return approvalOf(d.t, d.do(http.StatusOK, "GET", a.path, nil))
}

func (d *desk) config(key string) object {
	d.t.Helper()
	return d.do(http.StatusOK, "GET", "/configs/"+key, nil).Body
}

// approval is what a test keeps of one.
type approval struct {
	id         int64
	path, etag string
	body       object
}

func approvalOf(t *testing.T, answer httpapitest.Answer) approval {
	t.Helper()
	id, numbered := answer.Body["id"].(float64)
	require.True(t, numbered, answer.Text)
	require.Equal(t, answer.Body["etag"], answer.Header.Get("ETag"))
	return approval{int64(id), fmt.Sprintf("/approvals/%d", int64(id)), answer.Header.Get("ETag"), answer.Body}
}

func (o *office) count(table, where string, args ...any) int64 {
	o.t.Helper()
	p, _ := principal.From(o.ctx)
	var n int64
	require.NoError(o.t, o.db.Read(o.ctx).Raw("SELECT COUNT(*) FROM "+table+" WHERE tenant_id = ? AND "+where, append([]any{p.TenantID}, args...)...).Scan(&n).Error)
	return n
}
