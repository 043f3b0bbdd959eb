package idempotency

import (
	"slices"
	"sync"
	"time"

	"interlock/internal/base/epoch"
	"interlock/internal/edge/httpapi"
)

// memorySize is the approximate limit of the process's memory, in bytes. Each generation has half
// of it.
const memorySize = 16 << 20

// answer is the part of a record that a replay needs. Replays share it; it is immutable.
type answer struct {
	seenRecord
	// request is the fingerprint of the request.
	request fingerprint
	// spelling is that of a request with this fingerprint; zero if it is unknown.
	spelling fingerprint
	method   string
	path     string
	reply    httpapi.StoredReply
}

// size is the approximate size in bytes.
func (a *answer) size() int {
	const ofItself = 512
	return ofItself + len(a.path) + len(a.reply.Body)
}

// scopedKey is an idempotency key with its tenant and scope.
type scopedKey struct {
	tenant int64
	scope  string
	key    string
}

// memory caches committed records in the process, because a repeat often reaches the same process
// soon. Records are immutable until they expire, so a cached one is valid until then, unless the
// database is restored from a backup: the cache therefore belongs to one epoch and is cleared in
// another. put ignores the results of an attempt that started in an earlier epoch.
//
// The cache has two generations. put adds to the young one, and get moves entries from the old one
// to it. When the young one is full it becomes the old one, and the entries of the old one that
// were not read since are evicted.
type memory struct {
	mu            sync.Mutex
	epoch         epoch.Epoch
	young, old    map[scopedKey]*answer
	sizeOfYounger int
	seenRecords   seenRecords
}

// get returns nil if the key is not cached in the given epoch or has expired. A new epoch clears
// the cache.
func (m *memory) get(in epoch.Epoch, at scopedKey, now time.Time) *answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.epoch != in {
		m.epoch, m.young, m.old, m.sizeOfYounger, m.seenRecords = in, nil, nil, 0, nil
	}
	stored := m.young[at]
	if stored == nil {
		if stored = m.old[at]; stored == nil {
			return nil
		}
		m.add(at, stored)
	}
	if !now.Before(stored.until) {
		return nil
	}
	return stored
}

// put caches a record that was committed or read in an epoch.
func (m *memory) put(in epoch.Epoch, at scopedKey, stored *answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in == "" || in != m.epoch {
		return
	}
	m.add(at, stored)
	m.seenRecords.add(stored.seenRecord)
}

// noteSeen adds a committed record to seenRecords without caching its reply.
func (m *memory) noteSeen(in epoch.Epoch, s seenRecord) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in != "" && in == m.epoch {
		m.seenRecords.add(s)
	}
}

// seen returns the records that were seen in an epoch and have not expired.
func (m *memory) seen(in epoch.Epoch, now time.Time) []seenRecord {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in != m.epoch {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.seenRecords), func(s seenRecord) bool { return !now.Before(s.until) })
}

// pruneSeen drops most of the records that a check found in the database.
func (m *memory) pruneSeen(in epoch.Epoch, found []seenRecord) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in == m.epoch {
		m.seenRecords.prune(found)
	}
}

// add adds a record to the young generation. It requires mu.
func (m *memory) add(at scopedKey, stored *answer) {
	if m.young == nil || m.sizeOfYounger+stored.size() > memorySize/2 {
		m.young, m.old, m.sizeOfYounger = make(map[scopedKey]*answer), m.young, 0
	}
	m.young[at] = stored
	m.sizeOfYounger += stored.size()
}

// inFlight is the set of running attempts of this process. A concurrent repeat is rejected without
// a request to Redis for the lease.
type inFlight struct {
	mu   sync.Mutex
	keys map[scopedKey]struct{}
}

// enter returns false if another attempt with the key is running.
func (f *inFlight) enter(at scopedKey) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, runs := f.keys[at]; runs {
		return false
	}
	if f.keys == nil {
		f.keys = make(map[scopedKey]struct{})
	}
	f.keys[at] = struct{}{}
	return true
}

func (f *inFlight) leave(at scopedKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.keys, at)
}
