package idempotency

import (
	"slices"
	"sync"
	"time"

	"interlock/internal/base/epoch"
	"interlock/internal/edge/httpapi"
)

// memorySize bounds what this process remembers, in bytes, roughly: half of it is given
// up when the other half is full.
const memorySize = 16 << 20

// answer is what a replay needs of a record. It is shared by replays and never changed.
type answer struct {
	seenRecord
	// request is the fingerprint of the request.
	request fingerprint
	method  string
	path    string
	reply   httpapi.StoredReply
}

// size is about how many bytes an answer takes.
func (a *answer) size() int {
	const ofItself = 512
	return ofItself + len(a.path) + len(a.reply.Body)
}

// scopedKey is an idempotency key with whose it is.
type scopedKey struct {
	tenant int64
	scope  string
	key    string
}

// memory is what this process remembers of committed records: a repeat often comes to
// who answered the first attempt, and soon. A record is never changed and only deleted
// once it has expired, so what is remembered cannot be wrong before that, unless the
// database goes back: it is remembered for one epoch, and forgotten in another. What an
// attempt has found out in an epoch that has passed meanwhile is not remembered at all.
//
// It has two generations. New answers go into the younger, and those of the older that
// are asked for move there; when the younger is full it becomes the older one, and what
// was in that and not asked for is forgotten.
type memory struct {
	mu            sync.Mutex
	epoch         epoch.Epoch
	young, old    map[scopedKey]*answer
	sizeOfYounger int
	seenRecords   seenRecords
}

// get returns nil when nothing is remembered in an epoch, or its time is up. What was
// remembered in another one is forgotten.
func (m *memory) get(in epoch.Epoch, at scopedKey, now time.Time) *answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.epoch != in {
		m.epoch, m.young, m.old, m.sizeOfYounger, m.seenRecords = in, nil, nil, 0, nil
	}
	kept := m.young[at]
	if kept == nil {
		if kept = m.old[at]; kept == nil {
			return nil
		}
		m.add(at, kept)
	}
	if !now.Before(kept.until) {
		return nil
	}
	return kept
}

// put remembers what was committed or read in an epoch.
func (m *memory) put(in epoch.Epoch, at scopedKey, kept *answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in == "" || in != m.epoch {
		return
	}
	m.add(at, kept)
	m.seenRecords.add(kept.seenRecord)
}

// noteSeen remembers that a record was committed in an epoch, and no answer of it.
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

// pruneSeen drops most of the records that were found in the database.
func (m *memory) pruneSeen(in epoch.Epoch, found []seenRecord) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in == m.epoch {
		m.seenRecords.prune(found)
	}
}

// add is called with mu held.
func (m *memory) add(at scopedKey, kept *answer) {
	if m.young == nil || m.sizeOfYounger+kept.size() > memorySize/2 {
		m.young, m.old, m.sizeOfYounger = make(map[scopedKey]*answer), m.young, 0
	}
	m.young[at] = kept
	m.sizeOfYounger += kept.size()
}

// inFlight is the attempts of this process that have not ended: a repeat that comes
// meanwhile need not ask Redis for the lease that this process has.
type inFlight struct {
	mu   sync.Mutex
	keys map[scopedKey]struct{}
}

// enter reports false when another attempt runs.
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
