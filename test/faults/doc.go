// Package faults proves that the service's guarantees hold when something breaks: the
// program is killed, the database is killed or unreachable, links are cut during a COMMIT,
// disks are full or cannot sync, everything is slow.
//
// Clients record a ledger of the responses during the fault. Afterwards the
// tests compare the ledger with the store:
//
//   - an acknowledged edit exists once, with the version of the response;
//   - a rejected edit does not exist: an unknown outcome is never reported as a failure;
//   - versions have no gaps, and history and audit have one row for each.
//
// `make test` runs one test of each kind: the program is killed at a COMMIT, a reply is lost, Redis
// is down, a lock is lost, the database is restored, the program drains. `make faults` (the nightly
// tier) runs all tests. The tests that fill a disk mount a small one, which needs root. A test that
// draws random numbers prints its seed when it fails; INTERLOCK_FAULT_SEED repeats it.
package faults
