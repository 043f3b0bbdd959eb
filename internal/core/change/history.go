package change

import (
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
)

// HistorySorts are the sort orders of every resource history. Each version occurs once.
var HistorySorts = storage.Sorts{Columns: map[string]string{"version": "version"}, Unique: []string{"version"}, Default: "-version"}

// Revision is the common part of every history row: the version of the resource, the action
// that created it, its author and its time.
type Revision struct {
	Version       int64
	Action        string
	ChangedBy     int64
	ChangedByName string
	ChangedTime   time.Time
}

// Stamped is a row of a guarded table.
type Stamped interface{ Stamp() guard.Stamp }

// RevisionOf returns the revision for the current version of a row, created by action.
func RevisionOf(row Stamped, action string) Revision {
	stamp := row.Stamp()
	return Revision{
		Version: stamp.Version, Action: action, ChangedBy: stamp.UpdatedBy.ID, ChangedByName: stamp.UpdatedBy.Name, ChangedTime: stamp.UpdatedTime,
	}
}

// By returns the author of the version.
func (r Revision) By() principal.Person {
	return principal.Person{ID: r.ChangedBy, Name: r.ChangedByName}
}

// Restore sets version, time and author of the row to those of this revision.
func (r Revision) Restore(row *guard.Row) {
	row.Version, row.UpdatedTime, row.UpdatedBy, row.UpdatedByName = r.Version, r.ChangedTime, r.ChangedBy, r.ChangedByName
}
