package access

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

// one is a user of a crowd, with the user's only credential.
type one struct {
	userID   int64
	tenantID int64
	// secret is an API token's if token is set, and a session's otherwise.
	secret string
	token  bool
	// role is the name of the only role, a key of permittedInCrowd.
	role string
}

func (o one) request() *http.Request {
	if o.token {
		r := withBearer(o.secret)
		r.Method = http.MethodGet
		return r
	}
	return withCookie(http.MethodGet, o.secret)
}

// stream is the request as a stream sends it.
func (o one) stream() *http.Request {
	r := o.request()
	return r.WithContext(httpapi.WithStream(r.Context()))
}

func (o one) credential() credential {
	kind := principal.Admin
	if o.token {
		kind = principal.Token
	}
	return credential{kind: kind, hash: secrets.DigestOf(o.secret)}
}

// permittedInCrowd maps the roles of a crowd to their permissions.
var permittedInCrowd = map[string][]string{
	"readers": {"configs:read", "orders:read"},
	"payers":  {"orders:pay"},
	"nobody":  {},
}

// crowd adds n users, each with one credential, to the fixture's tenant. It inserts the rows
// directly, because no test here depends on their creation.
func (h *fixture) crowd(t testing.TB, n int) []one {
	t.Helper()
	ctx := h.inside(t)
	roles := map[string]int64{}
	for name, permissions := range permittedInCrowd {
		require.NoError(t, h.CreateRole(anonymous(t), h.tenant.Name, name, permissions))
		var id int64
		require.NoError(t, h.db.Read(ctx).Model(&Role{}).Where("name = ?", name).Pluck("id", &id).Error)
		roles[name] = id
	}
	names := []string{"readers", "payers", "nobody"}
	now := h.clock.Now()
	stamp := guard.Row{Version: 1, CreatedTime: now, UpdatedTime: now}
	users := make([]User, n)
	for i := range users {
		users[i] = User{Row: stamp, Username: fmt.Sprintf("user%d", i), DisplayName: fmt.Sprintf("User %d", i)}
	}
	create := func(rows any) { require.NoError(t, h.db.Write(ctx).CreateInBatches(rows, 100).Error) }
	create(&users)
	crowd, held := make([]one, n), make([]userRole, n)
	var opened []sessions.Session
	var tokens []Token
	for i, user := range users {
		crowd[i] = one{userID: user.ID, tenantID: h.tenant.ID, token: i%2 == 1, role: names[i%len(names)]}
		held[i] = userRole{UserID: user.ID, RoleID: roles[crowd[i].role]}
		if crowd[i].token {
			crowd[i].secret = secrets.NewToken()
			ends := now.Add(time.Hour)
			tokens = append(tokens, Token{Row: stamp, UserID: user.ID, Name: "robot", Scopes: []string{}, TokenHash: secrets.DigestOf(crowd[i].secret).String(), ExpiresTime: &ends})
			continue
		}
		crowd[i].secret = secrets.New()
		ends := now.Add(12 * time.Hour)
		data, err := h.sessions.Codec.Encode(ends, map[string]any{
			sessions.KeyID: strconv.Itoa(i), sessions.KeyTenant: h.tenant.ID, sessions.KeyUser: user.ID, sessions.KeyCSRF: secrets.New(),
		})
		require.NoError(t, err)
		opened = append(opened, sessions.Session{
			UserID: user.ID, TokenHash: secrets.DigestOf(crowd[i].secret).String(), Data: data, ExpiresTime: clock.Stored(ends), CreatedTime: now,
		})
	}
	create(&held)
	create(&opened)
	create(&tokens)
	return crowd
}

// requireRecognised fails unless a process identified a user of a crowd, with the permissions of
// the user's role.
func requireRecognised(t testing.TB, o one, p principal.Principal, err error) {
	t.Helper()
	require.NoError(t, err)
	require.Equal(t, []any{o.userID, o.tenantID, permittedInCrowd[o.role]}, []any{p.UserID, p.TenantID, p.Permissions})
}

// everywhere runs a statement that the service itself never runs, over all tenants.
func (h *fixture) everywhere(t testing.TB, statement string, values ...any) {
	t.Helper()
	result := h.db.Write(storage.AcrossTenants(t.Context())).Exec(statement, values...)
	require.NoError(t, result.Error)
	require.Positive(t, result.RowsAffected, statement)
}
