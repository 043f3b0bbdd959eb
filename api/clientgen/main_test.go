package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClientMatchesTheContract(t *testing.T) {
	const folder = "../../client"
	expected, err := generate("../openapi.yaml", folder)
	require.NoError(t, err)
	committed, err := filepath.Glob(filepath.Join(folder, "*.gen.go"))
	require.NoError(t, err)
	require.Len(t, committed, len(expected), "run make generate and commit client/*.gen.go")
	for _, path := range committed {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(expected[filepath.Base(path)]), string(text), "run make generate and commit client/*.gen.go")
	}
}

func TestUnsuitableTypeIsRejected(t *testing.T) {
	for members, expected := range map[string]string{
		"id: {type: integer}, name: {type: string}":                                 "the type Thing, declared by hand, lacks the member name of the schema Thing",
		"id: {type: integer}, part: {$ref: '#/components/schemas/Part'}":            "lacks the member part",
		"kind: {enum: [a, b]}, other: {$ref: '#/components/schemas/GeneratedKind'}": "two enumerations have the name GeneratedKind",
	} {
		name := "Thing"
		if strings.Contains(members, "kind") {
			name = "Generated"
		}
		folder := t.TempDir()
		contract := filepath.Join(folder, "contract.yaml")
		require.NoError(t, os.WriteFile(contract, fmt.Appendf(nil, thingContract, name, name, members), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "thing.go"), []byte("package client\n\ntype Thing struct {\n\tID int64 `json:\"id\"`\n}\n"), 0o600))
		_, err := generate(contract, folder)
		require.ErrorContains(t, err, expected)
	}
}

// thingContract has one route, which returns a schema with a name and members.
const thingContract = `
paths:
  /api/v1/thing:
    get:
      operationId: getThing
      tags: [Things]
      summary: Get the thing
      responses:
        '200': {content: {application/json: {schema: {$ref: '#/components/schemas/%s'}}}}
components:
  schemas:
    Code: {type: string, enum: [a]}
    Part: {type: object, properties: {id: {type: integer}}}
    GeneratedKind: {enum: [c]}
    %s: {type: object, properties: {%s}}
`
