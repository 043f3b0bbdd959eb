//go:build faults

package gate

const (
	raceRounds  = 200
	modelRounds = 200
)
