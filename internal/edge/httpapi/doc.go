// Package httpapi is the HTTP layer below the domains: the router with its permissions, strict
// decoding, problem+json, entity tags, paging, streams, and the wrapper around every mutation.
//
// A domain's http.go registers routes on a Router by the types of request and reply; it never
// writes to the connection. The reply therefore exists before its unit commits and is sent only
// after the commit.
//
// A PATCH goes through the package in this order: Router.authorised (router.go), Router.once
// (idempotency.go), receive and shape.read (request.go), Router.mutation around the unit
// (mutation.go), encoded.send (reply.go).
package httpapi
