// Package claim prevents servers that cannot exclude each other from serving one database.
//
// Servers share locks, queue wake-ups, events and rate limits through Redis. Without Redis
// all of these are local to the process, and two such servers on one database could hold
// "the same" lock concurrently. So every server claims its database before it serves, in
// one of two forms:
//
//   - File, for an embedded database: a lock on a file next to it. The kernel releases
//     it when the process ends, however it ends.
//   - Acquire, for a database server: one row with a lease, on the database's clock.
//     A server without Redis claims it for itself alone, servers with Redis as a group.
//
// Invariants of the row:
//
//   - It names one group at a time, and changes owner by one guarded UPDATE: the lease
//     has expired, or the holder is known to be dead.
//   - No other group gets it before the holder's lease has expired on the database's
//     clock, unless the holder's process has ended on this very machine.
//   - A holder that was paused beyond its lease continues if no other server has
//     claimed the database since. Otherwise Lost is closed at its next heartbeat, which
//     is due as soon as it resumes, and the program ends. Writes that it sends until
//     then are checked by the guards in SQL, like those of any paused lock holder; the
//     claim orders, the guards decide.
//
// Crash points: a server that dies before its UPDATE has claimed nothing. After it, the
// next server on the same machine sees that the process is dead and takes over immediately;
// a server elsewhere waits until the lease expires. A server that shuts down cleanly ends
// its lease.
package claim

import (
	"fmt"
	"time"
)

// Shared is the group of all servers that exclude each other through Redis.
const Shared = "redis"

// Holder is the server that has claimed a database.
type Holder struct {
	// Group is Shared, or Run for a server that is alone.
	Group string `json:"-"`
	// Run identifies one run of the program.
	Run  string `json:"-"`
	Role string `json:"role"`
	// Process identifies the process.
	Process
	// Since is the time of the claim, Heartbeat the time of the last heartbeat, and Ends the end of
	// the lease, all by the clock of the claim's store.
	Since     time.Time `json:"since"`
	Heartbeat time.Time `json:"-"`
	Ends      time.Time `json:"-"`
	// Now is that clock's time at the read of the claim.
	Now time.Time `json:"-"`
}

// Alone reports whether the holder shares nothing with other servers.
func (h Holder) Alone() bool { return h.Group == h.Run }

// Live reports whether the holder's lease was active when the claim was read.
func (h Holder) Live() bool { return h.Ends.After(h.Now) }

// String describes the holder: process 4711 on shop-1 (role all), since …, last heartbeat … ago.
func (h Holder) String() string {
	text := fmt.Sprintf("process %d on %s (role %s), since %s", h.PID, h.Host, h.Role, h.Since.Format(time.DateTime+" MST"))
	if h.Heartbeat.IsZero() {
		return text
	}
	return text + fmt.Sprintf(", last heartbeat %s ago", h.Now.Sub(h.Heartbeat).Round(100*time.Millisecond))
}

// HeldError means that another server has claimed the database; its text names the next
// step.
type HeldError struct {
	Holder Holder
	// group is the group of the rejected server.
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

// Claim is an active claim.
type Claim struct {
	lost    chan struct{}
	reason  error
	release func()
}

// Lost is closed when another server has the claim. The program must then end.
func (c *Claim) Lost() <-chan struct{} { return c.lost }

// Reason names the new holder once Lost is closed; before that it is nil.
func (c *Claim) Reason() error {
	select {
	case <-c.lost:
		return c.reason
	default:
		return nil
	}
}

// Release releases the claim. All writers to the database must have stopped.
func (c *Claim) Release() { c.release() }
