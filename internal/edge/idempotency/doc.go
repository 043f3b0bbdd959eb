// Package idempotency makes a request that is sent again have its effect once.
//
// What holds, for requests that carry a key:
//
//   - The reply is recorded in the transaction of the effect, under a unique row:
//     there is no moment at which one is there without the other. The database
//     decides; the lease and the caches only save work.
//   - A record is never changed and is deleted only when it has expired, so what this
//     process's memory or Redis has of it is right for as long as it is there: until it
//     expires, unless the database goes back. Memory is believed in the epoch that it is
//     of (package epoch), Redis when the database shows the record.
//   - A key belongs to its tenant and its principal. Nobody else's request finds
//     what is kept under it.
//   - A repeat is answered with the recorded reply, byte by byte, after the caller
//     was authenticated and permitted again.
//   - A document, which holds several operations, is treated operation by operation as
//     requests of their own are: see httpapi.Document.
//   - A key stands for one request: another method, path, query or body under it is
//     refused, whether the first has ended or not.
//
// Where a crash leaves things:
//
//   - before COMMIT: nothing happened, the lease ends by its TTL, the repeat runs;
//   - after COMMIT: the repeat is answered from the database;
//   - between two parts of a batch or of a document: what became of the first ones is kept
//     with them, and the repeat does the rest;
//   - between a refusal (4xx) and its record: the repeat is decided anew, which is
//     right, because a refusal had no effect.
//
// A holder that was paused beyond its lease meets the unique row when it records
// its reply: it is rolled back and answers what the other recorded.
package idempotency
