package contract_test

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// shop is a tenant with many rows, and a caller with all read permissions.
type shop struct {
	*apptest.Caller
	tenant int64
}

// newShop fills a new tenant.
func newShop(t *testing.T, p *apptest.Program, rows func(table) int) shop {
	t.Helper()
	caller := p.Admin(t)
	// Other tests check the responses against the contract, which takes time.
	caller.HTTP = apptest.Client
	ctx, err := p.Services().Access.Tenants.InTenant(t.Context(), caller.Tenant)
	require.NoError(t, err)
	who, _ := principal.From(ctx)
	require.NoError(t, fillShop(t.Context(), p.Services().DB, who.TenantID, rows))
	return shop{caller, who.TenantID}
}

// requests returns all list requests of the contract, for this shop.
func (s shop) requests(t *testing.T) []request {
	t.Helper()
	contract, err := openapi3.NewLoader().LoadFromFile("../../api/openapi.yaml")
	require.NoError(t, err)
	var campaign int64
	pool := s.Program.Services().DB.Pools()["read"]
	require.NoError(t, pool.QueryRowContext(t.Context(), "SELECT MIN(id) + 17 FROM coupon_campaigns WHERE tenant_id = ?", s.tenant).Scan(&campaign))
	all, err := requests(contract, httpapi.Base, func(value string) string {
		if days, ok := strings.CutPrefix(value, "{day-"); ok {
			ago, err := strconv.ParseFloat(strings.TrimSuffix(days, "}"), 64)
			require.NoError(t, err)
			return time.Now().UTC().Add(-time.Duration(ago * 24 * float64(time.Hour))).Format(time.RFC3339)
		}
		return strings.ReplaceAll(value, "{campaign}", fmt.Sprint(campaign))
	})
	require.NoError(t, err)
	require.Greater(t, len(all), 500, "the contract has many lists")
	return all
}

// ask sends a request and returns the cursor of the next page.
func (s shop) ask(ctx context.Context, t *testing.T, r request, more url.Values) (next string) {
	t.Helper()
	query := url.Values{}
	for _, part := range []url.Values{r.query, more} {
		for name, value := range part {
			query[name] = value
		}
	}
	answer, err := s.Try(ctx, "GET", r.path+"?"+query.Encode(), nil)
	require.NoError(t, err)
	require.Equal(t, 200, answer.Status, "%s: %s", r, answer.Body)
	next, _ = answer.JSON(t)["nextCursor"].(string)
	return next
}
