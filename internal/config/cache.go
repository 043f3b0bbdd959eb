package config

import (
	"sync"

	"interlock/internal/base/epoch"
)

const (
	// maxCached and maxCachedBytes bound the cache: some 20 MB.
	maxCached      = 4096
	maxCachedBytes = 4 << 10
)

// cache holds the newest version of configs that this process has written or read, so
// that an edit of just that version need not read it again.
//
// What a config was at a version never changes while the database does not go back, so
// an entry is never wrong about it in the epoch that it is of; those of another one are
// dropped. That it is still the newest version a cache cannot know; the guarded UPDATE
// decides that, and an edit that would not issue one reads the row.
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

// enter drops what is of another epoch.
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

// get returns nil when there is no entry of the epoch.
func (c *cache) get(in epoch.Epoch, tenant int64, key string) *Config {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.epoch != in {
		return nil
	}
	return c.byKey[cacheKey{tenant, key}]
}

// put adds a row that was committed or read in an epoch, if that has not passed
// meanwhile. Nobody may change the row any more.
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
