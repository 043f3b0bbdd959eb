// Package guard contains the only code that writes versioned rows.
//
// Every guarded row has a version that starts at 1 and increases by one with each change; UpdateBy
// makes several changes in one statement and increases the version by their number. The condition
// of a change contains the version that its author read:
//
//	UPDATE t SET …, version = version + 1 WHERE tenant_id = ? AND id = ? AND version = ?
//
// Either exactly one row changed, or nothing did. If no row changed, a second query
// distinguishes a deleted row (404) from a stale one (412, 409). The version, not
// updated_time, is the token: two saves can share a microsecond, but never a version.
package guard
