package config

import (
	"context"
	"time"

	"interlock/internal/edge/httpapi"
)

// sendChanges sends a watcher's events until the client disconnects or is too slow.
func sendChanges(ctx context.Context, w *Watcher, stream *httpapi.Stream) error {
	send := func(e Event) error { return stream.Send(e.Revision.String(), "change", e) }
	if err := w.Backlog(ctx, send); err != nil {
		return err
	}
	heartbeat := time.NewTicker(httpapi.Heartbeat)
	defer heartbeat.Stop()
	for {
		var err error
		select {
		case e, open := <-w.Events():
			if !open {
				return nil
			}
			err = send(e)
		case <-heartbeat.C:
			err = stream.Ping()
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return err
		}
	}
}
