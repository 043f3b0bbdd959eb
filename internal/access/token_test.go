package access

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/access/callers"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

func TestTokenActsAsItsUserInItsTenant(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h, other := newFixture(t, db), newFixture(t, db)
		secret, token := h.newToken(t)
		theirs, _ := other.newToken(t)
		// One process serves all tenants.
		p, err := h.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
		require.Equal(t, principal.Token, p.Kind)
		require.Equal(t, h.tenant.ID, p.TenantID)
		require.Equal(t, fmt.Sprintf("token:%d", token.ID), p.CredentialID)
		require.True(t, p.May("configs:write"))
		p, err = h.Callers.Authenticate(withBearer(theirs))
		require.NoError(t, err)
		require.Equal(t, other.tenant.ID, p.TenantID)
	})
}

func TestRevokedTokenIsRejectedInAllProcesses(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		elsewhere := newProcess(db, h.clock)
		secret, token := h.newToken(t)
		for _, process := range []*fixture{h, elsewhere} {
			_, err := process.Callers.Authenticate(withBearer(secret))
			require.NoError(t, err)
		}
		require.NoError(t, h.Users.RevokeToken(anonymous(t), h.tenant.Name, token.ID))
		_, err := h.Callers.Authenticate(withBearer(secret))
		requireCode(t, apperr.InvalidCredentials, err)

		h.clock.Advance(time.Second - time.Microsecond)
		_, err = elsewhere.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err, "the token is cached and the database is not queried")
		h.clock.Advance(time.Microsecond)
		_, err = elsewhere.Callers.Authenticate(withBearer(secret))
		requireCode(t, apperr.InvalidCredentials, err)

		require.Equal(t, []string{"tenant.create", "token.create", "token.revoke"}, h.audited(t))
		requireCode(t, apperr.NotFound, h.Users.RevokeToken(anonymous(t), h.tenant.Name, token.ID))
	})
}

func TestTokenOfAnotherTenantCannotBeRevoked(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h, other := newFixture(t, db), newFixture(t, db)
		secret, token := h.newToken(t)
		requireCode(t, apperr.NotFound, h.Users.RevokeToken(anonymous(t), other.tenant.Name, token.ID))
		_, err := h.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
	})
}

func TestCachedTokenExpires(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		spec := users.TokenSpec{Tenant: h.tenant.Name, Username: "admin", Name: "brief", Expires: h.clock.Now().Add(300 * time.Millisecond)}
		secret, _, err := h.Users.CreateToken(anonymous(t), spec)
		require.NoError(t, err)
		_, err = h.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
		h.clock.Advance(300 * time.Millisecond)
		_, err = h.Callers.Authenticate(withBearer(secret))
		requireCode(t, apperr.InvalidCredentials, err)
		_, _, err = h.Users.CreateToken(anonymous(t), spec)
		requireCode(t, apperr.ValidationFailed, err)
	})
}

func TestTokenOfDisabledUserIsRejected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		secret, _ := h.newToken(t)
		_, err := h.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
		require.NoError(t, h.Users.SetUserDisabled(anonymous(t), h.tenant.Name, "admin", true))
		_, err = h.Callers.Authenticate(withBearer(secret))
		requireCode(t, apperr.InvalidCredentials, err)
		require.NoError(t, h.Users.SetUserDisabled(anonymous(t), h.tenant.Name, "admin", false))
		_, err = h.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
	})
}

// Proves G7.25.
func TestTokenHasPermissionsOfScopesAndRoles(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		require.NoError(t, h.Users.CreateRole(anonymous(t), h.tenant.Name, "support", []string{"configs:*", "orders:read"}))
		_, err := h.Users.CreateUser(anonymous(t), users.UserSpec{Tenant: h.tenant.Name, Username: "li", Password: "a long password", Roles: []string{"support"}})
		require.NoError(t, err)
		secret, _, err := h.Users.CreateToken(anonymous(t), users.TokenSpec{
			Tenant: h.tenant.Name, Username: "li", Name: "robot", Scopes: []string{"configs:read", "orders:*"},
		})
		require.NoError(t, err)
		p, err := h.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
		require.Equal(t, []string{"configs:read", "orders:read"}, p.Permissions)

		require.NoError(t, h.Users.SetRolePermissions(anonymous(t), h.tenant.Name, "support", []string{"orders:pay"}))
		p, err = h.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
		require.Equal(t, []string{"orders:pay"}, p.Permissions, "at once")
		var role users.Role
		require.NoError(t, db.Read(h.inside(t)).Where("name = ?", "support").Take(&role).Error)
		require.EqualValues(t, 2, role.Version, "a change of its permissions is a change of the role")
	})
}

func TestScopesLimitPermissionsExactly(t *testing.T) {
	grants := []string{"*", "configs:*", "orders:*", "configs:read", "configs:write", "orders:read", "orders:pay"}
	rapid.Check(t, func(t *rapid.T) {
		held := rapid.SliceOfDistinct(rapid.SampledFrom(grants), rapid.ID).Draw(t, "held")
		scopes := rapid.SliceOfNDistinct(rapid.SampledFrom(grants), 1, -1, rapid.ID).Draw(t, "scopes")
		both := callers.Intersect(held, scopes)
		for _, g := range catalogue {
			want := principal.Covers(held, g.Name) && principal.Covers(scopes, g.Name)
			require.Equal(t, want, principal.Covers(both, g.Name), "%s of %v with %v", g.Name, held, scopes)
		}
		require.Equal(t, held, callers.Intersect(held, nil))
	})
}

func TestUnknownPermissionCannotBeGranted(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		for _, grant := range []string{"configs:fly", "unknown:*", "configs", "", "**", "configs:*:read"} {
			_, _, err := h.Users.CreateToken(anonymous(t), users.TokenSpec{Tenant: h.tenant.Name, Username: "admin", Name: "robot", Scopes: []string{grant}})
			requireCode(t, apperr.ValidationFailed, err)
			requireCode(t, apperr.ValidationFailed, h.Users.CreateRole(anonymous(t), h.tenant.Name, "role", []string{grant}))
			requireCode(t, apperr.ValidationFailed, h.Users.SetRolePermissions(anonymous(t), h.tenant.Name, "admin", []string{grant}))
		}
		require.Equal(t, []string{"tenant.create"}, h.audited(t))
	})
}

func TestTokenUseIsStoredOnceAMinute(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		secret, token := h.newToken(t)
		row := func() users.Token {
			var row users.Token
			require.NoError(t, db.Read(h.inside(t)).Where("id = ?", token.ID).Take(&row).Error)
			return row
		}
		require.Nil(t, row().LastUsedTime)
		first := h.clock.Now()
		use := func(process *fixture) {
			_, err := process.Callers.Authenticate(withBearer(secret))
			require.NoError(t, err)
			require.NoError(t, process.Callers.WriteUses(t.Context()))
		}
		for range 60 {
			use(h)
			require.Equal(t, first, row().LastUsedTime.UTC())
			h.clock.Advance(time.Second)
		}
		// Another process uses the time that this one stored.
		use(newProcess(db, h.clock))
		require.Equal(t, first.Add(time.Minute), row().LastUsedTime.UTC())
		h.clock.Advance(time.Second)
		use(h)
		require.Equal(t, first.Add(time.Minute), row().LastUsedTime.UTC())
		require.EqualValues(t, 1, row().Version)
	})
}
