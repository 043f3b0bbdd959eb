package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"interlock/internal/mq"
)

// stepsTogether bounds the steps of one script, which blocks the server, or of one
// transaction, which blocks the gate.
const stepsTogether = 500

// replyError converts the reply of a script to an error.
func replyError(reply string, err error) error {
	if err != nil {
		return fmt.Errorf("update the gate: %w", err)
	}
	return map[string]error{
		"no_gate": ErrNoGate, "too_few": ErrTooFew, "outdated": ErrOutdated, "too_many": ErrTooMany, "no_message": mq.ErrNoSuchMessage,
	}[reply]
}

// numberReply converts the reply of a script that returns a number.
func numberReply(reply string, err error) (int, error) {
	if err := replyError(reply, err); err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(reply)
	if err != nil {
		return 0, fmt.Errorf("read the gate's reply %q: %w", reply, err)
	}
	return n, nil
}

// Move implements Gate.
func (g *Redis) Move(ctx context.Context, ref Ref, steps []Step) ([]Moved, error) {
	s := g.sale(ref.Sale)
	moved := make([]Moved, 0, len(steps))
	for part := range slices.Chunk(steps, stepsTogether) {
		args := make([]any, 0, 2+6*len(part))
		args = append(args, ref.Epoch, g.now())
		for _, step := range part {
			args = append(args, step.Ticket, codesOf(step.From), codesOf([]State{step.To}), step.OrderID, step.OrderNo, step.Reason)
		}
		reply, err := moveScript.Run(ctx, g.client, []string{s.gate, s.tickets, s.buyers}, args...).StringSlice()
		if err != nil {
			return nil, fmt.Errorf("move tickets of sale %d: %w", ref.Sale, err)
		}
		if len(reply) != 1+len(part) {
			return nil, ErrNoGate
		}
		for i, text := range reply[1:] {
			var m Moved
			if text != "" {
				m.Changed = text[0] == '1'
				if m.Ticket, err = decodeRecord(part[i].Ticket, text[1:]); err != nil {
					return nil, err
				}
			}
			moved = append(moved, m)
		}
	}
	return moved, nil
}

// rulesArgs returns version, stock version, open, starts, ends, limit, cap, allotted.
func rulesArgs(r Rules) []any {
	isOpen := 0
	if r.Open {
		isOpen = 1
	}
	return []any{r.Version, r.StockVersion, isOpen, r.Starts.UnixMicro(), r.Ends.UnixMicro(), r.PerUserLimit, r.QueueCap, r.Allotted}
}

// Apply implements Gate.
func (g *Redis) Apply(ctx context.Context, r Rules) error {
	args := append([]any{r.Epoch}, rulesArgs(r)...)
	return replyError(applyScript.Run(ctx, g.client, []string{g.sale(r.Sale).gate}, args...).Text())
}

// Withhold implements Gate.
func (g *Redis) Withhold(ctx context.Context, ref Ref, stockVersion, units int64) error {
	return replyError(withholdScript.Run(ctx, g.client, []string{g.sale(ref.Sale).gate}, ref.Epoch, stockVersion, units).Text())
}

// Adopt implements Gate.
func (g *Redis) Adopt(ctx context.Context, ref Ref, tickets []Ticket) (int, error) {
	s := g.sale(ref.Sale)
	adopted := 0
	for part := range slices.Chunk(tickets, stepsTogether) {
		args := make([]any, 0, 1+2*len(part))
		args = append(args, ref.Epoch)
		for _, t := range part {
			args = append(args, t.ID, recordOf(t))
		}
		n, err := numberReply(adoptScript.Run(ctx, g.client, []string{s.gate, s.tickets, s.buyers}, args...).Text())
		if err != nil {
			return adopted, err
		}
		adopted += n
	}
	return adopted, nil
}

// FindInconsistencies implements Gate. It reads the tickets before the messages, because a message is
// only removed after its ticket is settled; it checks apparent strays a second time,
// because it can miss a moving message.
func (g *Redis) FindInconsistencies(ctx context.Context, ref Ref) (Inconsistencies, error) {
	s := g.sale(ref.Sale)
	tickets, err := g.inFlight(ctx, s, ref)
	for range 2 {
		if err != nil || len(tickets) == 0 {
			break
		}
		tickets, err = g.withoutMessage(ctx, s, ref, tickets)
	}
	if err != nil {
		return Inconsistencies{}, err
	}
	letters, err := deadWithoutTicket(ctx, g, s.queue, ref)
	return Inconsistencies{Tickets: tickets, DeadMessages: letters}, err
}

// inFlight reads the unsettled tickets.
func (g *Redis) inFlight(ctx context.Context, s *redisSale, ref Ref) ([]Ticket, error) {
	var tickets []Ticket
	err := g.scan(ctx, inFlightScript, []string{s.gate, s.tickets}, ref.Epoch, func(part []string) error {
		for pair := range slices.Chunk(part, 2) {
			t, err := readRecord(pair[0], pair[1])
			if err != nil {
				return err
			}
			tickets = append(tickets, t)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the tickets of sale %d: %w", ref.Sale, err)
	}
	return tickets, nil
}

// scan runs a script with the arguments epoch, cursor and args, which replies the next
// cursor and a page of a hash, until all pages are read. Errors: those of replyError and of
// each.
func (g *Redis) scan(ctx context.Context, script *redis.Script, keys []string, epoch int64, each func(part []string) error, args ...any) error {
	for cursor := "0"; ; {
		reply, err := script.Run(ctx, g.client, keys, append([]any{epoch, cursor}, args...)...).StringSlice()
		if err != nil {
			return fmt.Errorf("read the gate: %w", err)
		}
		if len(reply) == 0 {
			return ErrNoGate
		}
		cursor = reply[0]
		if err := replyError(cursor, nil); err != nil {
			return err
		}
		if err := each(reply[1:]); err != nil {
			return err
		}
		if cursor == "0" {
			return nil
		}
	}
}

// withoutMessage returns the tickets that are in flight now and have no message.
func (g *Redis) withoutMessage(ctx context.Context, s *redisSale, ref Ref, tickets []Ticket) ([]Ticket, error) {
	reading := make([]Step, len(tickets))
	for i, t := range tickets {
		reading[i] = Step{Ticket: t.ID, To: t.State}
	}
	read, err := g.Move(ctx, ref, reading)
	if err != nil {
		return nil, err
	}
	lacking := make(map[string]Ticket)
	for _, m := range read {
		if m.Ticket != nil && !m.Ticket.State.HasEnded() {
			lacking[m.Ticket.ID] = *m.Ticket
		}
	}
	err = s.queue.MessageIDs(ctx, func(ids []string) {
		for _, id := range ids {
			delete(lacking, id)
		}
	})
	left := make([]Ticket, 0, len(lacking))
	for _, t := range tickets {
		if t, ok := lacking[t.ID]; ok {
			left = append(left, t)
		}
	}
	return left, err
}

// Requeue implements Gate. It sends the tickets in chunks of stepsTogether.
func (g *Redis) Requeue(ctx context.Context, ref Ref, tickets []Ticket) (int, error) {
	s := g.sale(ref.Sale)
	queued := 0
	for part := range slices.Chunk(tickets, stepsTogether) {
		args := make([]any, 0, 1+2*len(part))
		args = append(args, ref.Epoch)
		for _, t := range part {
			message, err := messageOf(t, nil)
			if err != nil {
				return queued, err
			}
			encoded, err := mq.Encode(message)
			if err != nil {
				return queued, fmt.Errorf("encode a ticket: %w", err)
			}
			args = append(args, t.ID, encoded)
		}
		n, err := numberReply(requeueScript.Run(ctx, g.client, s.withQueue, args...).Text())
		if err != nil {
			return queued, err
		}
		s.queue.Enqueued(n)
		queued += n
	}
	return queued, nil
}

// RetryDead implements Gate.
func (g *Redis) RetryDead(ctx context.Context, ref Ref, message string) error {
	s := g.sale(ref.Sale)
	err := replyError(retryDeadScript.Run(ctx, g.client, s.withQueue, ref.Epoch, message).Text())
	if err == nil {
		s.queue.Enqueued(0)
	}
	return err
}

// DiscardDead implements Gate.
func (g *Redis) DiscardDead(ctx context.Context, ref Ref, message string) error {
	return replyError(discardDeadScript.Run(ctx, g.client, g.sale(ref.Sale).withQueue, ref.Epoch, message).Text())
}

// Retire implements Gate.
func (g *Redis) Retire(ctx context.Context, ref Ref, replace bool) (bool, error) {
	mode := 0
	if replace {
		mode = 1
	}
	retired, err := retireScript.Run(ctx, g.client, g.sale(ref.Sale).withQueue, ref.Epoch, mode).Bool()
	if err != nil {
		return false, fmt.Errorf("retire the gate of sale %d: %w", ref.Sale, err)
	}
	return retired, nil
}

// stagedTTL is the TTL of staged data, in case its builder ends before the build.
const stagedTTL = 5 * time.Minute

// errIncomplete means that a part of the staged data is missing.
var errIncomplete = errors.New("gate: staged tickets of a new gate are missing")

// Build implements Gate. It stages the tickets under temporary keys, in parts, so that the
// server is never blocked for long; the last step empties the queue and renames the keys.
func (g *Redis) Build(ctx context.Context, r Rules, tickets []Ticket) error {
	s := g.sale(r.Sale)
	b := built(r, tickets)
	attempt := s.gate + ":" + uuid.NewString()
	staged := []string{attempt + ":tickets", attempt + ":buyers"}
	for part := range slices.Chunk(tickets, stepsTogether) {
		args := []any{stagedTTL.Milliseconds(), 0}
		n := 0
		for _, t := range part {
			// Tickets that built has skipped are in no counter, so they are not staged.
			if known := b.tickets[t.ID]; known != nil {
				args = append(args, t.ID, recordOf(*known))
				n++
			}
		}
		args[1] = n
		for _, t := range part {
			if held, ok := b.buyers[t.User]; ok {
				args = append(args, t.User, fmt.Sprintf("%d|%s", held.Units, held.Ticket))
			}
		}
		if err := stageScript.Run(ctx, g.client, staged, args...).Err(); err != nil {
			return fmt.Errorf("stage tickets of sale %d: %w", r.Sale, err)
		}
	}
	args := append([]any{r.Epoch}, rulesArgs(r)...)
	args = append(args, b.Remaining, b.Confirmed, b.Rejected, b.Returned, len(b.tickets), len(b.buyers))
	reply, err := buildScript.Run(ctx, g.client, append(slices.Clone(s.withQueue), staged...), args...).Text()
	switch {
	case err != nil:
		return fmt.Errorf("build the gate of sale %d: %w", r.Sale, err)
	case reply == "incomplete":
		return fmt.Errorf("build the gate of sale %d: %w", r.Sale, errIncomplete)
	}
	return nil
}

// Count implements Gate.
func (g *Redis) Count(ctx context.Context, sale int64, a Attempts) error {
	args := []any{g.now()}
	for i, n := range a.byResult() {
		args = append(args, resultNames[i], n)
	}
	if err := attemptScript.Run(ctx, g.client, []string{g.sale(sale).attempts}, args...).Err(); err != nil {
		return fmt.Errorf("count attempts at sale %d: %w", sale, err)
	}
	return nil
}

// SaveAttempts implements Gate: Count already stored the counts in Redis.
func (*Redis) SaveAttempts(context.Context) error { return nil }

// Counts implements Gate.
func (g *Redis) Counts(ctx context.Context, sale int64) (Counts, error) {
	s := g.sale(sale)
	reply, err := countsScript.Run(ctx, g.client, []string{s.gate, s.attempts, s.tickets, s.buyers}, g.now()).StringSlice()
	if err != nil {
		return Counts{}, fmt.Errorf("read the numbers of sale %d: %w", sale, err)
	}
	if len(reply) < 3 {
		return Counts{}, ErrNoGate
	}
	now, err := strconv.ParseInt(reply[0], 10, 64)
	if err != nil {
		return Counts{}, fmt.Errorf("read the gate's clock: %w", err)
	}
	numbers := make(map[string]int64, len(reply)/2)
	for i := 1; i+1 < len(reply); i += 2 {
		if numbers[reply[i]], err = strconv.ParseInt(reply[i+1], 10, 64); err != nil {
			return Counts{}, fmt.Errorf("read the gate's %s: %w", reply[i], err)
		}
	}
	c := page{
		Epoch: numbers["epoch"], Version: numbers["version"], Allotted: numbers["allotted"], Withheld: numbers["withheld"],
		Remaining: numbers["remaining"], Queued: numbers["queued"], Processing: numbers["processing"], Dead: numbers["dead"],
		Confirmed: numbers["confirmed"], Rejected: numbers["rejected"], Returned: numbers["returned"],
		Waiting: numbers["waiting"], Working: numbers["working"], Buried: numbers["buried"],
	}.counts()
	c.Time = time.UnixMicro(now).UTC()
	c.AcceptedPerSecond, c.ConfirmedPerSecond = rateOf(numbers, "a", now), rateOf(numbers, "c", now)
	c.show(attemptsIn(numbers, now))
	return c, nil
}

// rateOf returns the rate over the last full seconds.
func rateOf(numbers map[string]int64, kind string, now int64) float64 {
	return float64(recent(numbers, kind+"t", kind+"n", now)) / rateWindow
}

// recent adds up the counters of the last full seconds.
func recent(numbers map[string]int64, at, name string, now int64) (sum int64) {
	second := now / int64(time.Second/time.Microsecond)
	for slot := range rateSlots {
		if seen := numbers[at+strconv.Itoa(slot)]; seen < second && seen >= second-rateWindow {
			sum += numbers[name+strconv.Itoa(slot)]
		}
	}
	return sum
}

func attemptsIn(numbers map[string]int64, now int64) (total, lately byResult) {
	for i, name := range resultNames {
		total[i], lately[i] = numbers[name], recent(numbers, "second", name, now)
	}
	return total, lately
}

// Expire implements Gate.
func (g *Redis) Expire(ctx context.Context, sale int64, after time.Duration) error {
	s := g.sale(sale)
	_, err := g.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, key := range []string{s.gate, s.tickets, s.buyers, s.attempts} {
			p.PExpire(ctx, key, after)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("let the gate of sale %d expire: %w", sale, err)
	}
	return nil
}
