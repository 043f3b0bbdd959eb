package config

import "sync"

const (
	// maxSnapshots and maxSnapshotBytes bound what is remembered: some 20 MB.
	maxSnapshots     = 4096
	maxSnapshotBytes = 4 << 10
)

// snapshots remembers the newest version of configs that this process has written or
// shown, so that an edit of just that version need not read it again.
//
// What a config was at a version never changes, so a snapshot is never wrong about
// it. That it is still the newest version a snapshot cannot know; the guarded UPDATE
// decides that, and an edit that would not issue one reads the row.
type snapshots struct {
	mu    sync.RWMutex
	byKey map[snapshotKey]*Config
}

type snapshotKey struct {
	tenant int64
	key    string
}

func newSnapshots() *snapshots { return &snapshots{byKey: make(map[snapshotKey]*Config)} }

func (s *snapshots) recall(tenant int64, key string) *Config {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byKey[snapshotKey{tenant, key}]
}

// keep remembers a committed row, which nobody may change any more.
func (s *snapshots) keep(c *Config) {
	if len(c.Value)+len(c.Schema) > maxSnapshotBytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byKey) >= maxSnapshots {
		clear(s.byKey)
	}
	s.byKey[snapshotKey{c.TenantID, c.Key}] = c
}

func (s *snapshots) forget(tenant int64, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byKey, snapshotKey{tenant, key})
}
