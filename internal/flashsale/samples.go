package flashsale

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
)

const (
	// sampleEvery is how far apart the samples of a sale are, and samplesKept how long they are
	// kept while it goes on. The last ones of a sale that has finished stay until retention
	// removes its tickets.
	sampleEvery = 5 * time.Second
	samplesKept = time.Hour
	// repeatEvery is how often numbers that have not changed are published and sampled again: so that
	// somebody who looks at them can tell that from nobody counting.
	repeatEvery = 10 * time.Second
	// defaultLookback is how far back a request asks that does not say.
	defaultLookback = 5 * time.Minute
)

// sample is what a sale's numbers were at a moment, for charts that go back further than the
// browser has looked. Of a slot, sampleEvery long, there is one, whichever worker wrote it.
type sample struct {
	SaleID    int64 `gorm:"primaryKey;autoIncrement:false"`
	Slot      int64 `gorm:"primaryKey;autoIncrement:false"`
	TenantID  int64
	TakenTime time.Time
	Stats     string
}

// TableName implements gorm's Tabler.
func (sample) TableName() string { return "flash_sale_samples" }

func slotOf(at time.Time) int64 { return at.Unix() / int64(sampleEvery/time.Second) }

// Sample is what a sale's numbers were at a time.
type Sample struct {
	Time  time.Time       `json:"time"`
	Stats json.RawMessage `json:"stats"`
}

// Samples returns a sale's numbers of some time until now, oldest first. Of a closed sale they
// reach back from its newest ones: after an hour of rest its last hour is still to be seen.
func (s *core) Samples(ctx context.Context, sale *Sale, lookback time.Duration) ([]Sample, error) {
	var rows []sample
	ofSale := func() *gorm.DB { return s.db.Read(ctx).Where("sale_id = ?", sale.ID) }
	until := slotOf(s.clock.Now())
	if sale.Status == closed.Code {
		if err := ofSale().Model(&sample{}).Select("COALESCE(MAX(slot), 0)").Scan(&until).Error; err != nil {
			return nil, fmt.Errorf("find the newest numbers of sale %d: %w", sale.ID, err)
		}
	}
	from := until - int64(lookback/sampleEvery)
	if err := ofSale().Where("slot >= ?", from).Order("slot").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read what the numbers of sale %d were: %w", sale.ID, err)
	}
	samples := make([]Sample, len(rows))
	for i, row := range rows {
		samples[i] = Sample{row.TakenTime, json.RawMessage(row.Stats)}
	}
	return samples, nil
}

// insertSample writes a sample of a sale, and once a minute removes those that are too old. It is
// no unit: what is not written is a gap in a chart. Its time is that of the service, as that of its
// readers is: the gate has the clock of its store.
//
//	INSERT INTO flash_sale_samples (sale_id, slot, tenant_id, taken_time, stats) VALUES (…)
//	    ON DUPLICATE KEY UPDATE sale_id = sale_id
func (w *worker) insertSample(ctx context.Context, sale *Sale, c *consuming, stats Stats) {
	now := clock.Kept(w.clock.Now())
	text, err := json.Marshal(stats)
	if err != nil {
		slog.ErrorContext(ctx, "a sale's numbers are no JSON", "sale", sale.ID, "error", err)
		return
	}
	slot := slotOf(now)
	ctx = principal.With(ctx, principal.System(sale.TenantID, "flash sale"))
	row := sample{SaleID: sale.ID, Slot: slot, TakenTime: now, Stats: string(text)}
	err = w.db.Write(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error
	if minute := now.Truncate(time.Minute); err == nil && minute != c.trimmed {
		c.trimmed = minute
		old := slotOf(now.Add(-samplesKept))
		err = w.db.Write(ctx).Exec("DELETE FROM flash_sale_samples WHERE tenant_id = ? AND sale_id = ? AND slot < ?", sale.TenantID, sale.ID, old).Error
	}
	if err != nil {
		slog.WarnContext(ctx, "a sale's numbers were not kept for its charts", "sale", sale.ID, "error", err)
	}
}
