package mq

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
)

// Values of mq_messages.state.
const (
	rowWaiting = 0
	rowClaimed = 1
	rowDead    = 2
)

// queueRow, batchRow and messageRow belong to no tenant: consumers serve all tenants, and
// the name of the queue, which only the program assigns, identifies the tenant.
type queueRow struct {
	Name string `gorm:"primaryKey"`
	// RateUsed is the time until which the claims so far have used up the queue's rate, in
	// µs since 1970.
	RateUsed int64
}

func (queueRow) TableName() string { return "mq_queues" }

// Global implements storage.Global.
func (queueRow) Global() {}

type batchRow struct {
	ID        string `gorm:"primaryKey"`
	Queue     string
	Settled   bool
	LeaseTime time.Time
}

func (batchRow) TableName() string { return "mq_batches" }

// Global implements storage.Global.
func (batchRow) Global() {}

type messageRow struct {
	ID           int64 `gorm:"primaryKey"`
	Queue        string
	State        int
	MessageID    []byte
	BatchID      string
	DueTime      time.Time
	Attempts     int
	Crashes      int
	EnqueuedTime time.Time
	Error        string
	Trace        string
	Body         []byte
}

func (messageRow) TableName() string { return "mq_messages" }

// Global implements storage.Global.
func (messageRow) Global() {}

// rowOf returns the row of a message that becomes pending at due.
func rowOf(queue string, m Message, due time.Time) (messageRow, error) {
	if err := m.validate(); err != nil {
		return messageRow{}, err
	}
	row := messageRow{
		Queue: queue, State: rowWaiting, MessageID: []byte(m.ID), DueTime: due,
		Attempts: m.Attempts, Crashes: m.Crashes, EnqueuedTime: m.EnqueuedTime, Body: m.Body,
	}
	if row.Body == nil {
		row.Body = []byte{}
	}
	if len(m.Trace) > 0 {
		trace, err := json.Marshal(m.Trace)
		if err != nil {
			return messageRow{}, fmt.Errorf("%w %q: %w", ErrInvalidMessage, m.ID, err)
		}
		row.Trace = string(trace)
	}
	return row, nil
}

// message decodes the row. Error: ErrUndecodable.
func (r messageRow) message() (Message, error) {
	m := Message{
		ID: string(r.MessageID), Body: r.Body, Attempts: r.Attempts, Crashes: r.Crashes, EnqueuedTime: r.EnqueuedTime.UTC(),
	}
	if r.Trace == "" {
		return m, nil
	}
	if err := json.Unmarshal([]byte(r.Trace), &m.Trace); err != nil {
		return m, fmt.Errorf("%w %q: its trace: %w", ErrUndecodable, m.ID, err)
	}
	return m, nil
}

// settlement is one statement that applies the outcomes other than Done. It changes a message only
// if the message is still in the state in which the transaction read it:
//
//	UPDATE mq_messages SET batch_id = '', state = CASE id WHEN ? THEN ? … END, …
//	 WHERE id IN (?, …) AND state = ?
type settlement struct {
	ids                           []int64
	state, attempts, due, message []any
}

func (s *settlement) add(id int64, state, attempts int, due time.Time, message string) {
	s.ids = append(s.ids, id)
	s.state = append(s.state, id, state)
	s.attempts = append(s.attempts, id, attempts)
	s.due = append(s.due, id, due)
	s.message = append(s.message, id, message)
}

// run returns errTaken when another transaction has moved one of the messages since.
func (s *settlement) run(tx *gorm.DB, from int) error {
	if len(s.ids) == 0 {
		return nil
	}
	cases := "CASE id" + strings.Repeat(" WHEN ? THEN ?", len(s.ids)) + " END"
	statement := "UPDATE mq_messages SET batch_id = '', attempts = " + cases + ", due_time = " + cases + ", error = " + cases +
		", state = " + cases + " WHERE id IN ? AND state = ?"
	var args []any
	for _, part := range [][]any{s.attempts, s.due, s.message, s.state} {
		args = append(args, part...)
	}
	result := tx.Exec(statement, append(args, s.ids, from)...)
	if result.Error == nil && result.RowsAffected != int64(len(s.ids)) {
		return errTaken
	}
	return result.Error
}
