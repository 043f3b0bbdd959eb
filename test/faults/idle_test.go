package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/tier"
)

func TestIdleReplicaSendsFewQueries(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	s, m := alone(t)
	serve(t, s)
	// The initial connections and checks have ended by then.
	pause(t.Context(), 40*time.Second)
	statements, commands := m.during(t, 60*time.Second)
	require.LessOrEqual(t, statements, 1.0)
	require.LessOrEqual(t, commands, 1.0)
	require.Greater(t, statements, 0.1, "it reports that it is alive")
}
