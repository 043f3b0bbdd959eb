package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

func TestBillNamesGoModulesAndBundledPackages(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "package-lock.json")
	require.NoError(t, os.WriteFile(lock, []byte(`{"packages": {
		"": {"version": "1.0.0"},
		"node_modules/@mantine/core": {"version": "8.0.0", "license": "MIT", "integrity": "sha512-AQID"},
		"node_modules/a/node_modules/react": {"version": "19.0.0"},
		"node_modules/react": {"version": "19.0.0"},
		"node_modules/vitest": {"version": "4.0.0", "dev": true}
	}}`), 0o600))
	program, err := os.Executable()
	require.NoError(t, err)
	var text, again bytes.Buffer
	require.NoError(t, write(&text, program, "v1.2", lock))
	require.NoError(t, write(&again, program, "v1.2", lock))
	require.Equal(t, text.String(), again.String())

	var bom cdx.BOM
	require.NoError(t, cdx.NewBOMDecoder(&text, cdx.BOMFileFormatJSON).Decode(&bom))
	require.Equal(t, "interlock", bom.Metadata.Component.Name)
	require.Equal(t, "v1.2", bom.Metadata.Component.Version)
	found := map[string]cdx.Component{}
	for _, c := range *bom.Components {
		require.NotContains(t, found, c.PackageURL)
		found[c.PackageURL] = c
	}
	const module = "github.com/CycloneDX/cyclonedx-go"
	require.Contains(t, found, "pkg:golang/"+module+"@"+versionOf(t, module), "it is in the program of this test")
	require.NotContains(t, found, "pkg:npm/vitest@4.0.0")
	require.Contains(t, found, "pkg:npm/react@19.0.0")
	mantine := found["pkg:npm/%40mantine/core@8.0.0"]
	require.Equal(t, "MIT", (*mantine.Licenses)[0].Expression)
	require.Equal(t, "010203", (*mantine.Hashes)[0].Value)
}

func TestBillOfANonProgramIsRejected(t *testing.T) {
	require.ErrorContains(t, write(new(bytes.Buffer), "main.go", "v1.2", "none"), "read the build information of main.go")
}

// versionOf returns the version of a module that go.mod requires.
func versionOf(t *testing.T, module string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		if fields := bytes.Fields(line); len(fields) >= 2 && string(fields[0]) == module {
			return string(fields[1])
		}
	}
	t.Fatalf("go.mod does not require %s", module)
	return ""
}
