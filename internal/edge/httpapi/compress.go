package httpapi

import (
	"bytes"
	"compress/gzip"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/coding"
)

// smallest is the length from which a body is compressed, in bytes: below it the headers
// outweigh what is spared.
const smallest = 1 << 10

const uncompressedKey = "httpapi.uncompressed"

// Uncompressed returns the router for routes whose replies have a secret, such as a
// token, beside what the caller wrote. The length of a compressed body tells how much of
// it repeats, so whoever sees the length and chooses the text could guess the secret.
func (r *Router) Uncompressed() *Router {
	uncompressed := *r
	uncompressed.uncompressed = true
	return &uncompressed
}

var gzips = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

// compressed returns a body as it is sent, and sets the headers that say how. The entity
// tag stays: it names the version of a row, which If-Match is about, whatever the coding.
func compressed(c echo.Context, contentType string, body []byte) []byte {
	if len(body) < smallest || c.Get(uncompressedKey) != nil || !compressible(contentType) {
		return body
	}
	header := c.Response().Header()
	header.Add(echo.HeaderVary, echo.HeaderAcceptEncoding)
	if !coding.Accepts(c.Request(), "gzip") {
		return body
	}
	var small bytes.Buffer
	w, _ := gzips.Get().(*gzip.Writer)
	defer gzips.Put(w)
	w.Reset(&small)
	if _, err := w.Write(body); err != nil {
		return body
	}
	if err := w.Close(); err != nil {
		return body
	}
	header.Set(echo.HeaderContentEncoding, "gzip")
	return small.Bytes()
}

func compressible(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	return strings.HasPrefix(kind, "text/") && kind != "text/event-stream" || kind == echo.MIMEApplicationJSON || kind == "application/x-ndjson" || strings.HasSuffix(kind, "+json")
}
