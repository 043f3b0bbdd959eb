package config

import (
	"bytes"
	"context"
	"encoding"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gorm.io/gorm"

	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
)

// The log of configs is the committed versions of all configs of all tenants, each at its
// place: 1, 2, 3, … in the order of commits, without gaps.
//
// On MySQL a version is written without a place, and whoever reads the log numbers what has none
// yet (storage.SequencedLog). On a cluster each server gives out its own ids, so those of one
// config are not always in the order of its versions, which is the one that they are numbered in.
//
// SQLite has one writer, whose rollback takes its ids back: there the ids are the places.
type configLog struct{ db *storage.DB }

const (
	logName = "configs"
	// logPage is how many versions are read at once.
	logPage = 500
)

// Revision is a place in the log of one history of the database. What was read of a history
// that the database is not on any more, because it was restored or replaced, has another
// epoch.
type Revision struct {
	Epoch epoch.Epoch
	Place int64
}

var (
	_ encoding.TextMarshaler   = Revision{}
	_ encoding.TextUnmarshaler = (*Revision)(nil)
)

// String is the revision as clients get it and send it back: "<epoch>-<place>".
func (r Revision) String() string { return string(r.Epoch) + "-" + strconv.FormatInt(r.Place, 10) }

// MarshalText implements encoding.TextMarshaler.
func (r Revision) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Revision) UnmarshalText(text []byte) error {
	i := bytes.LastIndexByte(text, '-')
	n, err := strconv.ParseInt(string(text[i+1:]), 10, 64)
	if i < 1 || i > 64 || err != nil || n < 0 {
		return errors.New("must be a revision from an event or a snapshot")
	}
	*r = Revision{epoch.Epoch(text[:i]), n}
	return nil
}

// column is where a version has its place.
func (l configLog) column() string {
	if l.db.Capabilities().SequencedLogs {
		return "place"
	}
	return "id"
}

// end is the state of the log at a moment.
type end struct {
	// Revision is of the last version that has a place.
	Revision `gorm:"embedded"`
	// Unnumbered is true when there are committed versions behind it.
	Unnumbered bool
}

// end reads where the log ends.
func (l configLog) end(db *gorm.DB) (end, error) {
	unnumbered := "FALSE"
	if l.db.Capabilities().SequencedLogs {
		unnumbered = "EXISTS (SELECT 1 FROM config_histories WHERE place IS NULL)"
	}
	var found []end
	err := db.Raw("SELECT epoch, (SELECT COALESCE(MAX(" + l.column() + "), 0) FROM config_histories) AS place, " +
		unnumbered + " AS unnumbered FROM installation WHERE id = 1").Scan(&found).Error
	switch {
	case err != nil:
		return end{}, fmt.Errorf("read the end of the log: %w", err)
	case len(found) != 1:
		return end{}, errors.New("config: the installation has no epoch")
	}
	return found[0], nil
}

// number gives every version that is committed by now its place, and returns where the log
// ends then.
func (l configLog) number(ctx context.Context) (end, error) {
	ctx = storage.AcrossTenants(ctx)
	found, err := l.end(l.db.Read(ctx))
	if err != nil || !found.Unnumbered {
		return found, err
	}
	log := storage.SequencedLog{Table: "config_histories", Counter: logName, Next: nextVersions}
	if _, err := l.db.Sequence(ctx, log, math.MaxInt); err != nil {
		return end{}, fmt.Errorf("number the log of configs: %w", err)
	}
	return l.end(l.db.Read(ctx))
}

// version is a version of a config that has no place yet.
type version struct{ ID, ConfigID, Version int64 }

// nextVersions returns the ids of the oldest versions that have no place, at most so many.
func nextVersions(tx *gorm.DB, most int) ([]int64, error) {
	var versions []version
	err := tx.Model(&History{}).Select("id", "config_id", "version").Where("place IS NULL").Order("id").Limit(most).Find(&versions).Error
	ids := make([]int64, len(versions))
	for i, v := range inOrder(versions) {
		ids[i] = v.ID
	}
	return ids, err
}

// inOrder sorts versions as they were committed, as far as anybody can tell: those of one
// config by version, since each was made from the one before; others by id. Engines that
// give out ids in blocks can give the later version the lower one.
func inOrder(versions []version) []version {
	byConfig := make(map[int64][]version)
	for _, v := range versions {
		byConfig[v.ConfigID] = append(byConfig[v.ConfigID], v)
	}
	for _, of := range byConfig {
		slices.SortFunc(of, func(a, b version) int { return int(a.Version - b.Version) })
	}
	ordered := make([]version, len(versions))
	for i, v := range versions {
		of := byConfig[v.ConfigID]
		ordered[i], byConfig[v.ConfigID] = of[0], of[1:]
	}
	return ordered
}

// entry is a version at its place.
type entry struct {
	History
	At int64
}

// after returns the entries behind a place, at most logPage of them.
func (l configLog) after(ctx context.Context, place int64) *gorm.DB {
	column := l.column()
	return l.db.Read(ctx).Model(&History{}).
		Select("id", "tenant_id", "config_id", "`key`", "version", "action", "changed_by", "changed_by_name", "changed_time", column+" AS at").
		Where(column+" > ?", place).Order(column).Limit(logPage)
}

// Snapshot is all configs of a tenant at one moment.
type Snapshot struct {
	// Revision is where to watch from: what came after it is missed by nobody who does.
	Revision Revision
	Configs  []Config
}

// Snapshot reads the configs of the caller's tenant whose keys begin with prefix at one
// moment, with the revision of that moment. Errors: LimitReached for more than one document
// holds.
func (s *Service) Snapshot(ctx context.Context, prefix string) (Snapshot, error) {
	filter := Filter{Prefix: prefix}
	if _, err := s.feed.log.number(ctx); err != nil {
		return Snapshot{}, err
	}
	var snapshot Snapshot
	err := s.db.Snapshot(ctx, func(tx *gorm.DB) error {
		if err := filter.fits(ctx, tx); err != nil {
			return err
		}
		at, err := s.feed.log.end(tx.WithContext(storage.AcrossTenants(ctx)))
		if err != nil {
			return err
		}
		snapshot.Revision = at.Revision
		return filter.apply(s.readableFor(ctx, tx)).Order("`key`").Limit(MaxTransfer).Find(&snapshot.Configs).Error
	})
	if err != nil {
		return Snapshot{}, fmt.Errorf("read a snapshot of the configs: %w", err)
	}
	return snapshot, nil
}

// SequenceLog gives what is committed its place when nobody watches, and reports whether all of it
// has one. Nothing depends on when it runs; the first who watches has less to number.
func (s *Service) SequenceLog(ctx context.Context) (whole bool, err error) {
	_, err = s.feed.log.number(ctx)
	return err == nil, err
}
