// Package idempotency executes a request once, however often the client sends it.
//
// Invariants, for requests with a key:
//
//   - The effect and the record of its reply commit in one transaction, under a unique row. The
//     database decides; the lease and process memory only save work.
//   - A record is immutable and is deleted only after it expires, so cached copies are valid until
//     then, unless the database is restored from a backup. Process memory is therefore valid for
//     one epoch (package epoch).
//   - A key belongs to its tenant and its principal. Requests of other principals do not find
//     its record.
//   - A repeat returns the recorded reply byte for byte, after the service has authenticated and
//     authorized the caller again.
//   - Each operation of a document counts as one request: see httpapi.Document.
//   - A key identifies one request. The service rejects another method, path, query or body
//     under it, also while the first request runs.
//
// Effects of a crash:
//
//   - before COMMIT: nothing happened; the lease expires and a repeat runs the request.
//   - after COMMIT: a repeat returns the reply from the database.
//   - between two parts of a batch or a document: the outcomes of the committed parts are recorded
//     with them, and a repeat executes the rest.
//   - between a rejection (4xx) and its record: a repeat runs the request again. This is safe,
//     because a rejection has no effect.
//
// A holder that was paused beyond its lease hits the unique row when it records its reply. It is
// rolled back and returns the reply that the other attempt recorded.
package idempotency
