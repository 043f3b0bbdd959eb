package idempotency

import (
	"sync"
	"time"

	"interlock/internal/httpapi"
)

// memorySize bounds what this process remembers, in bytes, roughly: half of it is given
// up when the other half is full.
const memorySize = 16 << 20

// answer is what a replay needs of a record. It is shared by replays and never changed.
type answer struct {
	id      int64
	print   fingerprint
	method  string
	path    string
	reply   httpapi.Kept
	expires time.Time
}

// size is about how many bytes an answer takes.
func (a *answer) size() int {
	const ofItself = 512
	return ofItself + len(a.path) + len(a.reply.Body)
}

// place is where an answer is.
type place struct {
	tenant int64
	scope  string
	key    string
}

// memory is what this process remembers of committed records: a repeat often comes to
// who answered the first attempt, and soon. A record is never changed and only deleted
// once it has expired, so what is remembered cannot be wrong before that.
//
// It has two generations. New answers go into the younger, and those of the older that
// are asked for move there; when the younger is full it becomes the older one, and what
// was in that and not asked for is forgotten.
type memory struct {
	mu            sync.Mutex
	young, old    map[place]*answer
	sizeOfYounger int
}

// get returns nil when nothing is remembered, or its time is up.
func (m *memory) get(at place, now time.Time) *answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.young[at]
	if kept == nil {
		if kept = m.old[at]; kept == nil {
			return nil
		}
		m.add(at, kept)
	}
	if !now.Before(kept.expires) {
		return nil
	}
	return kept
}

func (m *memory) put(at place, kept *answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(at, kept)
}

// add is called with mu held.
func (m *memory) add(at place, kept *answer) {
	if m.young == nil || m.sizeOfYounger+kept.size() > memorySize/2 {
		m.young, m.old, m.sizeOfYounger = make(map[place]*answer), m.young, 0
	}
	m.young[at] = kept
	m.sizeOfYounger += kept.size()
}

// running is the attempts of this process that have not ended: a repeat that comes
// meanwhile need not ask Redis for the lease that this process has.
type running struct {
	mu     sync.Mutex
	places map[place]struct{}
}

// enter reports false when another attempt runs.
func (r *running) enter(at place) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, runs := r.places[at]; runs {
		return false
	}
	if r.places == nil {
		r.places = make(map[place]struct{})
	}
	r.places[at] = struct{}{}
	return true
}

func (r *running) leave(at place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.places, at)
}
