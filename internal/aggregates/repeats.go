package aggregates

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
)

// Numbers by which clients tell apart that an event was written before, and that another
// attempt is writing it.
const (
	numberLanded   = 2002
	numberInFlight = 2013
)

// recorded is what an aggregate has of the events of a request and of their writer.
type recorded struct {
	version int64
	// lastSeq is the client's highest sequence; nil when it has none.
	lastSeq *int64
	bySeq   map[int64]*Event
	byID    map[string]*Event
}

// findRecorded reads what an aggregate has of events that are to be written.
func findRecorded(db *gorm.DB, a *Aggregate, asked []Event) (recorded, error) {
	r := recorded{version: a.Version, bySeq: map[int64]*Event{}, byID: map[string]*Event{}}
	if a.ID == 0 {
		return r, nil
	}
	client := asked[0].ClientID
	var seqs []int64
	var ids []string
	for _, e := range asked {
		if e.ClientSeq != nil {
			seqs = append(seqs, *e.ClientSeq)
		}
		if e.EventID != nil {
			ids = append(ids, *e.EventID)
		}
	}
	var err error
	if r.lastSeq, err = lastSeq(db, a.ID, client); err != nil {
		return r, err
	}
	var landed []Event
	if len(seqs) > 0 {
		if err := db.Where("aggregate_id = ? AND client_id = ? AND client_seq IN ?", a.ID, client, seqs).Find(&landed).Error; err != nil {
			return r, fmt.Errorf("look for sequences: %w", err)
		}
		for i := range landed {
			r.bySeq[*landed[i].ClientSeq] = &landed[i]
		}
	}
	var named []Event
	if len(ids) > 0 {
		if err := db.Where("aggregate_id = ? AND event_id IN ?", a.ID, ids).Find(&named).Error; err != nil {
			return r, fmt.Errorf("look for event ids: %w", err)
		}
		for i := range named {
			r.byID[*named[i].EventID] = &named[i]
		}
	}
	return r, nil
}

// lastSeq returns a client's highest sequence in an aggregate; nil when it has none.
func lastSeq(db *gorm.DB, aggregate int64, client string) (*int64, error) {
	var w writer
	err := db.Where("aggregate_id = ? AND client_id = ?", aggregate, client).Take(&w).Error
	switch {
	case storage.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read a writer: %w", err)
	}
	return &w.LastSeq, nil
}

// landed returns the event that an asked one is a repeat of, nil for a new one, and what
// they say differently. Two events with one sequence and different ids are not one,
// though they may say the same: taking the second for the first would lose it.
func (r recorded) landed(asked *Event) (first *Event, differ []string) {
	if asked.ClientSeq != nil {
		if first = r.bySeq[*asked.ClientSeq]; first != nil {
			differ = differences(first, asked)
			if first.EventID != nil && asked.EventID != nil && *first.EventID != *asked.EventID {
				differ = append([]string{"eventId"}, differ...)
			}
		}
	}
	if asked.EventID != nil && len(differ) == 0 {
		if named := r.byID[*asked.EventID]; named != nil {
			return named, differences(named, asked)
		}
	}
	return first, differ
}

// refuse refuses the first of the events that has landed; of a writer whose sequences
// must go up, also one whose sequence it has passed. Errors: IdempotencyViolation for
// what landed with the same content, PayloadMismatch with other, SequenceSuperseded.
func (r recorded) refuse(asked []Event, enforce bool) error {
	for i := range asked {
		first, differ := r.landed(&asked[i])
		switch {
		case first != nil && len(differ) > 0:
			return mismatch(i, &asked[i], first, differ)
		case first != nil:
			return r.hasLanded(i, asked, first)
		case enforce && r.lastSeq != nil && *asked[i].ClientSeq <= *r.lastSeq:
			return r.superseded(i, &asked[i])
		}
	}
	return nil
}

func (r recorded) superseded(index int, asked *Event) error {
	return named(apperr.New(apperr.SequenceSuperseded, "%s was never recorded, and %d of the same writer was. Nothing was changed; give it a higher number.",
		describe(index, asked), *r.lastSeq), index, asked).
		With("highestSeq", *r.lastSeq).With("currentVersion", r.version)
}

func (r recorded) hasLanded(index int, asked []Event, first *Event) error {
	landed := 0
	for i := range asked {
		if other, differ := r.landed(&asked[i]); other != nil && len(differ) == 0 {
			landed++
		}
	}
	return named(apperr.New(apperr.IdempotencyViolation, "%s was recorded at version %d. Nothing was changed.", describe(index, &asked[index]), first.Version), index, &asked[index]).
		With("number", numberLanded).With("version", first.BatchVersion).With("eventVersion", first.Version).
		With("landed", landed).With("highestSeq", r.lastSeq).With("currentVersion", r.version)
}

func mismatch(index int, asked, first *Event, differ []string) error {
	return named(apperr.New(apperr.PayloadMismatch, "%s has the name of an event with other content, which was recorded at version %d. Nothing was changed.",
		describe(index, asked), first.Version), index, asked).
		With("version", first.BatchVersion).With("eventVersion", first.Version).With("differs", differ)
}

// inFlight is InflightDuplicate: another attempt is under way, and nobody knows yet what
// becomes of it.
func inFlight(asked *Event) error {
	return named(apperr.New(apperr.InflightDuplicate, "%s is being written by another attempt. Send it again in a moment to learn whether it was recorded.", describe(0, asked)), 0, asked).
		With("number", numberInFlight).After(time.Second)
}

// named adds which event of the request is at fault.
func named(e *apperr.Error, index int, asked *Event) *apperr.Error {
	return e.With("index", index).With("clientId", asked.ClientID).With("clientSeq", asked.ClientSeq).With("eventId", asked.EventID)
}

// describe names an event of a request for people.
func describe(index int, e *Event) string {
	switch {
	case e.ClientSeq != nil:
		return fmt.Sprintf("Event %d (sequence %d of %q)", index, *e.ClientSeq, e.ClientID)
	case e.EventID != nil:
		return fmt.Sprintf("Event %d (%q)", index, *e.EventID)
	}
	return fmt.Sprintf("Event %d", index)
}
