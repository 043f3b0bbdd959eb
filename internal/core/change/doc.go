// Package change holds the two procedures by which a caller changes a versioned
// resource: an edit by merge patch, and a transition of its status; and the one by
// which a change is announced. Every domain goes through them, so a lost race and
// somebody else's change read the same everywhere.
//
// A domain declares its resource as a value: an Editable, a Lifecycle, or both. The
// procedures decide what is refused and what the refused caller is told. Nothing is
// changed unless the guarded UPDATE changed exactly one row, and a refusal is
// explained after the rollback from what is committed then.
package change
