// Package guard is the only place that writes versioned rows.
//
// Every guarded row has a version that starts at 1 and grows by one with each
// change; what makes several at once says how many. A change names the version that its author saw, and the engine decides:
//
//	UPDATE t SET …, version = version + 1 WHERE tenant_id = ? AND id = ? AND version = ?
//
// Exactly one row changed, or nothing did. When none changed, a second look tells
// gone (404) from stale (412, 409). The version, not updated_time, is the token:
// two saves can share a microsecond, never a version.
package guard
