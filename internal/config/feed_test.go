package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The instant between the giving of an id and the insertion of its row cannot be
// staged on a server, so this looks at the decision alone.
func TestAGapIsDeadOnlyAfterItWasEmptyForTheGrace(t *testing.T) {
	missing := gap{first: 7, last: 8}
	feed := &tail{}
	look := func(empty bool) bool {
		doubts := make(map[gap]time.Time)
		dead := feed.dead(missing, empty, doubts)
		feed.doubts = doubts
		return dead
	}
	age := func() { feed.doubts[missing] = feed.doubts[missing].Add(-deathGrace) }

	require.False(t, look(true), "one look")
	require.False(t, look(true), "two looks at once")
	age()
	require.True(t, look(true))

	require.False(t, look(false), "in flight")
	require.False(t, look(true), "the grace begins anew")
	age()
	require.True(t, look(true))
}
