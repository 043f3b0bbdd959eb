package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
)

// Source is the origin of a followed value.
type Source string

// The values of Source.
const (
	// SourceFallback is the program's fallback: neither the service nor a file had a value yet.
	SourceFallback Source = "fallback"
	// SourceFile is the file of an earlier run: the service was not reached yet.
	SourceFile Source = "file"
	// SourceService is the service.
	SourceService Source = "service"
)

// Current is a followed value at one moment.
type Current[T any] struct {
	Value T
	// Configs are the configs from which Value was decoded, sorted by key. It is empty for a fallback.
	Configs []Config
	// Revision is the position of Value in the log of configs; "" for a fallback.
	Revision string
	Source   Source
	// Rollback is true if the service returned to an earlier state since the previous value, because
	// its database was restored or replaced. Without Rollback, Revision only increases; see
	// [ConfigState].
	Rollback bool
	// Err is the reason why Value may be outdated: the connection was lost, the service rejected the
	// caller, or the newest value cannot be decoded. It is nil if Value is current.
	Err error
}

// FollowOptions configure [Follow]. The zero value selects the defaults.
type FollowOptions struct {
	WatchOptions
	// File is the path of a file that stores the last good state, so that a later run starts without
	// the service; "" for none. One follower at a time may use it.
	File string
	// StoreSecrets also stores secret configs in File. Without it, a later run ignores a stored state
	// that had secret configs until it has reached the service.
	StoreSecrets bool
}

// Followed is a value that follows the service. It may be used by many goroutines.
type Followed[T any] struct {
	current atomic.Pointer[followedVersion[T]]
	stop    context.CancelFunc
	ended   chan struct{}

	decode  func([]Config) (T, error)
	file    *stateFile
	onError func(error)
	// rollbacks counts the rollbacks. invalid is the error of the newest value, nil if it was decoded.
	// unsaved is the last state if it was not saved, nil otherwise. Only run uses them.
	rollbacks int
	invalid   error
	unsaved   *ConfigSnapshot
}

// followedVersion is a current value with the number of rollbacks before it. superseded is closed
// when the next version is current.
type followedVersion[T any] struct {
	Current[T]
	rollbacks  int
	superseded chan struct{}
}

// Follow follows the config with a key until ctx ends or Close is called. It does not wait for the
// service: the value is first that of the file, or fallback. A missing or deleted config is the
// fallback. A value that T cannot decode, or that the caller may not read, leaves the last good
// value unchanged and sets Err. After a rejection, Follow retries.
//
// The service returns configs by prefix: Follow fails if the configs with the prefix key
// exceed one snapshot (10,000 configs or 16 MiB).
func Follow[T any](ctx context.Context, configs *Configs, key string, fallback T, o FollowOptions) *Followed[T] {
	return follow(ctx, configs, subject{key, true}, fallback, o, func(found []Config) (value T, err error) {
		switch {
		case len(found) == 0:
			return fallback, nil
		case found[0].Masked:
			return value, fmt.Errorf("the value of %s is withheld: the credential lacks configs:secrets, or the service cannot decrypt it", key)
		}
		err = found[0].Decode(&value)
		return value, err
	})
}

// FollowPrefix follows all configs with a prefix as one value: decode converts the configs of one
// moment, sorted by key. fallback is the value until the first state; decode also receives an empty
// list. An error of decode leaves the last good value unchanged. Otherwise it equals [Follow].
func FollowPrefix[T any](ctx context.Context, configs *Configs, prefix string, fallback T, decode func([]Config) (T, error), o FollowOptions) *Followed[T] {
	return follow(ctx, configs, subject{prefix: prefix}, fallback, o, decode)
}

func follow[T any](ctx context.Context, configs *Configs, of subject, fallback T, o FollowOptions, decode func([]Config) (T, error)) *Followed[T] {
	f := &Followed[T]{ended: make(chan struct{}), decode: decode}
	w := newConfigWatch(configs, of, o.WatchOptions)
	f.onError = w.options.OnError
	f.publish(Current[T]{Value: fallback, Source: SourceFallback, Err: errors.New("the service was not reached yet")})
	if o.File != "" {
		f.file = newStateFile(configs.client, of, o)
		w.state = f.load()
	}
	w.persistent, w.connected = true, f.connected
	w.apply = func(state ConfigState) bool {
		f.apply(state)
		return true
	}
	w.options.OnError = func(err error) {
		f.onError(err)
		f.report(err)
	}
	ctx, f.stop = context.WithCancel(ctx)
	go func() {
		defer close(f.ended)
		f.report(w.run(ctx))
	}()
	return f
}

// Get returns the current value.
func (f *Followed[T]) Get() T { return f.current.Load().Value }

// Load returns the current value with its origin and status.
func (f *Followed[T]) Load() Current[T] { return f.current.Load().Current }

// Updates returns the current value and then each later value and change of its status, until ctx
// ends or the value no longer follows the service. A slow loop receives the newest value; Rollback
// then includes the skipped values. The last value has the reason of the end in Err.
func (f *Followed[T]) Updates(ctx context.Context) iter.Seq[Current[T]] {
	return func(yield func(Current[T]) bool) {
		for previous, now := (*followedVersion[T])(nil), f.current.Load(); ; previous, now = now, f.current.Load() {
			update := now.Current
			if previous != nil {
				update.Rollback = now.rollbacks != previous.rollbacks
			}
			if !yield(update) {
				return
			}
			select {
			case <-now.superseded:
			case <-f.ended:
				if f.current.Load() == now {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// Ready waits for the first value of the service. Errors: that of ctx together with the reason why
// the service has not provided a value yet.
func (f *Followed[T]) Ready(ctx context.Context) error {
	for now := range f.Updates(ctx) {
		if now.Source == SourceService {
			return nil
		}
	}
	return errors.Join(ctx.Err(), f.Load().Err)
}

// Close stops following and waits for the end of the connection. The value remains readable.
func (f *Followed[T]) Close() {
	f.stop()
	<-f.ended
}

// publish makes a value the current one.
func (f *Followed[T]) publish(next Current[T]) {
	before := f.current.Swap(&followedVersion[T]{Current: next, rollbacks: f.rollbacks, superseded: make(chan struct{})})
	if before != nil {
		close(before.superseded)
	}
}

// report changes the status of the current value; nil means that it is current.
func (f *Followed[T]) report(err error) {
	now := f.current.Load()
	if err == nil && now.Err == nil {
		return
	}
	next := &followedVersion[T]{Current: now.Current, rollbacks: now.rollbacks, superseded: make(chan struct{})}
	next.Err = err
	f.current.Store(next)
	close(now.superseded)
}

// connected reports that the stream is open and the last state is current. It also saves a state
// that could not be saved before.
func (f *Followed[T]) connected() {
	f.save()
	f.report(f.invalid)
}

// save saves the last state unless it is saved.
func (f *Followed[T]) save() {
	if f.file == nil || f.unsaved == nil {
		return
	}
	if err := f.file.save(*f.unsaved); err != nil {
		f.onError(err)
		return
	}
	f.unsaved = nil
}

// load returns the state of the file. It publishes a complete state.
func (f *Followed[T]) load() ConfigSnapshot {
	state, err := f.file.load()
	if err != nil {
		f.onError(err)
		return state
	}
	if state.Revision == "" {
		return state
	}
	value, err := f.decode(state.Items)
	if err != nil {
		f.onError(fmt.Errorf("use the state in %s: %w", f.file.path, err))
		return state
	}
	f.publish(Current[T]{
		Value: value, Configs: state.Items, Revision: state.Revision, Source: SourceFile, Err: f.Load().Err,
	})
	return state
}

// apply decodes, stores and publishes a state of the service, in this order, so that the file
// contains only states that can be decoded and is never older than the published value.
func (f *Followed[T]) apply(state ConfigState) {
	if state.Rollback {
		f.rollbacks++
	}
	value, err := f.decode(state.Items)
	if f.invalid = err; err != nil {
		f.onError(err)
		f.report(err)
		return
	}
	f.unsaved = &state.ConfigSnapshot
	f.save()
	f.publish(Current[T]{
		Value: value, Configs: state.Items, Revision: state.Revision, Source: SourceService,
		Rollback: f.current.Load().rollbacks != f.rollbacks,
	})
}
