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
	// sampleEvery is the interval of samples of a sale, and samplesRetention their retention
	// while it is active. The last samples of a finished sale remain until retention
	// deletes its tickets.
	sampleEvery      = 5 * time.Second
	samplesRetention = time.Hour
	// repeatEvery is the interval at which unchanged numbers are published and sampled
	// again, so that observers can distinguish them from a stopped worker.
	repeatEvery = 10 * time.Second
	// defaultMinutes is the default time range of a request.
	defaultMinutes = 5
)

// sample contains a sale's numbers at a time, for charts that start before the page was
// opened. Each slot of length sampleEvery has one sample, whichever worker wrote it.
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

// Sample contains a sale's numbers at a time.
type Sample struct {
	// When the numbers were counted.
	Time  time.Time       `json:"time"`
	Stats json.RawMessage `json:"stats" schema:"FlashSaleStats"`
}

// Samples returns a sale's numbers of the last lookback, oldest first. For a closed sale
// the range ends at its newest sample: its last hour stays visible afterwards.
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
		return nil, fmt.Errorf("read the samples of sale %d: %w", sale.ID, err)
	}
	samples := make([]Sample, len(rows))
	for i, row := range rows {
		samples[i] = Sample{row.TakenTime, json.RawMessage(row.Stats)}
	}
	return samples, nil
}

// insertSample writes a sample of a sale, and once a minute deletes old samples. It is not a unit:
// a lost sample is a gap in a chart. It uses the clock of the service, like its readers; the gate
// uses the clock of its store.
//
//	INSERT INTO flash_sale_samples (sale_id, slot, tenant_id, taken_time, stats) VALUES (…)
//	    ON DUPLICATE KEY UPDATE sale_id = sale_id
func (w *worker) insertSample(ctx context.Context, sale *Sale, c *consuming, stats Stats) {
	now := clock.Stored(w.clock.Now())
	text, err := json.Marshal(stats)
	if err != nil {
		slog.ErrorContext(ctx, "flash sale: numbers cannot be encoded as JSON", "sale", sale.ID, "error", err)
		return
	}
	slot := slotOf(now)
	ctx = principal.With(ctx, principal.System(sale.TenantID, "flash sale"))
	row := sample{SaleID: sale.ID, Slot: slot, TakenTime: now, Stats: string(text)}
	err = w.db.Write(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error
	if minute := now.Truncate(time.Minute); err == nil && minute != c.trimmed {
		c.trimmed = minute
		old := slotOf(now.Add(-samplesRetention))
		err = w.db.Write(ctx).Exec("DELETE FROM flash_sale_samples WHERE tenant_id = ? AND sale_id = ? AND slot < ?", sale.TenantID, sale.ID, old).Error
	}
	if err != nil {
		slog.WarnContext(ctx, "flash sale: sample not stored", "sale", sale.ID, "error", err)
	}
}
