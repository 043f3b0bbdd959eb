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
	// Enforce requires a sequence of each event, higher than all that the client has used.
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

// check validates the rules that need no aggregate. Errors: ValidationFailed.
func (w Write) check() error {
	var violations []apperr.Field
	if field := checkText("/clientId", w.ClientID); field != nil {
		violations = append(violations, *field)
	}
	if w.Expected != nil && *w.Expected < 0 {
		violations = append(violations, apperr.Field{Pointer: "/expectedVersion", Code: "min", Message: "must be at least 0"})
	}
	if n := len(w.Events); n == 0 || n > maxEvents {
		violations = append(violations, apperr.Field{Pointer: "/events", Code: "size", Message: fmt.Sprintf("must have 1 to %d members", maxEvents)})
	} else {
		violations = append(violations, w.checkEvents()...)
	}
	if len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

// checkEvents validates each event, and that their names are unique.
func (w Write) checkEvents() (violations []apperr.Field) {
	seqs, ids := map[int64]int{}, map[string]int{}
	last := int64(-1)
	for i, e := range w.Events {
		at := func(member, code, message string) {
			violations = append(violations, apperr.Field{Pointer: fmt.Sprintf("/events/%d/%s", i, member), Code: code, Message: message})
		}
		switch seq := e.ClientSeq; {
		case seq == nil && w.Enforce:
			at("clientSeq", "required", "is required with enforceClientIdempotency")
		case seq == nil:
		case *seq < 0:
			at("clientSeq", "min", "must be at least 0")
		default:
			if first, duplicate := seqs[*seq]; duplicate {
				at("clientSeq", "unique", fmt.Sprintf("is also that of event %d of this request", first))
			} else if w.Enforce && *seq < last {
				at("clientSeq", "ascending", "must be larger than that of the event before it")
			}
			seqs[*seq], last = i, max(last, *seq)
		}
		if e.EventID != nil {
			if field := checkText(fmt.Sprintf("/events/%d/eventId", i), *e.EventID); field != nil {
				violations = append(violations, *field)
			} else if strings.HasPrefix(*e.EventID, reservedPrefix) {
				at("eventId", "reserved", "must not start with @, which is reserved for this service")
			} else if first, duplicate := ids[*e.EventID]; duplicate {
				at("eventId", "unique", fmt.Sprintf("is also that of event %d of this request", first))
			}
			ids[*e.EventID] = i
		}
		e.check(at)
	}
	return violations
}

// check validates the content of an event.
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

// reservedPrefix is the prefix of the event ids that the service assigns.
const reservedPrefix = "@"

// checkText validates a client id or an event id.
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
// event without a sequence and an id gets an id from the request's key, if it has one.
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
