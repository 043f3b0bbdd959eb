// Package faults proves what must hold when something breaks: the program is
// killed, the database is killed or out of reach, links are cut in the middle of a
// COMMIT, disks are full or cannot sync, everything is slow.
//
// Clients keep a ledger of what they were told while the fault happens. After it,
// the ledger is held against the store:
//
//   - an edit that was acknowledged is there, once, at the version it was told;
//   - an edit that was refused is not there: unknown is never reported as failed;
//   - versions have no gaps, and history and audit have one row for each.
//
// `make test` runs one test of each kind: the program is killed at a COMMIT, a reply is lost, Redis
// is down, a lock is lost, the database is restored, the program drains. `make faults` (the nightly
// tier) runs all tests. The tests that fill a disk mount a small one, which needs root. A test that
// draws random numbers prints its seed when it fails; INTERLOCK_FAULT_SEED repeats it.
package faults
