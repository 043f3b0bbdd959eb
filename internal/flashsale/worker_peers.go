package flashsale

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/clock"
	"interlock/internal/events"
)

const (
	// workerTopic carries what workers tell each other.
	workerTopic = "flash-sale-workers"
	// peerTimeout is how long a worker may be silent before another one takes its sale over. The
	// tickets that the silent one had claimed come back as late.
	peerTimeout = consumerLease
	// hintEvery bounds how often a process that does not work on a sale tells the one that does
	// that a ticket was enqueued.
	hintEvery = 50 * time.Millisecond
	// manySales is how many sales a process remembers that has no worker to tell it which are over.
	manySales = 1000
)

// workerPeers knows which process works on which sale, as far as this process was told.
//
// Each sale has one worker among all processes, so that what it costs does not grow with their
// number. They agree by heartbeats: the worker of a sale publishes one each round, the others leave
// the sale alone, and one of them takes it over when the heartbeats end. So a process that stands by
// costs nothing, where it would have to ask for a lock again and again.
//
// It is no promise that there is only one. Processes that do not reach each other each work, as
// safely as before: claims, guards and the gate allow any number of them. When they reach each other
// again, the one that has worked longest goes on.
type workerPeers struct {
	me    string
	clock clock.Clock

	mu     sync.Mutex
	owned  map[int64]time.Time // since when this process has worked on a sale
	peers  map[int64]peer
	hinted map[int64]time.Time

	// hints are the sales of which tickets were enqueued here that another process is to handle.
	hints chan queued
	// queued are the sales of this process's worker of which tickets were enqueued elsewhere.
	queued chan int64
}

// workerMessage is what a worker publishes about a sale.
type workerMessage struct {
	Worker string      `json:"worker"`
	Kind   messageKind `json:"says"`
	// Since is since when it has worked on the sale.
	Since time.Time `json:"since,omitzero"`
}

type messageKind string

const (
	working       messageKind = "works"    // works on the sale
	stopped       messageKind = "stops"    // works no longer, and another one is to take over
	ticketQueued  messageKind = "enqueued" // a ticket was enqueued, while another one works
	unitsReturned messageKind = "returned" // units came back: the sale may be sold out no more
)

// peer is the last message of another worker of a sale.
type peer struct {
	workerMessage

	heardAt time.Time
}

// queued says of which sale a ticket was enqueued.
type queued struct{ tenant, sale int64 }

func newWorkerPeers(now clock.Clock) *workerPeers {
	return &workerPeers{
		me: uuid.NewString(), clock: now,
		owned: make(map[int64]time.Time), peers: make(map[int64]peer), hinted: make(map[int64]time.Time),
		hints: make(chan queued, 64), queued: make(chan int64, 64),
	}
}

// claim has this process work on a sale, and reports false when another one does.
func (r *workerPeers) claim(sale int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	since, owns := r.owned[sale]
	if other, ok := r.peers[sale]; ok && other.isAlive(now) && !(owns && r.precedes(since, other.workerMessage)) {
		delete(r.owned, sale)
		return false
	}
	if !owns {
		r.owned[sale] = now
	}
	return true
}

// precedes reports whether this process has worked on a sale for longer than another.
func (r *workerPeers) precedes(since time.Time, other workerMessage) bool {
	if since.Equal(other.Since) {
		return r.me < other.Worker
	}
	return since.Before(other.Since)
}

// isAlive reports whether a worker has published something lately. It does not count as alive when
// the clock was set back since.
func (p peer) isAlive(now time.Time) bool {
	waited := now.Sub(p.heardAt)
	return waited >= 0 && waited < peerTimeout
}

// release ends this process's work on a sale, and reports whether it worked on it.
func (r *workerPeers) release(sale int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, owns := r.owned[sale]
	delete(r.owned, sale)
	return owns
}

// ownedSince returns since when this process has worked on a sale.
func (r *workerPeers) ownedSince(sale int64) (since time.Time, owns bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	since, owns = r.owned[sale]
	return since, owns
}

// retain forgets the workers of all other sales than these.
func (r *workerPeers) retain(sales map[int64]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for sale := range r.peers {
		if !sales[sale] {
			delete(r.peers, sale)
			delete(r.hinted, sale)
		}
	}
}

// untilSilent returns how long it takes until the next worker that publishes nothing any more is to
// be replaced, at most longest.
func (r *workerPeers) untilSilent(longest time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	for _, other := range r.peers {
		longest = min(longest, peerTimeout-now.Sub(other.heardAt))
	}
	return max(longest, 0)
}

// hint has the worker of a sale told that a ticket was enqueued, if it is in another process.
func (r *workerPeers) hint(tenant, sale int64) (elsewhere bool) {
	r.mu.Lock()
	_, owns := r.owned[sale]
	now := r.clock.Now()
	due := !owns && now.Sub(r.hinted[sale]).Abs() >= hintEvery
	if due {
		if len(r.hinted) >= manySales {
			clear(r.hinted)
		}
		r.hinted[sale] = now
	}
	r.mu.Unlock()
	if due {
		select {
		case r.hints <- queued{tenant, sale}:
		default:
		}
	}
	return !owns
}

// read returns what another process says of which sale, and false of this one's own words.
func (r *workerPeers) read(event events.Event) (sale int64, said workerMessage, ok bool) {
	sale, err := strconv.ParseInt(event.Key, 10, 64)
	ok = err == nil && json.Unmarshal(event.Payload, &said) == nil && said.Worker != r.me
	return sale, said, ok
}

// handle takes note of another worker's message, and reports whether the worker of this process is
// to look at the sales now.
func (r *workerPeers) handle(sale int64, said workerMessage) (look bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	since, owns := r.owned[sale]
	switch said.Kind {
	case working:
		now := r.clock.Now()
		if len(r.peers) >= manySales {
			maps.DeleteFunc(r.peers, func(_ int64, other peer) bool { return !other.isAlive(now) })
		}
		r.peers[sale] = peer{said, now}
		return owns && !r.precedes(since, said)
	case stopped:
		other, known := r.peers[sale]
		delete(r.peers, sale)
		return known && other.Worker == said.Worker && !owns
	case ticketQueued:
		if owns {
			select {
			case r.queued <- sale:
			default:
			}
		}
	}
	return false
}

// publishWorker sends the other workers a message about a sale. It may be lost.
func (s *core) publishWorker(ctx context.Context, tenant, sale int64, said workerMessage) {
	said.Worker = s.peers.me
	payload, err := json.Marshal(said)
	if err == nil {
		err = s.bus.Publish(ctx, events.Event{Topic: workerTopic, Tenant: tenant, Key: strconv.FormatInt(sale, 10), Payload: payload})
	}
	if err != nil && ctx.Err() == nil {
		slog.DebugContext(ctx, "the workers of other processes were not told", "sale", sale, "kind", said.Kind, "error", err)
	}
}

// ticketQueued sees to it that a ticket is handled soon, whichever process works on the sale.
func (s *core) ticketQueued(tenant, sale int64) {
	if !s.peers.hint(tenant, sale) && s.resting.CompareAndSwap(true, false) {
		s.wakeWorker()
	}
}
