package flashsale

import (
	"context"
	"encoding/json"
	"fmt"

	"interlock/internal/mq"
)

// QueueFamily is what the names of all sales' queues begin with.
const QueueFamily = "fs"

// QueueName names the queue of a sale. The gate's keys share its slot in Redis.
func QueueName(sale int64) string { return fmt.Sprintf("%s:%d", QueueFamily, sale) }

// Queues names the queues of the caller's tenant, and whether each is of a sale that is not
// closed:
//
//	SELECT id, status FROM flash_sales WHERE tenant_id = ?
func (s *Service) Queues(ctx context.Context) (map[string]bool, error) {
	var sales []Sale
	if err := s.db.Read(ctx).Select("id", "status").Find(&sales).Error; err != nil {
		return nil, fmt.Errorf("read whose sales have queues: %w", err)
	}
	queues := make(map[string]bool, len(sales))
	for _, sale := range sales {
		queues[QueueName(sale.ID)] = sale.Status != closed.Code
	}
	return queues, nil
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
