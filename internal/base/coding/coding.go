// Package coding reads which content codings and types (RFC 9110, 12.5) a client accepts.
package coding

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Accepts reports whether a request accepts a coding, such as gzip. Without Accept-Encoding
// it accepts none: such a client may be too simple to decode.
func Accepts(r *http.Request, coding string) bool {
	return accepts(r.Header.Values("Accept-Encoding"), coding, "*")
}

// AcceptsHTML reports whether a request accepts HTML. Without Accept it accepts everything.
func AcceptsHTML(r *http.Request) bool {
	values := r.Header.Values("Accept")
	return len(values) == 0 || accepts(values, "text/html", "text/*", "*/*")
}

// accepts reports whether a header accepts a coding or a type. names are its names, from the most
// specific to the least specific; the first of them that the header contains decides.
func accepts(values []string, names ...string) bool { return quality(values, names...) > 0 }

// PrefersText reports whether a request prefers plain text to JSON. It must name the type: a
// wildcard for all types selects JSON.
func PrefersText(r *http.Request) bool {
	values := r.Header.Values("Accept")
	text := quality(values, "text/plain", "text/*")
	return text > 0 && text > quality(values, "application/json", "application/*") && text >= quality(values, "*/*")
}

// quality returns the q of a coding or a type, 0 if the header does not contain it. names are as of
// accepts.
func quality(values []string, names ...string) (q float64) {
	best := len(names)
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, parameters, _ := strings.Cut(part, ";")
		if i := slices.Index(names, strings.ToLower(strings.TrimSpace(name))); i >= 0 && i < best {
			best, q = i, weight(parameters)
		}
	}
	return q
}

// weight returns the q of parameters such as "charset=utf-8;q=0.5". It is 1 if there is no q, and 0
// if q is not a number.
func weight(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if !strings.EqualFold(name, "q") {
			continue
		}
		q, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0
		}
		return q
	}
	return 1
}
