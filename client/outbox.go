package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Outbox keeps operations in a file until they are done, in the order in which they
// were added. What Add has taken survives the end of the process and of the machine.
//
// An entry that was begun when the process ended is applied again by the next one.
// That has no second effect, because the key of the entry's operation, and its place
// in the writer's sequence, follow from what the file says and from no counter in
// memory. The service knows keys for 24 h; an entry that may wait for longer needs a
// reference of its own in what it does, as postings to wallets have.
//
// The file only grows: a line for each entry and one for its end. One process at a time
// may have it open; it may be used by many goroutines.
//
// A disk that is full or fails refuses entries and loses none: see Add.
type Outbox[T any] struct {
	// draining is held by the one goroutine that drains.
	draining sync.Mutex

	mu      sync.Mutex
	file    outboxFile
	size    int64
	writer  string
	lastSeq int64
	// added are the values of all entries by ID, as text; pending those not yet done.
	added   map[string][]byte
	pending []Entry[T]
	broken  error
}

// ErrOutboxUnsure means that the disk has failed and that nobody knows whether the entry
// that was being added is in the file. The outbox takes and drains nothing any more.
// Opened again it says what there is, and the entry can be added again under its ID.
var ErrOutboxUnsure = errors.New("the disk failed, and nobody knows how the outbox's file ends")

// Entry is an operation to do once.
type Entry[T any] struct {
	// Writer is the outbox's own name, made with the file. With Seq, which counts its
	// entries from 1 without gaps, it says where in the writer's sequence this one is.
	Writer string
	Seq    int64
	// ID is the caller's name for what happened.
	ID    string
	Value T
}

// Key is the idempotency key of the entry's operation, the same after every restart.
// An entry stands for one operation; a second one under its key is refused.
func (e Entry[T]) Key() string {
	sum := sha256.Sum256([]byte(e.Writer + "\n" + e.ID))
	return "outbox-" + hex.EncodeToString(sum[:16])
}

// line is what the file consists of: the writer first, then entries and ends.
type line struct {
	Writer string          `json:"writer,omitempty"`
	Seq    int64           `json:"seq,omitempty"`
	ID     string          `json:"id,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
	Done   int64           `json:"done,omitempty"`
}

// outboxFile is what an outbox needs of its file, which is an *os.File, and outboxDisk what
// it needs of the disk.
type outboxFile interface {
	io.Reader
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

type outboxDisk interface {
	open(path string) (outboxFile, error)
	// syncDirectory makes the name of a new file durable.
	syncDirectory(path string) error
}

// OpenOutbox opens the outbox in a file, which it makes if it is not there. A last line
// that was not written to its end is dropped: its Add had not returned.
func OpenOutbox[T any](path string) (*Outbox[T], error) { return openOutbox[T](systemDisk{}, path) }

func openOutbox[T any](disk outboxDisk, path string) (*Outbox[T], error) {
	file, err := disk.open(path)
	if err != nil {
		return nil, fmt.Errorf("open the outbox: %w", err)
	}
	o := &Outbox[T]{file: file, added: map[string][]byte{}}
	if err := o.load(disk, path); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open the outbox %s: %w", path, err)
	}
	return o, nil
}

// load reads the file. What it reads may not be on the disk yet, because the process that
// wrote it ended before it was: it is synced before an operation of it can be sent.
func (o *Outbox[T]) load(disk outboxDisk, path string) error {
	text, err := io.ReadAll(o.file)
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	for number, row := range bytes.Split(whole, []byte("\n")) {
		if len(row) == 0 {
			continue
		}
		if err := o.take(row); err != nil {
			return fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	o.size = int64(len(whole))
	if err := o.file.Truncate(o.size); err != nil {
		return err
	}
	if o.writer == "" {
		o.writer = rand.Text()
		if err := o.write(false, line{Writer: o.writer}); err != nil {
			return err
		}
	}
	if err := o.file.Sync(); err != nil {
		return err
	}
	return disk.syncDirectory(filepath.Dir(path))
}

// take reads a line of the file.
func (o *Outbox[T]) take(row []byte) error {
	var l line
	if err := json.Unmarshal(row, &l); err != nil {
		return err
	}
	switch {
	case l.Writer != "":
		o.writer = l.Writer
	case l.Done != 0:
		o.drop(l.Done)
	case l.Seq == o.lastSeq+1:
		return o.enlist(l)
	default:
		return fmt.Errorf("the entry %d comes after %d", l.Seq, o.lastSeq)
	}
	return nil
}

func (o *Outbox[T]) enlist(l line) error {
	e := Entry[T]{Writer: o.writer, Seq: l.Seq, ID: l.ID}
	if err := json.Unmarshal(l.Value, &e.Value); err != nil {
		return fmt.Errorf("the entry %d: %w", l.Seq, err)
	}
	o.lastSeq = l.Seq
	o.added[l.ID] = l.Value
	o.pending = append(o.pending, e)
	return nil
}

func (o *Outbox[T]) drop(seq int64) {
	for i, e := range o.pending {
		if e.Seq == seq {
			o.pending = append(o.pending[:i:i], o.pending[i+1:]...)
			return
		}
	}
}

// Add takes an entry; it is on the disk when Add returns. The ID is the caller's name
// for what happened: the same ID with the same value again is the same entry, with
// another value an error. After an error the entry is not there, also not after a crash,
// and can be added again; only after ErrOutboxUnsure nobody knows.
func (o *Outbox[T]) Add(id string, v T) error {
	text, err := encode(v)
	if err != nil {
		return fmt.Errorf("encode the entry %s: %w", id, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if first, there := o.added[id]; there {
		if !bytes.Equal(first, text) {
			return fmt.Errorf("the outbox has an entry %s with another value", id)
		}
		return nil
	}
	l := line{Seq: o.lastSeq + 1, ID: id, Value: text}
	if err := o.write(true, l); err != nil {
		return fmt.Errorf("add the entry %s: %w", id, err)
	}
	return o.enlist(l)
}

// Pending counts the entries that are not done.
func (o *Outbox[T]) Pending() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pending)
}

// Drain applies the entries that are not done, the oldest first, and ends with the
// first error; that entry stays and is the first of the next Drain. Apply calls the
// service with [Key](entry.Key()).
func (o *Outbox[T]) Drain(ctx context.Context, apply func(context.Context, Entry[T]) error) error {
	o.draining.Lock()
	defer o.draining.Unlock()
	for {
		e, ok, err := o.oldest()
		if !ok {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := apply(ctx, e); err != nil {
			return fmt.Errorf("apply the entry %s: %w", e.ID, err)
		}
		if err := o.done(e.Seq); err != nil {
			return fmt.Errorf("mark the entry %s as done: %w", e.ID, err)
		}
	}
}

func (o *Outbox[T]) oldest() (Entry[T], bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken != nil || len(o.pending) == 0 {
		return Entry[T]{}, false, o.broken
	}
	return o.pending[0], true, nil
}

// done is not waited for on the disk: an end that is lost costs a replay.
func (o *Outbox[T]) done(seq int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.write(false, line{Done: seq}); err != nil {
		return err
	}
	o.drop(seq)
	return nil
}

// write appends a line. What was written of one that failed is taken back, so that the
// next does not follow half a line; of one that was to be durable also on the disk, where
// a sync that failed may have left it.
func (o *Outbox[T]) write(durable bool, l line) error {
	if o.broken != nil {
		return o.broken
	}
	text, err := encode(l)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	_, err = o.file.WriteAt(text, o.size)
	if err == nil && durable {
		err = o.file.Sync()
	}
	if err == nil {
		o.size += int64(len(text))
		return nil
	}
	undo := o.file.Truncate(o.size)
	if undo == nil && durable {
		undo = o.file.Sync()
	}
	if undo != nil {
		o.broken = fmt.Errorf("%w: %w; taking it back: %w", ErrOutboxUnsure, err, undo)
		return o.broken
	}
	return err
}

// Close writes the file to the disk and closes it. A Drain that runs ends with an error.
func (o *Outbox[T]) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken == nil {
		o.broken = os.ErrClosed
	}
	return errors.Join(o.file.Sync(), o.file.Close())
}

// systemDisk is the operating system's.
type systemDisk struct{}

func (systemDisk) open(path string) (outboxFile, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

// syncDirectory does nothing on Windows, which does so by itself.
func (systemDisk) syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
