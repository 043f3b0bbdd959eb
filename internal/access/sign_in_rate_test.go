package access

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/factors"
	"interlock/internal/access/guesses"
	"interlock/internal/access/secrets"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// signInFrom signs in to the fixture's tenant from an address, with the cookie of a device.
func (h *fixture) signInFrom(t testing.TB, address, username, password, device string) (SignedIn, error) {
	t.Helper()
	return h.SignIn(anonymous(t), SignIn{Tenant: h.tenant.Name, Username: username, Password: password, Address: address, Device: device})
}

// lock makes wrong guesses from guesses.MaxAnonymous networks, which lock the admin's account.
func (h *fixture) lock(t testing.TB) {
	t.Helper()
	for i := range guesses.MaxAnonymous {
		_, err := h.signInFrom(t, fmt.Sprintf("198.51.100.%d", i), "admin", "a wrong password", "")
		requireCode(t, apperr.InvalidCredentials, err)
	}
}

// counted is the number of stored attempts.
func (h *fixture) counted(t testing.TB) int64 {
	t.Helper()
	var rows int64
	require.NoError(t, h.db.Read(storage.AcrossTenants(t.Context())).Model(&guesses.Row{}).Count(&rows).Error)
	return rows
}

// Proves G7.38.
func TestNetworkOverRateIsRejectedBeforeHashing(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		h.signIns.Rate = guesses.NetworkRate(2)
		for i := range 6 {
			_, err := h.signInFrom(t, "2001:db8::1", fmt.Sprintf("user%d", i), "a wrong password", "")
			requireCode(t, apperr.InvalidCredentials, err)
		}
		hashed, counted := h.hashed.Load(), h.counted(t)
		_, err := h.signInFrom(t, "2001:db8::2", "admin", adminPassword, "")
		requireCode(t, apperr.RateLimited, err)
		require.Equal(t, 30*time.Second, retryAfter(t, err))
		require.Equal(t, hashed, h.hashed.Load())
		require.Equal(t, counted, h.counted(t))

		_, err = h.signInFrom(t, "2001:db8:0:1::1", "admin", adminPassword, "")
		require.NoError(t, err, "another network is not held back")
		h.clock.Advance(30 * time.Second)
		_, err = h.signInFrom(t, "2001:db8::2", "admin", adminPassword, "")
		require.NoError(t, err)
	})
}

// The people of an office share one address and start at the same time.
func TestSuccessfulSignInsDoNotUseNetworkRate(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	h.signIns.Rate = guesses.NetworkRate(1)
	known := ""
	for range 2 * guesses.DeviceRate.Burst {
		_, err := h.signInFrom(t, "203.0.113.7", "admin", adminPassword, "")
		require.NoError(t, err)
		signedIn, err := h.signInFrom(t, "203.0.113.7", "admin", adminPassword, known)
		require.NoError(t, err)
		known = signedIn.Device
	}
}

func TestCodesUseTheNetworkRate(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		h.signIns.Rate = guesses.NetworkRate(1)
		for range 3 {
			_, err := h.FinishSignIn(anonymous(t), FactorSignIn{Shown: factors.Shown{Challenge: secrets.New()}, Address: "203.0.113.7"})
			requireCode(t, apperr.Unauthenticated, err)
		}
		_, err := h.FinishSignIn(anonymous(t), FactorSignIn{Shown: factors.Shown{Challenge: secrets.New()}, Address: "203.0.113.7"})
		requireCode(t, apperr.RateLimited, err)
	})
}

// Proves G7.37.
func TestDistributedGuessesLockAccountExceptKnownDevices(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		before, err := h.signInFrom(t, "203.0.113.7", "admin", adminPassword, "")
		require.NoError(t, err)
		h.lock(t)
		hashed := h.hashed.Load()
		_, err = h.signInFrom(t, "203.0.113.8", "admin", adminPassword, "")
		requireCode(t, apperr.TooManyAttempts, err)
		require.Equal(t, guesses.Window, retryAfter(t, err))
		require.Equal(t, hashed, h.hashed.Load(), "a rejected attempt compares nothing")

		again, err := h.signInFrom(t, "198.51.100.1", "admin", adminPassword, before.Device)
		require.NoError(t, err, "also from a network that guesses come from")
		require.NotEmpty(t, again.Device)

		h.clock.Advance(guesses.Window)
		_, err = h.signInFrom(t, "203.0.113.8", "admin", adminPassword, "")
		require.NoError(t, err)
	})
}

// Proves G7.37.
func TestKnownDeviceHasSeparateGuessesAndRate(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		h.signIns.Rate = guesses.NetworkRate(1000)
		known, err := h.signInFrom(t, "203.0.113.7", "admin", adminPassword, "")
		require.NoError(t, err)
		for i := range guesses.MaxAttempts {
			_, err := h.signInFrom(t, fmt.Sprintf("198.51.100.%d", i), "admin", "a wrong password", known.Device)
			requireCode(t, apperr.InvalidCredentials, err)
		}
		_, err = h.signInFrom(t, "203.0.113.7", "admin", adminPassword, known.Device)
		requireCode(t, apperr.TooManyAttempts, err)
		_, err = h.signInFrom(t, "203.0.113.7", "admin", adminPassword, "")
		require.NoError(t, err, "guesses from a known device are not counted for its network")
		for range guesses.DeviceRate.Burst - guesses.MaxAttempts - 1 {
			_, err = h.signInFrom(t, "203.0.113.7", "admin", adminPassword, known.Device)
			requireCode(t, apperr.TooManyAttempts, err)
		}
		_, err = h.signInFrom(t, "203.0.113.7", "admin", adminPassword, known.Device)
		requireCode(t, apperr.RateLimited, err)
	})
}

// Proves G7.37.
func TestDeviceCookieIsValidForOneAccountAndPassword(t *testing.T) {
	cases := []struct {
		name string
		// spoil returns a cookie that does not identify a known device of the admin.
		spoil func(t *testing.T, h *fixture, cookie string) string
	}{
		{"of another account", func(t *testing.T, h *fixture, _ string) string {
			_, err := h.Users.CreateUser(anonymous(t), users.UserSpec{Tenant: h.tenant.Name, Username: "li", DisplayName: "Li", Password: "a long password", Roles: []string{"admin"}})
			require.NoError(t, err)
			theirs, err := h.signInFrom(t, "203.0.113.9", "li", "a long password", "")
			require.NoError(t, err)
			return theirs.Device
		}},
		{"signed by another installation", func(t *testing.T, h *fixture, _ string) string {
			other := guesses.NewDevices(storagetest.SQLite(t), h.clock)
			user, err := h.Service.Users.Account(anonymous(t), h.tenant.Name, "admin")
			require.NoError(t, err)
			forged, err := other.Cookie(t.Context(), guesses.AccountKey(h.tenant.Name, "admin"), user.PasswordHash, "")
			require.NoError(t, err)
			return forged
		}},
		{"changed", func(_ *testing.T, _ *fixture, cookie string) string { return cookie[:len(cookie)-1] + "_" }},
		{"cut", func(_ *testing.T, _ *fixture, cookie string) string { return cookie[:len(cookie)/2] }},
		{"over", func(_ *testing.T, h *fixture, cookie string) string {
			h.clock.Advance(guesses.DeviceLifetime)
			return cookie
		}},
		{"of the password before", func(t *testing.T, h *fixture, cookie string) string {
			require.NoError(t, h.Users.SetPassword(anonymous(t), h.tenant.Name, "admin", adminPassword))
			return cookie
		}},
	}
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				h := newFixture(t, db)
				known, err := h.signInFrom(t, "203.0.113.7", "admin", adminPassword, "")
				require.NoError(t, err)
				spoiled := c.spoil(t, h, known.Device)
				h.lock(t)
				_, err = h.signInFrom(t, "203.0.113.7", "admin", adminPassword, spoiled)
				requireCode(t, apperr.TooManyAttempts, err)
			})
		}
	})
}

func TestDeviceKeyIsSharedByProcesses(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		known, err := h.signInFrom(t, "203.0.113.7", "admin", adminPassword, "")
		require.NoError(t, err)
		h.lock(t)
		elsewhere := newProcess(db, h.clock)
		elsewhere.tenant = h.tenant
		_, err = elsewhere.signInFrom(t, "203.0.113.7", "admin", adminPassword, known.Device)
		require.NoError(t, err)
	})
}
