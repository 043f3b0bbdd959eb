package e2e_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// Proves G7.35.
func TestRejectedSignInsAndRequestsAreAuditedAndMeasured(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		admin := p.Admin(t)
		reader := p.Caller(t, admin.Tenant, "configs:read")
		b := browser(t, p)
		for range 6 {
			b.Do(t, http.MethodPost, "/api/v1/session", object{"tenant": admin.Tenant, "username": "admin", "password": "wrong horse"})
		}
		b.Do(t, http.MethodPost, "/api/v1/session", object{"tenant": admin.Tenant, "username": "correct horse", "password": "x"})
		requireProblem(t, reader.Do(t, http.MethodGet, "/api/v1/orders", nil), http.StatusForbidden, "forbidden")
		require.NoError(t, p.Services().Refusals.Flush(t.Context()))

		// The counts are summed, because the program also writes once a minute, possibly
		// during this test.
		counts := map[string]float64{}
		for _, action := range []string{"session.refuse", "request.refuse"} {
			for _, row := range read(t, admin, "/api/v1/audit-log?action="+action)["items"].([]any) {
				detail := row.(object)["detail"].(object)
				counts[detail["code"].(string)] += detail["count"].(float64)
				for _, from := range detail["origins"].([]any) {
					require.NotEqual(t, "correct horse", from.(object)["who"], "a password that was typed as a username is not shown")
				}
			}
		}
		require.Equal(t, map[string]float64{"invalid_credentials": 6, "too_many_attempts": 1, "forbidden": 1}, counts)

		metrics := reader.Do(t, http.MethodGet, "/metrics", nil)
		for code := range counts {
			require.Contains(t, string(metrics.Body), `interlock_refusals_total{code="`+code+`"}`)
		}
	})
}
