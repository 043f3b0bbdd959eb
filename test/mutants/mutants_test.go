package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/proofs"
)

const root = "../.."

// Running the mutants takes long. This test only checks that each of them is applicable.
func TestEveryMutantIsApplicableAndUniquelyNamed(t *testing.T) {
	names := map[string]bool{}
	for _, m := range all {
		require.NotEmpty(t, m.name)
		require.False(t, names[m.name], "%s is there twice", m.name)
		names[m.name] = true
		for _, e := range m.edits() {
			require.NotEqual(t, e.old, e.new, m.name)
		}
		if _, err := m.files(root); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

func TestEveryTestOfAMutantExists(t *testing.T) {
	there := proofs.List(t, root)
	for _, m := range all {
		require.NotEmpty(t, m.caught, m.name)
		for path, names := range m.caught {
			for _, name := range names {
				test, subtests, _ := strings.Cut(name, "/")
				require.Contains(t, there[path], test, "%s: %s", m.name, path)
				for subtest := range strings.SplitSeq(subtests, "/") {
					requireSubtest(t, path, subtest)
				}
			}
		}
	}
}

// requireSubtest requires that the tests of a package contain the name of a subtest. An engine is the
// subtest of a helper. Whether a test has the subtest is only known when it runs: see tree.control.
func requireSubtest(t *testing.T, path, name string) {
	t.Helper()
	if name == "" || name == "sqlite" || name == "mariadb" {
		return
	}
	files, err := filepath.Glob(filepath.Join(root, path, "*_test.go"))
	require.NoError(t, err)
	isNamed := slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Contains(string(text), `"`+strings.ReplaceAll(name, "_", " ")+`"`)
	})
	require.True(t, isNamed, "no test of %s has the subtest %s", path, name)
}

func TestNightlyMutantsAreMarked(t *testing.T) {
	nightly := proofs.Nightly(t, root)
	for _, m := range all {
		named := false
		for path, names := range m.caught {
			for _, name := range names {
				test, _, _ := strings.Cut(name, "/")
				named = named || slices.Contains(nightly[path], test)
			}
		}
		require.Equal(t, named, m.nightly, "%s: set nightly if and only if a test of caught calls tier.Nightly", m.name)
	}
}

func TestMutantWithoutAUniqueTextIsRejected(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("one two two"), 0o600))
	made, err := mutant{file: "a.go", old: "one", new: "1", also: []edit{{"a.go", "1 two", "1 2"}}}.files(dir)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.go": "1 2 two"}, made)
	for _, text := range []string{"three", "two"} {
		_, err := mutant{file: "a.go", old: text}.files(dir)
		require.ErrorContains(t, err, "times and not once")
	}
}

func TestOnlySelectedTestsAndSubtestsRun(t *testing.T) {
	expected := tests{"a": {"TestOne", "TestTwo/redis/a_rebuild_(late)"}, "b": {"TestOne"}}
	require.Equal(t, `^TestOne$|^TestTwo$/^redis$/^a_rebuild_\(late\)$`, expected.pattern())
}

func TestOutputOfTheGoCommandIsParsedPerTest(t *testing.T) {
	got := read([]byte(`{"Action":"run","Package":"interlock/a","Test":"TestOne"}
{"Action":"fail","Package":"interlock/a","Test":"TestOne/part"}
{"Action":"fail","Package":"interlock/a","Test":"TestOne"}
{"Action":"pass","Package":"interlock/b","Test":"TestOne"}
`))
	require.Equal(t, []string{"fail", "pass", "was not run"}, []string{got.of("a", "TestOne"), got.of("b", "TestOne"), got.of("b", "TestTwo")})
	require.False(t, got.broken || got.hung)
	require.True(t, read([]byte(`{"Action":"fail","Package":"interlock/a","FailedBuild":"interlock/a [interlock/a.test]"}`)).broken)
	require.True(t, read([]byte(`{"Action":"output","Package":"interlock/a","Output":"panic: test timed out after 3m\n"}`)).hung)
}
