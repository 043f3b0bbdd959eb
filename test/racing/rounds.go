package racing

// Rounds is how often a race is run: `make test` has time for a few rounds, and `make faults`
// runs as many as are promised.
func Rounds(few, promised int) int {
	if wholeRun {
		return promised
	}
	return few
}
