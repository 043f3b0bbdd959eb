// Package aggregates stores aggregates and their events.
//
// Invariants:
//
//   - Events are only added. Each has a separate version of its aggregate, in write order.
//   - The counters of an aggregate are the sums of the deltas of its events; its writers are the
//     highest sequence of each client. Both are written in the transaction of the events, so
//     they always match the events.
//   - Within one aggregate, a client's sequence and an event id are each unique, and are never
//     reused.
//   - Either all events of one request are written, or none.
//   - A repeated event is recognised before any other check of its request. An event without a
//     sequence and an id is recognised by its request's idempotency key, without expiry.
//
// Sequences and event ids, the names of an event, are unique per aggregate and not per tenant: one
// business event may belong to several aggregates, and writers of different aggregates never
// conflict.
//
// Two locks are acquired before the transaction. The lock of the attempt, named after its first
// event, is not waited for: if it is locked, the request is a second attempt of a running write.
// The lock of the aggregate is waited for, so that different writers run one after the other. Both
// only save work. A lock can be lost unnoticed; then the row lock, the guard and the unique keys
// decide:
//
//	SELECT * FROM aggregates WHERE tenant_id = ? AND type = ? AND name = ? FOR UPDATE
//	UPDATE aggregates SET counters = ?, writer_count = ?, version = version + ?
//	 WHERE tenant_id = ? AND id = ? AND version = ?
package aggregates

import (
	"regexp"
	"time"

	"interlock/internal/core/guard"
)

const (
	// ReadPermission is also checked by the search, the dashboard and the live feed.
	ReadPermission  = "ledger:read"
	writePermission = "ledger:write"
)

// Limits.
const (
	maxCounters = 200 // of one aggregate
	// maxWriters bounds the clients of one aggregate that use sequences. They are read in one
	// query.
	maxWriters = 10_000
	// maxPayload is in bytes.
	maxPayload = 64 << 10
	// maxText bounds the names that messages quote, in characters.
	maxText = 128
)

// Patterns of names. An aggregate with the longest type and id still fits into the audit log.
var (
	typePattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._:-]{0,49}$`)
	idPattern   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._:@~-]{0,127}$`)
	wordPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._:-]{0,63}$`)
)

// word is a type of events or the name of a counter.
type word string

// Pattern returns the syntax of a word and its maximum length, in characters.
func (word) Pattern() (expression string, maxLength int) { return wordPattern.String(), 64 }

// Valid reports whether the text has the syntax of a word.
func (w word) Valid() bool { return wordPattern.MatchString(string(w)) }

// Rule describes the rule of Valid in a sentence without a subject.
func (word) Rule() string {
	return "must be 1 to 64 letters, digits, dots, colons, underscores and hyphens"
}

// Name identifies an aggregate.
type Name struct{ Type, ID string }

// String returns the name as in paths.
func (n Name) String() string { return n.Type + "/" + n.ID }

// possible reports whether an aggregate can have the name.
func (n Name) possible() bool { return typePattern.MatchString(n.Type) && idPattern.MatchString(n.ID) }

// Counters are sums by name, or the deltas of one event.
type Counters map[string]int64

// Aggregate is the sum of its events. An aggregate without events has no row.
type Aggregate struct {
	// Row has the version of the last event, or of a later repair.
	guard.Row
	Type string
	// Name is the id that the caller chose.
	Name     string
	Counters Counters `gorm:"serializer:json"`
	// WriterCount is the number of clients that use sequences.
	WriterCount int
}

func (a *Aggregate) name() Name { return Name{a.Type, a.Name} }

// Event is one event of an aggregate.
type Event struct {
	ID          int64
	TenantID    int64
	AggregateID int64
	// Version is the aggregate's version after the event.
	Version int64
	// BatchVersion is the aggregate's version after the last event of the same request, the version
	// in its response.
	BatchVersion int64
	ClientID     string
	ClientSeq    *int64  // nil if the client uses no sequences
	EventID      *string // nil for none; @key/… is derived from the idempotency key of the request
	EventType    string
	// EventTime is the time of the event by its writer's clock.
	EventTime time.Time
	Deltas    Counters `gorm:"serializer:json"`
	// Payload is the JSON text that was sent, "null" for none.
	Payload string
	// Fingerprint is the fingerprint of the content; see content.go.
	Fingerprint   []byte
	CreatedBy     int64
	CreatedByName string
	CreatedTime   time.Time
}

// TableName implements gorm's Tabler.
func (Event) TableName() string { return "aggregate_events" }

// writer is a client of an aggregate that uses sequences.
type writer struct {
	TenantID    int64
	AggregateID int64
	ClientID    string
	LastSeq     int64
}

// TableName implements gorm's Tabler.
func (writer) TableName() string { return "aggregate_writers" }
