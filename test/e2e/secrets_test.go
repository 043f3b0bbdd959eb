package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/settings"
	"interlock/test/apptest"
)

// Proves G7.33.
func TestWeakSecretPreventsTheStartWithAdvice(t *testing.T) {
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	cases := map[string]struct {
		set  func(s *settings.Settings)
		says []string
	}{
		"a password of 11 characters": {
			func(s *settings.Settings) { s.AdminPassword = "elevenchars" },
			[]string{"at least 12 characters", "INTERLOCK_ADMIN_PASSWORD", "INTERLOCK_INSECURE_DEVELOPMENT"},
		},
		"one in a file": {
			func(s *settings.Settings) { s.AdminPassword, s.AdminPasswordFile = "", file("elevenchars\n") },
			[]string{"at least 12 characters", "INTERLOCK_ADMIN_PASSWORD_FILE"},
		},
		"a secret of 31 bytes": {
			func(s *settings.Settings) { s.CustomerJWTSecret = shopSecret[:31] },
			[]string{"31 bytes", "at least 32", "INTERLOCK_CUSTOMER_JWT_SECRET", "INTERLOCK_INSECURE_DEVELOPMENT"},
		},
		"one in a file too": {
			func(s *settings.Settings) { s.CustomerJWTSecretFile = file(shopSecret[:31] + "\n") },
			[]string{"31 bytes", "INTERLOCK_CUSTOMER_JWT_SECRET_FILE"},
		},
		"a file that is missing": {
			func(s *settings.Settings) { s.AdminPassword, s.AdminPasswordFile = "", "/nowhere/secret" },
			[]string{"INTERLOCK_ADMIN_PASSWORD_FILE", "/nowhere/secret"},
		},
		"an empty file": {
			func(s *settings.Settings) { s.CustomerJWTSecretFile = file("\n") },
			[]string{"INTERLOCK_CUSTOMER_JWT_SECRET_FILE", "is empty"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := apptest.Settings(t.TempDir())
			c.set(&s)
			err := app.New(s, "test").Start(t.Context())
			require.Error(t, err)
			for _, text := range c.says {
				require.ErrorContains(t, err, text)
			}
			require.NotContains(t, err.Error(), "elevenchars")
			require.NotContains(t, err.Error(), shopSecret[:31])
		})
	}
}

// Proves G7.33.
func TestInsecureDevelopmentAcceptsWeakSecrets(t *testing.T) {
	s := apptest.Settings(t.TempDir())
	s.AdminPassword, s.CustomerJWTSecret, s.InsecureDevelopment = "elevenchars", shopSecret[:31], true
	p := apptest.Start(t, s)
	answer := (&apptest.Caller{Program: p, HTTP: http.DefaultClient}).Do(t, http.MethodPost, "/api/v1/session", object{"username": "admin", "password": "elevenchars"})
	require.Equal(t, http.StatusCreated, answer.Status)
}

func TestSecretsAreReadFromFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"password": "correct horse battery\r\n", "shop": shopSecret + "\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	s := apptest.Settings(t.TempDir())
	s.AdminPassword, s.AdminPasswordFile = "", filepath.Join(dir, "password")
	s.CustomerJWTSecretFile = filepath.Join(dir, "shop")
	p := apptest.Start(t, s)
	answer := (&apptest.Caller{Program: p, HTTP: http.DefaultClient}).Do(t, http.MethodPost, "/api/v1/session", object{"username": "admin", "password": "correct horse battery"})
	require.Equal(t, http.StatusCreated, answer.Status)
	customer := customerOf(t, &apptest.Caller{Program: p, Tenant: "default", HTTP: http.DefaultClient}, "7")
	answer = customer.Do(t, http.MethodGet, "/api/v1/actions?entityType=item&entityId=tea", nil)
	require.Equal(t, http.StatusNotFound, answer.Status, "the customer is authenticated, and the item does not exist")
}
