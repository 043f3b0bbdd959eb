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
	// workerTopic is the topic of messages between workers.
	workerTopic = "flash-sale-workers"
	// peerTimeout is the silence after which another worker continues a sale. The tickets
	// claimed by the silent worker are redelivered no later.
	peerTimeout = consumerLease
	// hintEvery is the minimum interval at which a process hints the worker of a sale that
	// a ticket was enqueued.
	hintEvery = 50 * time.Millisecond
	// manySales bounds the number of sales stored by a process without a worker, which does
	// not learn which sales are finished.
	manySales = 1000
)

// workerPeers stores which process works on which sale, as far as this process knows.
//
// Each sale has one worker among all processes, so that its cost does not grow with their
// number. They agree by heartbeats: the worker of a sale publishes one per round, the
// others skip the sale, and one of them continues it when the heartbeats stop. So a
// standby process costs nothing; a lock would have to be polled.
//
// A single worker is not guaranteed. Processes that cannot reach each other all work,
// safely: claims, guards and the gate allow any number of workers. When they reach each
// other again, the one that has worked longest continues.
type workerPeers struct {
	me    string
	clock clock.Clock

	mu     sync.Mutex
	owned  map[int64]time.Time // the time since when this process has worked on a sale
	peers  map[int64]peer
	hinted map[int64]time.Time

	// hints are sales with tickets that were enqueued here and that another process
	// handles.
	hints chan queued
	// queued are sales of this process's worker with tickets that were enqueued elsewhere.
	queued chan int64
}

// workerMessage is a message of a worker about a sale.
type workerMessage struct {
	Worker string      `json:"worker"`
	Kind   messageKind `json:"says"`
	// Since is the time since when the worker has worked on the sale.
	Since time.Time `json:"since,omitzero"`
}

type messageKind string

const (
	working       messageKind = "works"    // the worker works on the sale
	stopped       messageKind = "stops"    // the worker has stopped, and another one may take over
	ticketQueued  messageKind = "enqueued" // a ticket was enqueued in a process that does not work on the sale
	unitsReturned messageKind = "returned" // units were returned: the sale may no longer be sold out
)

// peer is the last message of another worker of a sale.
type peer struct {
	workerMessage

	lastSeen time.Time
}

// queued identifies a sale with an enqueued ticket.
type queued struct{ tenant, sale int64 }

func newWorkerPeers(now clock.Clock) *workerPeers {
	return &workerPeers{
		me: uuid.NewString(), clock: now,
		owned: make(map[int64]time.Time), peers: make(map[int64]peer), hinted: make(map[int64]time.Time),
		hints: make(chan queued, 64), queued: make(chan int64, 64),
	}
}

// claim makes this process the worker of a sale, and returns false if another one is.
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

// isAlive reports whether a worker has published a message recently. It is false if the
// clock was set back since.
func (p peer) isAlive(now time.Time) bool {
	waited := now.Sub(p.lastSeen)
	return waited >= 0 && waited < peerTimeout
}

// release ends this process's work on a sale, and reports whether it was the worker.
func (r *workerPeers) release(sale int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, owns := r.owned[sale]
	delete(r.owned, sale)
	return owns
}

// ownedSince returns the time since when this process has worked on a sale.
func (r *workerPeers) ownedSince(sale int64) (since time.Time, owns bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	since, owns = r.owned[sale]
	return since, owns
}

// retain removes the workers of all other sales.
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

// untilSilent returns the time until the next worker without heartbeats must be replaced,
// at most longest.
func (r *workerPeers) untilSilent(longest time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	for _, other := range r.peers {
		longest = min(longest, peerTimeout-now.Sub(other.lastSeen))
	}
	return max(longest, 0)
}

// hint schedules a message about an enqueued ticket to the worker of a sale, if it is in
// another process.
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

// read decodes a message and its sale; ok is false for this process's own messages.
func (r *workerPeers) read(event events.Event) (sale int64, said workerMessage, ok bool) {
	sale, err := strconv.ParseInt(event.Key, 10, 64)
	ok = err == nil && json.Unmarshal(event.Payload, &said) == nil && said.Worker != r.me
	return sale, said, ok
}

// handle processes another worker's message, and reports whether this process's worker
// should run a round now.
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

// publishWorker sends a message about a sale to the other workers. It may be lost.
func (s *core) publishWorker(ctx context.Context, tenant, sale int64, said workerMessage) {
	said.Worker = s.peers.me
	payload, err := json.Marshal(said)
	if err == nil {
		err = s.bus.Publish(ctx, events.Event{Topic: workerTopic, Tenant: tenant, Key: strconv.FormatInt(sale, 10), Payload: payload})
	}
	if err != nil && ctx.Err() == nil {
		slog.DebugContext(ctx, "flash sale: worker message not sent", "sale", sale, "kind", said.Kind, "error", err)
	}
}

// ticketQueued wakes the worker of a sale for an enqueued ticket, whichever process it is
// in.
func (s *core) ticketQueued(tenant, sale int64) {
	if !s.peers.hint(tenant, sale) && s.resting.CompareAndSwap(true, false) {
		s.wakeWorker()
	}
}
