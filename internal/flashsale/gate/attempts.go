package gate

import (
	"context"
	"fmt"
	"sync"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

// arrivalLog counts the purchase attempts of sales for the gate in SQL: per second in
// memory, and in total in the table flash_sale_arrivals, to which it adds them
// periodically. Without Redis there is only one process, so the counters in memory are
// complete. It is safe for concurrent use.
type arrivalLog struct {
	// saving serializes reads and writes of the table.
	saving sync.Mutex

	mu    sync.Mutex
	sales map[int64]*saleArrivals
}

type saleArrivals struct {
	tenant int64
	// saved is the content of the table, once it was read.
	saved  byAnswer
	isRead bool
	// unsaved contains the counts that are not in the table yet.
	unsaved byAnswer
	seconds [rateSlots]struct {
		at int64
		n  byAnswer
	}
}

// arrivalsRow contains the saved purchase attempts of a sale.
type arrivalsRow struct {
	SaleID       int64 `gorm:"primaryKey;autoIncrement:false"`
	TenantID     int64
	Accepted     int64
	SoldOut      int64
	LimitReached int64
	SaleNotOpen  int64
	QueueFull    int64
}

// TableName implements gorm's Tabler.
func (arrivalsRow) TableName() string { return "flash_sale_arrivals" }

func (r arrivalsRow) byAnswer() byAnswer {
	return byAnswer{r.Accepted, r.SoldOut, r.LimitReached, r.SaleNotOpen, r.QueueFull}
}

// sale returns the counters of a sale, initially zero. The caller holds mu.
func (l *arrivalLog) sale(id int64) *saleArrivals {
	if l.sales == nil {
		l.sales = make(map[int64]*saleArrivals)
	}
	s := l.sales[id]
	if s == nil {
		s = &saleArrivals{}
		l.sales[id] = s
	}
	return s
}

func (l *arrivalLog) add(tenant, sale, second int64, a Arrivals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sale(sale)
	s.tenant = tenant
	slot := &s.seconds[second%rateSlots]
	if slot.at != second {
		slot.at, slot.n = second, byAnswer{}
	}
	arrived := a.byAnswer()
	s.unsaved = s.unsaved.plus(arrived, 1)
	slot.n = slot.n.plus(arrived, 1)
}

// of returns the purchase attempts of a sale of the tenant of ctx: in total, and in the
// seconds used for rates.
func (l *arrivalLog) of(ctx context.Context, db *storage.DB, sale, second int64) (total, recent byAnswer, err error) {
	if err := l.read(ctx, db, sale); err != nil {
		return total, recent, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sale(sale)
	for _, slot := range s.seconds {
		if slot.at < second && slot.at >= second-rateWindow {
			recent = recent.plus(slot.n, 1)
		}
	}
	return s.saved.plus(s.unsaved, 1), recent, nil
}

// read reads the saved counts of a sale, once.
func (l *arrivalLog) read(ctx context.Context, db *storage.DB, sale int64) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	l.mu.Lock()
	isRead := l.sale(sale).isRead
	l.mu.Unlock()
	if isRead {
		return nil
	}
	var rows []arrivalsRow
	if err := db.Read(ctx).Where("sale_id = ?", sale).Find(&rows).Error; err != nil {
		return fmt.Errorf("read the arrivals at sale %d: %w", sale, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sale(sale)
	s.isRead = true
	if len(rows) == 1 {
		s.saved = rows[0].byAnswer()
	}
	return nil
}

// save adds the new counts to the table, one statement per sale:
//
//	INSERT INTO flash_sale_arrivals (sale_id, tenant_id, accepted, …) VALUES (…)
//	    ON DUPLICATE KEY UPDATE accepted = accepted + ?, …
//
// On error the counts are kept for the next call. If the statement succeeded in spite of an
// error, they count twice: the numbers are for display only.
func (l *arrivalLog) save(ctx context.Context, db *storage.DB) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	l.mu.Lock()
	unsaved := make(map[int64]saleArrivals)
	for id, s := range l.sales {
		if s.unsaved != (byAnswer{}) {
			unsaved[id] = *s
		}
	}
	l.mu.Unlock()
	for id, s := range unsaved {
		if err := addArrivals(ctx, db, s.tenant, id, s.unsaved); err != nil {
			return fmt.Errorf("save the arrivals at sale %d: %w", id, err)
		}
		l.mu.Lock()
		now := l.sale(id)
		now.saved, now.unsaved = now.saved.plus(s.unsaved, 1), now.unsaved.plus(s.unsaved, -1)
		l.mu.Unlock()
	}
	return nil
}

func addArrivals(ctx context.Context, db *storage.DB, tenant, sale int64, n byAnswer) error {
	ctx = principal.With(ctx, principal.System(tenant, "flash sale"))
	more := make(map[string]any, answers)
	for i, name := range answerNames {
		more[name] = gorm.Expr("flash_sale_arrivals."+name+" + ?", n[i])
	}
	return db.Write(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "sale_id"}}, DoUpdates: clause.Assignments(more),
	}).Create(&arrivalsRow{
		SaleID: sale, Accepted: n[0], SoldOut: n[1], LimitReached: n[2], SaleNotOpen: n[3], QueueFull: n[4],
	}).Error
}
