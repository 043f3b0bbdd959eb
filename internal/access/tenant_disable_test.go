package access

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"interlock/internal/access/callers"
	"interlock/internal/access/factors"
	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/racing"
)

func TestDisabledTenantRejectsCallersInAllProcesses(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h, neighbour := newFixture(t, db), newFixture(t, db)
		d := newDesk(t, h)
		// The fake clock does not advance, so without a notification the cache would stay valid.
		elsewhere := newProcess(db, h.clock)
		for _, process := range []*fixture{h, elsewhere} {
			process.Callers.Customers, process.Callers.CustomerMay = callers.SharedSecret(shopSecret), []string{"orders:pay"}
		}
		elsewhere.watch(t)
		e := enroll(t, h)
		customer := signed(t, jwt.SigningMethodHS256, []byte(shopSecret), jwt.MapClaims{"sub": "1001", "tenant": h.tenant.Name})
		others, _ := neighbour.newToken(t)
		invited := d.do(201, "POST", "/users", map[string]any{"username": "new"}).Body["invitation"].(map[string]any)["token"].(string)
		challenge := e.challenged(t)

		shown := map[string]*http.Request{"token": withBearer(d.secret), "session": withCookie(http.MethodGet, e.session), "customer": withBearer(customer)}
		for name, request := range shown {
			_, err := elsewhere.Callers.Authenticate(request)
			require.NoError(t, err, name)
		}
		elsewhere.noticesChanges(t, d)
		for name, request := range shown {
			_, err := elsewhere.Callers.Authenticate(request)
			require.NoError(t, err, name)
		}
		defer elsewhere.Callers.Follow()()
		changed, began := elsewhere.Callers.Changed(), time.Now()
		did, err := h.Tenants.SetTenantDisabled(anonymous(t), h.tenant.Name, true)
		require.NoError(t, err)
		require.True(t, did)
		d.do(401, "GET", "/users", nil)
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			require.Fail(t, "the other process never noticed")
		}
		for name, request := range shown {
			_, err := elsewhere.Callers.Authenticate(request)
			require.Error(t, err, name)
			_, err = h.Callers.Authenticate(request)
			require.Error(t, err, name)
		}
		require.Less(t, time.Since(began), time.Second)

		_, err = h.signIn(t, "admin", adminPassword)
		requireCode(t, apperr.InvalidCredentials, err)
		_, err = e.finish(t, challenge, factors.MethodTOTP, e.nextCode(t), "")
		require.Error(t, err)
		_, _, err = h.Service.findInvited(anonymous(t), secrets.DigestOf(invited))
		require.True(t, storage.IsNotFound(err))
		_, err = neighbour.Callers.Authenticate(withBearer(others))
		require.NoError(t, err, "another tenant continues")

		again, err := h.Tenants.SetTenantDisabled(anonymous(t), h.tenant.Name, true)
		require.NoError(t, err)
		require.False(t, again)
		_, err = h.Tenants.SetTenantDisabled(anonymous(t), "nobodys", true)
		requireCode(t, apperr.NotFound, err)
		tenants, err := h.Tenants.Tenants(anonymous(t))
		require.NoError(t, err)
		disabled := 0
		for _, tenant := range tenants {
			if tenant.DisabledTime != nil {
				disabled++
				require.Equal(t, h.tenant.ID, tenant.ID)
			}
		}
		require.Equal(t, 1, disabled)

		_, err = h.Tenants.SetTenantDisabled(anonymous(t), h.tenant.Name, false)
		require.NoError(t, err)
		for name, request := range shown {
			_, err := h.Callers.Authenticate(request)
			require.NoError(t, err, name)
		}
		log := h.audited(t)
		require.Equal(t, []string{"tenant.disable", "tenant.enable"}, log[len(log)-2:])
	})
}

func TestOneOfConcurrentTenantDisablesChangesIt(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		did := make([]bool, 8)
		for _, err := range racing.Errors(len(did), func(racer int) (err error) {
			did[racer], err = h.Tenants.SetTenantDisabled(anonymous(t), h.tenant.Name, true)
			return err
		}) {
			require.NoError(t, err)
		}
		done := 0
		for _, one := range did {
			if one {
				done++
			}
		}
		require.Equal(t, 1, done)
		require.Equal(t, []string{"tenant.create", "tenant.disable"}, h.audited(t))
	})
}
