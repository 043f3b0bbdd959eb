//go:build !faults

package gate

// What `make test` has time for, on four stores; `make faults` runs 200 rounds.
const (
	raceRounds = 2
	// modelRounds is how many sequences of steps are held against the book.
	modelRounds = 15
)
