package flashsale

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/clock"
	"interlock/internal/mq"
	"interlock/internal/storage"
)

// SQLGate is the gate in the database, for a program without Redis.
//
// A transaction begins with the row of the sale FOR UPDATE, so those of one sale come
// one after the other. Purchases that arrive while one is under way share the next
// transaction: what makes an acceptance durable is paid for once for all of them.
type SQLGate struct {
	db    *storage.DB
	queue TxQueue
	clock clock.Clock

	mu    sync.Mutex
	lines map[int64]*line

	// Without Redis there is one process, as with the locks and the bus, so what it
	// counts is all there is; a restart begins at nothing.
	arrivals arrivalLog
}

// TxQueue adds messages in a transaction of the caller's.
type TxQueue interface {
	EnqueueTx(tx *gorm.DB, queue string, messages ...mq.Message) error
	// Wake tells consumers that the transaction was committed.
	Wake(queue string)
}

// NewSQLGate returns a gate.
func NewSQLGate(db *storage.DB, queue TxQueue, now clock.Clock) *SQLGate {
	return &SQLGate{db: db, queue: queue, clock: now, lines: make(map[int64]*line)}
}

const (
	// sharedAdmissions bounds how many purchases share a transaction.
	sharedAdmissions = 256
	// gateTxLife bounds a transaction of the gate.
	gateTxLife = 10 * time.Second
	gateTxRuns = 8
)

// line is the purchases of one sale that wait for the next transaction.
type line struct {
	waiting []*admission
	busy    bool
}

type admission struct {
	purchase Purchase
	answer   Admission
	err      error
	done     chan struct{}
}

type gateRow struct {
	SaleID       int64 `gorm:"primaryKey;autoIncrement:false"`
	TenantID     int64
	Epoch        int64
	Version      int64
	StockVersion int64
	IsOpen       bool
	Starts       int64
	Ends         int64
	UserLimit    int64
	QueueCap     int64
	Allotted     int64
	Remaining    int64
	Queued       int64
	Processing   int64
	Dead         int64
	Confirmed    int64
	Rejected     int64
	Returned     int64
	Waiting      int64
}

// TableName implements gorm's Tabler.
func (gateRow) TableName() string { return "flash_sale_gates" }

type ticketRow struct {
	SaleID    int64  `gorm:"primaryKey;autoIncrement:false"`
	Ticket    string `gorm:"primaryKey"`
	TenantID  int64
	UserID    int64
	Units     int64
	State     State
	Accepted  int64
	Ahead     int64
	Confirmed int64
	OrderID   int64
	OrderNo   string
	Reason    string
}

// TableName implements gorm's Tabler.
func (ticketRow) TableName() string { return "flash_sale_tickets" }

func (t ticketRow) ticket() Ticket {
	return Ticket{
		ID: t.Ticket, State: t.State, User: t.UserID, Units: t.Units, AcceptedTime: time.UnixMicro(t.Accepted).UTC(), Ahead: t.Ahead,
		OrderID: t.OrderID, OrderNo: t.OrderNo, Reason: t.Reason,
	}
}

type buyerRow struct {
	SaleID   int64 `gorm:"primaryKey;autoIncrement:false"`
	UserID   int64 `gorm:"primaryKey;autoIncrement:false"`
	TenantID int64
	Units    int64
	Ticket   string
}

// TableName implements gorm's Tabler.
func (buyerRow) TableName() string { return "flash_sale_buyers" }

// Admit implements Gate.
func (g *SQLGate) Admit(ctx context.Context, p Purchase) (Admission, error) {
	a := &admission{purchase: p, done: make(chan struct{})}
	g.mu.Lock()
	l := g.lines[p.Sale]
	if l == nil {
		l = &line{}
		g.lines[p.Sale] = l
	}
	l.waiting = append(l.waiting, a)
	lead := !l.busy
	l.busy = true
	g.mu.Unlock()
	if lead {
		// The others of the line must not end with this caller.
		go g.serve(context.WithoutCancel(ctx), p.Sale, l)
	}
	select {
	case <-a.done:
		return a.answer, a.err
	case <-ctx.Done():
		return Admission{}, context.Cause(ctx)
	}
}

// serve admits who waits until nobody does.
func (g *SQLGate) serve(ctx context.Context, sale int64, l *line) {
	for {
		g.mu.Lock()
		batch := l.waiting[:min(len(l.waiting), sharedAdmissions)]
		l.waiting = slices.Clone(l.waiting[len(batch):])
		if len(batch) == 0 {
			l.busy = false
			delete(g.lines, sale)
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		err := g.within(ctx, sale, func(tx *gorm.DB, row *gateRow) error { return g.admit(tx, row, batch) })
		if err == nil && slices.ContainsFunc(batch, func(a *admission) bool { return a.answer.Verdict == Accepted }) {
			g.queue.Wake(QueueName(sale))
		}
		for _, a := range batch {
			if err != nil {
				a.answer, a.err = Admission{}, err
			}
			close(a.done)
		}
	}
}

// admit decides on each purchase in turn and writes what was accepted.
func (g *SQLGate) admit(tx *gorm.DB, row *gateRow, batch []*admission) error {
	sale := row.SaleID
	ids, users := make([]string, len(batch)), make([]int64, len(batch))
	for i, a := range batch {
		ids[i], users[i] = a.purchase.Ticket, a.purchase.User
	}
	known, err := ticketsOf(tx, sale, ids)
	if err != nil {
		return err
	}
	holders, err := buyersOf(tx, sale, users)
	if err != nil {
		return err
	}
	now := g.clock.Now().UnixMicro()
	var accepted []ticketRow
	var messages []mq.Message
	changed := make(map[int64]bool)
	for _, a := range batch {
		p := a.purchase
		a.answer, a.err = Admission{}, nil
		if p.Epoch != row.Epoch {
			a.err = ErrNoGate
			continue
		}
		if t := known[p.Ticket]; t != nil {
			a.answer = Admission{Verdict: Known, Ticket: t.ticket()}
			continue
		}
		if a.answer = row.judge(p, holders[p.User], now); a.answer.Verdict != Accepted {
			continue
		}
		message, err := messageOf(p)
		if err != nil {
			return err
		}
		ticket := ticketRow{SaleID: sale, Ticket: p.Ticket, UserID: p.User, Units: p.Units, State: Queued, Accepted: now, Ahead: row.Waiting}
		a.answer.Ticket = ticket.ticket()
		row.Remaining, row.Queued, row.Waiting = row.Remaining-p.Units, row.Queued+p.Units, row.Waiting+1
		known[p.Ticket] = &ticket
		holders[p.User] = buyer{holders[p.User].units + p.Units, p.Ticket}
		changed[p.User] = true
		accepted, messages = append(accepted, ticket), append(messages, message)
	}
	if len(accepted) == 0 {
		return nil
	}
	if err := row.save(tx); err != nil {
		return err
	}
	if err := tx.CreateInBatches(accepted, 100).Error; err != nil {
		return fmt.Errorf("insert tickets: %w", err)
	}
	if err := saveBuyers(tx, sale, holders, changed); err != nil {
		return err
	}
	if err := g.queue.EnqueueTx(tx, QueueName(sale), messages...); err != nil {
		return fmt.Errorf("queue tickets: %w", err)
	}
	return nil
}

// judge is the rules of admission, in their order; admitScript is their twin.
func (row *gateRow) judge(p Purchase, held buyer, now int64) Admission {
	switch {
	case !row.IsOpen:
		return Admission{Verdict: NotOpen}
	case now < row.Starts:
		return Admission{Verdict: NotStarted}
	case now >= row.Ends:
		return Admission{Verdict: Ended}
	case p.Units > row.UserLimit-held.units:
		return Admission{Verdict: LimitReached, Held: held.units, Earlier: held.ticket}
	case row.Remaining < p.Units:
		return Admission{Verdict: SoldOut, Remaining: row.Remaining}
	case row.QueueCap > 0 && row.Waiting >= row.QueueCap:
		return Admission{Verdict: QueueFull}
	}
	return Admission{Verdict: Accepted}
}

// within runs fn in a transaction that has the sale's gate locked:
//
//	SELECT * FROM flash_sale_gates WHERE tenant_id = ? AND sale_id = ? FOR UPDATE
//
// What fn does is bookkeeping of the queue's kind and no audited change: those are of
// the units that open a sale and place its orders. A conflict of the engine and a lost
// link run it again; it goes by ticket and state, so a COMMIT whose reply was lost does
// nothing the second time. Errors: ErrNoGate, what fn returns.
func (g *SQLGate) within(ctx context.Context, sale int64, fn func(tx *gorm.DB, row *gateRow) error) error {
	return g.run(ctx, func(tx *gorm.DB) error {
		row, err := gateOf(tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), sale)
		if err != nil {
			return err
		}
		return fn(tx, row)
	})
}

// run runs fn in a transaction of its own, and again when another one or the link was in
// its way.
func (g *SQLGate) run(ctx context.Context, fn func(tx *gorm.DB) error) error {
	for run := 1; ; run++ {
		err := g.db.Transact(context.WithoutCancel(ctx), gateTxLife, fn)
		if run >= gateTxRuns || ctx.Err() != nil || !storage.Is(err, storage.WriteConflict, storage.LockTimeout, storage.ConnectionLost, storage.DuplicateKey) {
			return err
		}
	}
}

func gateOf(tx *gorm.DB, sale int64) (*gateRow, error) {
	var rows []gateRow
	if err := tx.Where("sale_id = ?", sale).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the gate of sale %d: %w", sale, err)
	}
	if len(rows) == 0 {
		return nil, ErrNoGate
	}
	return &rows[0], nil
}

func ticketsOf(tx *gorm.DB, sale int64, ids []string) (map[string]*ticketRow, error) {
	found := make(map[string]*ticketRow, len(ids))
	for part := range slices.Chunk(ids, 500) {
		var rows []ticketRow
		if err := tx.Where("sale_id = ? AND ticket IN ?", sale, part).Find(&rows).Error; err != nil {
			return nil, fmt.Errorf("read tickets of sale %d: %w", sale, err)
		}
		for i := range rows {
			found[rows[i].Ticket] = &rows[i]
		}
	}
	return found, nil
}

func buyersOf(tx *gorm.DB, sale int64, users []int64) (map[int64]buyer, error) {
	held := make(map[int64]buyer, len(users))
	for part := range slices.Chunk(users, 500) {
		var rows []buyerRow
		if err := tx.Where("sale_id = ? AND user_id IN ?", sale, part).Find(&rows).Error; err != nil {
			return nil, fmt.Errorf("read customers of sale %d: %w", sale, err)
		}
		for _, row := range rows {
			held[row.UserID] = buyer{row.Units, row.Ticket}
		}
	}
	return held, nil
}

// saveBuyers replaces what the changed customers hold. The sale's gate is locked, so
// nobody else writes them.
func saveBuyers(tx *gorm.DB, sale int64, held map[int64]buyer, changed map[int64]bool) error {
	rows := make([]buyerRow, 0, len(changed))
	users := make([]int64, 0, len(changed))
	for user := range changed {
		rows = append(rows, buyerRow{SaleID: sale, UserID: user, Units: held[user].units, Ticket: held[user].ticket})
		users = append(users, user)
	}
	slices.Sort(users)
	slices.SortFunc(rows, func(a, b buyerRow) int { return int(min(max(a.UserID-b.UserID, -1), 1)) })
	for part := range slices.Chunk(users, 500) {
		if err := tx.Where("sale_id = ? AND user_id IN ?", sale, part).Delete(&buyerRow{}).Error; err != nil { //nolint:forbidigo // the gate is locked, and has no version
			return fmt.Errorf("replace customers of sale %d: %w", sale, err)
		}
	}
	if err := tx.CreateInBatches(rows, 100).Error; err != nil {
		return fmt.Errorf("insert customers of sale %d: %w", sale, err)
	}
	return nil
}

// save writes the row, which is locked.
func (row *gateRow) save(tx *gorm.DB) error {
	err := tx.Model(&gateRow{}).Where("sale_id = ?", row.SaleID).Updates(map[string]any{ //nolint:forbidigo // the gate is locked, and has no version
		"epoch": row.Epoch, "version": row.Version, "stock_version": row.StockVersion, "is_open": row.IsOpen,
		"starts": row.Starts, "ends": row.Ends, "user_limit": row.UserLimit, "queue_cap": row.QueueCap,
		"allotted": row.Allotted, "remaining": row.Remaining, "queued": row.Queued, "processing": row.Processing,
		"dead": row.Dead, "confirmed": row.Confirmed, "rejected": row.Rejected, "returned": row.Returned, "waiting": row.Waiting,
	}).Error
	if err != nil {
		return fmt.Errorf("write the gate of sale %d: %w", row.SaleID, err)
	}
	return nil
}

// place returns the counter of the units of a ticket in a state.
func (row *gateRow) place(state State) *int64 {
	switch state {
	case Queued:
		return &row.Queued
	case Processing:
		return &row.Processing
	case Buried:
		return &row.Dead
	case Confirmed:
		return &row.Confirmed
	}
	return &row.Remaining
}

func (row *gateRow) follow(r Rules) {
	if r.Version >= row.Version {
		row.Version, row.IsOpen, row.Starts, row.Ends = r.Version, r.Open, r.Starts.UnixMicro(), r.Ends.UnixMicro()
		row.UserLimit, row.QueueCap = r.PerUserLimit, r.QueueCap
	}
	if r.StockVersion >= row.StockVersion {
		row.Remaining += r.Allotted - row.Allotted
		row.StockVersion, row.Allotted = r.StockVersion, r.Allotted
	}
}

// Apply implements Gate.
func (g *SQLGate) Apply(ctx context.Context, r Rules) error {
	return g.within(ctx, r.Sale, func(tx *gorm.DB, row *gateRow) error {
		if row.Epoch != r.Epoch {
			return ErrNoGate
		}
		before := *row
		if row.follow(r); *row == before {
			return nil
		}
		return row.save(tx)
	})
}

// Shrink implements Gate.
func (g *SQLGate) Shrink(ctx context.Context, sale, epoch, units int64) error {
	return g.within(ctx, sale, func(tx *gorm.DB, row *gateRow) error {
		switch {
		case row.Epoch != epoch:
			return ErrNoGate
		case row.Remaining < units:
			return ErrTooFew
		}
		row.Remaining -= units
		row.Allotted -= units
		return row.save(tx)
	})
}

// Move implements Gate.
func (g *SQLGate) Move(ctx context.Context, sale, epoch int64, steps []Step) ([]*Ticket, error) {
	var moved []*Ticket
	err := g.within(ctx, sale, func(tx *gorm.DB, row *gateRow) error {
		if row.Epoch != epoch {
			return ErrNoGate
		}
		var err error
		moved, err = g.move(tx, row, steps)
		return err
	})
	return moved, err
}

func (g *SQLGate) move(tx *gorm.DB, row *gateRow, steps []Step) ([]*Ticket, error) {
	ids := make([]string, len(steps))
	for i, s := range steps {
		ids[i] = s.Ticket
	}
	known, err := ticketsOf(tx, row.SaleID, ids)
	if err != nil {
		return nil, err
	}
	now := g.clock.Now().UnixMicro()
	freed := make(map[int64]int64)
	written := make(map[string]bool)
	moved := make([]*Ticket, len(steps))
	for i, s := range steps {
		t := known[s.Ticket]
		if t == nil {
			continue
		}
		if slices.Contains(s.From, t.State) && s.To != t.State {
			row.take(t, s, now, freed)
			written[s.Ticket] = true
		}
		ticket := t.ticket()
		moved[i] = &ticket
	}
	if len(written) == 0 {
		return moved, nil
	}
	if err := row.save(tx); err != nil {
		return nil, err
	}
	if err := saveTickets(tx, row.SaleID, known, written); err != nil {
		return nil, err
	}
	return moved, free(tx, row.SaleID, freed)
}

// take moves one ticket and its units; moveScript is its twin.
func (row *gateRow) take(t *ticketRow, s Step, now int64, freed map[int64]int64) {
	if t.State == Queued {
		row.Waiting--
	}
	*row.place(t.State) -= t.Units
	*row.place(s.To) += t.Units
	t.State = s.To
	switch s.To {
	case Queued:
		row.Waiting++
	case Confirmed:
		t.Confirmed = now
	case Rejected:
		row.Rejected += t.Units
		freed[t.UserID] += t.Units
	case Cancelled:
		row.Returned += t.Units
		freed[t.UserID] += t.Units
	}
	if s.OrderID != 0 {
		t.OrderID = s.OrderID
	}
	if s.OrderNo != "" {
		t.OrderNo = s.OrderNo
	}
	if s.Reason != "" {
		t.Reason = s.Reason
	}
}

// saveTickets writes what was moved: those that differ by their state alone in one
// statement.
func saveTickets(tx *gorm.DB, sale int64, known map[string]*ticketRow, written map[string]bool) error {
	alike := make(map[ticketRow][]string)
	for id := range written {
		t := known[id]
		key := ticketRow{State: t.State, Confirmed: t.Confirmed, OrderID: t.OrderID, OrderNo: t.OrderNo, Reason: t.Reason}
		alike[key] = append(alike[key], id)
	}
	for key, ids := range alike {
		for part := range slices.Chunk(ids, 500) {
			err := tx.Model(&ticketRow{}).Where("sale_id = ? AND ticket IN ?", sale, part).Updates(map[string]any{ //nolint:forbidigo // the gate is locked, and has no version
				"state": key.State, "confirmed": key.Confirmed, "order_id": key.OrderID, "order_no": key.OrderNo, "reason": key.Reason,
			}).Error
			if err != nil {
				return fmt.Errorf("write tickets of sale %d: %w", sale, err)
			}
		}
	}
	return nil
}

// free gives customers the allowance of units back that came back.
func free(tx *gorm.DB, sale int64, freed map[int64]int64) error {
	if len(freed) == 0 {
		return nil
	}
	users := make([]int64, 0, len(freed))
	changed := make(map[int64]bool, len(freed))
	for user := range freed {
		users = append(users, user)
	}
	held, err := buyersOf(tx, sale, users)
	if err != nil {
		return err
	}
	for user, b := range held {
		held[user] = buyer{max(0, b.units-freed[user]), b.ticket}
		changed[user] = true
	}
	if len(changed) == 0 {
		return nil
	}
	return saveBuyers(tx, sale, held, changed)
}

// Adopt implements Gate.
func (g *SQLGate) Adopt(ctx context.Context, sale, epoch int64, tickets []Ticket) (int, error) {
	adopted := 0
	err := g.within(ctx, sale, func(tx *gorm.DB, row *gateRow) error {
		if row.Epoch != epoch {
			return ErrNoGate
		}
		var err error
		adopted, err = adopt(tx, row, tickets)
		return err
	})
	return adopted, err
}

// adopt takes in what was forgotten; adoptScript is its twin.
func adopt(tx *gorm.DB, row *gateRow, tickets []Ticket) (int, error) {
	ids, users := make([]string, len(tickets)), make([]int64, len(tickets))
	for i, t := range tickets {
		ids[i], users[i] = t.ID, t.User
	}
	known, err := ticketsOf(tx, row.SaleID, ids)
	if err != nil {
		return 0, err
	}
	held, err := buyersOf(tx, row.SaleID, users)
	if err != nil {
		return 0, err
	}
	var adopted []ticketRow
	changed := make(map[int64]bool)
	for _, t := range tickets {
		if known[t.ID] != nil || t.State != Cancelled && t.Units > row.Remaining {
			continue
		}
		ticket := rowOf(row.SaleID, t)
		known[t.ID], adopted = &ticket, append(adopted, ticket)
		if t.State == Cancelled {
			row.Returned += t.Units
			continue
		}
		row.Remaining, row.Confirmed = row.Remaining-t.Units, row.Confirmed+t.Units
		b := held[t.User]
		if b.units += t.Units; b.ticket == "" {
			b.ticket = t.ID
		}
		held[t.User], changed[t.User] = b, true
	}
	if len(adopted) == 0 {
		return 0, nil
	}
	if err := row.save(tx); err != nil {
		return 0, err
	}
	if err := tx.CreateInBatches(adopted, 100).Error; err != nil {
		return 0, fmt.Errorf("insert tickets of sale %d: %w", row.SaleID, err)
	}
	if len(changed) == 0 {
		return len(adopted), nil
	}
	return len(adopted), saveBuyers(tx, row.SaleID, held, changed)
}

func rowOf(sale int64, t Ticket) ticketRow {
	return ticketRow{
		SaleID: sale, Ticket: t.ID, UserID: t.User, Units: t.Units, State: t.State, Accepted: t.AcceptedTime.UnixMicro(), Ahead: t.Ahead,
		OrderID: t.OrderID, OrderNo: t.OrderNo, Reason: t.Reason,
	}
}

// Ticket implements Gate.
func (g *SQLGate) Ticket(ctx context.Context, sale, epoch int64, ticket string) (*Ticket, error) {
	row, err := gateOf(g.db.Read(ctx), sale)
	if err != nil {
		return nil, err
	}
	if row.Epoch != epoch {
		return nil, ErrNoGate
	}
	found, err := ticketsOf(g.db.Read(ctx), sale, []string{ticket})
	if err != nil || found[ticket] == nil {
		return nil, err
	}
	t := found[ticket].ticket()
	return &t, nil
}

// Count implements Gate, in memory.
func (g *SQLGate) Count(_ context.Context, sale int64, a Arrivals) error {
	g.arrivals.add(sale, g.clock.Now().Unix(), a)
	return nil
}

// Counts implements Gate. The counters are one row, read by one statement.
func (g *SQLGate) Counts(ctx context.Context, sale int64) (Counts, error) {
	row, err := gateOf(g.db.Read(ctx), sale)
	if err != nil {
		return Counts{}, err
	}
	c := Counts{
		Epoch: row.Epoch, Version: row.Version, Allotted: row.Allotted, Remaining: row.Remaining, Queued: row.Queued, Processing: row.Processing,
		Dead: row.Dead, Confirmed: row.Confirmed, Rejected: row.Rejected, Returned: row.Returned, Waiting: row.Waiting,
	}
	second := int64(time.Second / time.Microsecond)
	until := g.clock.Now().UnixMicro() / second * second
	for column, rate := range map[string]*float64{"accepted": &c.AcceptedPerSecond, "confirmed": &c.ConfirmedPerSecond} {
		var units int64
		err := g.db.Read(ctx).Model(&ticketRow{}).Select("COALESCE(SUM(units), 0)").
			Where("sale_id = ? AND "+column+" >= ? AND "+column+" < ?", sale, until-rateWindow*second, until).Scan(&units).Error
		if err != nil {
			return Counts{}, fmt.Errorf("measure sale %d: %w", sale, err)
		}
		*rate = float64(units) / rateWindow
	}
	c.show(g.arrivals.of(sale, g.clock.Now().Unix()))
	return c, nil
}

// Build implements Gate.
func (g *SQLGate) Build(ctx context.Context, r Rules, tickets []Ticket) error {
	c, held, err := built(r, tickets)
	if err != nil {
		return err
	}
	return g.run(ctx, func(tx *gorm.DB) error { return build(tx, r, c, held, tickets) })
}

func build(tx *gorm.DB, r Rules, c Counts, held map[int64]buyer, tickets []Ticket) error {
	there, err := gateOf(tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), r.Sale)
	if err != nil && !errors.Is(err, ErrNoGate) {
		return err
	}
	if there != nil && there.Epoch >= r.Epoch {
		return nil
	}
	for _, model := range []any{&gateRow{}, &ticketRow{}, &buyerRow{}} {
		if err := tx.Where("sale_id = ?", r.Sale).Delete(model).Error; err != nil { //nolint:forbidigo // the gate is locked, and has no version
			return fmt.Errorf("clear the gate of sale %d: %w", r.Sale, err)
		}
	}
	row := gateRow{SaleID: r.Sale, Epoch: r.Epoch, Remaining: c.Remaining, Confirmed: c.Confirmed, Returned: c.Returned}
	row.Allotted = r.Allotted
	row.follow(r)
	if err := tx.Create(&row).Error; err != nil {
		return fmt.Errorf("insert the gate of sale %d: %w", r.Sale, err)
	}
	if len(tickets) == 0 {
		return nil
	}
	rows, changed := make([]ticketRow, len(tickets)), make(map[int64]bool, len(held))
	for i, t := range tickets {
		rows[i] = rowOf(r.Sale, t)
	}
	for user := range held {
		changed[user] = true
	}
	if err := tx.CreateInBatches(rows, 100).Error; err != nil {
		return fmt.Errorf("insert tickets of sale %d: %w", r.Sale, err)
	}
	if len(changed) == 0 {
		return nil
	}
	return saveBuyers(tx, r.Sale, held, changed)
}
