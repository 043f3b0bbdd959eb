// Package engines looks at the database and the Redis below the program and says what
// they promise: what a crash of an engine, of its machine, or a failover can lose, how
// much memory Redis has left, and how far the clocks are apart.
//
// Invariants:
//
//   - Probe is the only place that asks the engines. The log at start, `admin doctor`, the
//     readiness check, the metrics and the API show its report.
//   - It changes nothing, asks nothing that needs more than the program's own rights, and
//     ends within seconds.
//   - What cannot be read, as on many managed servers, is reported as unknown and never
//     left out: silence would read as a promise.
//   - No finding has a password in it.
package engines

import "time"

// Engine names what a finding is about.
type Engine string

// The engines.
const (
	Database Engine = "database"
	Redis    Engine = "redis"
)

// Level says what a finding asks of its reader.
type Level string

// The levels.
const (
	// OK: the promises hold as they are documented.
	OK Level = "ok"
	// Risk: the service works, and something can be lost or is about to go wrong.
	Risk Level = "risk"
	// Unknown: it cannot be read, so the worst has to be assumed.
	Unknown Level = "unknown"
	// Broken: it does not work.
	Broken Level = "broken"
)

// Extent says how much can be lost. What is lost in a database are acknowledged writes; in
// Redis, purchases that were accepted and are no orders yet.
type Extent string

// The extents; "" where the question does not arise.
const (
	Nothing Extent = "nothing"
	// Moments: what another server, or the disk, had not yet received; usually less than a
	// second, and more where a link or a disk was slow.
	Moments Extent = "moments"
	Second  Extent = "second"
	// HalfMinute is how long Linux keeps what was written before it puts it on the disk.
	HalfMinute    Extent = "half_minute"
	SinceSnapshot Extent = "since_snapshot"
	Everything    Extent = "everything"
	// EvictedKeys: any key, when the memory is full.
	EvictedKeys Extent = "evicted_keys"
	// HeldLocks: keys that expire, such as locks that are held, when the memory is full.
	HeldLocks Extent = "held_locks"
	// TornPages: the file itself may be damaged.
	TornPages Extent = "torn_pages"
	// Undisclosed: the setting that decides it cannot be read.
	Undisclosed Extent = "unknown"
)

// Loss says how much can be lost when something happens to an engine.
type Loss struct {
	// Process: its process crashes and its machine does not.
	Process Extent
	// Machine: the machine crashes or loses its power.
	Machine Extent
	// Failover: another server takes over.
	Failover Extent
	// Memory: its memory is full.
	Memory Extent
}

// Finding is one fact about an engine and what follows from it.
type Finding struct {
	Engine Engine
	// Name is what was looked at, a setting by the engine's own name for it.
	Name string
	// Node is the address of a node of a cluster, "" elsewhere.
	Node string
	// Value is what was found, "" when it could not be read.
	Value string
	// Want is the value that takes the risk away, "" where none does or none is needed.
	Want  string
	Level Level
	Loss  Loss
	// Fatal says that a promise cannot be kept, so that a server does not start.
	Fatal bool
	// Says is whole sentences: what is set, what can be lost, how much, and what to do.
	Says string
	// Err is why something could not be read. It may name an address, so it is for logs and
	// for operators at a terminal only.
	Err error
}

// Report is what one look at the engines has found.
type Report struct {
	Time     time.Time
	Findings []Finding
	Memory   []Memory
	Clocks   []Clock
}

// Memory is that of one Redis server, in bytes.
type Memory struct {
	Node string
	Used int64
	// Limit is maxmemory; 0 means none.
	Limit int64
	// Policy is what Redis does at its limit, "" when it cannot be read.
	Policy string
	// Evicted is how many keys Redis has dropped for want of memory since it started.
	Evicted int64
}

// Clock compares an engine's clock with this process's.
type Clock struct {
	Engine Engine
	Node   string
	// Skew is how far the engine's clock is ahead; negative, behind.
	Skew time.Duration
	// Error is half the round trip: the skew is known to within it.
	Error time.Duration
}

// What names what the finding is about: redis appendfsync, redis 10.0.0.7:6379 appendfsync,
// or the engine alone.
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
