package client_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/client"
)

func openBox(t *testing.T, path string) *client.Outbox[string] {
	t.Helper()
	box, err := client.OpenOutbox[string](path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = box.Close() })
	return box
}

// drained drains a box and returns the entries that were applied.
func drained(t *testing.T, box *client.Outbox[string]) (entries []client.Entry[string]) {
	t.Helper()
	require.NoError(t, box.Drain(t.Context(), func(_ context.Context, e client.Entry[string]) error {
		entries = append(entries, e)
		return nil
	}))
	return entries
}

func TestEntriesHaveSameOrderKeyAndSequenceAfterRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox")
	box := openBox(t, path)
	for _, id := range []string{"a", "b", "c"} {
		require.NoError(t, box.Add(id, "value of "+id))
	}
	var before []client.Entry[string]
	stopped := errors.New("the process ends here")
	err := box.Drain(t.Context(), func(_ context.Context, e client.Entry[string]) error {
		before = append(before, e)
		if e.ID == "b" {
			return stopped
		}
		return nil
	})
	require.ErrorIs(t, err, stopped)
	require.NoError(t, box.Close())

	again := openBox(t, path)
	require.Equal(t, 2, again.Pending())
	require.NoError(t, again.Add("d", "value of d"))
	after := drained(t, again)

	require.Equal(t, before[1], after[0], "what was begun is begun again, as it was")
	require.Equal(t, before[1].Key(), after[0].Key())
	require.Equal(t, []string{"b", "c", "d"}, []string{after[0].ID, after[1].ID, after[2].ID})
	require.EqualValues(t, 4, after[2].Seq)
	require.Equal(t, before[0].Writer, after[2].Writer)
	require.Empty(t, drained(t, again))
	require.Empty(t, drained(t, openBox(t, path)))
}

func TestEntryKeysDifferBetweenOutboxes(t *testing.T) {
	keys := map[string]bool{}
	for _, name := range []string{"one", "two"} {
		box := openBox(t, filepath.Join(t.TempDir(), name))
		require.NoError(t, box.Add("a", "x"))
		require.NoError(t, box.Add("b", "x"))
		for _, e := range drained(t, box) {
			keys[e.Key()] = true
		}
	}
	require.Len(t, keys, 4)
}

func TestRepeatedAddIsTheSameEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox")
	box := openBox(t, path)
	require.NoError(t, box.Add("a", "x"))
	require.NoError(t, box.Add("a", "x"))
	require.Len(t, drained(t, box), 1)
	require.NoError(t, box.Close())
	again := openBox(t, path)
	require.NoError(t, again.Add("a", "x"), "not even when it was done before a restart")
	require.Zero(t, again.Pending())
	require.Error(t, again.Add("a", "y"), "another event under its name")
}

func TestIncompleteLineIsDroppedAndSequenceContinues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox")
	box := openBox(t, path)
	require.NoError(t, box.Add("a", "x"))
	require.NoError(t, box.Add("b", "x"))
	require.NoError(t, box.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := 1; cut < 20; cut++ {
		require.NoError(t, os.WriteFile(path, whole[:len(whole)-cut], 0o600))
		again := openBox(t, path)
		require.Equal(t, 1, again.Pending())
		require.NoError(t, again.Add("c", "y"))
		entries := drained(t, again)
		require.Equal(t, "c", entries[1].ID)
		require.EqualValues(t, 2, entries[1].Seq)
		require.NoError(t, again.Close())
		require.Empty(t, drained(t, openBox(t, path)), "and what follows can be read")
	}
}

func TestForeignFileIsNotModified(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes")
	text := []byte("{\"writer\":\"w\"}\n{\"seq\":3,\"id\":\"c\",\"value\":\"x\"}\nfoo")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	_, err := client.OpenOutbox[string](path)
	require.ErrorContains(t, err, "line 2")
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, left)
}

func TestClosedOutboxRejectsEntries(t *testing.T) {
	box := openBox(t, filepath.Join(t.TempDir(), "outbox"))
	require.NoError(t, box.Close())
	require.ErrorIs(t, box.Add("a", "x"), os.ErrClosed)
}
