package aggregates

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
	"interlock/internal/base/principal"
)

// Write is a request to write events.
type Write struct {
	Name     Name
	ClientID string
	// Enforce requires that each event has a sequence, higher than all sequences that the client
	// has used.
	Enforce bool
	// Expected is the required version of the aggregate, 0 for a new one; nil accepts any.
	Expected *int64
	Events   []NewEvent
}

// NewEvent is an event to write.
type NewEvent struct {
	ClientSeq *int64
	EventID   *string
	Type      string
	Time      time.Time
	Deltas    Counters
	// Payload is JSON; nil for none.
	Payload json.RawMessage
}

// check validates the rules between the members of a valid request: the order of sequences, and
// that the names of its events are unique. Errors: ValidationFailed.
func (w Write) check() error {
	var violations []apperr.Field
	seqs, ids := map[int64]int{}, map[string]int{}
	last := int64(-1)
	for i, e := range w.Events {
		at := func(member, code, message string) {
			violations = append(violations, apperr.Field{Pointer: fmt.Sprintf("/events/%d/%s", i, member), Code: code, Message: message})
		}
		switch seq := e.ClientSeq; {
		case seq == nil && w.Enforce:
			at("clientSeq", "required", "is required with enforceClientIdempotency")
		case seq != nil:
			if first, duplicate := seqs[*seq]; duplicate {
				at("clientSeq", "unique", fmt.Sprintf("is also that of event %d of this request", first))
			} else if w.Enforce && *seq < last {
				at("clientSeq", "ascending", "must be larger than that of the event before it")
			}
			seqs[*seq], last = i, max(last, *seq)
		}
		if e.EventID != nil {
			if strings.HasPrefix(*e.EventID, reservedPrefix) {
				at("eventId", "reserved", "must not start with @, which is reserved for this service")
			} else if first, duplicate := ids[*e.EventID]; duplicate {
				at("eventId", "unique", fmt.Sprintf("is also that of event %d of this request", first))
			}
			ids[*e.EventID] = i
		}
		for _, name := range slices.Sorted(maps.Keys(e.Deltas)) {
			if !word(name).Valid() {
				at("deltas", "pattern", fmt.Sprintf("has the name %q; names %s", clip.Text(name, maxText), word(name).Rule()))
			}
		}
		if len(e.Payload) > maxPayload {
			at("payload", "max", "must have at most "+strconv.Itoa(maxPayload)+" bytes")
		}
	}
	if len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

// reservedPrefix is the prefix of the event ids that the service assigns.
const reservedPrefix = "@"

// keyNames returns the prefix of the ids of a request's events without names: a digest of the
// caller and the request's idempotency key, so that the request is also recognised after its stored
// reply has expired. "" without a key.
func keyNames(ctx context.Context) string {
	key := principal.IdempotencyKey(ctx)
	if key == "" {
		return ""
	}
	caller, _ := principal.From(ctx)
	digest := sha256.Sum256([]byte(caller.KeyScope() + "\n" + key))
	return reservedPrefix + "key/" + base64.RawURLEncoding.EncodeToString(digest[:]) + "/"
}

// rows returns the events in their stored form, without the members that the aggregate assigns. An
// event without a sequence and an id gets an id derived from the request's idempotency key, if the
// request has a key.
func (w Write) rows(keyNames string) ([]Event, error) {
	rows := make([]Event, len(w.Events))
	for i, e := range w.Events {
		if e.ClientSeq == nil && e.EventID == nil && keyNames != "" {
			name := keyNames + strconv.Itoa(i)
			e.EventID = &name
		}
		rows[i] = Event{
			ClientID: w.ClientID, ClientSeq: e.ClientSeq, EventID: e.EventID,
			EventType: e.Type, EventTime: e.Time.UTC().Truncate(time.Microsecond), Deltas: e.Deltas, Payload: string(e.Payload),
		}
		if rows[i].Deltas == nil {
			rows[i].Deltas = Counters{}
		}
		if len(e.Payload) == 0 {
			rows[i].Payload = "null"
		}
		var err error
		if rows[i].Fingerprint, err = fingerprintOf(&rows[i]); err != nil {
			return nil, fmt.Errorf("fingerprint of event %d: %w", i, err)
		}
	}
	return rows, nil
}

// highest returns the highest sequence of events; nil for none.
func highest(events []Event) *int64 {
	var highest *int64
	for _, e := range events {
		if e.ClientSeq != nil && (highest == nil || *e.ClientSeq > *highest) {
			highest = e.ClientSeq
		}
	}
	return highest
}

// sum adds the deltas of events to counters. Errors: ValidationFailed if a counter exceeds 64 bits,
// or there are too many counters.
func sum(before Counters, events []Event) (Counters, error) {
	after := maps.Clone(before)
	if after == nil {
		after = Counters{}
	}
	for i, e := range events {
		for _, name := range slices.Sorted(maps.Keys(e.Deltas)) {
			total, fits := add(after[name], e.Deltas[name])
			if !fits {
				return nil, uncountable(i, name, "overflow", fmt.Sprintf("makes the counter, which is %d, exceed 64 bits", after[name]))
			}
			after[name] = total
			if len(after) > maxCounters {
				return nil, uncountable(i, name, "limit", "exceeds the limit of "+strconv.Itoa(maxCounters)+" counters of an aggregate")
			}
		}
	}
	return after, nil
}

func uncountable(index int, name, code, message string) error {
	return apperr.Invalid(apperr.Field{Pointer: fmt.Sprintf("/events/%d/deltas/%s", index, name), Code: code, Message: message}).With("index", index)
}

// add returns a + b, and whether it fits into 64 bits.
func add(a, b int64) (total int64, fits bool) {
	total = a + b
	return total, (total > a) == (b > 0)
}
