package flashsale

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/clock"
	"interlock/internal/mq"
)

// RedisGate is the gate in Redis. What it admits is as durable as Redis is.
type RedisGate struct {
	client redis.UniversalClient
	queues *mq.Redis
	// clock is nil for the server's own time.
	clock  clock.Clock
	crowds sync.Map // sale id → *crowd
}

// NewRedisGate returns a gate on a client that does not retry by itself. now is nil
// for the server's own time, which all processes share.
func NewRedisGate(client redis.UniversalClient, queues *mq.Redis, now clock.Clock) *RedisGate {
	return &RedisGate{client: client, queues: queues, clock: now}
}

// gateKeys are the keys of one sale. all are those of admitScript, in its order.
type gateKeys struct {
	gate, tickets, buyers, pending string
	all                            []string
}

func (g *RedisGate) keys(sale int64) gateKeys { return g.crowdOf(sale).keys }

// crowdOf returns the crowd of a sale, which each call shares.
func (g *RedisGate) crowdOf(sale int64) *crowd {
	if found, ok := g.crowds.Load(sale); ok {
		return found.(*crowd)
	}
	pending := g.queues.Open(QueueName(sale)).Keys().Pending
	prefix := strings.TrimSuffix(pending, "pending")
	k := gateKeys{gate: prefix + "gate", tickets: prefix + "tickets", buyers: prefix + "buyers", pending: pending}
	k.all = []string{k.gate, k.tickets, k.buyers, k.pending}
	found, _ := g.crowds.LoadOrStore(sale, &crowd{client: g.client, keys: k})
	return found.(*crowd)
}

// now is the argument of scripts that tell the time.
func (g *RedisGate) now() int64 {
	if g.clock == nil {
		return 0
	}
	return g.clock.Now().UnixMicro()
}

// Admit implements Gate. A lost reply is asked for again once: the ticket is known
// then.
func (g *RedisGate) Admit(ctx context.Context, p Purchase) (Admission, error) {
	message, err := messageOf(p)
	if err != nil {
		return Admission{}, err
	}
	encoded, err := mq.Encode(message)
	if err != nil {
		return Admission{}, fmt.Errorf("encode a ticket: %w", err)
	}
	sale := g.crowdOf(p.Sale)
	reply, err := sale.ask(ctx, &asking{purchase: p, message: encoded, now: g.now()})
	if err != nil && ctx.Err() == nil {
		reply, err = sale.ask(ctx, &asking{purchase: p, message: encoded, now: g.now()})
	}
	if err != nil {
		return Admission{}, fmt.Errorf("ask the gate of sale %d: %w", p.Sale, err)
	}
	a, err := readAdmission(p, reply)
	if err == nil && a.Verdict == Accepted && a.Ticket.Ahead == 0 {
		g.queues.Open(QueueName(p.Sale)).Wake()
	}
	return a, err
}

func readAdmission(p Purchase, answer []any) (Admission, error) {
	var reply [3]string
	for i := range min(len(answer), len(reply)) {
		reply[i], _ = answer[i].(string)
	}
	if len(answer) == 0 || reply[0] == "no_gate" {
		return Admission{}, ErrNoGate
	}
	a := Admission{Verdict: Verdict(reply[0])}
	var err error
	switch {
	case (a.Verdict == Accepted || a.Verdict == Known) && len(answer) == 2:
		a.Ticket, err = readRecord(p.Ticket, reply[1])
	case a.Verdict == LimitReached && len(answer) == 3:
		a.Earlier = reply[2]
		a.Held, err = strconv.ParseInt(reply[1], 10, 64)
	case a.Verdict == SoldOut && len(answer) == 2:
		a.Remaining, err = strconv.ParseInt(reply[1], 10, 64)
	}
	return a, err
}

// Apply implements Gate.
func (g *RedisGate) Apply(ctx context.Context, r Rules) error {
	args := append([]any{r.Epoch}, rulesArgs(r)...)
	return g.answered(applyScript.Run(ctx, g.client, []string{g.keys(r.Sale).gate}, args...).Text())
}

// rulesArgs are version, stock version, open, starts, ends, limit, cap, allotted.
func rulesArgs(r Rules) []any {
	isOpen := 0
	if r.Open {
		isOpen = 1
	}
	return []any{r.Version, r.StockVersion, isOpen, r.Starts.UnixMicro(), r.Ends.UnixMicro(), r.PerUserLimit, r.QueueCap, r.Allotted}
}

// Shrink implements Gate.
func (g *RedisGate) Shrink(ctx context.Context, sale, epoch, units int64) error {
	return g.answered(shrinkScript.Run(ctx, g.client, []string{g.keys(sale).gate}, epoch, units).Text())
}

func (g *RedisGate) answered(reply string, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("tell the gate: %w", err)
	case reply == "no_gate":
		return ErrNoGate
	case reply == "too_few":
		return ErrTooFew
	}
	return nil
}

// stepsPerScript bounds how long one script holds the server up.
const stepsPerScript = 500

// Move implements Gate.
func (g *RedisGate) Move(ctx context.Context, sale, epoch int64, steps []Step) ([]*Ticket, error) {
	k := g.keys(sale)
	tickets := make([]*Ticket, 0, len(steps))
	for len(steps) > 0 {
		part := steps[:min(len(steps), stepsPerScript)]
		steps = steps[len(part):]
		args := make([]any, 0, 2+6*len(part))
		args = append(args, epoch, g.now())
		for _, s := range part {
			args = append(args, s.Ticket, lettersOf(s.From), lettersOf([]State{s.To}), s.OrderID, s.OrderNo, s.Reason)
		}
		reply, err := moveScript.Run(ctx, g.client, []string{k.gate, k.tickets, k.buyers}, args...).StringSlice()
		if err != nil {
			return nil, fmt.Errorf("move tickets of sale %d: %w", sale, err)
		}
		if len(reply) != 1+len(part) {
			return nil, ErrNoGate
		}
		for i, record := range reply[1:] {
			ticket, err := readKnown(part[i].Ticket, record)
			if err != nil {
				return nil, err
			}
			tickets = append(tickets, ticket)
		}
	}
	return tickets, nil
}

// Adopt implements Gate.
func (g *RedisGate) Adopt(ctx context.Context, sale, epoch int64, tickets []Ticket) (int, error) {
	k := g.keys(sale)
	adopted := 0
	for part := range slices.Chunk(tickets, stepsPerScript) {
		args := make([]any, 0, 1+2*len(part))
		args = append(args, epoch)
		for _, t := range part {
			args = append(args, t.ID, recordOf(t))
		}
		reply, err := adoptScript.Run(ctx, g.client, []string{k.gate, k.tickets, k.buyers}, args...).Text()
		if err := g.answered(reply, err); err != nil {
			return adopted, err
		}
		n, err := strconv.Atoi(reply)
		if err != nil {
			return adopted, fmt.Errorf("read the gate's reply %q: %w", reply, err)
		}
		adopted += n
	}
	return adopted, nil
}

// Ticket implements Gate.
func (g *RedisGate) Ticket(ctx context.Context, sale, epoch int64, ticket string) (*Ticket, error) {
	k := g.keys(sale)
	reply, err := ticketScript.Run(ctx, g.client, []string{k.gate, k.tickets}, epoch, ticket).StringSlice()
	if err != nil {
		return nil, fmt.Errorf("read a ticket of sale %d: %w", sale, err)
	}
	if len(reply) != 2 {
		return nil, ErrNoGate
	}
	return readKnown(ticket, reply[1])
}

// Counts implements Gate.
func (g *RedisGate) Counts(ctx context.Context, sale int64) (Counts, error) {
	reply, err := countsScript.Run(ctx, g.client, []string{g.keys(sale).gate}, g.now()).StringSlice()
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
	return Counts{
		Epoch: numbers["epoch"], Version: numbers["version"], Allotted: numbers["allotted"], Remaining: numbers["remaining"], Queued: numbers["queued"],
		Processing: numbers["processing"], Dead: numbers["dead"], Confirmed: numbers["confirmed"],
		Rejected: numbers["rejected"], Returned: numbers["returned"], Waiting: numbers["waiting"],
		AcceptedPerSecond: rateOf(numbers, "a", now), ConfirmedPerSecond: rateOf(numbers, "c", now),
	}, nil
}

// rateOf adds the last full seconds up.
func rateOf(numbers map[string]int64, kind string, now int64) float64 {
	second, sum := now/int64(time.Second/time.Microsecond), int64(0)
	for slot := range int64(8) {
		at := numbers[fmt.Sprintf("%st%d", kind, slot)]
		if at < second && at >= second-rateWindow {
			sum += numbers[fmt.Sprintf("%sn%d", kind, slot)]
		}
	}
	return float64(sum) / rateWindow
}

// Build implements Gate.
func (g *RedisGate) Build(ctx context.Context, r Rules, tickets []Ticket) error {
	c, held, err := built(r, tickets)
	if err != nil {
		return err
	}
	args := append([]any{r.Epoch}, rulesArgs(r)...)
	args = append(args, c.Remaining, c.Confirmed, c.Returned, len(tickets))
	for _, t := range tickets {
		args = append(args, t.ID, recordOf(t))
	}
	for user, b := range held {
		args = append(args, user, fmt.Sprintf("%d|%s", b.units, b.ticket))
	}
	k := g.keys(r.Sale)
	if err := buildScript.Run(ctx, g.client, []string{k.gate, k.tickets, k.buyers}, args...).Err(); err != nil {
		return fmt.Errorf("build the gate of sale %d: %w", r.Sale, err)
	}
	return nil
}

var letters = map[State]string{Queued: "q", Processing: "p", Buried: "d", Confirmed: "c", Rejected: "r", Cancelled: "x"}

var statesByLetter = func() map[string]State {
	states := make(map[string]State, len(letters))
	for state, letter := range letters {
		states[letter] = state
	}
	return states
}()

func lettersOf(states []State) string {
	var b strings.Builder
	for _, state := range states {
		b.WriteString(letters[state])
	}
	return b.String()
}

func recordOf(t Ticket) string {
	return fmt.Sprintf("%s|%d|%d|%d|%d|%d|%s|%s", letters[t.State], t.Units, t.User, t.AcceptedTime.UnixMicro(), t.Ahead, t.OrderID, t.OrderNo, t.Reason)
}

func readKnown(id, record string) (*Ticket, error) {
	if record == "" {
		return nil, nil
	}
	t, err := readRecord(id, record)
	return &t, err
}

func readRecord(id, record string) (Ticket, error) {
	t := Ticket{ID: id}
	unreadable := func() (Ticket, error) {
		return Ticket{ID: id}, fmt.Errorf("flashsale: the gate's record %q of ticket %s cannot be read", record, id)
	}
	letter, rest, _ := strings.Cut(record, "|")
	if t.State = statesByLetter[letter]; t.State == "" {
		return unreadable()
	}
	var accepted int64
	for _, into := range [...]*int64{&t.Units, &t.User, &accepted, &t.Ahead, &t.OrderID} {
		var number string
		var err error
		number, rest, _ = strings.Cut(rest, "|")
		if *into, err = strconv.ParseInt(number, 10, 64); err != nil {
			return unreadable()
		}
	}
	var complete bool
	if t.OrderNo, t.Reason, complete = strings.Cut(rest, "|"); !complete {
		return unreadable()
	}
	t.AcceptedTime = time.UnixMicro(accepted).UTC()
	return t, nil
}
