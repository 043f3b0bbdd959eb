package coding_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/coding"
)

func TestResponseUsesAcceptedCoding(t *testing.T) {
	for accept, takes := range map[string]bool{
		"":                             false,
		"gzip":                         true,
		"br, GZIP":                     true,
		"gzip;q=0":                     false,
		"gzip; q=0.5, br":              true,
		"gzip;q=none":                  false,
		"deflate":                      false,
		"*":                            true,
		"*;q=0":                        false,
		"gzip;q=0, *":                  false,
		"identity;q=1, *;q=0, br":      false,
		"deflate, gzip;q=1.0, *;q=0.5": true,
	} {
		request := &http.Request{Header: http.Header{"Accept-Encoding": {accept}}}
		require.Equal(t, takes, coding.Accepts(request, "gzip"), "%q", accept)
	}
	for accept, takes := range map[string]bool{
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
		"*/*":                       true,
		"text/*;q=0.1":              true,
		"text/html;charset=utf-8":   true,
		"text/html;q=0, */*":        false,
		"application/json":          false,
		"application/json, */*;q=0": false,
	} {
		require.Equal(t, takes, coding.AcceptsHTML(&http.Request{Header: http.Header{"Accept": {accept}}}), "%q", accept)
	}
	require.True(t, coding.AcceptsHTML(&http.Request{}), "a client without Accept accepts everything")
	split := &http.Request{Header: http.Header{"Accept-Encoding": {"br", "gzip"}}}
	require.True(t, coding.Accepts(split, "gzip"), "a header that is sent in two lines")
}

func TestPlainTextIsPreferredOnlyByName(t *testing.T) {
	for accept, prefers := range map[string]bool{
		"":                                   false,
		"*/*":                                false,
		"text/plain":                         true,
		"text/*":                             true,
		"text/plain, */*":                    true,
		"text/plain;q=0.5, */*":              false,
		"text/plain;q=0":                     false,
		"application/json, text/plain, */*":  false,
		"application/json;q=0.9, text/plain": true,
		"text/html, */*;q=0.8":               false,
	} {
		request := &http.Request{Header: http.Header{"Accept": {accept}}}
		require.Equal(t, prefers, coding.PrefersText(request), "%q", accept)
	}
}
