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
	"interlock/internal/access/tenantsettings"
	"interlock/internal/access/users"
	"interlock/internal/approvals"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/config"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object = map[string]any

// tenancy is the Tenancy of the program.
type tenancy struct {
	*users.Service
	settings *tenantsettings.Service
}

func (t tenancy) Rules(_ context.Context, db *gorm.DB) (approvals.Rules, error) {
	rules, _, err := t.settings.RulesIn(db)
	return approvals.Rules{Required: rules.ApprovalsRequired, Lasts: time.Duration(rules.ApprovalDays) * 24 * time.Hour}, err
}

// office is a tenant with configs, users and approvals.
type office struct {
	*world.World
	t         *testing.T
	access    *access.Service
	approvals *approvals.Service
	configs   *config.Service
	users     int64
}

func open(t *testing.T, ctx context.Context, db *storage.DB) *office {
	t.Helper()
	o := newOffice(t, ctx, db, clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
	o.insert("access_revisions", object{"version": 1})
	o.insert("tenant_settings", o.stamped(object{"approvals_required": 1, "approval_days": 7}))
	return o
}

func newOffice(t *testing.T, ctx context.Context, db *storage.DB, now *clock.Fake) *office {
	t.Helper()
	w := world.New(ctx, t, db, world.Options{Clock: now})
	o := &office{World: w, t: t}
	o.access = access.New(access.Deps{DB: db, Runner: w.Runner, Bus: w.Bus, Clock: now})
	o.approvals = approvals.New(approvals.Deps{DB: db, Runner: w.Runner, Bus: w.Bus, Clock: now, Tenancy: tenancy{o.access.Users, o.access.Settings}})
	require.NoError(t, w.Epochs.Check(ctx))
	o.configs = config.New(config.Deps{DB: db, Bus: w.Bus, Clock: now, Epochs: w.Epochs, Approvals: o.approvals})
	w.Serve(func(r *httpapi.Router) {
		config.Routes(r, o.configs)
		approvals.Routes(r, o.approvals)
	})
	return o
}

// replica returns another process on the same database. It does not see the locks of this process.
func (o *office) replica() *office {
	other := newOffice(o.t, o.Ctx, o.DB, o.Clock)
	other.users = o.users
	return other
}

// insert adds a row of the tenant and returns its id.
func (o *office) insert(table string, row object) int64 {
	o.t.Helper()
	row["tenant_id"] = o.Tenant()
	require.NoError(o.t, o.DB.Write(storage.AcrossTenants(o.Ctx)).Table(table).Create(row).Error)
	var id int64
	if table == "users" || table == "roles" {
		require.NoError(o.t, o.DB.Read(o.Ctx).Raw("SELECT MAX(id) FROM "+table+" WHERE tenant_id = ?", o.Tenant()).Scan(&id).Error)
	}
	return id
}

func (o *office) stamped(row object) object {
	row["version"], row["created_time"], row["updated_time"], row["updated_by"], row["updated_by_name"] = 1, o.Clock.Now(), o.Clock.Now(), 0, "test"
	return row
}

// need sets the number of votes that a change needs.
func (o *office) need(votes int) {
	o.t.Helper()
	require.NoError(o.t, o.DB.Write(o.Ctx).Exec("UPDATE tenant_settings SET approvals_required = ? WHERE tenant_id = ?", votes, o.Tenant()).Error)
}

// desk is a client with one credential of one user.
type desk struct {
	*httpapitest.Caller
	*office
	who principal.Principal
}

// Permissions of roles.
var (
	editor   = []string{"configs:read", "configs:write", "approvals:read"}
	approver = []string{"configs:read", "approvals:read", "approvals:decide"}
	both     = append([]string{"configs:write"}, approver...)
)

// user inserts a user with a separate role and returns a desk of it.
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
	return o.desk(principal.Principal{Kind: principal.Admin, TenantID: o.Tenant(), UserID: user, Name: name, Permissions: permissions})
}

func (o *office) desk(who principal.Principal) *desk {
	return &desk{o.For(principal.With(o.Ctx, who)), o, who}
}

// token returns a desk of the same user with an API token.
func (d *desk) token() *desk {
	who := d.who
	who.Kind, who.CredentialID = principal.Token, "token-7"
	return d.office.desk(who)
}

// ctx returns a context with the desk's user.
func (d *desk) ctx() context.Context { return principal.With(d.office.Ctx, d.who) }

// disable disables the user.
func (d *desk) disable() { d.setDisabled(true) }

// setDisabled disables or enables the user.
func (d *desk) setDisabled(disabled bool) {
	d.t.Helper()
	require.NoError(d.t, d.Runner.Do(d.office.Ctx, func(ctx context.Context, u *uow.Unit) error {
		user, err := d.access.Users.User(ctx, d.who.UserID)
		if err != nil {
			return err
		}
		if disabled {
			_, err = d.access.Users.DisableUser(ctx, u, user, nil)
		} else {
			_, err = d.access.Users.EnableUser(ctx, u, user, nil)
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

// propose proposes a patch and returns the approval.
func (d *desk) propose(key, etag string, patch any) approval {
	d.t.Helper()
	return approvalOf(d.t, d.do(http.StatusAccepted, "PATCH", "/configs/"+key, patch, "If-Match", etag))
}

// act posts an action on the approval with the etag of a.
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

// approval is an approval as returned to a client.
type approval struct {
	id         int64
	path, etag string
	body       object
}

func approvalOf(t *testing.T, answer httpapitest.Answer) approval {
	t.Helper()
	id, ok := answer.Body["id"].(float64)
	require.True(t, ok, answer.Text)
	require.Equal(t, answer.Body["etag"], answer.Header.Get("ETag"))
	return approval{int64(id), fmt.Sprintf("/approvals/%d", int64(id)), answer.Header.Get("ETag"), answer.Body}
}

func (o *office) count(table, where string, args ...any) int64 {
	o.t.Helper()
	return o.CountRows(o.t, table, where, args...)
}
