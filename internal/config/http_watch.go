package config

import (
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/edge/httpapi"
)

// revisionView is the data of the events ready and gone.
type revisionView struct {
	Revision int64 `json:"revision"`
}

// watch streams the changes of the caller's tenant: ready, then change by change;
// or gone, when it cannot be resumed where the caller asks.
func (h handlers) watch(c echo.Context, stream *httpapi.Stream) error {
	ctx := stream.Context()
	after, err := lastSeen(c)
	if err != nil {
		return err
	}
	w, err := h.Watch(ctx, after)
	if gone := asGone(err); gone != nil {
		return stream.Send(idOf(gone.Revision), "gone", revisionView{gone.Revision})
	}
	if err != nil {
		return err
	}
	defer w.Close()
	send := func(e Event) error { return stream.Send(idOf(e.Revision), "change", e) }
	if err := stream.Send(idOf(w.Revision()), "ready", revisionView{w.Current()}); err != nil {
		return err
	}
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

// lastSeen is the revision that the caller has: what its last connection ended with
// (WHATWG HTML, 9.2.4), or else what its address says; nil for none.
func lastSeen(c echo.Context) (*int64, error) {
	for _, from := range []struct{ name, text string }{
		{"Last-Event-ID", c.Request().Header.Get("Last-Event-ID")},
		{"?after", c.QueryParam("after")},
	} {
		if from.text == "" {
			continue
		}
		revision, err := strconv.ParseInt(from.text, 10, 64)
		if err != nil || revision < 0 {
			return nil, apperr.Malformed(from.name, "must be a revision: a whole number")
		}
		return &revision, nil
	}
	return nil, nil
}

func idOf(revision int64) string { return strconv.FormatInt(revision, 10) }
