//go:build !faults

package access

const (
	// demotions is how often two admins take access from each other.
	demotions = 25
	// menuRounds is how often they move two menus below each other.
	menuRounds = 40
)
