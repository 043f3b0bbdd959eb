package racing

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Seeded returns the test's source of randomness. A failure prints how to repeat it.
func Seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("INTERLOCK_FAULT_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "INTERLOCK_FAULT_SEED")
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to repeat it: INTERLOCK_FAULT_SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}
