package access

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/callers"
	"interlock/internal/access/guesses"
	"interlock/internal/access/users"
	"interlock/internal/base/oidc"
	"interlock/internal/base/oidc/oidctest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// grouped is a fixture whose provider returns groups.
type grouped struct {
	*sso
	d desk
	// groups are those in the provider's next response.
	groups any
}

func newGrouped(t *testing.T, db *storage.DB) *grouped {
	t.Helper()
	h := &grouped{sso: newSSO(t, db)}
	h.at.Claims = func(claims map[string]any) { claims["groups"] = h.groups }
	client := oidc.Client{Issuer: h.at.URL, ID: oidctest.ClientID, Secret: oidctest.ClientSecret, GroupsClaim: "groups"}
	h.providers[0].OIDC = oidc.New(client, h.clock)
	h.providers[0].GroupRoles = map[string]string{"shop": "support", "ops": "operator", "bosses": "admin", "dreams": "nonesuch"}
	h.d = newDesk(t, h.fixture)
	h.d.roles("support", "orders:read", "operator", "orders:pay", "editor", "configs:*")
	return h
}

// come signs a subject in by the provider, and returns its permissions and account.
func (h *grouped) come(t *testing.T, subject string, groups any) (v *visitor, may any, user map[string]any) {
	t.Helper()
	h.groups = groups
	v = h.visitor(t)
	require.Equal(t, "signed-in", v.signIn(subject).Get("result"))
	return v, v.do(200, "GET", "/session", "").body["user"].(map[string]any)["permissions"], v.do(200, "GET", "/me", "").body
}

// linkedUser creates a user with a password, and links the user in a session.
func (h *grouped) linkedUser(t *testing.T, username, subject string) (*visitor, callers.Identity) {
	t.Helper()
	user, err := h.Users.CreateUser(anonymous(t), users.UserSpec{Tenant: h.tenant.Name, Username: username, Password: adminPassword})
	require.NoError(t, err)
	v := h.visitor(t)
	v.signInByPassword(username, adminPassword)
	require.Equal(t, "linked", v.link(subject).Get("result"))
	return v, user
}

func TestGroupsGrantAndRevokeOnlyMappedRoles(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newGrouped(t, db)
		user, invitation := h.invite(t, "li", "editor", "operator")
		h.groups = []string{"shop", "dreams", "strangers"}
		first := h.visitor(t)
		reply := first.do(200, "POST", "/session/invitation/provider", fmt.Sprintf(`{"invitation":%q,"provider":"corp"}`, invitation.Token))
		require.Equal(t, "signed-in", first.arrive(first.leave(reply.body["location"].(string), "of-li")).Get("result"))
		me := first.do(200, "GET", "/me", "").body
		require.Equal(t, []any{"editor", "operator"}, me["roles"])
		require.Equal(t, []any{"support"}, me["groupRoles"], "at the first sign-in already")

		_, may, me := h.come(t, "of-li", []string{"shop", "ops"})
		require.Equal(t, []any{"configs:*", "orders:pay", "orders:read"}, may)
		require.Equal(t, []any{"operator", "support"}, me["groupRoles"])
		version := me["version"]
		_, _, me = h.come(t, "of-li", []string{"ops", "shop"})
		require.Equal(t, version, me["version"], "nothing changed, and nothing was written")
		require.True(t, first.isSignedIn(), "a user with changed roles stays signed in")

		// An edit removes only roles that were granted by hand, and adds no second grant of a group's role.
		path := fmt.Sprintf("/users/%d", user.ID)
		edited := h.d.do(200, "PATCH", path, `{"roles":["editor"]}`, "If-Match", h.d.do(200, "GET", path, nil).Header.Get("ETag"))
		require.Equal(t, []any{"editor"}, edited.Body["roles"])
		require.Equal(t, []any{"operator", "support"}, edited.Body["groupRoles"])
		require.Equal(t, 1.0, h.d.do(200, "GET", "/users?role=operator", nil).Body["total"])
		h.d.do(200, "PATCH", path, `{"roles":{"add":["support"]}}`, "If-Match", edited.Header.Get("ETag"))
		require.Equal(t, 1.0, h.d.do(200, "GET", "/users?role=support", nil).Body["total"])

		_, may, me = h.come(t, "of-li", "strangers")
		require.Equal(t, []any{"configs:*", "orders:read"}, may, "a role of the group was also granted by hand, or was not")
		require.Equal(t, []any{"editor", "support"}, me["roles"])
		require.Empty(t, me["groupRoles"])
		history := h.d.do(200, "GET", path+"/history", nil).Body["items"].([]any)
		require.Equal(t, "groups", history[0].(map[string]any)["action"])
		require.Contains(t, h.audited(t), "user.groups")
	})
}

func TestUnmappedGroupGrantsNothing(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newGrouped(t, db)
		h.groups = []string{"shop"}
		v, _ := h.linkedUser(t, "li", "of-li")
		require.Empty(t, v.do(200, "GET", "/me", "").body["groupRoles"], "the page says that roles come with a sign-in")
		for _, groups := range []any{[]string{"admin", "support", "Shop", "shop "}, []any{7, nil, map[string]any{"shop": true}}, map[string]any{"shop": true}, nil, true} {
			_, may, me := h.come(t, "of-li", groups)
			require.Empty(t, may, "%v", groups)
			require.Empty(t, me["groupRoles"], "%v", groups)
		}
		_, may, _ := h.come(t, "of-li", "shop")
		require.Equal(t, []any{"orders:read"}, may)

		// Groups in another claim than that of the settings are ignored.
		h.at.Claims = func(claims map[string]any) { claims["roles"] = []string{"bosses"} }
		_, may, _ = h.come(t, "of-li", nil)
		require.Empty(t, may)
	})
}

func TestRemovedLinkRevokesItsRoles(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newGrouped(t, db)
		_, user := h.linkedUser(t, "li", "of-li")
		_, _, me := h.come(t, "of-li", []string{"shop", "bosses"})
		require.Equal(t, []any{"admin", "support"}, me["groupRoles"])

		roles, err := users.RolesNamed(db.Read(h.inside(t)), []string{"support"})
		require.NoError(t, err)
		path := fmt.Sprintf("/roles/%d", roles["support"].ID)
		tag := h.d.do(200, "GET", path, nil).Header.Get("ETag")
		h.d.do(409, "DELETE", path, nil, "If-Match", tag)
		// A user with full access by a group has more permissions than one with partial access.
		weak := h.d.of("admin", "users:*", "tokens:*")
		weak.do(403, "POST", fmt.Sprintf("/users/%d/invite", user.ID), nil)

		of := fmt.Sprintf("/users/%d/links", user.ID)
		link := h.d.do(200, "GET", of, nil).Body["items"].([]any)[0].(map[string]any)
		weak.do(403, "DELETE", fmt.Sprintf("%s/%v", of, link["id"]), nil)
		h.d.do(204, "DELETE", fmt.Sprintf("%s/%v", of, link["id"]), nil)
		require.Empty(t, h.d.do(200, "GET", fmt.Sprintf("/users/%d", user.ID), nil).Body["groupRoles"])
		h.d.do(204, "DELETE", path, nil, "If-Match", tag)
	})
}

func TestLastManagerRetainsAccessWithoutTheGroup(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newGrouped(t, db)
		h.linkedUser(t, "li", "of-li")
		v, may, _ := h.come(t, "of-li", []string{"bosses", "shop"})
		require.Equal(t, []any{"*", "orders:read"}, may)
		// The user with full access by a group can disable the other admin, and is then the last one.
		admin, err := h.Users.UserNamed(h.inside(t), "admin")
		require.NoError(t, err)
		v.csrf = v.do(200, "GET", "/session", "").body["csrfToken"].(string)
		v.do(200, "POST", fmt.Sprintf("/users/%d/disable", admin.ID), "")
		_, may, me := h.come(t, "of-li", nil)
		require.Equal(t, []any{"*"}, may, "support went with its group")
		require.Equal(t, []any{"admin"}, me["groupRoles"])
		_, _, again := h.come(t, "of-li", nil)
		require.Equal(t, me["version"], again["version"], "an equal set is not a change")

		require.NoError(t, h.Users.SetUserDisabled(anonymous(t), h.tenant.Name, "admin", false))
		h.clock.Advance(time.Second)
		_, may, me = h.come(t, "of-li", nil)
		require.Empty(t, may)
		require.Empty(t, me["groupRoles"])
	})
}

func TestRoleRenameCannotGrantGroupsMorePermissions(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newGrouped(t, db)
		mighty, _ := h.d.establish("mighty", "orders:read", "orders:pay")
		free, _ := h.d.establish("free", "orders:read")
		support := fmt.Sprintf("/roles/%v", h.d.do(200, "GET", "/roles?q=support", nil).Items()[0]["id"])
		keeper := h.d.of("admin", "access:*", "orders:read")
		rename := func(status int, role, name string) {
			keeper.do(status, "PATCH", role, map[string]any{"name": name}, "If-Match", h.d.tag(role))
		}
		rename(200, support, "support-old")
		rename(403, mighty, "support")
		rename(403, mighty, "any other name")
		rename(200, free, "support")
	})
}

func TestNewInvitationRemovesLinks(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newGrouped(t, db)
		_, user := h.linkedUser(t, "li", "of-a-thief")
		_, _, me := h.come(t, "of-a-thief", []string{"shop"})
		require.Equal(t, []any{"support"}, me["groupRoles"])
		etag := h.d.do(200, "GET", fmt.Sprintf("/users/%d", user.ID), nil).Header.Get("ETag")
		h.d.do(200, "POST", fmt.Sprintf("/users/%d/invite", user.ID), nil, "If-Match", etag)
		thief := h.visitor(t)
		failed(t, "not_linked", thief.signIn("of-a-thief"))
		require.Empty(t, h.d.do(200, "GET", fmt.Sprintf("/users/%d", user.ID), nil).Body["groupRoles"])
	})
}

func TestProviderSignInDoesNotResetPasswordAttempts(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newGrouped(t, db)
		v, _ := h.linkedUser(t, "li", "of-li")
		v.cookies = map[string]*http.Cookie{}
		count := func() (n int64) {
			account := guesses.AccountKey(h.tenant.Name, "li")
			require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Model(&guesses.Row{}).Where("account = ?", account).Count(&n).Error)
			return n
		}
		before := count()
		for range 3 {
			v.do(401, "POST", "/session", fmt.Sprintf(`{"tenant":%q,"username":"li","password":"a wrong password"}`, h.tenant.Name))
		}
		require.Equal(t, before+3, count())
		require.Equal(t, "signed-in", v.signIn("of-li").Get("result"))
		require.Equal(t, before+3, count(), "the attempts remain counted")
		require.Nil(t, v.cookies[deviceCookie], "no password was presented")
	})
}
