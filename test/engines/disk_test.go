//go:build engines

package engines_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
	"interlock/test/smalldisk"
	"interlock/test/traffic"
)

// TestFullGaleraDiskLosesAndDoublesNoWrite fills the disk of the server
// that a replica of the service writes to. The server rejects writes until it can no longer
// apply the writes of the other servers either, and leaves the cluster. With free space it
// joins again and receives a full copy.
func TestFullGaleraDiskLosesAndDoublesNoWrite(t *testing.T) {
	disk := smalldisk.New(t, "256m")
	s := newStorm(t, cluster(t, 3, func(i int, n *node) {
		if i == 0 {
			n.directory = filepath.Join(disk.Path, n.name)
		}
	}), preferring)
	full := s.nodes[0]
	for range stormRounds {
		underASale(t, s.programs, func() {
			disk.Fill(t)
			filled := clock.Mark()
			s.awaitAny(t, s.others(full), 2)
			t.Logf("it left the others %v after its disk was full", clock.Since(filled))
			s.traffic.RequireWrites(t, "a full disk")
			disk.Free(t)
			full.kill(t)
			s.rejoin(t, full, false)
		})
	}
	s.end(t)
}

// TestServiceContinuesWithAFullRedisDisk fills the disk of a Redis during the rush
// of a sale, so that Redis rejects every write. The service waits for a Redis without
// replicas: requests without Redis succeed, and the others do once there is free space. A
// Redis that Sentinels watch also rejects their commands: they consider it failed, and a
// replica replaces it.
func TestServiceContinuesWithAFullRedisDisk(t *testing.T) {
	for name, kind := range map[string]struct {
		rounds int
		start  func(t *testing.T, disk *smalldisk.Disk) redundant
	}{
		"alone": {2, func(t *testing.T, disk *smalldisk.Disk) redundant {
			server := redistest.NewServer(t, "--dir", disk.Path)
			return redundant{url: server.URL(), servers: []*redistest.Server{server}}
		}},
		"sentinel": {1, func(t *testing.T, disk *smalldisk.Disk) redundant {
			return watched(t, redistest.NewServer(t, "--dir", disk.Path))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			disk := smalldisk.New(t, "64m")
			r := kind.start(t, disk)
			database := storagetest.NewMariaDBURL(t)
			programs := []*apptest.Program{replica(t, database, r.url), replica(t, database, r.url)}
			f := traffic.Begin(t, everywhere(t, programs)...)
			f.RequireWrites(t, "nothing")
			for range kind.rounds {
				fillRedis(t, f, programs, r, disk)
			}
			f.End()
			t.Logf("the slowest write after each: %v", f.Slowest())
			verify(t, f, programs, database)
		})
	}
}

func fillRedis(t *testing.T, f *traffic.Traffic, programs []*apptest.Program, r redundant, disk *smalldisk.Disk) {
	sale := openSale(t, programs, rushPace)
	var rush sync.WaitGroup
	rush.Go(func() { sale.Rush(t) })
	sale.Await(t, t.Context(), rushUnits/4)
	master := r.servers[0]
	client := redistest.Connect(t, master.URL())
	disk.Fill(t)
	require.Eventually(t, func() bool {
		err := client.Set(t.Context(), "room", strings.Repeat("x", 4096), time.Second).Err()
		return err != nil && strings.HasPrefix(err.Error(), "MISCONF")
	}, patience, 20*time.Millisecond, "Redis reports that its disk is full")
	after := "room on the disk of a Redis"
	if r.awaitPromotion != nil {
		after = "a replica replaces a Redis with a full disk"
		r.awaitPromotion(t, master)
	} else {
		for range 5 {
			clock.Sleep(t.Context(), time.Second)
			f.RequireWrites(t, "a full disk of Redis", "edit")
		}
		disk.Free(t)
		require.Eventually(t, func() bool { return client.Set(t.Context(), "room", "", time.Second).Err() == nil }, patience, 20*time.Millisecond)
	}
	began, sold := clock.Mark(), sale.Accepted()
	f.RequireWrites(t, after, "order", "entry", "edit")
	sale.Await(t, t.Context(), min(sold+1, rushUnits))
	f.Note(after+", to a purchase", clock.Since(began))
	require.LessOrEqual(t, clock.Since(began), traffic.Soon)
	rush.Wait()
	if r.awaitPromotion == nil {
		sale.Verify(t)
		return
	}
	sale.VerifyAfterLoss(t)
	disk.Free(t)
	master.AwaitMaster(t)
}
