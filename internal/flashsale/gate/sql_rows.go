package gate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/storage"
)

// pageRow is the gate of a sale as a row.
type pageRow struct {
	SaleID       int64 `gorm:"primaryKey;autoIncrement:false"`
	TenantID     int64
	Epoch        int64
	EpochFloor   int64
	Version      int64
	StockVersion int64
	IsOpen       bool
	Starts       int64
	Ends         int64
	UserLimit    int64
	QueueCap     int64
	Allotted     int64
	Withheld     int64
	Remaining    int64
	Queued       int64
	Processing   int64
	Dead         int64
	Confirmed    int64
	Rejected     int64
	Returned     int64
	Waiting      int64
	Working      int64
	Buried       int64
	// Revision counts the steps that changed the gate.
	Revision int64
}

// TableName implements gorm's Tabler.
func (pageRow) TableName() string { return "flash_sale_gates" }

func (r pageRow) page() page {
	return page{
		Epoch: r.Epoch, Floor: r.EpochFloor, Version: r.Version, StockVersion: r.StockVersion, Open: r.IsOpen, Starts: r.Starts, Ends: r.Ends,
		PerUserLimit: r.UserLimit, QueueCap: r.QueueCap, Allotted: r.Allotted, Withheld: r.Withheld, Remaining: r.Remaining,
		Queued: r.Queued, Processing: r.Processing, Dead: r.Dead, Confirmed: r.Confirmed, Rejected: r.Rejected, Returned: r.Returned,
		Waiting: r.Waiting, Working: r.Working, Buried: r.Buried,
	}
}

func (p page) columns() map[string]any {
	return map[string]any{
		"epoch": p.Epoch, "epoch_floor": p.Floor, "version": p.Version, "stock_version": p.StockVersion, "is_open": p.Open,
		"starts": p.Starts, "ends": p.Ends, "user_limit": p.PerUserLimit, "queue_cap": p.QueueCap, "allotted": p.Allotted, "withheld": p.Withheld,
		"remaining": p.Remaining, "queued": p.Queued, "processing": p.Processing, "dead": p.Dead, "confirmed": p.Confirmed,
		"rejected": p.Rejected, "returned": p.Returned, "waiting": p.Waiting, "working": p.Working, "buried": p.Buried,
	}
}

type ticketRow struct {
	SaleID    int64  `gorm:"primaryKey;autoIncrement:false"`
	Ticket    string `gorm:"primaryKey"`
	TenantID  int64
	UserID    string
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

func (r ticketRow) ticket() Ticket {
	return Ticket{
		ID: r.Ticket, State: r.State, User: r.UserID, Units: r.Units, AcceptedTime: time.UnixMicro(r.Accepted).UTC(), Ahead: r.Ahead,
		OrderID: r.OrderID, OrderNo: r.OrderNo, Reason: r.Reason,
	}
}

type buyerRow struct {
	SaleID   int64  `gorm:"primaryKey;autoIncrement:false"`
	UserID   string `gorm:"primaryKey"`
	TenantID int64
	Units    int64
	Ticket   string
}

// TableName implements gorm's Tabler.
func (buyerRow) TableName() string { return "flash_sale_buyers" }

// Bounds of one statement.
const (
	namesPerStatement = 500
	rowsPerStatement  = 100
)

// pageOf reads the page of a sale's gate; nil if there is none.
func pageOf(tx *gorm.DB, sale int64) (*page, error) {
	row, err := pageRowOf(tx, sale)
	if err != nil || row == nil {
		return nil, err
	}
	p := row.page()
	return &p, nil
}

func pageRowOf(tx *gorm.DB, sale int64) (*pageRow, error) {
	var rows []pageRow
	if err := tx.Where("sale_id = ?", sale).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the gate of sale %d: %w", sale, err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// lockedGate is the page of a gate with the revision at which it was read.
type lockedGate struct {
	page
	revision int64
}

// lockGate reads the page of a sale's gate for a step, nil if there is none. The row lock makes
// steps of other processes wait; the revision rejects a concurrent step, see save.
func lockGate(tx *gorm.DB, sale int64) (*lockedGate, error) {
	row, err := pageRowOf(tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), sale) //nolint:forbidigo // the revision decides, in save
	if err != nil || row == nil {
		return nil, err
	}
	return &lockedGate{row.page(), row.Revision}, nil
}

// loadTickets reads the tickets of a step.
func (b *book) loadTickets(tx *gorm.DB, sale int64, ids []string) error {
	for part := range slices.Chunk(ids, namesPerStatement) {
		var rows []ticketRow
		if err := tx.Where("sale_id = ? AND ticket IN ?", sale, part).Find(&rows).Error; err != nil {
			return fmt.Errorf("read tickets of sale %d: %w", sale, err)
		}
		for _, row := range rows {
			t := row.ticket()
			b.tickets[t.ID] = &t
		}
	}
	return nil
}

// loadBuyers reads the units of customers.
func (b *book) loadBuyers(tx *gorm.DB, sale int64, users []string) error {
	for part := range slices.Chunk(users, namesPerStatement) {
		var rows []buyerRow
		if err := tx.Where("sale_id = ? AND user_id IN ?", sale, part).Find(&rows).Error; err != nil {
			return fmt.Errorf("read customers of sale %d: %w", sale, err)
		}
		for _, row := range rows {
			b.buyers[row.UserID] = Holding{row.Units, row.Ticket}
		}
	}
	return nil
}

// save writes the changes of a step, the page first and under the revision at which
// everything was read:
//
//	UPDATE flash_sale_gates SET …, revision = revision + 1 WHERE tenant_id = ? AND sale_id = ? AND revision = ?
//
// Errors: storage.ErrRunAgain if another step was applied since, which is possible on an
// engine without the lock. A step without changes writes nothing.
func (b *book) save(tx *gorm.DB, sale int64, from lockedGate) error {
	if b.page == from.page && b.changed.none() {
		return nil
	}
	set := b.page.columns()
	set["revision"] = from.revision + 1
	written := tx.Model(&pageRow{}).Where("sale_id = ? AND revision = ?", sale, from.revision).Updates(set) //nolint:forbidigo // its revision is the guard
	if err := written.Error; err != nil {
		return fmt.Errorf("write the gate of sale %d: %w", sale, err)
	}
	if written.RowsAffected != 1 {
		return overtaken(sale)
	}
	if err := b.saveCreated(tx, sale); err != nil {
		return err
	}
	if err := b.saveMoved(tx, sale); err != nil {
		return err
	}
	return b.saveBuyers(tx, sale)
}

// requireRevision returns storage.ErrRunAgain if another step was applied since the page
// was read. It is for callers that read other tables too and change nothing.
func (l lockedGate) requireRevision(tx *gorm.DB, sale int64) error {
	now, err := pageRowOf(tx, sale)
	if err == nil && (now == nil || now.Revision != l.revision) {
		return overtaken(sale)
	}
	return err
}

func overtaken(sale int64) error {
	return fmt.Errorf("%w: another step was applied to the gate of sale %d", storage.ErrRunAgain, sale)
}

func (b *book) saveCreated(tx *gorm.DB, sale int64) error {
	if len(b.changed.created) == 0 {
		return nil
	}
	rows := make([]ticketRow, 0, len(b.changed.created))
	for id := range b.changed.created {
		t := b.tickets[id]
		rows = append(rows, ticketRow{
			SaleID: sale, Ticket: id, UserID: t.User, Units: t.Units, State: t.State, Accepted: t.AcceptedTime.UnixMicro(), Ahead: t.Ahead,
			OrderID: t.OrderID, OrderNo: t.OrderNo, Reason: t.Reason,
		})
	}
	slices.SortFunc(rows, func(a, b ticketRow) int { return cmp.Compare(a.Ticket, b.Ticket) })
	if err := tx.CreateInBatches(rows, rowsPerStatement).Error; err != nil {
		return fmt.Errorf("insert tickets of sale %d: %w", sale, err)
	}
	return nil
}

// saveMoved writes the moved tickets, one statement per distinct result.
func (b *book) saveMoved(tx *gorm.DB, sale int64) error {
	alike := make(map[ticketRow][]string)
	for id := range b.changed.moved {
		t := b.tickets[id]
		key := ticketRow{State: t.State, Confirmed: b.changed.confirmed[id], OrderID: t.OrderID, OrderNo: t.OrderNo, Reason: t.Reason}
		alike[key] = append(alike[key], id)
	}
	for like, ids := range alike {
		set := map[string]any{"state": like.State, "order_id": like.OrderID, "order_no": like.OrderNo, "reason": like.Reason}
		if like.Confirmed != 0 {
			set["confirmed"] = like.Confirmed
		}
		slices.Sort(ids)
		for part := range slices.Chunk(ids, namesPerStatement) {
			err := tx.Model(&ticketRow{}).Where("sale_id = ? AND ticket IN ?", sale, part).Updates(set).Error //nolint:forbidigo // the page's revision is the guard
			if err != nil {
				return fmt.Errorf("write tickets of sale %d: %w", sale, err)
			}
		}
	}
	return nil
}

// saveBuyers replaces the rows of changed customers.
func (b *book) saveBuyers(tx *gorm.DB, sale int64) error {
	if len(b.changed.buyers) == 0 {
		return nil
	}
	rows := make([]buyerRow, 0, len(b.changed.buyers))
	users := make([]string, 0, len(b.changed.buyers))
	for user := range b.changed.buyers {
		held := b.buyers[user]
		rows = append(rows, buyerRow{SaleID: sale, UserID: user, Units: held.Units, Ticket: held.Ticket})
		users = append(users, user)
	}
	slices.Sort(users)
	slices.SortFunc(rows, func(a, b buyerRow) int { return cmp.Compare(a.UserID, b.UserID) })
	for part := range slices.Chunk(users, namesPerStatement) {
		if err := tx.Where("sale_id = ? AND user_id IN ?", sale, part).Delete(&buyerRow{}).Error; err != nil { //nolint:forbidigo // the page's revision is the guard
			return fmt.Errorf("replace customers of sale %d: %w", sale, err)
		}
	}
	if err := tx.CreateInBatches(rows, rowsPerStatement).Error; err != nil {
		return fmt.Errorf("insert customers of sale %d: %w", sale, err)
	}
	return nil
}
