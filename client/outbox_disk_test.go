package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// testDisk is a disk in memory that models a crash of the machine and injects faults.
type testDisk struct {
	// written is the content that programs read. synced is the content after a crash, or attempted,
	// the content at a failed sync without a later successful one.
	written, synced, attempted []byte
	// named reports whether the name of the file survives a crash.
	named bool
	// renamed reports whether the file was renamed.
	renamed bool
	// room bounds the file; 0 does not.
	room int
	// syncs fails the syncs to come, one after the other; truncates fails all of them.
	syncs     []error
	truncates error
}

func (d *testDisk) open(string) (diskFile, error) { return &testFile{testDisk: d}, nil }

// rename renames the file, which is the only open one.
func (d *testDisk) rename(_, _ string) error {
	d.renamed = true
	return nil
}

func (d *testDisk) syncDirectory(string) error {
	d.named = true
	return nil
}

// left is the content that a crash leaves of unsynced writes.
type left string

const (
	nothing     left = "nothing"
	theAttempts left = "what syncs failed with"
	everything  left = "everything"
)

func (d *testDisk) crash(of left) {
	switch {
	case of == nothing, of == theAttempts && d.attempted == nil:
		d.written = bytes.Clone(d.synced)
	case of == theAttempts:
		d.written = d.attempted
	}
	d.synced, d.attempted, d.syncs, d.truncates, d.room = bytes.Clone(d.written), nil, nil, nil, 0
}

// testFile is the one file of a testDisk, opened.
type testFile struct {
	*testDisk
	read int
}

func (f *testFile) Read(p []byte) (int, error) {
	if f.read == len(f.written) {
		return 0, io.EOF
	}
	n := copy(p, f.written[f.read:])
	f.read += n
	return n, nil
}

func (f *testFile) WriteAt(p []byte, offset int64) (int, error) {
	n := len(p)
	if f.room > 0 {
		n = max(0, min(n, f.room-int(offset)))
	}
	f.written = append(f.written[:offset:offset], p[:n]...)
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (f *testFile) Truncate(size int64) error {
	if f.truncates == nil {
		f.written = f.written[:size:size]
	}
	return f.truncates
}

func (f *testFile) Sync() error {
	if len(f.syncs) > 0 {
		err := f.syncs[0]
		f.syncs = f.syncs[1:]
		if err != nil {
			f.attempted = bytes.Clone(f.written)
			return err
		}
	}
	f.synced, f.attempted = bytes.Clone(f.written), nil
	return nil
}

func (f *testFile) Close() error { return nil }

func openTestBox(t *testing.T, disk *testDisk) *Outbox[string] {
	t.Helper()
	box, err := openOutbox[string](disk, "outbox")
	require.NoError(t, err)
	return box
}

// drainTestBox drains a box and returns the entries that it applied. What is applied is on the
// disk before.
func drainTestBox(t *testing.T, disk *testDisk, box *Outbox[string]) (ids []string) {
	t.Helper()
	require.NoError(t, box.Drain(t.Context(), func(_ context.Context, e Entry[string]) error {
		require.Truef(t, bytes.Contains(disk.synced, []byte(`"id":"`+e.ID+`"`)), "%s is sent and a crash would forget it", e.ID)
		require.True(t, disk.named, "a crash would forget the file")
		ids = append(ids, e.ID)
		return nil
	}))
	return ids
}

// Proves G3.18.
func TestEntryIsDurableBeforeItsOperation(t *testing.T) {
	disk := &testDisk{}
	box := openTestBox(t, disk)
	for _, id := range []string{"a", "b"} {
		require.NoError(t, box.Add(id, "x"))
	}
	require.Equal(t, []string{"a", "b"}, drainTestBox(t, disk, box))
	require.NoError(t, box.Add("c", "x"))
	disk.crash(nothing)
	again := openTestBox(t, disk)
	require.Equal(t, []string{"c"}, drainTestBox(t, disk, again), "Add had returned, and what was sent before had its end synced with it")
}

// Proves G3.18.
func TestUnsyncedEntryIsSyncedBeforeItIsSent(t *testing.T) {
	disk := &testDisk{}
	require.NoError(t, openTestBox(t, disk).Add("a", "x"))
	text, err := encode(line{Seq: 2, ID: "b", Value: []byte(`"x"`)})
	require.NoError(t, err)
	disk.written = append(append(disk.written, text...), '\n')
	disk.named = false
	box := openTestBox(t, disk)
	require.Equal(t, []string{"a", "b"}, drainTestBox(t, disk, box))
}

// Proves G3.18.
func TestEntryWithoutDiskSpaceIsRejectedAlone(t *testing.T) {
	for room := range 20 {
		disk := &testDisk{}
		box := openTestBox(t, disk)
		require.NoError(t, box.Add("a", "x"))
		disk.room = len(disk.written) + room
		require.ErrorIs(t, box.Add("b", "x"), syscall.ENOSPC)
		disk.room = 0
		require.NoError(t, box.Add("c", "x"), "it goes on by itself")
		disk.crash(everything)
		again := openTestBox(t, disk)
		require.Equal(t, []string{"a", "c"}, drainTestBox(t, disk, again))
		require.NoError(t, again.Add("b", "another value"), "it was never there")
	}
}

// Proves G3.18.
func TestUnsyncableEntryIsAbsentAfterCrash(t *testing.T) {
	for _, of := range []left{nothing, theAttempts, everything} {
		disk := &testDisk{}
		box := openTestBox(t, disk)
		require.NoError(t, box.Add("a", "x"))
		disk.syncs = []error{syscall.EIO}
		require.ErrorIs(t, box.Add("b", "x"), syscall.EIO)
		disk.crash(of)
		again := openTestBox(t, disk)
		require.Equal(t, []string{"a"}, drainTestBox(t, disk, again))
		require.NoError(t, again.Add("b", "x"))
	}
}

// Proves G3.18.
func TestUnremovableEntryReturnsErrOutboxUnsure(t *testing.T) {
	for name, fail := range map[string]func(*testDisk){
		"no sync works": func(d *testDisk) { d.syncs = []error{syscall.EIO, syscall.EIO} },
		"nor any other": func(d *testDisk) { d.syncs, d.truncates = []error{syscall.EIO}, syscall.EIO },
	} {
		for _, of := range []left{nothing, theAttempts, everything} {
			disk := &testDisk{}
			box := openTestBox(t, disk)
			require.NoError(t, box.Add("a", "x"))
			fail(disk)
			require.ErrorIs(t, box.Add("b", "x"), ErrOutboxUnsure, name)
			require.ErrorIs(t, box.Add("c", "x"), ErrOutboxUnsure, name)
			err := box.Drain(t.Context(), func(context.Context, Entry[string]) error { return errors.New("it was sent") })
			require.ErrorIs(t, err, ErrOutboxUnsure, name)
			disk.crash(of)
			again := openTestBox(t, disk)
			require.NoError(t, again.Add("b", "x"), "whether it was there or not")
			require.Equal(t, []string{"a", "b"}, drainTestBox(t, disk, again))
		}
	}
}

func TestUnwrittenCompletionReplaysEntry(t *testing.T) {
	disk := &testDisk{}
	box := openTestBox(t, disk)
	require.NoError(t, box.Add("a", "x"))
	disk.room = len(disk.written)
	err := box.Drain(t.Context(), func(context.Context, Entry[string]) error { return nil })
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Equal(t, 1, box.Pending())
	disk.room = 0
	require.Equal(t, []string{"a"}, drainTestBox(t, disk, box))
	require.Zero(t, box.Pending())
}
