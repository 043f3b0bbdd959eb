package faults_test

import (
	"interlock/test/tier"
)

// How often a request with an idempotency key meets each fault.
var (
	keyRounds = tier.Rounds(8, 200)
	// killRounds is how often that is the end of the real program.
	killRounds = tier.Rounds(1, 200)
)
