// Package web serves the web admin.
//
// The built admin is embedded from dist/. Without it (a checkout on which the
// admin has not been built) a page says so, and everything else works.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"interlock/internal/base/coding"
)

// A pattern must match something, and dist is absent until the admin is built. This
// one matches fallback.html and, once it is there, the folder dist; nothing else
// beside this file begins with d or f.
//
//go:embed all:[df]*
var embedded embed.FS

const (
	builtDir     = "dist"
	builtIndex   = "index.html"
	fallbackPage = "fallback.html"
	// assetPrefix holds the files whose names carry a hash of their content.
	assetPrefix = "assets/"

	immutable  = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// Handler serves the admin at the root. Addresses that are no files are pages of
// the admin and answer with its index; those under /api and missing assets are 404.
func Handler() http.Handler {
	built, err := fs.Sub(embedded, builtDir)
	if err == nil {
		_, err = fs.Stat(built, builtIndex)
	}
	if err != nil {
		return page{embedded, fallbackPage}
	}
	return admin{built}
}

// page answers every address with one file.
type page struct {
	files fs.FS
	name  string
}

func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	serve(w, r, p.files, p.name, revalidate)
}

type admin struct{ files fs.FS }

func (a admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	info, err := fs.Stat(a.files, name)
	switch {
	case err == nil && isCompressed(name):
		http.NotFound(w, r)
	case err == nil && !info.IsDir() && strings.HasPrefix(name, assetPrefix):
		serve(w, r, a.files, name, immutable)
	case err == nil && !info.IsDir():
		serve(w, r, a.files, name, revalidate)
	case name == "api" || strings.HasPrefix(name, "api/") || strings.HasPrefix(name, assetPrefix):
		http.NotFound(w, r)
	default:
		serve(w, r, a.files, builtIndex, revalidate)
	}
}

// isCompressed reports whether a file is another in a compressed form, which is served
// under the other's name.
func isCompressed(name string) bool {
	return slices.ContainsFunc(codings, func(c coded) bool { return strings.HasSuffix(name, c.suffix) })
}

type coded struct{ name, suffix string }

// codings are the compressed forms that the build makes of a file, best first, by the
// name that is added to the file's.
var codings = []coded{{"br", ".br"}, {"gzip", ".gz"}}

// serve answers with one file, in the best form that there is of it and the client takes.
// The entity tag lets clients that revalidate keep what they have.
func serve(w http.ResponseWriter, r *http.Request, files fs.FS, name, caching string) {
	content, err := fs.ReadFile(files, name)
	for _, c := range codings {
		smaller, none := fs.ReadFile(files, name+c.suffix)
		if none != nil {
			continue
		}
		if w.Header().Get("Vary") == "" {
			w.Header().Set("Vary", "Accept-Encoding")
		}
		if coding.Accepts(r, c.name) {
			w.Header().Set("Content-Encoding", c.name)
			content = smaller
			break
		}
	}
	if err != nil {
		status := http.StatusInternalServerError
		if errors.Is(err, fs.ErrNotExist) {
			status = http.StatusNotFound
		}
		http.Error(w, http.StatusText(status), status)
		return
	}
	sum := sha256.Sum256(content)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	w.Header().Set("Cache-Control", caching)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
