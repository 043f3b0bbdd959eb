package access

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/guesses"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// Proves G7.34.
func TestFiveOfFiftyParallelGuessesReachTheHash(t *testing.T) {
	accounts := []struct{ name, username string }{
		{"at a user", "admin"},
		{"at a user that does not exist", "nobody"},
	}
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		for _, account := range accounts {
			t.Run(account.name, func(t *testing.T) {
				h := newFixture(t, db)
				var wrong, refused atomic.Int64
				var guessers sync.WaitGroup
				for range 50 {
					guessers.Go(func() {
						_, err := h.signIn(t, account.username, "guess")
						switch {
						case apperr.Has(err, apperr.InvalidCredentials):
							wrong.Add(1)
						case apperr.Has(err, apperr.TooManyAttempts):
							refused.Add(1)
						default:
							t.Errorf("unexpected: %v", err)
						}
					})
				}
				guessers.Wait()
				require.EqualValues(t, 5, h.hashed.Load())
				require.EqualValues(t, 5, wrong.Load())
				require.EqualValues(t, 45, refused.Load())
			})
		}
	})
}

func TestSixthAttemptIsRejectedForFifteenMinutes(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		for range 5 {
			_, err := h.signIn(t, "admin", "wrong")
			requireCode(t, apperr.InvalidCredentials, err)
			h.clock.Advance(time.Minute)
		}
		_, err := h.signIn(t, "admin", adminPassword)
		requireCode(t, apperr.TooManyAttempts, err)
		require.Equal(t, 10*time.Minute, retryAfter(t, err))
		require.EqualValues(t, 5, h.hashed.Load(), "a rejected attempt compares nothing")

		h.clock.Advance(10*time.Minute - time.Microsecond)
		_, err = h.signIn(t, "admin", adminPassword)
		requireCode(t, apperr.TooManyAttempts, err)

		h.clock.Advance(time.Microsecond)
		_, err = h.signIn(t, "admin", "wrong")
		requireCode(t, apperr.InvalidCredentials, err)
		_, err = h.signIn(t, "admin", adminPassword)
		requireCode(t, apperr.TooManyAttempts, err)
		require.Equal(t, time.Minute, retryAfter(t, err), "only the oldest attempt has left the window")

		h.clock.Advance(time.Minute)
		h.mustSignIn(t)
	})
}

func TestPaddedUsernameAllowsNoFurtherAttempt(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		for _, typed := range []SignIn{
			{Tenant: h.tenant.Name, Username: "admin "},
			{Tenant: h.tenant.Name + " ", Username: "admin"},
			{Tenant: h.tenant.Name, Username: " admin"},
		} {
			typed.Password = adminPassword
			_, err := h.SignIn(anonymous(t), typed)
			requireCode(t, apperr.InvalidCredentials, err)
		}
		require.EqualValues(t, 3, h.hashed.Load(), "an unknown account costs a hash as well")
	})
}

func TestSuccessClearsAttempts(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		for range 3 {
			for range 4 {
				_, err := h.signIn(t, "Admin", "wrong")
				requireCode(t, apperr.InvalidCredentials, err)
			}
			h.mustSignIn(t)
		}
	})
}

func TestOperatorPasswordEndsLockOut(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		for range 5 {
			_, err := h.signIn(t, "admin", "wrong")
			requireCode(t, apperr.InvalidCredentials, err)
		}
		require.NoError(t, h.Users.SetPassword(anonymous(t), h.tenant.Name, "admin", "a new long password"))
		_, err := h.signIn(t, "admin", "a new long password")
		require.NoError(t, err)
	})
}

func TestLockOutDoesNotAffectOtherTenants(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h, other := newFixture(t, db), newFixture(t, db)
		for range 5 {
			_, err := h.signIn(t, "admin", "wrong")
			requireCode(t, apperr.InvalidCredentials, err)
		}
		_, err := h.signIn(t, "admin", adminPassword)
		requireCode(t, apperr.TooManyAttempts, err)
		other.mustSignIn(t)
	})
}

func TestFailedComparisonDoesNotCountAsAttempt(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		compare, broken := h.passwords.Compare, errors.New("broken")
		h.passwords.Compare = func(string, string) (bool, error) { return false, broken }
		for range 6 {
			_, err := h.signIn(t, "admin", adminPassword)
			require.ErrorIs(t, err, broken)
		}
		h.passwords.Compare = compare
		h.mustSignIn(t)
	})
}

// Proves G7.34.
func TestGuessesLockOnlyTheirNetwork(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		from := func(address, password string) error {
			_, err := h.SignIn(anonymous(t), SignIn{Tenant: h.tenant.Name, Username: "admin", Password: password, Address: address})
			return err
		}
		for range guesses.MaxAttempts {
			requireCode(t, apperr.InvalidCredentials, from("2001:db8:1:2::7", "a guess"))
		}
		requireCode(t, apperr.TooManyAttempts, from("2001:db8:1:2:ffff::1", adminPassword))
		require.NoError(t, from("2001:db8:1:3::7", adminPassword))
		require.NoError(t, from("203.0.113.7", adminPassword))
		requireCode(t, apperr.TooManyAttempts, from("2001:db8:1:2::7", "a guess"))

		require.NoError(t, h.Users.SetPassword(anonymous(t), h.tenant.Name, "admin", "another good password"))
		require.NoError(t, from("2001:db8:1:2::7", "another good password"), "a new password lifts the lock-out everywhere")
	})
}
