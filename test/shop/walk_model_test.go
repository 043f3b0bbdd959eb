package shop

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/tier"
)

// walkOrders is the number of orders of a random walk.
const walkOrders = 4

// A walk performs random steps of a few orders, each paid in another way, with their payments, parcels,
// returns and refunds. After each step the order conserves money and units, and after the walk every
// promise is true. A failure is reported with the shortest walk that rapid finds.
// Proves G4.70.
func TestRandomWalksOfOrdersConserveMoneyAndStock(t *testing.T) {
	length := tier.Rounds(40, 200)
	require.NoError(t, flag.Set("rapid.checks", strconv.Itoa(tier.Rounds(30, 100))))
	t.Cleanup(func() { require.NoError(t, flag.Set("rapid.checks", "100")) })
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	steps, starts := slices.Sorted(maps.Keys(productSteps)), append(slices.Sorted(maps.Keys(explorations)), "unpaid")
	walks := 0
	rapid.Check(t, func(r *rapid.T) {
		walks++
		orders := make([]*trial, walkOrders)
		for i := range orders {
			user := principal.CustomerID(fmt.Sprintf("walker-%d-%d", walks, i))
			s.Fund(t, user, 100*modelPrice)
			orders[i] = s.trialOf(t, user, string(user), rapid.SampledFrom(starts).Draw(r, "start"))
		}
		var taken []string
		for range length {
			at, name := rapid.IntRange(0, walkOrders-1).Draw(r, "order"), rapid.SampledFrom(steps).Draw(r, "step")
			taken = append(taken, fmt.Sprint(name, " of ", at))
			orders[at].try(r, name, taken)
		}
		for _, tr := range orders {
			tr.check(r)
		}
	})
	require.Positive(t, walks)
	s.RequirePromises(t)
}
