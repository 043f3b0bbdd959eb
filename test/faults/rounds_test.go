package faults_test

import "interlock/test/racing"

// How often a request with an idempotency key meets each fault.
var (
	keyRounds = racing.Rounds(8, 200)
	// killRounds is how often that is the end of the real program.
	killRounds = racing.Rounds(2, 200)
	// batchRounds is of batches, which take as long as their rows.
	batchRounds = racing.Rounds(2, 100)
	// pastRounds is of databases that are copied and put back.
	pastRounds = racing.Rounds(3, 50)
)
