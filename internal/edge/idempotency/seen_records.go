package idempotency

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
)

const (
	// maxSeenRecords bounds how many records are looked for at once. It is more than a process
	// commits between two looks; should it commit more, every other one is dropped.
	maxSeenRecords = 1024
	// seenRecordsAfterCheck is how many of the records that were found in the database are
	// looked for again.
	seenRecordsAfterCheck = 8
	// longestMargin bounds how long before its end a record may be missing because the
	// clock of who swept it is ahead.
	longestMargin = 5 * time.Minute
)

// seenRecord identifies a record that this process has seen committed, to be looked for again: a
// database that was restored from a backup misses its last commits. While the newest records
// that were seen are there, it has lost nothing that is remembered. An id alone does not
// identify a record: the id of one that was lost is given to another.
type seenRecord struct {
	id          int64
	key         string
	fingerprint fingerprint
	created     time.Time
	// until is when the record may be gone for its age.
	until time.Time
}

// asSeen returns what identifies the record.
func (r *Record) asSeen() seenRecord {
	margin := min(longestMargin, r.ExpiresTime.Sub(r.CreatedTime)/10)
	return seenRecord{id: r.ID, key: r.IdempotencyKey, fingerprint: fingerprint(r.Fingerprint), created: r.CreatedTime, until: r.ExpiresTime.Add(-margin)}
}

// seenRecords are in no order.
type seenRecords []seenRecord

func (s *seenRecords) add(one seenRecord) {
	*s = append(*s, one)
	if len(*s) > maxSeenRecords {
		half := (*s)[:0]
		for i := (len(*s) - 1) % 2; i < len(*s); i += 2 {
			half = append(half, (*s)[i])
		}
		*s = half
	}
}

// prune drops the records that were found, but the newest and the one that expires last: the
// others may expire before it.
func (s *seenRecords) prune(found []seenRecord) {
	if len(found) <= seenRecordsAfterCheck {
		return
	}
	slices.SortFunc(found, func(a, b seenRecord) int {
		return cmp.Or(b.created.Compare(a.created), cmp.Compare(b.id, a.id))
	})
	longest := slices.MaxFunc(found, func(a, b seenRecord) int { return a.until.Compare(b.until) })
	dropped := make(map[seenRecord]bool, len(found))
	for _, one := range found[seenRecordsAfterCheck:] {
		dropped[one] = one != longest
	}
	*s = slices.DeleteFunc(*s, func(one seenRecord) bool { return dropped[one] })
}

// Missing is the epoch.Witness of what this process remembers of replies.
func (k *Keeper) Missing(ctx context.Context, of epoch.Epoch) (string, error) {
	seen := k.memory.seen(of, k.clock.Now())
	missing, err := k.store.findMissing(ctx, seen)
	switch {
	case err != nil:
		return "", err
	case missing != nil:
		return fmt.Sprintf("The reply that was recorded at %s (record %d of the idempotency keys) is not there any more.",
			missing.created.Format(time.RFC3339Nano), missing.id), nil
	}
	k.memory.pruneSeen(of, seen)
	return "", nil
}

// findMissing returns a record that is not in the database any more, nil when all are there. One
// that a reader does not show is looked for once more under a lock, which a server that only
// follows another does not answer.
func (s store) findMissing(ctx context.Context, seen []seenRecord) (*seenRecord, error) {
	if len(seen) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(seen))
	for i, one := range seen {
		ids[i] = one.id
	}
	ctx = storage.AcrossTenants(ctx)
	missing, err := firstMissing(s.db.Read(ctx), ids, seen)
	if err != nil || missing == nil {
		return nil, err
	}
	return firstMissing(s.db.Write(ctx).Clauses(clause.Locking{Strength: "UPDATE"}), ids, seen) //nolint:forbidigo // nothing is written, so it guards nothing
}

// firstMissing returns the first of some records that the database does not have as it was seen.
//
//	SELECT id, idempotency_key, fingerprint, created_time FROM idempotency_keys WHERE id IN (…)
func firstMissing(db *gorm.DB, ids []int64, seen []seenRecord) (*seenRecord, error) {
	var records []Record
	if err := db.Select("id", "idempotency_key", "fingerprint", "created_time").Where("id IN ?", ids).Find(&records).Error; err != nil {
		return nil, fmt.Errorf("look for idempotency keys: %w", err)
	}
	for _, one := range seen {
		if !slices.ContainsFunc(records, one.isOf) {
			return &one, nil
		}
	}
	return nil, nil
}

// isOf reports whether a record is the one that was seen.
func (s seenRecord) isOf(r Record) bool {
	return r.ID == s.id && r.IdempotencyKey == s.key && r.CreatedTime.Equal(s.created) && bytes.Equal(r.Fingerprint, s.fingerprint[:])
}
