package webhooks

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

var sorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "-id"}

func find(db *gorm.DB, id int64) (*Webhook, error) {
	var w Webhook
	if err := db.Where("id = ?", id).Take(&w).Error; err != nil {
		return nil, err
	}
	return &w, db.Session(&gorm.Session{NewDB: true}).Where("webhook_id = ?", id).Take(&w.State).Error
}

// withStates reads the states of all subscriptions in one query.
func withStates(db *gorm.DB, list []*Webhook) error {
	ids := make([]int64, len(list))
	for i, w := range list {
		ids[i] = w.ID
	}
	var states []State
	if err := db.Where("webhook_id IN ?", ids).Find(&states).Error; err != nil {
		return fmt.Errorf("read the positions of webhooks: %w", err)
	}
	for _, w := range list {
		for _, state := range states {
			if state.WebhookID == w.ID {
				w.State = state
			}
		}
	}
	return nil
}

// enabled returns the enabled subscriptions of all tenants with their states.
func (s *Service) enabled(ctx context.Context) ([]*Webhook, error) {
	db := s.db.Read(storage.AcrossTenants(ctx))
	var list []*Webhook
	if err := db.Where("enabled = ?", true).Order("id").Find(&list).Error; err != nil {
		return nil, fmt.Errorf("read the enabled webhooks: %w", err)
	}
	return list, withStates(db, list)
}

// requireRoom returns LimitReached if the tenant has the maximum number of subscriptions. Concurrent
// creations can exceed the limit by their number, which only protects the deliverer.
func requireRoom(tx *gorm.DB) error {
	var n int64
	if err := tx.Model(&Webhook{}).Count(&n).Error; err != nil {
		return fmt.Errorf("count webhooks: %w", err)
	}
	if n >= maxPerTenant {
		return apperr.New(apperr.LimitReached, "There are %d webhooks already, which is the maximum. Delete one first.", n)
	}
	return nil
}

func insertHistory(ctx context.Context, u *uow.Unit, w *Webhook, action string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if err := storage.InsertDeferred(tx, revisionOf(w, action)); err != nil {
		return fmt.Errorf("insert the version of a webhook: %w", err)
	}
	return nil
}

// restart ends the back-off of a subscription and makes running deliverers read it again. It moves
// the position if it is not nil.
//
//	UPDATE webhook_positions SET generation = generation + 1, … WHERE tenant_id = ? AND webhook_id = ?
func restart(tx *gorm.DB, w *Webhook, position *int64) error {
	err := storage.ExecDeferred(tx, `UPDATE webhook_positions SET generation = generation + 1, attempts = 0, failing_since = NULL, next_time = NULL,
		position = COALESCE(?, position) WHERE tenant_id = ? AND webhook_id = ?`, position, w.TenantID, w.ID)
	if err != nil {
		return fmt.Errorf("restart webhook %d: %w", w.ID, err)
	}
	return nil
}

const saveTimeout = 10 * time.Second

// save stores deliveries and the newest state of each subscription:
//
//	UPDATE webhook_positions SET position = ?, …
//	 WHERE tenant_id = ? AND webhook_id = ? AND generation = ? AND (position IS NULL OR position <= ?)
//
// A deliverer that was paused beyond its lease therefore never moves a position back.
func (s *Service) save(ctx context.Context, deliveries []Delivery, states map[int64]State) error {
	return s.db.Transact(storage.AcrossTenants(ctx), saveTimeout, func(tx *gorm.DB) error {
		for _, state := range states {
			err := storage.ExecDeferred(tx, `UPDATE webhook_positions SET position = ?, attempts = ?, failing_since = ?, next_time = ?
				WHERE tenant_id = ? AND webhook_id = ? AND generation = ? AND (position IS NULL OR position <= ?)`,
				state.Position, state.Attempts, state.FailingSince, state.NextTime, state.TenantID, state.WebhookID, state.Generation, state.Position)
			if err != nil {
				return fmt.Errorf("save the position of webhook %d: %w", state.WebhookID, err)
			}
		}
		if len(deliveries) == 0 {
			return nil
		}
		if err := tx.Create(&deliveries).Error; err != nil {
			return fmt.Errorf("insert deliveries: %w", err)
		}
		return nil
	})
}

// creation returns the position of the creation of a subscription in the log, and false if it has
// none yet. If retention removed the entry, it returns the last position.
func (s *Service) creation(ctx context.Context, w *Webhook, last int64) (int64, bool, error) {
	var positions []*int64
	err := s.db.Read(storage.AcrossTenants(ctx)).Raw("SELECT place FROM audit_entries WHERE tenant_id = ? AND resource = ? AND action = 'webhook.create'",
		w.TenantID, WebhookTopic+"/"+w.key()).Scan(&positions).Error
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("find the creation of webhook %d in the log: %w", w.ID, err)
	case len(positions) == 0:
		return last, true, nil
	case positions[0] == nil:
		return 0, false, nil
	}
	return *positions[0], true, nil
}

// Sweep deletes old deliveries of all tenants.
func (s *Service) Sweep(ctx context.Context, batch int) error {
	return s.db.Sweep(ctx, storage.Sweep{Table: "webhook_deliveries", Column: "created_time", Until: s.clock.Now().Add(-retained)}, batch)
}
