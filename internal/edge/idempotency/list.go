package idempotency

import (
	"context"
	"fmt"
	"strconv"

	"gorm.io/gorm"

	"interlock/internal/base/storage"
)

var sorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "-id"}

// Filter selects records. Zero members match all.
type Filter struct {
	Key string
	// Status is the status of the reply; 0 matches all.
	Status int
}

// List returns one page of records, newest first by default.
func (k *ReplyStore) List(ctx context.Context, filter Filter, page storage.Page) (storage.Listing[Record], error) {
	k.replays.flush(ctx)
	filters := []storage.Filter{k.live()}
	if filter.Key != "" {
		filters = append(filters, storage.Equal("idempotency_key", filter.Key))
	}
	if filter.Status != 0 {
		filters = append(filters, storage.Examined("status = ?", filter.Status))
	}
	return storage.List[Record](k.store.db.Read(ctx), page, sorts, filters...)
}

// Record returns the record with an id. Errors: NotFound.
func (k *ReplyStore) Record(ctx context.Context, id int64) (Record, error) {
	k.replays.flush(ctx)
	var record Record
	err := k.liveRecords(ctx).Where("id = ?", id).Take(&record).Error
	return record, storage.Found(err, "idempotency key", strconv.FormatInt(id, 10))
}

// ByKey returns at most limit live records with a key that starts with text, case-sensitively.
func (k *ReplyStore) ByKey(ctx context.Context, text string, limit int) ([]Record, error) {
	records, err := storage.ByPrefix[Record](k.liveRecords(ctx), "idempotency_key", []string{text}, limit)
	if err != nil {
		return nil, fmt.Errorf("find idempotency keys: %w", err)
	}
	return records, nil
}

// liveRecords selects the live records of complete requests.
func (k *ReplyStore) liveRecords(ctx context.Context) *gorm.DB {
	return storage.Apply(k.store.db.Read(ctx), k.live())
}

func (k *ReplyStore) live() storage.Filter {
	return storage.Examined("expires_time > ? AND "+withoutParts, k.clock.Now())
}
