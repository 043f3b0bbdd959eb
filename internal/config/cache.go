package config

import (
	"sync"

	"interlock/internal/base/epoch"
)

const (
	// maxCached and maxCachedBytes bound the cache to about 20 MB.
	maxCached      = 4096
	maxCachedBytes = 4 << 10
)

// cache stores the newest versions that this process has written or read, so that an edit based on
// such a version need not read it again.
//
// A version never changes within one epoch of the database, so an entry is always correct for its
// epoch; entries of other epochs are dropped. An entry may no longer be the newest version: the
// guarded UPDATE detects that, and an edit that would issue no UPDATE reads the row.
type cache struct {
	mu    sync.RWMutex
	epoch epoch.Epoch
	byKey map[cacheKey]*Config
}

type cacheKey struct {
	tenant int64
	key    string
}

func newCache() *cache { return &cache{byKey: make(map[cacheKey]*Config)} }

// enter drops the entries of other epochs.
func (c *cache) enter(in epoch.Epoch) {
	c.mu.RLock()
	entered := c.epoch == in
	c.mu.RUnlock()
	if entered {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch = in
	clear(c.byKey)
}

// get returns the cached config; nil if the cache has none for the epoch.
func (c *cache) get(in epoch.Epoch, tenant int64, key string) *Config {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.epoch != in {
		return nil
	}
	return c.byKey[cacheKey{tenant, key}]
}

// put adds a row that was committed or read in an epoch, unless the epoch has ended since. The row
// must not be modified afterwards.
func (c *cache) put(in epoch.Epoch, row *Config) {
	if len(row.Value)+len(row.Schema) > maxCachedBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if in == "" || in != c.epoch {
		return
	}
	if len(c.byKey) >= maxCached {
		clear(c.byKey)
	}
	c.byKey[cacheKey{row.TenantID, row.Key}] = row
}

func (c *cache) delete(tenant int64, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byKey, cacheKey{tenant, key})
}
