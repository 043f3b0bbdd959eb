package events

import (
	"context"
	"fmt"
)

// InProcess is the Bus of a single process.
type InProcess struct{ *hub }

// NewInProcess returns a bus. Each subscriber can fall behind by buffer events, at least one,
// before it lags.
func NewInProcess(buffer int) *InProcess { return &InProcess{newHub(buffer)} }

// Publish implements Bus.
func (b *InProcess) Publish(ctx context.Context, event Event) error {
	if err := event.validate(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("publish %s event %q: %w", event.Topic, event.Key, context.Cause(ctx))
	}
	if err := b.deliver(event); err != nil {
		return fmt.Errorf("publish %s event %q: %w", event.Topic, event.Key, err)
	}
	return nil
}

// Close ends all subscriptions. Calling it again does nothing.
func (b *InProcess) Close() { b.close() }
