package client_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/smalldisk"
	"interlock/test/tier"
)

// Proves D10.
func TestFullDiskRejectsOutboxEntriesAndLosesNone(t *testing.T) {
	tier.Nightly(t)
	disk := smalldisk.New(t, "1m")
	path := filepath.Join(disk.Path, "outbox")
	box := openBox(t, path)
	taken, refused := []string{}, 0
	add := func(n int) {
		for range n {
			id := fmt.Sprintf("entry-%d", len(taken)+refused)
			err := box.Add(id, strings.Repeat(id, 300))
			if err == nil {
				taken = append(taken, id)
				continue
			}
			require.ErrorIs(t, err, syscall.ENOSPC)
			refused++
		}
	}
	for range 5 {
		add(10)
		disk.Fill(t)
		add(10)
		disk.Free(t)
	}
	require.GreaterOrEqual(t, refused, 40, "a page may have had room for one")
	require.NoError(t, box.Close())
	box = openBox(t, path)
	add(1)
	ids := []string{}
	for _, e := range drained(t, box) {
		require.Equal(t, strings.Repeat(e.ID, 300), e.Value)
		ids = append(ids, e.ID)
	}
	require.Equal(t, taken, ids)
}
