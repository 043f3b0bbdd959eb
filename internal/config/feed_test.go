package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The instant between the giving of an id and the insertion of its row cannot be
// staged on a server, so this looks at the decision alone.
func TestAGapIsPassedOnlyAfterItWasEmptyForItsGrace(t *testing.T) {
	missing := gap{first: 7, last: 8}
	feed := &tail{}
	look := func(empty bool) bool {
		emptySince := make(map[gap]time.Time)
		abandoned := feed.abandoned(missing, empty, emptySince)
		feed.emptySince = emptySince
		return abandoned
	}
	age := func() { feed.emptySince[missing] = feed.emptySince[missing].Add(-gapGrace) }

	require.False(t, look(true), "one look")
	require.False(t, look(true), "two looks at once")
	age()
	require.True(t, look(true))

	require.False(t, look(false), "in flight")
	require.False(t, look(true), "the grace begins again")
	age()
	require.True(t, look(true))
}
