package config

import (
	"sync"

	"interlock/internal/base/epoch"
)

const (
	// maxSnapshots and maxSnapshotBytes bound what is remembered: some 20 MB.
	maxSnapshots     = 4096
	maxSnapshotBytes = 4 << 10
)

// snapshots remembers the newest version of configs that this process has written or
// shown, so that an edit of just that version need not read it again.
//
// What a config was at a version never changes while the database does not go back, so
// a snapshot is never wrong about it in the epoch that it is of; those of another one are
// forgotten. That it is still the newest version a snapshot cannot know; the guarded UPDATE
// decides that, and an edit that would not issue one reads the row.
type snapshots struct {
	mu    sync.RWMutex
	epoch epoch.Epoch
	byKey map[snapshotKey]*Config
}

type snapshotKey struct {
	tenant int64
	key    string
}

func newSnapshots() *snapshots { return &snapshots{byKey: make(map[snapshotKey]*Config)} }

// enter forgets what is of another epoch.
func (s *snapshots) enter(in epoch.Epoch) {
	s.mu.RLock()
	entered := s.epoch == in
	s.mu.RUnlock()
	if entered {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch = in
	clear(s.byKey)
}

// recall returns nil when nothing is remembered in an epoch.
func (s *snapshots) recall(in epoch.Epoch, tenant int64, key string) *Config {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.epoch != in {
		return nil
	}
	return s.byKey[snapshotKey{tenant, key}]
}

// keep remembers a row that was committed or read in an epoch. Nobody may change it any
// more. When the epoch has passed meanwhile it is not remembered.
func (s *snapshots) keep(in epoch.Epoch, c *Config) {
	if len(c.Value)+len(c.Schema) > maxSnapshotBytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in == "" || in != s.epoch {
		return
	}
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
