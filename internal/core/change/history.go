package change

import (
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
)

// HistorySorts is how every history of a resource can be sorted. A version is in it once.
var HistorySorts = storage.Sorts{Columns: map[string]string{"version": "version"}, Unique: []string{"version"}, Default: "-version"}

// Revision is what every row of a history says: which version of the resource it is, what
// made it, and who made it when.
type Revision struct {
	Version       int64
	Action        string
	ChangedBy     int64
	ChangedByName string
	ChangedTime   time.Time
}

// RevisionOf is the present version of a row, which an action has made.
func RevisionOf(row guard.Row, action string) Revision {
	return Revision{
		Version: row.Version, Action: action, ChangedBy: row.UpdatedBy, ChangedByName: row.UpdatedByName, ChangedTime: row.UpdatedTime,
	}
}

// By is who made the version.
func (r Revision) By() principal.Person {
	return principal.Person{ID: r.ChangedBy, Name: r.ChangedByName}
}

// Restore makes a row say of itself what it said at this version.
func (r Revision) Restore(row *guard.Row) {
	row.Version, row.UpdatedTime, row.UpdatedBy, row.UpdatedByName = r.Version, r.ChangedTime, r.ChangedBy, r.ChangedByName
}
