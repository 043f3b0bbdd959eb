package access

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage/storagetest"
)

func TestUserCannotChooseACommonPassword(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	ctx := h.inside(t)
	admin, err := h.Users.UserNamed(ctx, "admin")
	require.NoError(t, err)
	session := h.mustSignIn(t)
	_, invitation := h.invite(t, "weidong")
	for _, password := range []string{"Password2026!", "Interlock-2026"} {
		for where, choose := range map[string]func() error{
			"own": func() error {
				_, err := h.Users.ChangePassword(h.as(t, session), admin, users.PasswordChange{Current: adminPassword, New: password})
				return err
			},
			"invitation": func() error {
				_, err := h.AcceptInvitation(anonymous(t), Acceptance{Token: invitation.Token, Password: password})
				return err
			},
		} {
			var refused *apperr.Error
			require.ErrorAs(t, choose(), &refused, where)
			require.Equal(t, apperr.ValidationFailed, refused.Code, where)
			require.Equal(t, "common", refused.Fields[0].Code, where)
			require.Contains(t, refused.Fields[0].Message, "must not", where)
		}
	}
	_, err = h.AcceptInvitation(anonymous(t), Acceptance{Token: invitation.Token, Password: "weidong-2026!"})
	require.ErrorContains(t, err, "username", "an attacker knows the username")
	_, err = h.signIn(t, "admin", adminPassword)
	require.NoError(t, err, "nothing was changed")
}

// An operator may have unknown reasons for a weak password, and the program must still start.
func TestCommonPasswordFromAdminIsLogged(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	ctx := h.inside(t)
	for where, give := range map[string]func(password string) error{
		"start": func(password string) error { _, err := h.CreateTenant(ctx, "another", password, ""); return err },
		"create": func(password string) error {
			_, err := h.AddUser(ctx, users.UserSpec{Username: "li", Password: password})
			return err
		},
		"command": func(password string) error {
			return h.Users.SetPassword(anonymous(t), h.tenant.Name, "admin", password)
		},
		"reset": func(password string) error {
			admin, err := h.Users.UserNamed(ctx, "admin")
			if err != nil {
				return err
			}
			_, err = h.ResetPassword(ctx, admin, users.PasswordReset{Password: password})
			return err
		},
	} {
		require.ErrorContains(t, give("elevenchars"), "at least 12 characters", where)
		log := captureLog(t)
		require.NoError(t, give("Password2026!"), where)
		require.Contains(t, log.String(), "must not be a common password", where)
		require.NotContains(t, log.String(), "Password2026!", where)
	}
}

func captureLog(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}
