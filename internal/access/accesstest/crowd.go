// Package accesstest inserts users with credentials, in tests.
package accesstest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/stretchr/testify/require"

	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

// Member is a user of a crowd, with the user's only credential.
type Member struct {
	UserID   int64
	TenantID int64
	// Secret is an API token's if Token is set, and a session's otherwise.
	Secret string
	Token  bool
	// Role is the name of the only role, a key of Permissions.
	Role string
}

// Request returns a request of the member.
func (m Member) Request() *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if m.Token {
		r.Header.Set("Authorization", "Bearer "+m.Secret)
	} else {
		r.AddCookie(&http.Cookie{Name: sessions.Cookie, Value: m.Secret})
	}
	return r
}

// Stream returns the request as a stream sends it.
func (m Member) Stream() *http.Request {
	r := m.Request()
	return r.WithContext(httpapi.WithStream(r.Context()))
}

// Permissions maps the roles of a crowd to their permissions. No member has the role admin.
var Permissions = map[string][]string{
	"readers": {"configs:read", "orders:read"},
	"payers":  {"orders:pay"},
	"nobody":  {},
	"admin":   {"*"},
}

type role struct {
	guard.Row
	Name string
}

func (role) TableName() string { return "roles" }

type rolePermission struct {
	TenantID, RoleID int64
	Permission       string
}

func (rolePermission) TableName() string { return "role_permissions" }

type user struct {
	guard.Row
	Username, DisplayName, PasswordHash string
	Disabled, SecondFactor              bool
}

func (user) TableName() string { return "users" }

type userRole struct{ TenantID, UserID, RoleID, LinkID int64 }

func (userRole) TableName() string { return "user_roles" }

type token struct {
	guard.Row
	UserID          int64
	Name, TokenHash string
	Scopes          []string `gorm:"serializer:json"`
	CreatedBy       int64
	CreatedByName   string
	ExpiresTime     *time.Time
}

func (token) TableName() string { return "api_tokens" }

// Crowd adds n users, each with one credential, to a tenant. Even members have a session, and odd ones
// a token. It inserts the rows, because no test depends on their creation. Existing roles remain.
func Crowd(t testing.TB, db *storage.DB, tenantID int64, now time.Time, n int) []Member {
	t.Helper()
	ctx := principal.With(t.Context(), principal.System(tenantID, "test"))
	create := func(rows any) { require.NoError(t, db.Write(ctx).CreateInBatches(rows, 100).Error) }
	stamp := guard.Row{Version: 1, CreatedTime: now, UpdatedTime: now}
	roles := map[string]int64{}
	for name, permissions := range Permissions {
		var known []role
		require.NoError(t, db.Read(ctx).Where("name = ?", name).Find(&known).Error)
		if len(known) == 0 {
			known = []role{{Row: stamp, Name: name}}
			create(&known)
			for _, permission := range permissions {
				create(&[]rolePermission{{RoleID: known[0].ID, Permission: permission}})
			}
		}
		roles[name] = known[0].ID
	}
	names := []string{"readers", "payers", "nobody"}
	users := make([]user, n)
	for i := range users {
		users[i] = user{Row: stamp, Username: fmt.Sprintf("user%d", i), DisplayName: fmt.Sprintf("User %d", i)}
	}
	create(&users)
	crowd, granted := make([]Member, n), make([]userRole, n)
	var opened []sessions.Session
	var tokens []token
	for i, u := range users {
		crowd[i] = Member{UserID: u.ID, TenantID: tenantID, Token: i%2 == 1, Role: names[i%len(names)]}
		granted[i] = userRole{UserID: u.ID, RoleID: roles[crowd[i].Role]}
		if crowd[i].Token {
			crowd[i].Secret = secrets.NewToken()
			ends := clock.Stored(now.Add(time.Hour))
			tokens = append(tokens, token{Row: stamp, UserID: u.ID, Name: "robot", Scopes: []string{}, TokenHash: secrets.DigestOf(crowd[i].Secret).String(), ExpiresTime: &ends})
			continue
		}
		crowd[i].Secret = secrets.New()
		ends := now.Add(12 * time.Hour)
		data, err := scs.GobCodec{}.Encode(ends, map[string]any{
			sessions.KeyID: strconv.Itoa(i), sessions.KeyTenant: tenantID, sessions.KeyUser: u.ID, sessions.KeyCSRF: secrets.New(),
		})
		require.NoError(t, err)
		opened = append(opened, sessions.Session{
			UserID: u.ID, TokenHash: secrets.DigestOf(crowd[i].Secret).String(), Data: data, ExpiresTime: clock.Stored(ends), CreatedTime: now,
		})
	}
	create(&granted)
	create(&opened)
	create(&tokens)
	return crowd
}
