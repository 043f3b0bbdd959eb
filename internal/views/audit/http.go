package audit

import (
	"github.com/labstack/echo/v4"

	"interlock/internal/edge/httpapi"
)

// Routes registers the audit log.
func Routes(r *httpapi.Router, log *Log) {
	r.Query("/audit-log", "audit:read", log.list)
}

func (l *Log) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	filter := Filter{Resource: c.QueryParam("resource"), Actor: c.QueryParam("actor"), Action: c.QueryParam("action")}
	if filter.From, err = httpapi.TimeParam(c, "from"); err != nil {
		return httpapi.Reply{}, err
	}
	if filter.To, err = httpapi.TimeParam(c, "to"); err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := l.List(c.Request().Context(), filter, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, view), nil
}
