package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDiagramsAreThoseOfTheProgram(t *testing.T) {
	kept, err := os.ReadFile("../states.md")
	require.NoError(t, err)
	require.Equal(t, states(), string(kept), "run make generate and commit docs/states.md")
}
