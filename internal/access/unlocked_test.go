package access

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/factors"
	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage/storagetest"
)

// A row lock excludes no other server of a cluster.

// Proves G7.15.
func TestSignInDuringPasswordChangeFailsWithoutLocks(t *testing.T) {
	db, tap := storagetest.WithoutLocks(t)
	h := newFixture(t, db)
	tap.Before("UPDATE access_revisions", func() {
		if err := h.Users.SetPassword(t.Context(), h.tenant.Name, "admin", "another horse battery"); err != nil {
			t.Error(err)
		}
	})
	_, err := h.signIn(t, "admin", adminPassword)
	requireCode(t, apperr.InvalidCredentials, err)
	var open int64
	require.NoError(t, db.Read(h.inside(t)).Model(&sessions.Session{}).Count(&open).Error)
	require.Zero(t, open)
}

// Proves G7.15.
func TestConcurrentFactorSetUpsLeaveOneWithoutLocks(t *testing.T) {
	db, tap := storagetest.WithoutLocks(t)
	h := newFixture(t, db)
	ctx := h.as(t, h.mustSignIn(t))
	user, err := h.Users.UserNamed(ctx, "admin")
	require.NoError(t, err)
	begin := func() error {
		_, err := h.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodTOTP, Name: "Phone", Password: adminPassword})
		return err
	}
	other := make(chan error, 1)
	tap.Before("INSERT INTO user_factors", func() {
		go func() { other <- begin() }()
		select {
		case err := <-other:
			other <- err
		case <-time.After(300 * time.Millisecond): // it waits for the revision
		}
	})
	require.NoError(t, begin())
	require.NoError(t, <-other)
	var begun int64
	require.NoError(t, db.Read(h.inside(t)).Model(&factors.Factor{}).Count(&begun).Error)
	require.EqualValues(t, 1, begun, "the later one has voided the one before")
}
