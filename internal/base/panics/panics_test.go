package panics

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPanicErrorContainsItsPosition(t *testing.T) {
	run := func() (err error) {
		defer func() { err = Error(recover()) }()
		panic("out of tea")
	}
	err := run()
	require.ErrorContains(t, err, "panic: out of tea\n")
	require.ErrorContains(t, err, "panics_test.go:12")
}
