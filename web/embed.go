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
	"encoding/json"
	"errors"
	"fmt"
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
	builtDir   = "dist"
	builtIndex = "index.html"
	// pageList has the addresses of the pages, as the build finds them in src/routes.
	pageList     = "pages.json"
	fallbackPage = "fallback.html"
	// assetPrefix holds the files whose names carry a hash of their content.
	assetPrefix = "assets/"

	immutable  = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// Admin is the web admin: its files, and its pages, which its index displays.
type Admin struct {
	files fs.FS
	index string
	// pages are the addresses of the pages, in segments; one that begins with $ is any text.
	pages [][]string
}

// New returns the admin that is embedded. Without a built one it has one page, which says so.
func New() (*Admin, error) { return newAdmin(embedded) }

func newAdmin(files fs.FS) (*Admin, error) {
	built, err := fs.Sub(files, builtDir)
	if err != nil {
		return nil, fmt.Errorf("find the built admin: %w", err)
	}
	list, err := fs.ReadFile(built, pageList)
	if errors.Is(err, fs.ErrNotExist) {
		return &Admin{files: files, index: fallbackPage, pages: [][]string{segments("/")}}, nil
	}
	var addresses []string
	if err == nil {
		err = json.Unmarshal(list, &addresses)
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of the admin's pages: %w", err)
	}
	a := &Admin{files: built, index: builtIndex}
	for _, address := range addresses {
		a.pages = append(a.pages, segments(address))
	}
	return a, nil
}

func segments(address string) []string { return strings.Split(strings.Trim(address, "/"), "/") }

// Has reports whether the address of a request is a file of the admin, or a page, for a request
// that accepts HTML.
func (a *Admin) Has(r *http.Request) bool {
	if name, ok := a.file(r); ok {
		return !isCompressed(name)
	}
	at := segments(r.URL.EscapedPath())
	return coding.AcceptsHTML(r) && slices.ContainsFunc(a.pages, func(page []string) bool {
		return slices.EqualFunc(page, at, func(segment, text string) bool {
			return segment == text || strings.HasPrefix(segment, "$") && text != ""
		})
	})
}

// file returns the name of the file at the address of a request, and whether there is one.
func (a *Admin) file(r *http.Request) (name string, ok bool) {
	name = strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	info, err := fs.Stat(a.files, name)
	return name, err == nil && !info.IsDir()
}

// ServeHTTP serves a request whose address the admin has.
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := a.file(r)
	switch {
	case !ok:
		serve(w, r, a.files, a.index, revalidate)
	case strings.HasPrefix(name, assetPrefix):
		serve(w, r, a.files, name, immutable)
	default:
		serve(w, r, a.files, name, revalidate)
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
