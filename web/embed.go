// Package web serves the web admin.
//
// The built admin is embedded from dist/. Without it (a checkout on which the
// admin has not been built) a page says so, and everything else works.
package web

import (
	_ "embed"
	"net/http"
)

//go:embed fallback.html
var fallback []byte

// Handler serves the page at the root.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(fallback)
	})
}
