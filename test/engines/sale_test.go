//go:build engines

package engines_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
	"interlock/test/burst"
)

// The crowd of each sale.
const (
	rushUnits  = 600
	rushBuyers = 4000
	// rushCrowd is the number of concurrent buyers: so few that the sale lasts longer than
	// the failure.
	rushCrowd = 8
	// rushPace is the number of tickets that become orders per second: the others are only
	// in Redis.
	rushPace = 60
	// slowPace is the pace of a sale that must outlast a failure and the recovery.
	slowPace = 30
)

// openSale opens a sale of a new tenant, with a crowd at every replica. pace is the number
// of tickets that become orders per second.
func openSale(t *testing.T, programs []*apptest.Program, pace int) *burst.Sale {
	t.Helper()
	sellers := everywhere(t, programs)
	sale := burst.Open(t, rushUnits, rushBuyers, sellers...)
	sale.Crowd = rushCrowd
	planned := sellers[0].Do(t, http.MethodGet, httpapi.Base+sale.Path, nil)
	paced := sellers[0].Do(t, http.MethodPatch, httpapi.Base+sale.Path, map[string]any{"rate": pace}, "If-Match", planned.Header.Get("ETag"))
	require.Equal(t, http.StatusOK, paced.Status, "%s", paced.Body)
	return sale
}

// underASale causes a failure while a crowd buys. It checks that exactly the units of the sale are
// sold, that each ticket is one order, and that the counts are balanced throughout.
func underASale(t *testing.T, programs []*apptest.Program, breaking func()) {
	t.Helper()
	sale := openSale(t, programs, slowPace)
	var rush sync.WaitGroup
	rush.Go(func() { sale.Rush(t) })
	sale.Await(t, t.Context(), rushUnits/4)
	breaking()
	rush.Wait()
	sale.Verify(t)
}
