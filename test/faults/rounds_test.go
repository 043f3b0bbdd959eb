package faults_test

import (
	"interlock/test/tier"
)

// How often a request with an idempotency key meets each fault.
var (
	keyRounds = tier.Rounds(8, 200)
	// killRounds is how often that is the end of the real program.
	killRounds = tier.Rounds(2, 200)
	// batchRounds is of batches, which take as long as their rows.
	batchRounds = tier.Rounds(2, 100)
	// pastRounds is of databases that are copied and put back.
	pastRounds = tier.Rounds(3, 50)
)
