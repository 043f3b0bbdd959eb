// Package coding reads which content codings (RFC 9110, 12.5.3) a client takes.
package coding

import (
	"net/http"
	"strconv"
	"strings"
)

// Accepts reports whether a request takes a coding, such as gzip. Without Accept-Encoding
// it takes none: a client that says nothing may be too simple to decode.
func Accepts(r *http.Request, coding string) bool {
	byStar := false
	for _, part := range strings.Split(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, parameters, _ := strings.Cut(part, ";")
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case coding:
			return weight(parameters) > 0
		case "*":
			byStar = weight(parameters) > 0
		}
	}
	return byStar
}

// weight reads ";q=0.5"; what cannot be read is 0.
func weight(parameters string) float64 {
	name, value, given := strings.Cut(strings.TrimSpace(parameters), "=")
	if !given {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 0
	}
	return q
}
