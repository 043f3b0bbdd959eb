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

// configLog is the log of the committed versions of all configs of all tenants. Each version has a
// position: 1, 2, 3, … in commit order, without gaps.
//
// On MySQL a version is inserted without a position, and each reader of the log first assigns
// positions to the versions without one (storage.SequencedLog). Each server of a cluster assigns
// ids from its own block, so the ids of one config may be out of order; positions follow its
// versions.
//
// SQLite has one writer, and a rollback releases its ids: there the ids are the positions.
type configLog struct{ db *storage.DB }

const (
	logName = "configs"
	// logPage bounds the versions of one read.
	logPage = 500
)

// Revision is a position in the log of one history of the database. After a restore or a
// replacement the database is on another history, with another epoch.
type Revision struct {
	Epoch    epoch.Epoch
	Position int64 `gorm:"column:place"`
}

var (
	_ encoding.TextMarshaler   = Revision{}
	_ encoding.TextUnmarshaler = (*Revision)(nil)
)

// SchemaName returns the name of the schema in the contract.
func (Revision) SchemaName() string { return "Revision" }

// String returns the revision in the clients' format: "<epoch>-<position>".
func (r Revision) String() string { return string(r.Epoch) + "-" + strconv.FormatInt(r.Position, 10) }

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

// column returns the column of the position.
func (l configLog) column() string {
	if l.db.Capabilities().SequencedLogs {
		return "place"
	}
	return "id"
}

// end is the end of the log at one moment.
type end struct {
	// Revision is the revision of the last version with a position.
	Revision `gorm:"embedded"`
	// Unsequenced is true if there are committed versions without a position.
	Unsequenced bool
}

// end reads the end of the log.
func (l configLog) end(db *gorm.DB) (end, error) {
	unsequenced := "FALSE"
	if l.db.Capabilities().SequencedLogs {
		unsequenced = "EXISTS (SELECT 1 FROM config_histories WHERE place IS NULL)"
	}
	var found []end
	err := db.Raw("SELECT epoch, (SELECT COALESCE(MAX(" + l.column() + "), 0) FROM config_histories) AS place, " +
		unsequenced + " AS unsequenced FROM installation WHERE id = 1").Scan(&found).Error
	switch {
	case err != nil:
		return end{}, fmt.Errorf("read the end of the log: %w", err)
	case len(found) != 1:
		return end{}, errors.New("config: the installation has no epoch")
	}
	return found[0], nil
}

// sequence assigns a position to every committed version, and returns the end of the log.
func (l configLog) sequence(ctx context.Context) (end, error) {
	ctx = storage.AcrossTenants(ctx)
	found, err := l.end(l.db.Read(ctx))
	if err != nil || !found.Unsequenced {
		return found, err
	}
	log := storage.SequencedLog{Table: "config_histories", Counter: logName, Next: nextVersions}
	if _, err := l.db.Sequence(ctx, log, math.MaxInt); err != nil {
		return end{}, fmt.Errorf("assign positions in the log of configs: %w", err)
	}
	return l.end(l.db.Read(ctx))
}

// version is a version of a config without a position.
type version struct{ ID, ConfigID, Version int64 }

// nextVersions returns the ids of the oldest versions without a position, at most limit.
func nextVersions(tx *gorm.DB, limit int) ([]int64, error) {
	var versions []version
	err := tx.Model(&History{}).Select("id", "config_id", "version").Where("place IS NULL").Order("id").Limit(limit).Find(&versions).Error
	ids := make([]int64, len(versions))
	for i, v := range inOrder(versions) {
		ids[i] = v.ID
	}
	return ids, err
}

// inOrder sorts versions in commit order, as far as the rows show it: versions of one config by
// version, versions of different configs by id. Engines that assign ids in blocks can give a later
// version a lower id.
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

// entry is a version with its position.
type entry struct {
	History
	At int64
}

// after returns the entries after a position, at most logPage.
func (l configLog) after(ctx context.Context, position int64) *gorm.DB {
	column := l.column()
	return l.db.Read(ctx).Model(&History{}).
		Select("id", "tenant_id", "config_id", "`key`", "version", "action", "changed_by", "changed_by_name", "changed_time", column+" AS at").
		Where(column+" > ?", position).Order(column).Limit(logPage)
}

// Revision returns the revision of the last committed change of any tenant. It reads no config.
func (s *Service) Revision(ctx context.Context) (Revision, error) {
	found, err := s.feed.log.sequence(ctx)
	return found.Revision, err
}

// Snapshot contains all configs of a tenant at one moment.
type Snapshot struct {
	// Revision is the revision to watch after: such a watch misses no change.
	Revision Revision
	Configs  []Config
}

// Snapshot reads the configs of the caller's tenant with a key that starts with prefix, and the
// revision of the same moment. Errors: LimitReached if they exceed the size of one document.
func (s *Service) Snapshot(ctx context.Context, prefix string) (Snapshot, error) {
	filter := Filter{Prefix: prefix}
	if _, err := s.Revision(ctx); err != nil {
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

// SequenceLog assigns positions to committed versions while no watcher does, and reports whether
// all versions have one. A call only saves work for the next watcher; nothing depends on its
// schedule.
func (s *Service) SequenceLog(ctx context.Context) (complete bool, err error) {
	_, err = s.feed.log.sequence(ctx)
	return err == nil, err
}
