// Package web serves the web admin.
//
// The built admin is embedded from dist/. In a checkout without a build, New serves one page
// that explains it.
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

// A pattern must match a file, and dist does not exist before the build. This pattern matches
// fallback.html and dist: no other name in this folder starts with d or f.
//
//go:embed all:[df]*
var embedded embed.FS

const (
	builtDir   = "dist"
	builtIndex = "index.html"
	// pageList lists the addresses of the pages, which the build finds in src/routes.
	pageList     = "pages.json"
	fallbackPage = "fallback.html"
	// assetPrefix is the folder of files with a hash of their content in the name.
	assetPrefix = "assets/"

	immutable  = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// Admin serves the files of the web admin, and its index for the addresses of its pages.
type Admin struct {
	files fs.FS
	index string
	// pages are the addresses of the pages, in segments; a segment that starts with $ matches any
	// text.
	pages [][]string
}

// New returns the embedded admin. Without a build it has one page, which explains that.
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

// file returns the name of the file at the address of a request, and false if none exists.
func (a *Admin) file(r *http.Request) (name string, ok bool) {
	name = strings.TrimPrefix(path.Clean("/"+r.URL.EscapedPath()), "/")
	info, err := fs.Stat(a.files, name)
	return name, err == nil && !info.IsDir()
}

// ServeHTTP serves a request for which Has returns true.
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

// isCompressed reports whether a file is the compressed form of another file. It is served under
// the name of that file.
func isCompressed(name string) bool {
	return slices.ContainsFunc(codings, func(c coded) bool { return strings.HasSuffix(name, c.suffix) })
}

type coded struct{ name, suffix string }

// codings are the compressed forms that the build writes, the smallest first, with their suffix.
var codings = []coded{{"br", ".br"}, {"gzip", ".gz"}}

// serve sends a file in the smallest form that exists and that the client accepts. With the entity
// tag a client revalidates its cached copy.
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
