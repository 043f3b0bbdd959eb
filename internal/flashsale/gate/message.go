package gate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"interlock/internal/base/principal"
	"interlock/internal/mq"
)

// QueueFamily is the prefix of the names of all sales' queues.
const QueueFamily = "fs"

// QueueName returns the name of a sale's queue. The gate's keys share its slot in Redis.
func QueueName(sale int64) string { return fmt.Sprintf("%s:%d", QueueFamily, sale) }

// SaleOf returns the sale of a queue, by its name.
func SaleOf(queue string) (sale int64, ok bool) {
	family, id, _ := strings.Cut(queue, ":")
	sale, err := strconv.ParseInt(id, 10, 64)
	return sale, family == QueueFamily && err == nil
}

// body is the body of a queued ticket. Its message's ID is the ticket.
type body struct {
	// User also accepts a number, an older encoding of users.
	User  principal.CustomerID `json:"user"`
	Units int64                `json:"units"`
}

// messageOf returns the message of a ticket that is queued now.
func messageOf(t Ticket, trace map[string]string) (mq.Message, error) {
	text, err := json.Marshal(body{User: principal.CustomerID(t.User), Units: t.Units})
	if err != nil {
		return mq.Message{}, fmt.Errorf("encode a ticket: %w", err)
	}
	return mq.Message{ID: t.ID, Body: text, EnqueuedTime: t.AcceptedTime, Trace: trace}, nil
}

// TicketOf decodes ticket, user and units of a message. A body that no gate wrote is a
// permanent error.
func TicketOf(m mq.Message) (Ticket, error) {
	var b body
	if err := json.Unmarshal(m.Body, &b); err != nil {
		return Ticket{}, fmt.Errorf("read the ticket: %w", err)
	}
	if b.User == "" || b.Units < 1 {
		return Ticket{}, fmt.Errorf("the ticket is for %d units and customer %q", b.Units, b.User)
	}
	return Ticket{ID: m.ID, User: string(b.User), Units: b.Units, State: Queued, AcceptedTime: m.EnqueuedTime}, nil
}
