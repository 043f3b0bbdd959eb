package httpapi

import (
	"bytes"
	"compress/gzip"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/coding"
)

// minCompressed is the minimum size of a body that is compressed, in bytes: for less, the headers
// outweigh the saving.
const minCompressed = 1 << 10

const uncompressedKey = "httpapi.uncompressed"

// Uncompressed returns a router for routes with a secret, such as a token, and text of the caller
// in one reply. The length of a compressed body reveals repetitions, so an observer that chooses
// the text could guess the secret.
func (r *Router) Uncompressed() *Router {
	uncompressed := *r
	uncompressed.uncompressed = true
	return &uncompressed
}

var gzips = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

// compressed returns the body to send and sets the headers of its coding. The entity tag stays the
// same: If-Match compares versions of rows, not codings.
func compressed(c echo.Context, contentType string, body []byte) []byte {
	if len(body) < minCompressed || c.Get(uncompressedKey) != nil || !compressible(contentType) {
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
