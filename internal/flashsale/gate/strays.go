package gate

import (
	"context"
	"fmt"

	"interlock/internal/mq"
)

// deadWithoutTicket returns the dead messages of a queue for which the gate has no ticket.
func deadWithoutTicket(ctx context.Context, g Gate, queue mq.Queue, ref Ref) ([]string, error) {
	var letters []string
	for after, more := "", true; more; more = after != "" {
		dead, next, err := queue.Dead(ctx, after, mq.MaxListed)
		if err != nil {
			return nil, fmt.Errorf("list the dead letters of sale %d: %w", ref.Sale, err)
		}
		after = next
		reading := make([]Step, len(dead))
		for i, m := range dead {
			reading[i] = Step{Ticket: m.ID, To: Buried}
		}
		read, err := g.Move(ctx, ref, reading)
		if err != nil {
			return nil, err
		}
		for i, m := range dead {
			if read[i].Ticket == nil {
				letters = append(letters, m.ID)
			}
		}
	}
	return letters, nil
}
