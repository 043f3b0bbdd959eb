package httpapi

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	swagger "github.com/swaggo/files/v2"

	"interlock/api"
	"interlock/internal/base/coding"
)

//go:embed docs/*
var viewer embed.FS

// docsPolicy allows the viewer its files, the contract, and requests to this server. Its icons are
// data: images.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeDocs serves the contract at /openapi.json and its viewer at /docs. All files of the viewer
// are embedded in the program.
func ServeDocs(s *Server) error {
	contract, err := api.JSON()
	if err != nil {
		return err
	}
	s.serveAsset("/openapi.json", asset{contentType: echo.MIMEApplicationJSON, content: contract, policy: apiPolicy})
	for _, file := range []struct {
		address, contentType string
		from                 fs.FS
		name                 string
	}{
		{"/docs", echo.MIMETextHTMLCharsetUTF8, viewer, "docs/index.html"},
		{"/docs/start.js", echo.MIMEApplicationJavaScriptCharsetUTF8, viewer, "docs/start.js"},
		{"/docs/swagger-ui-bundle.js", echo.MIMEApplicationJavaScriptCharsetUTF8, swagger.FS, "swagger-ui-bundle.js"},
		{"/docs/swagger-ui.css", "text/css; charset=utf-8", swagger.FS, "swagger-ui.css"},
		{"/docs/favicon-32x32.png", "image/png", swagger.FS, "favicon-32x32.png"},
	} {
		content, err := fs.ReadFile(file.from, file.name)
		if err != nil {
			return fmt.Errorf("read the viewer of the contract: %w", err)
		}
		s.serveAsset(file.address, asset{contentType: file.contentType, content: content, policy: docsPolicy})
	}
	return nil
}

// asset is a file of the program, served from memory.
type asset struct {
	contentType string
	content     []byte
	policy      string
	// compressed means that content is gzip. Clients without gzip receive it decompressed.
	compressed bool
}

// serveAsset serves a file. Clients revalidate their copy with its entity tag on each use, and
// receive 304 if it is current.
func (s *Server) serveAsset(address string, a asset) {
	sum := sha256.Sum256(a.content)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set(echo.HeaderContentType, a.contentType)
		header.Set(echo.HeaderContentSecurityPolicy, a.policy)
		header.Set(echo.HeaderCacheControl, "no-cache")
		header.Set("ETag", etag)
		if a.compressed {
			header.Add(echo.HeaderVary, echo.HeaderAcceptEncoding)
			if !coding.Accepts(r, "gzip") {
				header.Del("ETag")
				if err := inflated(w, a.content); err != nil {
					slog.WarnContext(r.Context(), "http: asset only partly sent", "address", address, "error", err)
				}
				return
			}
			header.Set(echo.HeaderContentEncoding, "gzip")
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
	})
	s.Handle(http.MethodGet, address, handler)
}
