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
	"sync"
)

// Outbox stores operations in a file until they are done, in the order of their addition. An added
// operation survives the end of the process and of the machine.
//
// An entry that was in progress at the end of a process is applied again by the next one. This has
// no second effect, because the entry's idempotency key and its sequence number are derived from
// the file and not from memory. The service stores keys for 24 h; an entry that may wait longer
// needs its own reference in the operation, such as that of a wallet posting.
//
// The file is append-only: a line per entry and a line for its completion. One process at a time
// may open it, with any number of goroutines.
//
// A full or failing disk rejects new entries and loses none: see Add.
type Outbox[T any] struct {
	// draining serializes Drain.
	draining sync.Mutex

	mu      sync.Mutex
	file    diskFile
	size    int64
	writer  string
	lastSeq int64
	// added contains the encoded values of all entries by ID; pending contains the entries that are
	// not done.
	added   map[string][]byte
	pending []Entry[T]
	broken  error
}

// ErrOutboxUnsure means that the disk failed and the file may or may not contain the entry that was
// being added. The outbox accepts and drains nothing more. After reopening, its entries are known,
// and the entry can be added again under its ID.
var ErrOutboxUnsure = errors.New("the disk failed, and the end of the outbox file is unknown")

// Entry is an operation that is applied once.
type Entry[T any] struct {
	// Writer is the random name of the outbox, created with its file. Seq numbers the outbox's entries
	// from 1 without gaps.
	Writer string
	Seq    int64
	// ID is the caller's unique name for the entry.
	ID    string
	Value T
}

// Key is the idempotency key of the entry's operation; it is the same after every restart. An entry
// is for one operation: the service rejects another operation under its key.
func (e Entry[T]) Key() string {
	sum := sha256.Sum256([]byte(e.Writer + "\n" + e.ID))
	return "outbox-" + hex.EncodeToString(sum[:16])
}

// line is a line of the file: first the writer, then entries and completions.
type line struct {
	Writer string          `json:"writer,omitempty"`
	Seq    int64           `json:"seq,omitempty"`
	ID     string          `json:"id,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
	Done   int64           `json:"done,omitempty"`
}

// OpenOutbox opens the outbox in a file and creates a missing file. An incomplete last line is
// dropped: its Add had not returned.
func OpenOutbox[T any](path string) (*Outbox[T], error) { return openOutbox[T](systemDisk{}, path) }

func openOutbox[T any](on disk, path string) (*Outbox[T], error) {
	file, err := on.open(path)
	if err != nil {
		return nil, fmt.Errorf("open the outbox: %w", err)
	}
	o := &Outbox[T]{file: file, added: map[string][]byte{}}
	if err := o.load(on, path); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open the outbox %s: %w", path, err)
	}
	return o, nil
}

// load reads the file and syncs it, because the process that wrote the file may have ended before
// its sync, and an entry must be durable before its operation is sent.
func (o *Outbox[T]) load(on disk, path string) error {
	text, err := io.ReadAll(o.file)
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	for number, row := range bytes.Split(whole, []byte("\n")) {
		if len(row) == 0 {
			continue
		}
		if err := o.parse(row); err != nil {
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
	return on.syncDirectory(filepath.Dir(path))
}

// parse adds a line of the file to the state.
func (o *Outbox[T]) parse(row []byte) error {
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

// Add stores an entry durably before it returns. If the outbox already has an entry with this ID,
// Add succeeds without a second entry if the values are equal, and fails otherwise. After an error
// the outbox does not contain the entry, even after a crash, and the entry can be added again. The
// exception is ErrOutboxUnsure, after which the outcome is unknown.
func (o *Outbox[T]) Add(id string, v T) error {
	text, err := encode(v)
	if err != nil {
		return fmt.Errorf("encode the entry %s: %w", id, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if first, exists := o.added[id]; exists {
		if !bytes.Equal(first, text) {
			return fmt.Errorf("outbox already has entry %s with another value", id)
		}
		return nil
	}
	l := line{Seq: o.lastSeq + 1, ID: id, Value: text}
	if err := o.write(true, l); err != nil {
		return fmt.Errorf("add the entry %s: %w", id, err)
	}
	return o.enlist(l)
}

// Pending returns the number of entries that are not done.
func (o *Outbox[T]) Pending() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pending)
}

// Drain applies the pending entries in order and returns at the first error; that entry stays first
// for the next Drain. apply has to call the service with [Key](entry.Key()).
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

// done records the completion of an entry. It does not sync the file, because a lost completion
// only causes a replay.
func (o *Outbox[T]) done(seq int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.write(false, line{Done: seq}); err != nil {
		return err
	}
	o.drop(seq)
	return nil
}

// write appends a line to the file. If the write or its sync fails, write removes the line again,
// so that the next line does not follow a partial one. For a durable line it also syncs the
// removal, because a failed sync may have written the line to the disk.
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
		o.broken = fmt.Errorf("%w: %w; removing the line: %w", ErrOutboxUnsure, err, undo)
		return o.broken
	}
	return err
}

// Close syncs and closes the file. A running Drain returns an error.
func (o *Outbox[T]) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken == nil {
		o.broken = os.ErrClosed
	}
	return errors.Join(o.file.Sync(), o.file.Close())
}
