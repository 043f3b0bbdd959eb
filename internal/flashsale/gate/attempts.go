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

// attemptLog counts the purchase attempts of sales for the gate in SQL: per second in
// memory, and in total in the table flash_sale_arrivals, to which it adds them
// periodically. Without Redis there is only one process, so the counters in memory are
// complete. It is safe for concurrent use.
type attemptLog struct {
	// saving serializes reads and writes of the table.
	saving sync.Mutex

	mu    sync.Mutex
	sales map[int64]*saleAttempts
}

type saleAttempts struct {
	tenant int64
	// saved is the content of the table, once it was read.
	saved  byResult
	isRead bool
	// unsaved contains the counts that are not in the table yet.
	unsaved byResult
	seconds [rateSlots]struct {
		at int64
		n  byResult
	}
}

// attemptsRow contains the saved purchase attempts of a sale.
type attemptsRow struct {
	SaleID       int64 `gorm:"primaryKey;autoIncrement:false"`
	TenantID     int64
	Accepted     int64
	SoldOut      int64
	LimitReached int64
	SaleNotOpen  int64
	QueueFull    int64
}

// TableName implements gorm's Tabler.
func (attemptsRow) TableName() string { return "flash_sale_arrivals" }

func (r attemptsRow) byResult() byResult {
	return byResult{r.Accepted, r.SoldOut, r.LimitReached, r.SaleNotOpen, r.QueueFull}
}

// sale returns the counters of a sale, initially zero. The caller must have locked mu.
func (l *attemptLog) sale(id int64) *saleAttempts {
	if l.sales == nil {
		l.sales = make(map[int64]*saleAttempts)
	}
	s := l.sales[id]
	if s == nil {
		s = &saleAttempts{}
		l.sales[id] = s
	}
	return s
}

func (l *attemptLog) add(tenant, sale, second int64, a Attempts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sale(sale)
	s.tenant = tenant
	slot := &s.seconds[second%rateSlots]
	if slot.at != second {
		slot.at, slot.n = second, byResult{}
	}
	arrived := a.byResult()
	s.unsaved = s.unsaved.plus(arrived, 1)
	slot.n = slot.n.plus(arrived, 1)
}

// of returns the purchase attempts of a sale of the tenant of ctx: in total, and in the
// seconds used for rates.
func (l *attemptLog) of(ctx context.Context, db *storage.DB, sale, second int64) (total, recent byResult, err error) {
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
func (l *attemptLog) read(ctx context.Context, db *storage.DB, sale int64) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	l.mu.Lock()
	isRead := l.sale(sale).isRead
	l.mu.Unlock()
	if isRead {
		return nil
	}
	var rows []attemptsRow
	if err := db.Read(ctx).Where("sale_id = ?", sale).Find(&rows).Error; err != nil {
		return fmt.Errorf("read the attempts at sale %d: %w", sale, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sale(sale)
	s.isRead = true
	if len(rows) == 1 {
		s.saved = rows[0].byResult()
	}
	return nil
}

// save adds the new counts to the table, one statement per sale:
//
//	INSERT INTO flash_sale_arrivals (sale_id, tenant_id, accepted, …) VALUES (…)
//	    ON DUPLICATE KEY UPDATE accepted = accepted + ?, …
//
// On error the counts are retained for the next call. If the statement succeeded in spite of an
// error, they count twice: the numbers are for display only.
func (l *attemptLog) save(ctx context.Context, db *storage.DB) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	l.mu.Lock()
	unsaved := make(map[int64]saleAttempts)
	for id, s := range l.sales {
		if s.unsaved != (byResult{}) {
			unsaved[id] = *s
		}
	}
	l.mu.Unlock()
	for id, s := range unsaved {
		if err := addAttempts(ctx, db, s.tenant, id, s.unsaved); err != nil {
			return fmt.Errorf("save the attempts at sale %d: %w", id, err)
		}
		l.mu.Lock()
		now := l.sale(id)
		now.saved, now.unsaved = now.saved.plus(s.unsaved, 1), now.unsaved.plus(s.unsaved, -1)
		l.mu.Unlock()
	}
	return nil
}

func addAttempts(ctx context.Context, db *storage.DB, tenant, sale int64, n byResult) error {
	ctx = principal.With(ctx, principal.System(tenant, "flash sale"))
	more := make(map[string]any, resultCount)
	for i, name := range resultNames {
		more[name] = gorm.Expr("flash_sale_arrivals."+name+" + ?", n[i])
	}
	return db.Write(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "sale_id"}}, DoUpdates: clause.Assignments(more),
	}).Create(&attemptsRow{
		SaleID: sale, Accepted: n[0], SoldOut: n[1], LimitReached: n[2], SaleNotOpen: n[3], QueueFull: n[4],
	}).Error
}
