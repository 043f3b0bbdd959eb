package flashsale

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/redis/go-redis/v9"
)

// crowd asks the gate of one sale for many customers in one script. Whoever comes while a
// script is under way waits for its end, and then goes with all others who came
// meanwhile; whoever comes alone goes at once. So a crowd costs the server and this
// process one round trip for many, and nobody waits for a timer.
type crowd struct {
	client redis.UniversalClient
	keys   gateKeys

	mu      sync.Mutex
	waiting []*asking
	// away is whether a script is under way. One at a time is enough: what a second one
	// would carry is what makes the next one worth its round trip.
	away bool
}

// mostTogether bounds a script, and thereby for how long the server serves nobody else:
// some 5 µs each.
const mostTogether = 256

// asking is one customer's purchase on its way.
type asking struct {
	purchase Purchase
	message  []byte
	// now is the gate's argument of that name.
	now int64
	// gone is closed when the customer does not wait any more.
	gone  <-chan struct{}
	reply []any
	err   error
	done  chan struct{}
}

// ask returns the script's reply to a purchase. When ctx ends while the script is under
// way, the purchase may be let in all the same.
func (c *crowd) ask(ctx context.Context, a *asking) ([]any, error) {
	a.gone, a.done = ctx.Done(), make(chan struct{})
	c.mu.Lock()
	c.waiting = append(c.waiting, a)
	going := !c.away
	c.away = true
	c.mu.Unlock()
	if going {
		c.trip(context.WithoutCancel(ctx))
	}
	select {
	case <-a.done:
		return a.reply, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// trip asks for those who wait, and sees to it that others who came meanwhile are asked
// for too. Should it fail, they are told so as well: nobody is to stand in a line of
// time-outs.
func (c *crowd) trip(ctx context.Context) {
	// Whoever can come now comes first: a script costs some 20 µs by itself, and 5 for
	// each purchase.
	runtime.Gosched()
	err := c.send(ctx, c.take())
	c.mu.Lock()
	var failed []*asking
	if err != nil {
		failed, c.waiting = c.waiting, nil
	}
	more := len(c.waiting) > 0
	c.away = more
	c.mu.Unlock()
	for _, a := range failed {
		a.err = err
		close(a.done)
	}
	if more {
		// The customer who made this trip has its answer and is not to wait for others.
		go c.trip(ctx)
	}
}

// take returns those whose turn it is, without those who have gone.
func (c *crowd) take() []*asking {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(c.waiting), mostTogether)
	together := make([]*asking, 0, n)
	for _, a := range c.waiting[:n] {
		select {
		case <-a.gone:
		default:
			together = append(together, a)
		}
	}
	c.waiting = c.waiting[n:]
	return together
}

// errReplies means that the script did not reply to each purchase.
var errReplies = errors.New("the gate's script did not reply to each purchase")

func (c *crowd) send(ctx context.Context, together []*asking) error {
	if len(together) == 0 {
		return nil
	}
	args := make([]any, 0, 1+5*len(together))
	args = append(args, together[0].now)
	for _, a := range together {
		p := a.purchase
		args = append(args, p.Epoch, p.Ticket, p.User, p.Units, a.message)
	}
	replies, err := admitScript.Run(ctx, c.client, c.keys.all, args...).Slice()
	if err == nil && len(replies) != len(together) {
		err = fmt.Errorf("%w: %d to %d", errReplies, len(replies), len(together))
	}
	for i, a := range together {
		if a.err = err; err == nil {
			a.reply, _ = replies[i].([]any)
		}
		close(a.done)
	}
	return err
}
