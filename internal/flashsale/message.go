package flashsale

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"interlock/internal/apperr"
	"interlock/internal/mq"
)

// QueueFamily is what the names of all sales' queues begin with.
const QueueFamily = "fs"

// QueueName names the queue of a sale. The gate's keys share its slot in Redis.
func QueueName(sale int64) string { return fmt.Sprintf("%s:%d", QueueFamily, sale) }

// OwnsQueue reports whether a queue is of a sale of the caller's tenant.
func (s *Service) OwnsQueue(ctx context.Context, queue string) (bool, error) {
	id, err := strconv.ParseInt(strings.TrimPrefix(queue, QueueFamily+":"), 10, 64)
	if err != nil {
		return false, nil //nolint:nilerr // a name that is no sale's is nobody's
	}
	_, err = s.Sale(ctx, id)
	if apperr.Has(err, apperr.NotFound) {
		return false, nil
	}
	return err == nil, err
}

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
