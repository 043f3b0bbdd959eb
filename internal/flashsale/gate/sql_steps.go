package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
)

// Move implements Gate.
func (g *SQL) Move(ctx context.Context, ref Ref, steps []Step) ([]Moved, error) {
	moved := make([]Moved, 0, len(steps))
	for part := range slices.Chunk(steps, stepsTogether) {
		var done []Moved
		err := g.step(ctx, ref, func(tx *gorm.DB, b *book) error {
			if err := b.loadFor(tx, ref.Sale, part); err != nil {
				return err
			}
			now := g.clock.Now()
			done = make([]Moved, len(part))
			for i, s := range part {
				done[i] = b.move(s, now)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		moved = append(moved, done...)
	}
	return moved, nil
}

// loadFor reads the tickets of steps, and the customers with an allowance that may be released.
func (b *book) loadFor(tx *gorm.DB, sale int64, steps []Step) error {
	ids := make([]string, len(steps))
	frees := false
	for i, s := range steps {
		ids[i] = s.Ticket
		frees = frees || s.To == Rejected || s.To == Cancelled
	}
	if err := b.loadTickets(tx, sale, ids); err != nil || !frees {
		return err
	}
	users := make([]string, 0, len(b.tickets))
	for _, t := range b.tickets {
		users = append(users, t.User)
	}
	return b.loadBuyers(tx, sale, users)
}

// Apply implements Gate.
func (g *SQL) Apply(ctx context.Context, r Rules) error {
	return g.step(ctx, r.Ref, func(_ *gorm.DB, b *book) error {
		b.apply(r)
		return nil
	})
}

// Withhold implements Gate.
func (g *SQL) Withhold(ctx context.Context, ref Ref, stockVersion, units int64) error {
	return g.step(ctx, ref, func(_ *gorm.DB, b *book) error { return b.withhold(stockVersion, units) })
}

// Adopt implements Gate.
func (g *SQL) Adopt(ctx context.Context, ref Ref, tickets []Ticket) (int, error) {
	adopted := 0
	for part := range slices.Chunk(tickets, stepsTogether) {
		taken := 0
		err := g.step(ctx, ref, func(tx *gorm.DB, b *book) error {
			ids, users := make([]string, len(part)), make([]string, len(part))
			for i, t := range part {
				ids[i], users[i] = t.ID, t.User
			}
			if err := errors.Join(b.loadTickets(tx, ref.Sale, ids), b.loadBuyers(tx, ref.Sale, users)); err != nil {
				return err
			}
			taken = 0
			for _, t := range part {
				if b.adopt(t) {
					taken++
				}
			}
			return nil
		})
		if err != nil {
			return adopted, err
		}
		adopted += taken
	}
	return adopted, nil
}

// FindInconsistencies implements Gate. Its tickets are exact: a message is only removed after its ticket
// is settled, and the revision excludes a step between the two reads.
func (g *SQL) FindInconsistencies(ctx context.Context, ref Ref) (Inconsistencies, error) {
	var s Inconsistencies
	err := g.run(ctx, stepTimeout, func(tx *gorm.DB) error {
		s = Inconsistencies{}
		from, err := lockGate(tx, ref.Sale)
		if err != nil {
			return err
		}
		if from == nil || from.Epoch != ref.Epoch {
			return ErrNoGate
		}
		var rows []ticketRow
		if err := tx.Where("sale_id = ? AND state IN ?", ref.Sale, InFlight).Find(&rows).Error; err != nil {
			return fmt.Errorf("read the tickets of sale %d that are in flight: %w", ref.Sale, err)
		}
		ids := make([]string, len(rows))
		for i, row := range rows {
			ids[i] = row.Ticket
		}
		lacking, err := g.queue.MissingTx(tx, QueueName(ref.Sale), ids)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if slices.Contains(lacking, row.Ticket) {
				s.Tickets = append(s.Tickets, row.ticket())
			}
		}
		return from.requireRevision(tx, ref.Sale)
	})
	if err != nil {
		return s, err
	}
	s.DeadMessages, err = deadWithoutTicket(ctx, g, g.queue.Queue(QueueName(ref.Sale)), ref)
	return s, err
}

// Requeue implements Gate.
func (g *SQL) Requeue(ctx context.Context, ref Ref, tickets []Ticket) (int, error) {
	queued := 0
	err := g.step(ctx, ref, func(tx *gorm.DB, b *book) error {
		ids := make([]string, len(tickets))
		for i, t := range tickets {
			ids[i] = t.ID
		}
		if err := b.loadTickets(tx, ref.Sale, ids); err != nil {
			return err
		}
		for _, id := range ids {
			b.requeue(id)
		}
		queued = len(b.changed.queued)
		return g.enqueue(tx, ref.Sale, b.changed.queued, nil)
	})
	if err == nil {
		g.queue.Enqueued(QueueName(ref.Sale), queued)
	}
	return queued, err
}

// RetryDead implements Gate.
func (g *SQL) RetryDead(ctx context.Context, ref Ref, message string) error {
	err := g.step(ctx, ref, func(tx *gorm.DB, b *book) error {
		if err := b.loadTickets(tx, ref.Sale, []string{message}); err != nil {
			return err
		}
		b.move(Step{Ticket: message, From: []State{Buried}, To: Queued}, g.clock.Now())
		return g.queue.RetryDeadTx(tx, QueueName(ref.Sale), message)
	})
	if err == nil {
		g.queue.Enqueued(QueueName(ref.Sale), 0)
	}
	return err
}

// DiscardDead implements Gate.
func (g *SQL) DiscardDead(ctx context.Context, ref Ref, message string) error {
	return g.step(ctx, ref, func(tx *gorm.DB, _ *book) error { return g.queue.DiscardDeadTx(tx, QueueName(ref.Sale), message) })
}

// Retire implements Gate.
func (g *SQL) Retire(ctx context.Context, ref Ref, replace bool) (bool, error) {
	retired := false
	err := g.run(ctx, stepTimeout, func(tx *gorm.DB) error {
		from, err := lockGate(tx, ref.Sale)
		if err != nil {
			return err
		}
		inUse := !replace
		if replace {
			// A message that arrives after this check belongs to a step that the guard
			// rejects.
			stats, err := g.queue.Queue(QueueName(ref.Sale)).Stats(ctx)
			if err != nil {
				return err
			}
			inUse = stats.Total() > 0
		}
		if from == nil {
			retired = true
			return tx.Create(&pageRow{SaleID: ref.Sale, EpochFloor: ref.Epoch + 1}).Error
		}
		b := newBook(from.page)
		retired = b.retire(ref.Epoch, inUse)
		return b.save(tx, ref.Sale, *from)
	})
	return retired && err == nil, err
}

// Build implements Gate.
func (g *SQL) Build(ctx context.Context, r Rules, tickets []Ticket) error {
	return g.run(ctx, buildTimeout, func(tx *gorm.DB) error {
		there, err := lockGate(tx, r.Sale)
		if err != nil {
			return err
		}
		if there != nil && !newBook(there.page).mayBuild(r.Epoch) {
			return nil
		}
		for _, model := range []any{&ticketRow{}, &buyerRow{}} {
			if err := tx.Where("sale_id = ?", r.Sale).Delete(model).Error; err != nil { //nolint:forbidigo // the page's revision is the guard
				return fmt.Errorf("clear the gate of sale %d: %w", r.Sale, err)
			}
		}
		if err := g.queue.PurgeTx(tx, QueueName(r.Sale)); err != nil {
			return err
		}
		if there == nil {
			there = &lockedGate{}
			if err := tx.Create(&pageRow{SaleID: r.Sale}).Error; err != nil {
				return fmt.Errorf("insert the gate of sale %d: %w", r.Sale, err)
			}
		}
		return built(r, tickets).save(tx, r.Sale, *there)
	})
}

// Count implements Gate, in memory.
func (g *SQL) Count(ctx context.Context, sale int64, a Attempts) error {
	p, _ := principal.From(ctx)
	g.attempts.add(p.TenantID, sale, g.clock.Now().Unix(), a)
	return nil
}

// SaveAttempts implements Gate, by one statement per sale with new counts.
func (g *SQL) SaveAttempts(ctx context.Context) error { return g.attempts.save(ctx, g.db) }

// Counts implements Gate. The counters are one row, read by one statement.
func (g *SQL) Counts(ctx context.Context, sale int64) (Counts, error) {
	p, err := pageOf(g.db.Read(ctx), sale)
	if err != nil {
		return Counts{}, err
	}
	if p == nil || p.Epoch == 0 {
		return Counts{}, ErrNoGate
	}
	c := p.counts()
	c.Time = g.clock.Now()
	second := int64(time.Second / time.Microsecond)
	until := c.Time.UnixMicro() / second * second
	for column, rate := range map[string]*float64{"accepted": &c.AcceptedPerSecond, "confirmed": &c.ConfirmedPerSecond} {
		var units int64
		err := g.db.Read(ctx).Model(&ticketRow{}).Select("COALESCE(SUM(units), 0)").
			Where("sale_id = ? AND "+column+" >= ? AND "+column+" < ?", sale, until-rateWindow*second, until).Scan(&units).Error
		if err != nil {
			return Counts{}, fmt.Errorf("measure sale %d: %w", sale, err)
		}
		*rate = float64(units) / rateWindow
	}
	total, lately, err := g.attempts.of(ctx, g.db, sale, c.Time.Unix())
	if err != nil {
		return Counts{}, err
	}
	c.show(total, lately)
	return c, nil
}

// Expire implements Gate. Rows of a finished sale are retained.
func (*SQL) Expire(context.Context, int64, time.Duration) error { return nil }
