package access

import (
	"context"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/guesses"
	"interlock/internal/access/sessions"
	"interlock/internal/access/tenants"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// eachEmpty runs a test on databases that no other test uses.
func eachEmpty(t *testing.T, test func(t *testing.T, open func() *storage.DB)) {
	engines := map[string]func(t testing.TB) string{
		"sqlite":  func(t testing.TB) string { return "sqlite://" + filepath.Join(t.TempDir(), "interlock.db") },
		"mariadb": storagetest.NewMariaDBURL,
	}
	for engine, address := range engines {
		t.Run(engine, func(t *testing.T) {
			url := address(t)
			test(t, func() *storage.DB {
				db, err := storage.Open(t.Context(), storage.Options{URL: url, MaxConnections: 8})
				require.NoError(t, err)
				t.Cleanup(func() { _ = db.Close() })
				_, err = db.Migrate(t.Context())
				require.NoError(t, err)
				return db
			})
		})
	}
}

func atNoon() *clock.Fake { return clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) }

func TestConcurrentReplicasCreateOneAdmin(t *testing.T) {
	eachEmpty(t, func(t *testing.T, open func() *storage.DB) {
		const replicas = 4
		fixtures := make([]*fixture, replicas)
		for i := range fixtures {
			fixtures[i] = newProcess(open(), atNoon())
		}
		generated, errs := make([]string, replicas), make([]error, replicas)
		var starting sync.WaitGroup
		for i, h := range fixtures {
			starting.Go(func() { generated[i], errs[i] = h.Bootstrap(anonymous(t), "", "") })
		}
		starting.Wait()
		var passwords []string
		for i := range fixtures {
			require.NoError(t, errs[i])
			if generated[i] != "" {
				passwords = append(passwords, generated[i])
			}
		}
		require.Len(t, passwords, 1)

		h := fixtures[0]
		var err error
		h.tenant, err = h.Service.Tenants.ByName(anonymous(t), tenants.DefaultTenant)
		require.NoError(t, err)
		require.Equal(t, []string{"tenant.create"}, h.audited(t))
		var count int64
		require.NoError(t, h.db.Read(h.inside(t)).Model(&users.User{}).Count(&count).Error)
		require.EqualValues(t, 1, count)

		signedIn, err := h.SignIn(anonymous(t), SignIn{Username: "admin", Password: passwords[0]})
		require.NoError(t, err)
		require.Equal(t, []string{"*"}, signedIn.Session.User.Permissions)
		p, err := h.Callers.Authenticate(withCookie(http.MethodGet, signedIn.Token))
		require.NoError(t, err)
		require.Equal(t, h.tenant.ID, p.TenantID)
	})
}

func TestLaterStartDoesNotChangeThePassword(t *testing.T) {
	eachEmpty(t, func(t *testing.T, open func() *storage.DB) {
		h := newProcess(open(), atNoon())
		for _, password := range []string{"the first one", "a later one", ""} {
			generated, err := h.Bootstrap(anonymous(t), password, "")
			require.NoError(t, err)
			require.Empty(t, generated)
		}
		_, err := h.SignIn(anonymous(t), SignIn{Username: "admin", Password: "the first one"})
		require.NoError(t, err)
	})
}

func TestConcurrentTenantsAreAllCreated(t *testing.T) {
	eachEmpty(t, func(t *testing.T, open func() *storage.DB) {
		h := newProcess(open(), atNoon())
		names := []string{"a", "b", "c", "d", "e", "f"}
		tenants, errs := make([]tenants.Tenant, len(names)), make([]error, len(names))
		var creating sync.WaitGroup
		for i, name := range names {
			creating.Go(func() { tenants[i], errs[i] = h.CreateTenant(anonymous(t), name, "a long password", "") })
		}
		creating.Wait()
		ids := map[int64]bool{}
		for i := range names {
			require.NoError(t, errs[i])
			ids[tenants[i].ID] = true
		}
		require.Len(t, ids, len(names))
	})
}

func TestInvalidAndExistingNamesAreRejected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		_, err := h.CreateTenant(anonymous(t), h.tenant.Name, "a long password", "")
		requireCode(t, apperr.AlreadyExists, err)
		for _, name := range []string{"", "-a", "Big", "a b", "a_b", "ä", "a123456789012345678901234567890123456789012345678901234567890123"} {
			_, err := h.CreateTenant(anonymous(t), name, "a long password", "")
			requireCode(t, apperr.ValidationFailed, err)
		}
		user := func(change func(*users.UserSpec)) error {
			spec := users.UserSpec{Tenant: h.tenant.Name, Username: "li", Password: "a long password"}
			change(&spec)
			_, err := h.Users.CreateUser(anonymous(t), spec)
			return err
		}
		requireCode(t, apperr.AlreadyExists, user(func(s *users.UserSpec) { s.Username = "admin" }))
		requireCode(t, apperr.ValidationFailed, user(func(s *users.UserSpec) { s.Username = "Li" }))
		requireCode(t, apperr.ValidationFailed, user(func(s *users.UserSpec) { s.DisplayName = "a\nb" }))
		requireCode(t, apperr.ValidationFailed, user(func(s *users.UserSpec) { s.Password = "" }))
		requireCode(t, apperr.ValidationFailed, user(func(s *users.UserSpec) { s.Roles = []string{"admin", "none"} }))
		requireCode(t, apperr.NotFound, user(func(s *users.UserSpec) { s.Tenant = "nowhere" }))
		requireCode(t, apperr.AlreadyExists, h.Users.CreateRole(anonymous(t), h.tenant.Name, "admin", nil))
		requireCode(t, apperr.NotFound, h.Users.SetRolePermissions(anonymous(t), h.tenant.Name, "none", nil))
		requireCode(t, apperr.NotFound, h.Users.SetPassword(anonymous(t), h.tenant.Name, "none", "a long password"))
		_, _, err = h.Users.CreateToken(anonymous(t), users.TokenSpec{Tenant: h.tenant.Name, Username: "none", Name: "robot"})
		requireCode(t, apperr.NotFound, err)
		require.Equal(t, []string{"tenant.create"}, h.audited(t), "nothing was changed")
	})
}

func TestSweepDeletesOnlyExpiredRows(t *testing.T) {
	eachEmpty(t, func(t *testing.T, open func() *storage.DB) {
		db := open()
		h := newProcess(db, atNoon())
		var err error
		h.tenant, err = h.CreateTenant(anonymous(t), "shop", adminPassword, "")
		require.NoError(t, err)
		for range 3 {
			h.mustSignIn(t)
		}
		for range 2 {
			_, err := h.signIn(t, "admin", "wrong")
			requireCode(t, apperr.InvalidCredentials, err)
		}
		count := func(model any) (n int64) {
			require.NoError(t, db.Read(h.inside(t)).Model(model).Count(&n).Error)
			return n
		}
		h.clock.Advance(defaultSessionLifetime)
		live, err := h.signIn(t, "admin", adminPassword)
		require.NoError(t, err)
		_, err = h.signIn(t, "admin", "wrong")
		requireCode(t, apperr.InvalidCredentials, err)
		_, err = h.signIn(t, "nobody", "wrong")
		requireCode(t, apperr.InvalidCredentials, err)
		require.EqualValues(t, 4, count(&sessions.Session{}))

		require.NoError(t, h.Sweep(anonymous(t), 2))
		require.EqualValues(t, 1, count(&sessions.Session{}))
		_, err = h.Callers.Authenticate(withCookie(http.MethodGet, live))
		require.NoError(t, err)

		require.EqualValues(t, 2, count(&guesses.Row{}), "those still count")
		h.clock.Advance(guesses.Window)
		require.NoError(t, h.Sweep(anonymous(t), 10))
		require.Zero(t, count(&guesses.Row{}))
	})
}
