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
	// mostSightings bounds what is looked for at once. It is more than a process commits
	// between two looks; should it commit more, every other sighting is let go.
	mostSightings = 1024
	// enoughSightings stay of what was found in its place.
	enoughSightings = 8
	// longestMargin bounds how long before its end a record may be missing because the
	// clock of who swept it is ahead.
	longestMargin = 5 * time.Minute
)

// sighting is a record that this process has seen committed. A database that goes back
// loses its last commits, so it has lost nothing that is remembered while the newest
// sightings are there. An id alone tells nothing: one that was lost is given again.
type sighting struct {
	id          int64
	key         string
	fingerprint fingerprint
	created     time.Time
	// until is when the record may be gone for its age.
	until time.Time
}

// sighting returns what tells a record from others.
func (r *Record) sighting() sighting {
	margin := min(longestMargin, r.ExpiresTime.Sub(r.CreatedTime)/10)
	return sighting{id: r.ID, key: r.IdempotencyKey, fingerprint: fingerprint(r.Fingerprint), created: r.CreatedTime, until: r.ExpiresTime.Add(-margin)}
}

// sightings are in no order.
type sightings []sighting

func (s *sightings) add(one sighting) {
	*s = append(*s, one)
	if len(*s) > mostSightings {
		half := (*s)[:0]
		for i := (len(*s) - 1) % 2; i < len(*s); i += 2 {
			half = append(half, (*s)[i])
		}
		*s = half
	}
}

// settle drops of what was found in its place all but the newest, and the one that will be
// there longest: the others may expire before it.
func (s *sightings) settle(found []sighting) {
	if len(found) <= enoughSightings {
		return
	}
	slices.SortFunc(found, func(a, b sighting) int {
		return cmp.Or(b.created.Compare(a.created), cmp.Compare(b.id, a.id))
	})
	longest := slices.MaxFunc(found, func(a, b sighting) int { return a.until.Compare(b.until) })
	dropped := make(map[sighting]bool, len(found))
	for _, one := range found[enoughSightings:] {
		dropped[one] = one != longest
	}
	*s = slices.DeleteFunc(*s, func(one sighting) bool { return dropped[one] })
}

// Missing is the epoch.Witness of what this process remembers of replies.
func (k *Keeper) Missing(ctx context.Context, of epoch.Epoch) (string, error) {
	seen := k.memory.seen(of, k.clock.Now())
	gone, err := k.store.gone(ctx, seen)
	switch {
	case err != nil:
		return "", err
	case gone != nil:
		return fmt.Sprintf("The reply that was recorded at %s (record %d of the idempotency keys) is not there any more.",
			gone.created.Format(time.RFC3339Nano), gone.id), nil
	}
	k.memory.settled(of, seen)
	return "", nil
}

// gone returns one of some records that is not in the database, nil when all are. What a
// reader does not show is asked for once more under a lock, which no server answers that
// only follows another.
func (s store) gone(ctx context.Context, seen []sighting) (*sighting, error) {
	if len(seen) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(seen))
	for i, one := range seen {
		ids[i] = one.id
	}
	ctx = storage.AcrossTenants(ctx)
	missing, err := lacks(s.db.Read(ctx), ids, seen)
	if err != nil || missing == nil {
		return nil, err
	}
	return lacks(s.db.Write(ctx).Clauses(clause.Locking{Strength: "UPDATE"}), ids, seen) //nolint:forbidigo // nothing is written, so it guards nothing
}

// lacks returns the first of some records that a query does not find as it was.
//
//	SELECT id, idempotency_key, fingerprint, created_time FROM idempotency_keys WHERE id IN (…)
func lacks(db *gorm.DB, ids []int64, seen []sighting) (*sighting, error) {
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
func (s sighting) isOf(r Record) bool {
	return r.ID == s.id && r.IdempotencyKey == s.key && r.CreatedTime.Equal(s.created) && bytes.Equal(r.Fingerprint, s.fingerprint[:])
}
