package claim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/claim"
	"interlock/internal/base/clock"
)

func TestSecondFileClaimIsRejectedWithItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "interlock.db")
	clk := clock.NewFake(time.Date(2026, 11, 21, 8, 0, 5, 0, time.UTC))
	first, err := claim.File(path, "all", clk)
	require.NoError(t, err)
	_, err = claim.File(path, "worker", clk)
	require.EqualError(t, err, fmt.Sprintf("another `admin serve` is running on %s (process %d on %s (role all), since 2026-11-21 08:00:05 UTC); "+
		"stop it, or give this one its own INTERLOCK_DATA_DIR", path, os.Getpid(), claim.Self().Host))

	// The file is empty between the lock and the write of its holder.
	require.NoError(t, os.Truncate(path+".serve", 0))
	_, err = claim.File(path, "all", clk)
	require.ErrorContains(t, err, "is running on "+path+"; stop it")

	first.Release()
	next, err := claim.File(path, "worker", clk)
	require.NoError(t, err)
	next.Release()
}
