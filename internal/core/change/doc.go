// Package change implements the two procedures that change a versioned resource, an edit by merge
// patch and a status transition, and the announcement of a change. Every domain uses them, so the
// responses to lost races and conflicts are the same in every domain.
//
// A domain declares its resource as a value: an Editable, a Lifecycle, or both. The procedures
// decide which changes are rejected and build the error response. A change has an effect only if
// the guarded UPDATE changed exactly one row; the error response is built after the rollback, from
// committed data.
package change
