package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/clock"
)

// Each uploadStep bytes of the rest of a large body must arrive within uploadTimeout.
const (
	uploadStep    = 512 << 10
	uploadTimeout = 2 * time.Second
)

// limitLarge limits the concurrent requests with a large body to largeBodies, because bodies are in
// memory.
func (r *Router) limitLarge(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		request := c.Request()
		body := &largeBody{ReadCloser: request.Body, request: request.Context(), places: r.server.large, control: http.NewResponseController(c.Response())}
		defer body.leave()
		request.Body = body
		return next(c)
	}
}

// largeBody is the body of a request that may exceed maxBody. It acquires one of the slots for
// large bodies after the first MiB, so that an upload that sends nothing occupies none. After that,
// a read fails if the rest arrives too slowly.
type largeBody struct {
	io.ReadCloser
	request context.Context
	places  chan struct{}
	control *http.ResponseController
	// read counts the bytes; due is the count at which the next deadline is set.
	read, due int
	// entered is the time at which it acquired a slot; zero before.
	entered time.Time
}

// Read implements io.Reader.
func (b *largeBody) Read(p []byte) (int, error) {
	if left := maxBody - b.read; left > 0 {
		p = p[:min(len(p), left)]
	} else if err := b.enter(); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.read += n
	if errors.Is(err, io.EOF) && !b.entered.IsZero() {
		// A deadline that passes while the handler runs would cancel the request.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// enter acquires a slot at the first call and sets the deadline of each step. enter ignores the
// error of SetReadDeadline, because connections in tests do not support deadlines.
func (b *largeBody) enter() error {
	if b.entered.IsZero() {
		select {
		case b.places <- struct{}{}:
			b.entered = clock.Mark()
		case <-b.request.Done():
			return context.Cause(b.request)
		}
	}
	if b.read >= b.due {
		b.due = b.read + uploadStep
		_ = b.control.SetReadDeadline(clock.Deadline(min(uploadTimeout, readTimeout-clock.Since(b.entered))))
	}
	return nil
}

func (b *largeBody) leave() {
	if !b.entered.IsZero() {
		<-b.places
	}
}
