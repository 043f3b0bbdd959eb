//go:build !faults

package faults_test

// What `make test` has time for of the rounds with idempotency keys.
const (
	keyRounds  = 8
	killRounds = 2
	// batchRounds is of batches, which take as long as their rows.
	batchRounds = 2
	// pastRounds is of databases that are copied and put back.
	pastRounds = 3
)
