package aggregates

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
)

// Numbers in error responses: the event was already written, or another attempt is writing it.
const (
	numberLanded   = 2002
	numberInFlight = 2013
)

// recorded contains an aggregate's events with the names of a request, and their writer.
type recorded struct {
	version int64
	// lastSeq is the client's highest sequence; nil for none.
	lastSeq *int64
	bySeq   map[int64]*Event
	byID    map[string]*Event
}

// findRecorded reads the events of an aggregate with the names of requested events.
func findRecorded(db *gorm.DB, a *Aggregate, requested []Event) (recorded, error) {
	r := recorded{version: a.Version, bySeq: map[int64]*Event{}, byID: map[string]*Event{}}
	if a.ID == 0 {
		return r, nil
	}
	client := requested[0].ClientID
	var seqs []int64
	var ids []string
	for _, e := range requested {
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
	var bySeq []Event
	if len(seqs) > 0 {
		if err := db.Where("aggregate_id = ? AND client_id = ? AND client_seq IN ?", a.ID, client, seqs).Find(&bySeq).Error; err != nil {
			return r, fmt.Errorf("read the events with the sequences: %w", err)
		}
		for i := range bySeq {
			r.bySeq[*bySeq[i].ClientSeq] = &bySeq[i]
		}
	}
	var named []Event
	if len(ids) > 0 {
		if err := db.Where("aggregate_id = ? AND event_id IN ?", a.ID, ids).Find(&named).Error; err != nil {
			return r, fmt.Errorf("read the events with the ids: %w", err)
		}
		for i := range named {
			r.byID[*named[i].EventID] = &named[i]
		}
	}
	return r, nil
}

// lastSeq returns a client's highest sequence in an aggregate; nil for none.
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

// original returns the recorded event that a requested one repeats, nil for a new one, and the
// members in which they differ. Two events with one sequence and different ids differ even with
// equal content: treating the second as a repeat would lose it.
func (r recorded) original(requested *Event) (first *Event, differ []string) {
	if requested.ClientSeq != nil {
		if first = r.bySeq[*requested.ClientSeq]; first != nil {
			differ = differences(first, requested)
			if first.EventID != nil && requested.EventID != nil && *first.EventID != *requested.EventID {
				differ = append([]string{"eventId"}, differ...)
			}
		}
	}
	if requested.EventID != nil && len(differ) == 0 {
		if named := r.byID[*requested.EventID]; named != nil {
			return named, differences(named, requested)
		}
	}
	return first, differ
}

// reject returns the error for the first event that is already recorded or, with enforce, has a
// sequence that its writer has passed. Errors: IdempotencyViolation for the same content,
// PayloadMismatch for other content, SequenceSuperseded.
func (r recorded) reject(requested []Event, enforce bool) error {
	for i := range requested {
		first, differ := r.original(&requested[i])
		switch {
		case first != nil && len(differ) > 0:
			return mismatch(i, &requested[i], first, differ)
		case first != nil:
			return r.isRecorded(i, requested, first)
		case enforce && r.lastSeq != nil && *requested[i].ClientSeq <= *r.lastSeq:
			return r.superseded(i, &requested[i])
		}
	}
	return nil
}

func (r recorded) superseded(index int, requested *Event) error {
	return apperr.New(apperr.SequenceSuperseded, "%s was never recorded, and %d of the same writer was. Nothing was changed; use a higher sequence.",
		describe(index, requested), *r.lastSeq).
		WithMembers(supersededView{rejectedViewOf(index, requested), *r.lastSeq, r.version})
}

func (r recorded) isRecorded(index int, requested []Event, first *Event) error {
	landed := 0
	for i := range requested {
		if other, differ := r.original(&requested[i]); other != nil && len(differ) == 0 {
			landed++
		}
	}
	return apperr.New(apperr.IdempotencyViolation, "%s was recorded at version %d. Nothing was changed.", describe(index, &requested[index]), first.Version).
		WithMembers(landedView{
			rejectedView: rejectedViewOf(index, &requested[index]), Number: numberLanded, Version: first.BatchVersion, EventVersion: first.Version,
			Landed: landed, HighestSeq: r.lastSeq, CurrentVersion: r.version,
		})
}

func mismatch(index int, requested, first *Event, differ []string) error {
	return apperr.New(apperr.PayloadMismatch, "%s has the name of an event with other content, which was recorded at version %d. Nothing was changed.",
		describe(index, requested), first.Version).
		WithMembers(mismatchView{rejectedViewOf(index, requested), first.BatchVersion, first.Version, differ})
}

// inFlight returns InflightDuplicate: another attempt is running, with an unknown outcome.
func inFlight(requested *Event) error {
	return apperr.New(apperr.InflightDuplicate, "%s is being written by another attempt. Send it again in a moment to learn whether it was recorded.", describe(0, requested)).
		WithMembers(inFlightView{rejectedViewOf(0, requested), numberInFlight}).After(time.Second)
}

// describe names a requested event in a message.
func describe(index int, e *Event) string {
	switch {
	case e.ClientSeq != nil:
		return fmt.Sprintf("Event %d (sequence %d of %q)", index, *e.ClientSeq, e.ClientID)
	case e.EventID != nil:
		return fmt.Sprintf("Event %d (%q)", index, *e.EventID)
	}
	return fmt.Sprintf("Event %d", index)
}
