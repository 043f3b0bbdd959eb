//go:build faults

package access

// demotions is how often two admins take access from each other.
const demotions = 200
