// Package httpapi is everything about HTTP that no domain needs to know: the
// router with its permissions, strict decoding, problem+json, entity tags,
// paging, streams, and the wrapper through which every mutation goes.
//
// A domain's http.go registers routes on a Router and returns replies; it never
// writes to the connection. So a reply exists before its unit commits, and bytes
// are sent only after.
package httpapi
