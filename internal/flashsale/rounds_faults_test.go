//go:build faults

package flashsale_test

const (
	raceRounds = 200
	wordRounds = 200
)
