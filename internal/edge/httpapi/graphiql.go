package httpapi

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

//go:embed graphiql/*
var graphiql embed.FS

// graphiqlPolicy allows the page its files and requests to this server. Its fonts are data: URLs,
// and its editor and menus create style elements.
const graphiqlPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeGraphiQL serves a page for trying GraphQL at /graphiql. All its files are embedded in the
// program.
func ServeGraphiQL(s *Server) error {
	const script, style = echo.MIMEApplicationJavaScriptCharsetUTF8, "text/css; charset=utf-8"
	for _, file := range []struct{ address, contentType, name string }{
		{"/graphiql", echo.MIMETextHTMLCharsetUTF8, "index.html"},
		{"/graphiql/page.css", style, "page.css"},
		{"/graphiql/start.js", script, "start.js"},
		{"/graphiql/graphiql.min.css", style, "graphiql.min.css.gz"},
		{"/graphiql/graphiql.min.js", script, "graphiql.min.js.gz"},
		{"/graphiql/react.production.min.js", script, "react.production.min.js.gz"},
		{"/graphiql/react-dom.production.min.js", script, "react-dom.production.min.js.gz"},
	} {
		content, err := graphiql.ReadFile("graphiql/" + file.name)
		if err != nil {
			return fmt.Errorf("read GraphiQL: %w", err)
		}
		s.serveAsset(file.address, asset{
			contentType: file.contentType, content: content, policy: graphiqlPolicy, compressed: strings.HasSuffix(file.name, ".gz"),
		})
	}
	return nil
}

// inflated serves a compressed asset to a client without gzip.
func inflated(w http.ResponseWriter, content []byte) error {
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("read a compressed asset: %w", err)
	}
	if _, err := io.Copy(w, reader); err != nil {
		return fmt.Errorf("send an asset: %w", err)
	}
	return nil
}
