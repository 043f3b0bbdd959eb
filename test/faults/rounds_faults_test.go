//go:build faults

package faults_test

// How often `make faults` lets a request with an idempotency key meet each fault, and
// how often that is the end of the real program.
const (
	keyRounds  = 200
	killRounds = 200
	// batchRounds is of batches, which take as long as their rows.
	batchRounds = 100
	// pastRounds is of databases that are copied and put back.
	pastRounds = 50
)
