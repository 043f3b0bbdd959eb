package walk

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/storage"
)

// State is the saved progress of a walk, for all tenants together.
type State struct {
	Kind    string `gorm:"primaryKey"`
	Name    string `gorm:"primaryKey"`
	Version int64
	// Position is the position of the running pass; "" at its start.
	Position string
	// Passes is the number of started passes, and therefore the number of the current pass.
	Passes int64
	// The current pass, or the last one if none is running.
	Pass `gorm:"embedded"`
	// Last is the last complete pass; its EndedTime is nil before the first.
	Last Pass `gorm:"embedded;embeddedPrefix:last_"`
	// CleanTime is the end of the last complete pass that found nothing.
	CleanTime *time.Time
	// UntilTime is the limit of a walk that removes rows: older rows may have been removed. It is nil
	// before the first pass. Total is the number of rows removed by all passes.
	UntilTime *time.Time
	Total     int64
}

// Pass is one walk over all rows.
type Pass struct {
	StartedTime *time.Time
	// EndedTime is nil while the pass is running.
	EndedTime *time.Time
	// Checked is the number of rows, and Found the number of violating or removed ones.
	Checked, Found int64
	// BusyUS is the database time in µs.
	BusyUS int64 `gorm:"column:busy_us"`
}

// TableName implements gorm's Tabler.
func (State) TableName() string { return "walks" }

// Global implements storage.Global.
func (State) Global() {}

// Running reports whether a pass has started and not ended.
func (s *State) Running() bool { return s.StartedTime != nil && s.EndedTime == nil }

// ErrOvertaken means that another process has continued the walk.
var ErrOvertaken = errors.New("walk: another process has continued it")

// saved are the columns that Save writes, except the key and the version.
var saved = []string{
	"position", "passes", "started_time", "ended_time", "checked", "found", "busy_us",
	"last_started_time", "last_ended_time", "last_checked", "last_found", "last_busy_us", "clean_time", "until_time", "total",
}

func (s *State) values() []any {
	return []any{
		s.Position, s.Passes, s.StartedTime, s.EndedTime, s.Checked, s.Found, s.BusyUS,
		s.Last.StartedTime, s.Last.EndedTime, s.Last.Checked, s.Last.Found, s.Last.BusyUS, s.CleanTime, s.UntilTime, s.Total, s.Kind, s.Name,
	}
}

// Save stores a state under its version:
//
//	UPDATE walks SET … WHERE kind = ? AND name = ? AND version = ?
//
// Errors: ErrOvertaken if the version has changed. The version of s is the one that was read; the
// caller increments it after the commit.
func (s *State) Save(db *gorm.DB) error {
	var result *gorm.DB
	if s.Version == 0 {
		result = db.Exec("INSERT INTO walks ("+strings.Join(saved, ", ")+", kind, name, version) VALUES ("+strings.Repeat("?, ", len(saved)+2)+"1)", s.values()...)
	} else {
		result = db.Exec("UPDATE walks SET version = version + 1, "+strings.Join(saved, " = ?, ")+" = ? WHERE kind = ? AND name = ? AND version = ?", append(s.values(), s.Version)...)
	}
	switch {
	case storage.Is(result.Error, storage.DuplicateKey):
		return ErrOvertaken
	case result.Error != nil:
		return fmt.Errorf("save the walk %s of %s: %w", s.Name, s.Kind, result.Error)
	case result.RowsAffected != 1:
		return ErrOvertaken
	}
	return nil
}
