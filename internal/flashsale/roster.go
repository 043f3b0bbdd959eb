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
	// silence is after how long without a word another worker takes a sale over. The tickets
	// that the silent one had claimed come back as late.
	silence = consumerLease
	// hintEvery bounds how often a process that does not work on a sale tells the one that does
	// that a ticket was enqueued.
	hintEvery = 50 * time.Millisecond
	// manySales is how many sales a process remembers that has no worker to tell it which are over.
	manySales = 1000
)

// roster is who works on which sale, as far as this process has heard.
//
// Each sale has one worker among all processes, so that what it costs does not grow with their
// number. They agree by telling, not by asking: the worker of a sale says so each round, whoever
// hears it leaves the sale alone, and takes it over when it has been silent. So those that stand
// by cost nothing, where a lock would be asked for again and again.
//
// It is no promise that there is only one. Processes that do not hear each other each work, as
// safely as before: claims, guards and the gate let any number of them. When they hear each other
// again, the one that has worked longest goes on.
type roster struct {
	me    string
	clock clock.Clock

	mu     sync.Mutex
	mine   map[int64]time.Time // since when this process has worked on a sale
	others map[int64]heard
	hinted map[int64]time.Time

	// hints are the sales of which tickets were enqueued here that another process is to handle.
	hints chan queued
	// queued are the sales of this process's worker of which tickets were enqueued elsewhere.
	queued chan int64
}

// word is what a worker tells the others of a sale.
type word struct {
	Worker string `json:"worker"`
	Says   saying `json:"says"`
	// Since is since when it has worked on the sale.
	Since time.Time `json:"since,omitzero"`
}

type saying string

const (
	works    saying = "works"    // on the sale
	stops    saying = "stops"    // and another is to take over
	enqueued saying = "enqueued" // a ticket, while another works
)

// heard is the last word of another worker.
type heard struct {
	word

	at time.Time
}

// queued says of which sale a ticket was enqueued.
type queued struct{ tenant, sale int64 }

func newRoster(now clock.Clock) *roster {
	return &roster{
		me: uuid.NewString(), clock: now,
		mine: make(map[int64]time.Time), others: make(map[int64]heard), hinted: make(map[int64]time.Time),
		hints: make(chan queued, 64), queued: make(chan int64, 64),
	}
}

// take has this process work on a sale, and reports false when another does.
func (r *roster) take(sale int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	since, mine := r.mine[sale]
	if other, ok := r.others[sale]; ok && other.isHeard(now) && !(mine && r.precedes(since, other.word)) {
		delete(r.mine, sale)
		return false
	}
	if !mine {
		r.mine[sale] = now
	}
	return true
}

// precedes reports whether this process has worked on a sale for longer than another.
func (r *roster) precedes(since time.Time, other word) bool {
	if since.Equal(other.Since) {
		return r.me < other.Worker
	}
	return since.Before(other.Since)
}

// isHeard reports whether a worker has said something lately. A clock that was set back counts as
// silence.
func (h heard) isHeard(now time.Time) bool {
	waited := now.Sub(h.at)
	return waited >= 0 && waited < silence
}

// leave ends this process's work on a sale, and reports whether it worked on it.
func (r *roster) leave(sale int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, mine := r.mine[sale]
	delete(r.mine, sale)
	return mine
}

// own says since when this process has worked on a sale.
func (r *roster) own(sale int64) (since time.Time, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	since, mine = r.mine[sale]
	return since, mine
}

// keep forgets what is known of other sales than these.
func (r *roster) keep(sales map[int64]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for sale := range r.others {
		if !sales[sale] {
			delete(r.others, sale)
			delete(r.hinted, sale)
		}
	}
}

// untilSilent returns how long it takes until a worker that is heard no more is to be replaced, at
// most longest.
func (r *roster) untilSilent(longest time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	for _, other := range r.others {
		longest = min(longest, silence-now.Sub(other.at))
	}
	return max(longest, 0)
}

// hint has the worker of a sale told that a ticket was enqueued, if it is in another process.
func (r *roster) hint(tenant, sale int64) (elsewhere bool) {
	r.mu.Lock()
	_, mine := r.mine[sale]
	now := r.clock.Now()
	due := !mine && now.Sub(r.hinted[sale]).Abs() >= hintEvery
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
	return !mine
}

// hear takes note of what another worker says, and reports whether the worker of this process is
// to look at the sales now.
func (r *roster) hear(event events.Event) (look bool) {
	var said word
	sale, err := strconv.ParseInt(event.Key, 10, 64)
	if err != nil || json.Unmarshal(event.Payload, &said) != nil || said.Worker == r.me {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	since, mine := r.mine[sale]
	switch said.Says {
	case works:
		now := r.clock.Now()
		if len(r.others) >= manySales {
			maps.DeleteFunc(r.others, func(_ int64, other heard) bool { return !other.isHeard(now) })
		}
		r.others[sale] = heard{said, now}
		return mine && !r.precedes(since, said)
	case stops:
		other, known := r.others[sale]
		delete(r.others, sale)
		return known && other.Worker == said.Worker && !mine
	case enqueued:
		if mine {
			select {
			case r.queued <- sale:
			default:
			}
		}
	}
	return false
}

// tell tells the other workers something about a sale. It may be lost.
func (s *core) tell(ctx context.Context, tenant, sale int64, said word) {
	said.Worker = s.roster.me
	payload, err := json.Marshal(said)
	if err == nil {
		err = s.bus.Publish(ctx, events.Event{Topic: workerTopic, Tenant: tenant, Key: strconv.FormatInt(sale, 10), Payload: payload})
	}
	if err != nil && ctx.Err() == nil {
		slog.DebugContext(ctx, "the workers of other processes were not told", "sale", sale, "says", said.Says, "error", err)
	}
}

// ticketQueued sees to it that a ticket is handled soon, whichever process works on the sale.
func (s *core) ticketQueued(tenant, sale int64) {
	if !s.roster.hint(tenant, sale) && s.resting.CompareAndSwap(true, false) {
		s.wakeWorker()
	}
}
