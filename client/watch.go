package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ConfigState contains all configs with a prefix at one moment.
type ConfigState struct {
	// Revision is the position of this moment in the log of configs, and Items are sorted by key.
	ConfigSnapshot
	// Changed lists the keys of the configs that were created, changed or deleted since the previous
	// state, sorted.
	Changed []string
	// Rollback is true if the service returned to an earlier state, because its database was restored
	// or replaced. Without Rollback, the revision only increases, and so does the version of a config
	// unless it was deleted and created again: then its ETag differs.
	Rollback bool
}

// WatchOptions configure [Configs.Watch]. The zero value selects the defaults.
type WatchOptions struct {
	// MaxSilence is the time without data after which a connection is replaced, by default 25 s. The
	// service sends a heartbeat every 10 s. A read of the state may last as long.
	MaxSilence time.Duration
	// FirstPause and MaxPause bound the random pause before a reconnection, by default 1 s and 30 s:
	// the bound doubles with each failure. A Retry-After of the service lengthens the pause.
	FirstPause, MaxPause time.Duration
	// OnError receives each error after which the watch continues; nil ignores them. It must not call
	// [Followed.Close], which waits for it.
	OnError func(error)
}

func (o WatchOptions) withDefaults() WatchOptions {
	fallback := func(d *time.Duration, value time.Duration) {
		if *d <= 0 {
			*d = value
		}
	}
	fallback(&o.MaxSilence, 25*time.Second)
	fallback(&o.FirstPause, time.Second)
	fallback(&o.MaxPause, 30*time.Second)
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	return o
}

// Watch returns the current state of the configs with a prefix and each later state, until ctx ends
// or the service rejects the caller, which is the last error. All changes of one batch are in the
// same state. Changes that follow each other quickly may be combined into one state.
//
// The watch reconnects after each interruption and resumes after its revision. If the service
// cannot resume, because too many changes followed or its database was restored, the watch reads
// the state again. It also does so after each failure to open the stream, and if the state has
// secret configs, because the permissions of the caller may have changed.
//
// A withheld value of a secret config is Masked. [Follow] decodes values and stores them in a file.
func (s *Configs) Watch(ctx context.Context, prefix string, o WatchOptions) iter.Seq2[ConfigState, error] {
	return func(yield func(ConfigState, error) bool) {
		w := newConfigWatch(s, subject{prefix: prefix}, o)
		w.apply = func(state ConfigState) bool { return yield(state, nil) }
		if err := w.run(ctx); !errors.Is(err, errStopped) {
			yield(ConfigState{}, err)
		}
	}
}

// errStopped ends a watch at the caller's request.
var errStopped = errors.New("the watch was stopped")

// configWatch is a running watch.
type configWatch struct {
	configs *Configs
	subject subject
	options WatchOptions
	backoff backoff
	// apply receives each state; it returns false to stop the watch. connected is called when the
	// stream is open and the state is current.
	apply     func(ConfigState) bool
	connected func()
	// persistent makes the watch continue after a rejection, because an operator can correct the
	// credential.
	persistent bool

	// state is the last state that was read, or that of a file. Its revision also advances with changes
	// of other configs. outdated is true if a stream may not resume after it, and hasRead is true after
	// the first read.
	state             ConfigSnapshot
	outdated, hasRead bool
}

// subject selects configs: all with the prefix, or only that with the key.
type subject struct {
	prefix string
	one    bool
}

func (s subject) includes(key string) bool {
	return key == s.prefix || !s.one && strings.HasPrefix(key, s.prefix)
}

// of returns the selected ones of the configs with the prefix.
func (s subject) of(items []Config) []Config {
	return slices.DeleteFunc(items, func(c Config) bool { return !s.includes(c.Key) })
}

// isConfidential reports whether the value depends on the permissions of the caller.
func isConfidential(c Config) bool { return c.Secret || c.Masked }

func newConfigWatch(s *Configs, of subject, o WatchOptions) *configWatch {
	o = o.withDefaults()
	return &configWatch{
		configs: s, subject: of, options: o, backoff: backoff{first: o.FirstPause, limit: o.MaxPause},
		connected: func() {}, outdated: true,
	}
}

// run connects again after each interruption. Errors: errStopped, that of ctx, or a rejection.
func (w *configWatch) run(ctx context.Context) error {
	for {
		err := w.connect(ctx)
		switch {
		case errors.Is(err, errStopped):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case isRejection(err) && !w.persistent:
			return err
		}
		w.options.OnError(err)
		if err := wait(ctx, w.backoff.next(requestedPause(err))); err != nil {
			return err
		}
	}
}

// connect opens a stream that resumes after the state and applies changes until the stream ends.
// It first reads a state that the stream may not continue: an outdated one, or one with secrets,
// which depends on the permissions of the caller.
func (w *configWatch) connect(ctx context.Context) error {
	if w.outdated || slices.ContainsFunc(w.state.Items, isConfidential) {
		if err := w.read(ctx, ""); err != nil {
			return err
		}
	}
	w.outdated = true // until the stream is ready: without streams, the watch polls
	stream, err := w.configs.client.openEvents(ctx, "/configs/watch", w.state.Revision, w.options.MaxSilence)
	if err != nil {
		return err
	}
	defer stream.close()
	for {
		e, err := stream.next()
		if err == nil {
			err = w.handle(ctx, e)
		}
		if err != nil {
			return err
		}
	}
}

// handle applies an event of the stream.
func (w *configWatch) handle(ctx context.Context, e serverEvent) error {
	switch e.name {
	case "ready":
		return w.resume(ctx, e)
	case "gone":
		last := w.state.Revision
		if err := w.read(ctx, ""); err != nil {
			return err
		}
		return fmt.Errorf("the log of configs cannot be resumed after revision %s; the state was read again", last)
	case "change":
		if err := w.change(ctx, e); err != nil {
			return err
		}
		w.backoff.reset()
	case "": // A heartbeat. Before it or a change, the service may close each connection immediately.
		w.backoff.reset()
	}
	return nil
}

// resume reads the state again unless it contains all changes before the start of the stream.
func (w *configWatch) resume(ctx context.Context, e serverEvent) error {
	var start struct {
		Revision string `json:"revision"`
	}
	if err := e.decode(&start); err != nil {
		return err
	}
	w.outdated = false
	if !covers(w.state.Revision, start.Revision) {
		if err := w.read(ctx, start.Revision); err != nil {
			return err
		}
	}
	w.connected()
	return nil
}

// change reads the state again if it does not contain a change of the subject. It rejects a change
// of the time before a restore that a newer state already reflects.
func (w *configWatch) change(ctx context.Context, e serverEvent) error {
	var change struct {
		Key string `json:"key"`
	}
	if err := e.decode(&change); err != nil {
		return err
	}
	switch {
	case epochOf(e.id) != epochOf(w.state.Revision):
		return fmt.Errorf("the stream sent the change %s and the state is at revision %s: the database was restored", e.id, w.state.Revision)
	case covers(w.state.Revision, e.id):
	case w.subject.includes(change.Key):
		return w.read(ctx, e.id)
	default:
		w.state.Revision = e.id
	}
	return nil
}

// read reads and applies the current state, which contains the change at a revision, or any state
// if the revision is "".
func (w *configWatch) read(ctx context.Context, change string) error {
	found, err := w.snapshot(ctx)
	if err != nil {
		return err
	}
	if change != "" && epochOf(change) == epochOf(found.Revision) && !covers(found.Revision, change) {
		return fmt.Errorf("the state at revision %s does not contain the change %s yet", found.Revision, change)
	}
	before := w.state
	next := ConfigState{ConfigSnapshot: found, Changed: changedKeys(before.Items, found.Items)}
	next.Rollback = before.Revision != "" && !covers(found.Revision, before.Revision)
	isNews := !w.hasRead || len(next.Changed) > 0 || next.Rollback
	w.state, w.outdated, w.hasRead = found, false, true
	if isNews && !w.apply(next) {
		return errStopped
	}
	return nil
}

// snapshot returns the current state. It bounds the time, because the HTTP client may not.
func (w *configWatch) snapshot(ctx context.Context) (ConfigSnapshot, error) {
	ctx, stop := context.WithTimeoutCause(ctx, w.options.MaxSilence, errSilent)
	defer stop()
	found, err := w.configs.Snapshot(ctx, w.subject.prefix)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	found.Items = w.subject.of(found.Items)
	return found, err
}

// covers reports whether the state at a revision, `<epoch>-<sequence>`, contains the change at
// another.
func covers(revision, change string) bool {
	return epochOf(revision) == epochOf(change) && sequenceOf(revision) >= sequenceOf(change)
}

func epochOf(revision string) string { return revision[:max(0, strings.LastIndexByte(revision, '-'))] }

func sequenceOf(revision string) int64 {
	n, err := strconv.ParseInt(revision[strings.LastIndexByte(revision, '-')+1:], 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// changedKeys returns the keys of the configs that differ in their version or in the right of the
// caller to read them.
func changedKeys(before, after []Config) []string {
	type content struct {
		etag   string
		masked bool
	}
	old, changed := map[string]content{}, map[string]struct{}{}
	for _, c := range before {
		old[c.Key] = content{c.ETag, c.Masked}
	}
	for _, c := range after {
		if previous, existed := old[c.Key]; !existed || previous != (content{c.ETag, c.Masked}) {
			changed[c.Key] = struct{}{}
		}
		delete(old, c.Key)
	}
	for key := range old {
		changed[key] = struct{}{}
	}
	return slices.Sorted(maps.Keys(changed))
}
