package httpapi

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"
)

// Redirect is the reply that redirects a browser to another address with GET: 303.
type Redirect struct{ To string }

func (r Redirect) reply() reply {
	return reply{status: http.StatusSeeOther}.with(echo.HeaderLocation, r.To)
}

// Navigate registers a GET that a browser opens without credentials, as for Open, and that
// redirects to a page: Out is a Redirect, with or without cookies. A browser does not display a
// problem reply. Therefore an error of fn is counted and logged as on every route, and the browser
// is redirected to the address that failed returns. An unknown path and an invalid parameter remain
// problems.
func Navigate[R, In, Out any](
	r *Router, path string, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error), failed func(ctx context.Context, err error) string,
) *Route {
	s := shapeOf[In]()
	return add[In, Out](r, Route{Method: http.MethodGet, Path: path, Public: true, MaxBody: maxOpenBody}, withBody(maxOpenBody, func(c echo.Context) error {
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
				slog.ErrorContext(ctx, "http: navigation failed; redirecting to the error page", "route", c.Path(), "error", err)
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
