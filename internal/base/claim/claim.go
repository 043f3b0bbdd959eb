// Package claim keeps servers that cannot exclude each other off one database.
//
// Servers share their locks, the waking of their queues, events and rate limits through
// Redis. Without Redis all of these are in the process, and two such servers on one
// database would hold "the same" lock at once and see nothing of each other. So every
// server claims its database before it serves, in one of two forms:
//
//   - File, for an embedded database: a lock on a file beside it. The kernel frees it with
//     the process, however that ends.
//   - Take, for a database server: one row with a lease, on the database's clock. Servers
//     without Redis claim it for themselves alone, those with Redis as a group.
//
// Invariants of the row:
//
//   - It names one group at a time, and changes hands by one guarded UPDATE: the lease has
//     ended, or the holder is known to be gone.
//   - Nobody else has it before its holder's lease has ended by the database's clock,
//     unless the holder's process has ended on this very machine.
//   - A holder that was paused beyond its lease goes on if nobody took the claim
//     meanwhile. Otherwise Lost is closed at its next heartbeat, which is due the moment it
//     runs on, and the program ends. What it sends until then meets the guards in SQL, as
//     what any paused lock holder sends does; the claim orders, the guards decide.
//
// Crash points: a server that dies before its UPDATE has claimed nothing; after it, the
// next one on the same machine sees that the process is gone and takes over at once, one
// elsewhere waits until the lease ends. A server that ends well ends its lease.
package claim

import (
	"fmt"
	"time"
)

// Shared is the group of all servers that exclude each other through Redis.
const Shared = "redis"

// Holder is who has claimed a database.
type Holder struct {
	// Group is Shared, or Run for a server that is alone.
	Group string `json:"-"`
	// Run names one run of the program.
	Run  string `json:"-"`
	Role string `json:"role"`
	// Process is where it runs.
	Process
	// Since is when it claimed, Heartbeat when it last said that it lives, and Ends when
	// its lease ends, all by the clock of what keeps the claim.
	Since     time.Time `json:"since"`
	Heartbeat time.Time `json:"-"`
	Ends      time.Time `json:"-"`
	// Now is that clock's time when the claim was read.
	Now time.Time `json:"-"`
}

// Alone reports whether the holder shares nothing with other servers.
func (h Holder) Alone() bool { return h.Group == h.Run }

// Live reports whether the holder's lease had not ended when the claim was read.
func (h Holder) Live() bool { return h.Ends.After(h.Now) }

// String describes the holder: process 4711 on shop-1 (role all), since …, last heard of … ago.
func (h Holder) String() string {
	text := fmt.Sprintf("process %d on %s (role %s), since %s", h.PID, h.Host, h.Role, h.Since.Format(time.DateTime+" MST"))
	if h.Heartbeat.IsZero() {
		return text
	}
	return text + fmt.Sprintf(", last heard of %s ago", h.Now.Sub(h.Heartbeat).Round(100*time.Millisecond))
}

// HeldError says that another server has claimed the database, and what to do.
type HeldError struct {
	Holder Holder
	// group is that of the server that is refused.
	group string
}

// Error implements error.
func (e *HeldError) Error() string {
	switch {
	case !e.Holder.Alone():
		return fmt.Sprintf("servers that exclude each other through Redis serve this database, one of them %s; "+
			"this one has no INTERLOCK_REDIS_URL: set it to their Redis, or stop them", e.Holder)
	case e.group == Shared:
		return fmt.Sprintf("another `admin serve` serves this database without Redis: %s; "+
			"stop it, or give it this INTERLOCK_REDIS_URL too", e.Holder)
	}
	return fmt.Sprintf("another `admin serve` serves this database: %s; without Redis one alone may: "+
		"stop it, or set INTERLOCK_REDIS_URL to one Redis for all of them (several replicas, or --role api and --role worker, need it)", e.Holder)
}

// Claim is a claim that is held.
type Claim struct {
	lost    chan struct{}
	reason  error
	release func()
}

// Lost is closed when somebody else has the claim. The program must end then.
func (c *Claim) Lost() <-chan struct{} { return c.lost }

// Reason says who has it, once Lost is closed; before, it is nil.
func (c *Claim) Reason() error {
	select {
	case <-c.lost:
		return c.reason
	default:
		return nil
	}
}

// Release gives the claim up. What writes to the database has ended before.
func (c *Claim) Release() { c.release() }
