package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/strictjson"
)

// Reply is what a handler answers. The wrapper encodes and sends it.
type Reply struct {
	Status int
	Header http.Header
	// Body is encoded as JSON; nil means no body.
	Body any

	// full keeps If-None-Match from being answered with 304.
	full bool
}

// OK answers 200 with a representation, and its ETag when it is versioned.
func OK(body any) Reply { return Reply{Status: http.StatusOK, Body: body}.tagged() }

// Created answers 201 with the new representation and where it is.
func Created(location string, body any) Reply {
	r := Reply{Status: http.StatusCreated, Body: body}.tagged()
	return r.With(echo.HeaderLocation, location)
}

// NoContent answers 204.
func NoContent() Reply { return Reply{Status: http.StatusNoContent} }

// With adds a header.
func (r Reply) With(name, value string) Reply {
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	r.Header.Set(name, value)
	return r
}

// Full answers with the body whatever If-None-Match says, for a representation of
// which parts have changed and the version has not.
func (r Reply) Full() Reply {
	r.full = true
	return r
}

// tagger is implemented by representations that embed guard.Stamp.
type tagger interface{ EntityTag() string }

func (r Reply) tagged() Reply {
	if t, ok := r.Body.(tagger); ok && t.EntityTag() != "" {
		return r.With("ETag", t.EntityTag())
	}
	return r
}

// encoded is a reply as bytes: what is sent, and what can be kept and sent again.
type encoded struct {
	status int
	header http.Header
	body   []byte
}

func encode(r Reply) (encoded, error) {
	e := encoded{status: r.Status, header: r.Header}
	if r.Body == nil {
		return e, nil
	}
	body, err := strictjson.Encode(r.Body)
	if err != nil {
		return encoded{}, err
	}
	e.body = body
	return e, nil
}

func (e encoded) send(c echo.Context) error {
	header := c.Response().Header()
	for name, values := range e.header {
		header[name] = values
	}
	if e.body == nil {
		return c.NoContent(e.status)
	}
	contentType := header.Get(echo.HeaderContentType)
	if contentType == "" {
		contentType = echo.MIMEApplicationJSON
	}
	return c.Blob(e.status, contentType, compressed(c, contentType, e.body))
}
