// Package httpapi is everything about HTTP that no domain needs to know: the
// router with its permissions, strict decoding, problem+json, entity tags,
// paging, streams, and the wrapper through which every mutation goes.
//
// A domain's http.go registers routes on a Router by what they take and answer; it
// never writes to the connection. So a reply exists before its unit commits, and bytes
// are sent only after.
//
// A PATCH goes through the package in this order: Router.authorised (router.go), Router.once
// (idempotency.go), receive and shape.read (request.go), Router.mutation around the unit
// (mutation.go), encoded.send (reply.go).
package httpapi
