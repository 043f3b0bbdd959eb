package client

import (
	"context"
	"errors"
)

// AppendOnce appends events that may have been appended before. If all events were appended before,
// it succeeds: Applied is 0, and the version is the one after these events.
func (s *Ledger) AppendOnce(ctx context.Context, kind, id string, body LedgerAppend, options ...CallOption) (LedgerAppended, error) {
	appended, err := s.AppendEvents(ctx, kind, id, body, options...)
	var landed *EventLanded
	if errors.As(err, &landed) && landed.Landed == len(body.Events) {
		return LedgerAppended{Version: landed.Version}, nil
	}
	return appended, err
}

// AppendEntry appends an entry of an outbox as an event. Writer and sequence come from the outbox,
// so an entry that is applied again has no second effect and is no error, however late. The
// ClientSeq of the event is ignored.
func AppendEntry[T any](ctx context.Context, c *Client, e Entry[T], kind, id string, event NewLedgerEvent, options ...CallOption) (LedgerAppended, error) {
	event.ClientSeq = &e.Seq
	body := LedgerAppend{ClientID: e.Writer, EnforceClientIdempotency: true, Events: []NewLedgerEvent{event}}
	return c.Ledger.AppendOnce(ctx, kind, id, body, append([]CallOption{Key(e.Key())}, options...)...)
}
