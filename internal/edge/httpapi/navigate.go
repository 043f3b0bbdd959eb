package httpapi

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"
)

// Redirect is the reply that sends a browser on to another address by GET: 303.
type Redirect struct{ To string }

func (r Redirect) reply() reply {
	return reply{status: http.StatusSeeOther}.with(echo.HeaderLocation, r.To)
}

// Navigate registers a GET at which a browser comes by without credentials, as for Open, on
// its way to a page: Out is a Redirect, with or without cookies. Nobody would read a problem
// there, so an error of fn is counted and logged as that of any route, and the browser is sent
// to the address that failed makes of it. That the path names nothing, and that a parameter
// cannot be read, are problems as elsewhere.
func Navigate[R, In, Out any](
	r *Router, path string, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error), failed func(ctx context.Context, err error) string,
) {
	s := shapeOf[In]()
	r.add(Route{Method: http.MethodGet, Path: path, Public: true, MaxBody: maxOpenBody}, withBody(maxOpenBody, func(c echo.Context) error {
		row, in, err := receive[R, In](c, s, find)
		if err != nil {
			return err
		}
		ctx := c.Request().Context()
		out, err := fn(ctx, row, in)
		answer := replyOf(out)
		if err != nil {
			r.server.count(c, err)
			if kinds[Visible(err).Code].status >= http.StatusInternalServerError {
				slog.ErrorContext(ctx, "a browser could not be sent on its way", "route", c.Path(), "error", err)
			}
			answer = Redirect{failed(ctx, err)}.reply()
		}
		sent, err := answer.encode()
		if err != nil {
			return err
		}
		return sent.send(c)
	}))
}
