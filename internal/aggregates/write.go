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
	"unicode/utf8"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
	"interlock/internal/base/naming"
	"interlock/internal/base/principal"
)

// Write is a request to write events.
type Write struct {
	Name     Name
	ClientID string
	// Enforce demands a sequence of each event, above all that the client has used.
	Enforce bool
	// Expected is the version that the aggregate must have, 0 for none yet; nil takes
	// any.
	Expected *int64
	Events   []NewEvent
}

// NewEvent is an event to be written.
type NewEvent struct {
	ClientSeq *int64
	EventID   *string
	Type      string
	Time      time.Time
	Deltas    Counters
	// Payload is JSON; nil for none.
	Payload json.RawMessage
}

// check asks the rules that need no aggregate. Errors: ValidationFailed.
func (w Write) check() error {
	var broken []apperr.Field
	if field := checkText("/clientId", w.ClientID); field != nil {
		broken = append(broken, *field)
	}
	if w.Expected != nil && *w.Expected < 0 {
		broken = append(broken, apperr.Field{Pointer: "/expectedVersion", Code: "min", Message: "must be at least 0"})
	}
	if n := len(w.Events); n == 0 || n > maxEvents {
		broken = append(broken, apperr.Field{Pointer: "/events", Code: "size", Message: fmt.Sprintf("must have 1 to %d members", maxEvents)})
	} else {
		broken = append(broken, w.checkEvents()...)
	}
	if len(broken) > 0 {
		return apperr.Invalid(broken...)
	}
	return nil
}

// checkEvents asks the rules of each event, and that no two of them are one.
func (w Write) checkEvents() (broken []apperr.Field) {
	seqs, ids := map[int64]int{}, map[string]int{}
	last := int64(-1)
	for i, e := range w.Events {
		at := func(member, code, message string) {
			broken = append(broken, apperr.Field{Pointer: fmt.Sprintf("/events/%d/%s", i, member), Code: code, Message: message})
		}
		switch seq := e.ClientSeq; {
		case seq == nil && w.Enforce:
			at("clientSeq", "required", "is required with enforceClientIdempotency")
		case seq == nil:
		case *seq < 0:
			at("clientSeq", "min", "must be at least 0")
		default:
			if first, there := seqs[*seq]; there {
				at("clientSeq", "unique", fmt.Sprintf("is that of event %d of this request too", first))
			} else if w.Enforce && *seq < last {
				at("clientSeq", "ascending", "must be larger than that of the event before it")
			}
			seqs[*seq], last = i, max(last, *seq)
		}
		if e.EventID != nil {
			if field := checkText(fmt.Sprintf("/events/%d/eventId", i), *e.EventID); field != nil {
				broken = append(broken, *field)
			} else if strings.HasPrefix(*e.EventID, ownNames) {
				at("eventId", "reserved", "must not begin with @: those are this service's own")
			} else if first, there := ids[*e.EventID]; there {
				at("eventId", "unique", fmt.Sprintf("is that of event %d of this request too", first))
			}
			ids[*e.EventID] = i
		}
		e.check(at)
	}
	return broken
}

// check asks the rules of what an event says.
func (e NewEvent) check(at func(member, code, message string)) {
	const words = "must be 1 to 64 letters, digits, dots, colons, underscores and hyphens"
	if !wordPattern.MatchString(e.Type) {
		at("eventType", "pattern", words)
	}
	if len(e.Deltas) > maxDeltas {
		at("deltas", "max", "must have at most "+strconv.Itoa(maxDeltas)+" members")
	}
	for _, name := range slices.Sorted(maps.Keys(e.Deltas)) {
		if !wordPattern.MatchString(name) {
			at("deltas", "pattern", fmt.Sprintf("has the name %q; names %s", clip.Text(name, maxText), words))
		}
	}
	if len(e.Payload) > maxPayload {
		at("payload", "max", "must have at most "+strconv.Itoa(maxPayload)+" bytes")
	}
}

// ownNames is what the ids begin with that the service gives to events.
const ownNames = "@"

// checkText returns what is wrong with a name that a client gives itself or an event.
func checkText(pointer, text string) *apperr.Field {
	switch {
	case text == "":
		return &apperr.Field{Pointer: pointer, Code: "required", Message: "is required"}
	case utf8.RuneCountInString(text) > maxText:
		return &apperr.Field{Pointer: pointer, Code: "max", Message: "must have at most " + strconv.Itoa(maxText) + " characters"}
	case !naming.Plain(text):
		return &apperr.Field{Pointer: pointer, Code: "pattern", Message: naming.Rule}
	}
	return nil
}

// keyNames returns what the names of a request's events begin with that have none: a digest of the
// caller and the request's idempotency key, so that the request is also recognised after the stored
// reply has expired. "" without a key.
func keyNames(ctx context.Context) string {
	key := principal.IdempotencyKey(ctx)
	if key == "" {
		return ""
	}
	caller, _ := principal.From(ctx)
	digest := sha256.Sum256([]byte(caller.KeyScope() + "\n" + key))
	return ownNames + "key/" + base64.RawURLEncoding.EncodeToString(digest[:]) + "/"
}

// rows returns the events as they are stored, without the numbers that only their aggregate knows.
// An event without a sequence and an id is named after the request's key, if it has one.
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

// highest is the largest sequence among events; nil when none has one.
func highest(events []Event) *int64 {
	var most *int64
	for _, e := range events {
		if e.ClientSeq != nil && (most == nil || *e.ClientSeq > *most) {
			most = e.ClientSeq
		}
	}
	return most
}

// sum adds the deltas of events to counters. Errors: ValidationFailed when a counter
// would be more than can be counted, or there would be too many.
func sum(before Counters, events []Event) (Counters, error) {
	after := maps.Clone(before)
	if after == nil {
		after = Counters{}
	}
	for i, e := range events {
		for _, name := range slices.Sorted(maps.Keys(e.Deltas)) {
			total, fits := add(after[name], e.Deltas[name])
			if !fits {
				return nil, uncountable(i, name, "overflow", fmt.Sprintf("makes the counter, which is %d, larger or smaller than can be counted in 64 bits", after[name]))
			}
			after[name] = total
			if len(after) > maxCounters {
				return nil, uncountable(i, name, "limit", "would give the aggregate more than "+strconv.Itoa(maxCounters)+" counters")
			}
		}
	}
	return after, nil
}

func uncountable(index int, name, code, message string) error {
	return apperr.Invalid(apperr.Field{Pointer: fmt.Sprintf("/events/%d/deltas/%s", index, name), Code: code, Message: message}).With("index", index)
}

// add is a + b, and whether that fits 64 bits.
func add(a, b int64) (total int64, fits bool) {
	total = a + b
	return total, (total > a) == (b > 0)
}
