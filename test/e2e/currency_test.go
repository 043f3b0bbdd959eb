package e2e_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/access"
	"interlock/internal/access/tenants"
	"interlock/internal/app"
	"interlock/test/apptest"
)

// The amounts in the database are in minor units of the currency of the first start. Another
// currency would change their value.
func TestStartWithAnotherCurrencyFails(t *testing.T) {
	for _, engine := range bothEngines {
		t.Run(engine, func(t *testing.T) {
			s := apptest.Settings(t.TempDir())
			s.Currency = "JPY"
			if engine == "mariadb" {
				s.DatabaseURL, s.EncryptionKeys = newDatabase(t), []string{apptest.EncryptionKey}
			}
			t.Run("first start", func(t *testing.T) {
				p := apptest.Start(t, s)
				requireCurrency(t, p.Caller(t, tenants.DefaultTenant), "JPY", 0)
				requireCurrency(t, p.Admin(t), "JPY", 0)
				_, err := p.Services().Access.CreateTenant(t.Context(), "kuwait", apptest.AdminPassword, "KWD")
				require.NoError(t, err)
				requireCurrency(t, p.Caller(t, "kuwait"), "KWD", 3)
			})
			s.Currency = "EUR"
			err := app.New(s, "test").Start(t.Context())
			require.ErrorIs(t, err, access.ErrOtherCurrency)
			require.ErrorContains(t, err, "--currency (INTERLOCK_CURRENCY) is EUR, and the amounts of the tenant default are in JPY")

			s.Currency = ""
			p := apptest.Start(t, s)
			requireCurrency(t, p.Caller(t, tenants.DefaultTenant), "JPY", 0)
			requireCurrency(t, p.Caller(t, "kuwait"), "KWD", 3)
		})
	}
}

// requireCurrency checks the currency in the session, the settings and a record with an amount, for
// an API token and for a session.
func requireCurrency(t *testing.T, token *apptest.Caller, currency string, digits int) {
	t.Helper()
	for name, c := range map[string]*apptest.Caller{"token": token, "session": underContract(t, token.SignedIn(t))} {
		session := c.Do(t, "GET", "/api/v1/session", nil).JSON(t)
		if name == "session" {
			require.Equal(t, []any{currency, float64(digits)}, []any{session["currency"], session["minorDigits"]})
		}
		item := c.Do(t, "POST", "/api/v1/items", object{"sku": "TEA-" + name, "name": "Tea", "price": 1990})
		require.Contains(t, []int{http.StatusCreated, http.StatusConflict}, item.Status, "%s", item.Body)
		require.Equal(t, currency, c.Do(t, "GET", "/api/v1/items/TEA-"+name, nil).JSON(t)["currency"])
		settings := c.Do(t, "GET", "/api/v1/settings", nil).JSON(t)
		require.Equal(t, currency, settings["currency"])
		edited := c.Do(t, "PATCH", "/api/v1/settings", object{"currency": "USD"}, "If-Match", settings["etag"].(string))
		require.Equal(t, http.StatusBadRequest, edited.Status, "%s", edited.Body)
	}
}
