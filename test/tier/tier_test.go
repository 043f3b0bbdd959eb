package tier

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnknownTierPanics(t *testing.T) {
	t.Setenv(Variable, "nightli")
	require.PanicsWithValue(t, "INTERLOCK_TEST_TIER=nightli: the tiers are check, change and nightly", func() { current() })
}

func TestChangedSQLIsDetected(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	isChanged := func() bool {
		t.Helper()
		changed, err := SQLChanged(root, "orders")
		require.NoError(t, err)
		return changed
	}
	const store = "package orders\n\nimport \"gorm.io/gorm\"\n"
	write("orders/store.go", store)
	write("status/status.go", "package status\n")
	require.True(t, isChanged(), "nothing is recorded yet")

	sum, err := SQLSum(filepath.Join(root, "orders"))
	require.NoError(t, err)
	write(SumFile, "orders "+sum+"\n")
	require.False(t, isChanged())

	write("orders/view.go", "package orders\n")
	write("orders/store_test.go", store+"// a test\n")
	require.False(t, isChanged(), "neither file contains SQL of the program")
	write("orders/store.go", store+"// another statement\n")
	require.True(t, isChanged())
	write("orders/store.go", store)
	write("orders/pay.go", store)
	require.True(t, isChanged(), "a new file contains SQL")

	for _, path := range []string{"status", "moved"} {
		_, err := SQLChanged(root, path)
		require.EqualError(t, err, path+" contains no SQL: name the packages under test with storagetest.Covers")
	}
}
