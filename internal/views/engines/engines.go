// Package engines inspects the database and Redis and reports their guarantees: the
// possible loss on a crash of an engine, a crash of its machine, or a failover, the free
// memory of Redis, and the differences of the clocks.
//
// Invariants:
//
//   - Only Probe queries the engines. The log at start, `admin doctor`, the readiness check,
//     the metrics and the API show its report.
//   - It changes nothing, needs no privileges beyond the program's, and ends within seconds.
//   - A setting that cannot be read, as on many managed servers, is reported as unknown and
//     never omitted: a missing finding would read as a guarantee.
//   - No finding contains a password.
package engines

import "time"

// Engine is the engine of a finding.
type Engine string

// The engines.
const (
	Database Engine = "database"
	Redis    Engine = "redis"
)

// Level is the severity of a finding.
type Level string

// The levels.
const (
	// OK: the documented guarantees hold.
	OK Level = "ok"
	// Risk: the service works, but data can be lost or a failure is imminent.
	Risk Level = "risk"
	// Unknown: the setting cannot be read, so the worst case must be assumed.
	Unknown Level = "unknown"
	// Broken: the service does not work.
	Broken Level = "broken"
)

// Extent is the amount of possible loss. A database can lose acknowledged writes, and Redis can
// lose accepted purchases that have no order yet.
type Extent string

// The extents; "" if not applicable.
const (
	Nothing Extent = "nothing"
	// Moments: data that another server, or the disk, had not received yet; usually less
	// than a second, and more if a link or a disk was slow.
	Moments Extent = "moments"
	Second  Extent = "second"
	// HalfMinute is the time after which Linux writes data to the disk.
	HalfMinute    Extent = "half_minute"
	SinceSnapshot Extent = "since_snapshot"
	Everything    Extent = "everything"
	// EvictedKeys: any key, when the memory is full.
	EvictedKeys Extent = "evicted_keys"
	// HeldLocks: keys with a TTL, such as held locks, when the memory is full.
	HeldLocks Extent = "held_locks"
	// TornPages: the file itself may be damaged.
	TornPages Extent = "torn_pages"
	// Undisclosed: the deciding setting cannot be read.
	Undisclosed Extent = "unknown"
)

// Loss is the possible loss by kind of failure.
type Loss struct {
	// Process: the engine's process crashes, but not its machine.
	Process Extent
	// Machine: the machine crashes or loses power.
	Machine Extent
	// Failover: another server becomes the primary.
	Failover Extent
	// Memory: the memory of the engine is full.
	Memory Extent
}

// Finding is one fact about an engine and its consequence.
type Finding struct {
	Engine Engine
	// Name is the name of the inspected setting, as in the engine.
	Name string
	// Node is the address of a cluster node, otherwise "".
	Node string
	// Value is the current value, "" if it could not be read.
	Value string
	// Want is the value without the risk, "" if there is none or none is needed.
	Want  string
	Level Level
	Loss  Loss
	// Fatal is set if a guarantee cannot hold, so that a server does not start.
	Fatal bool
	// Says contains complete sentences: the setting, the possible loss and its extent, and the next
	// step.
	Says string
	// Err is the reason why a value could not be read. It may contain an address, so it is
	// only for logs and for operators at a terminal.
	Err error
}

// Report is the result of one inspection of the engines.
type Report struct {
	Time     time.Time
	Findings []Finding
	Memory   []Memory
	Clocks   []Clock
	// Certificates are the certificates in use.
	Certificates []Certificate
}

// Certificate is a certificate that a peer presents to this process, or that this process presents
// to its callers.
type Certificate struct {
	// Of is database, redis or listener.
	Of string
	// End is the earliest expiry of the certificate and its chain.
	End time.Time
}

// Memory is the memory of one Redis server, in bytes.
type Memory struct {
	Node string
	Used int64
	// Limit is maxmemory; 0 means none.
	Limit int64
	// Policy is the behaviour of Redis at its limit, "" if the setting cannot be read.
	Policy string
	// Evicted is the number of keys that Redis has evicted since its start.
	Evicted int64
}

// Clock compares an engine's clock with the clock of this process.
type Clock struct {
	Engine Engine
	Node   string
	// Skew is how far the engine's clock is ahead; negative if it is behind.
	Skew time.Duration
	// Error is half of the round trip, the maximum error of the skew.
	Error time.Duration
}

// What returns the subject of the finding: redis appendfsync, redis 10.0.0.7:6379 appendfsync, or
// only the engine.
func (f Finding) What() string {
	what := string(f.Engine)
	if f.Node != "" {
		what += " " + f.Node
	}
	if f.Name != string(f.Engine) {
		what += " " + f.Name
	}
	return what
}
