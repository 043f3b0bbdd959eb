package flashsale

import (
	"encoding/json"
	"fmt"

	"interlock/internal/mq"
)

// QueueName names the queue of a sale. The gate's keys share its slot in Redis.
func QueueName(sale int64) string { return fmt.Sprintf("fs:%d", sale) }

// letter is the body of a queued ticket. Its message's ID is the ticket.
type letter struct {
	User  int64 `json:"user"`
	Units int64 `json:"units"`
}

func messageOf(p Purchase) (mq.Message, error) {
	body, err := json.Marshal(letter{User: p.User, Units: p.Units})
	if err != nil {
		return mq.Message{}, fmt.Errorf("encode a ticket: %w", err)
	}
	return mq.Message{ID: p.Ticket, Body: body, EnqueuedTime: p.Time, Trace: p.Trace}, nil
}

// letterOf reads a message's body. A body that is none of ours will never be one.
func letterOf(m mq.Message) (letter, error) {
	var l letter
	if err := json.Unmarshal(m.Body, &l); err != nil {
		return l, fmt.Errorf("read the ticket: %w", err)
	}
	if l.User < 1 || l.Units < 1 {
		return l, fmt.Errorf("the ticket asks for %d units for customer %d", l.Units, l.User)
	}
	return l, nil
}
