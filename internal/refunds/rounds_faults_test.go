//go:build faults

package refunds_test

const crowdRounds = 200
