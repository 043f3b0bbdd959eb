package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
)

// Who may change a resource need not be allowed to read it. A refusal would tell such a
// caller what is there: the version that won, the balance that was too small, the record
// that has the name already. So a refusal is cut down to its code, the versions and the
// caller's own words for a caller without "<resource>:read", here and for every route.

// missingReadKey is where a context has the permission to read that its caller lacks.
type missingReadKey struct{}

// readingOf returns the permission to read the resource of a route with a permission; "" of
// a route without one.
func readingOf(permission string) string {
	resource, _, found := strings.Cut(permission, ":")
	if !found {
		return ""
	}
	return resource + ":read"
}

// mayNotRead reports whether a caller is to be told no more than who may not read a resource. A
// resource that no route reads has nothing to hide.
func (r *Router) mayNotRead(ctx context.Context, read string) bool {
	caller, _ := principal.From(ctx)
	return read != "" && caller.Kind != principal.Customer && !caller.May(read) && r.isRoutePermission(read)
}

// isRoutePermission reports whether any route asks for a permission.
func (r *Router) isRoutePermission(permission string) bool {
	for _, route := range *r.routes {
		if route.Permission == permission {
			return true
		}
	}
	return false
}

// MayRead reports whether the caller may read the resource that it changes. What a route
// answers beside a refusal, such as a batch's verdicts, is for the route to cut down.
func MayRead(ctx context.Context) bool {
	_, lacks := ctx.Value(missingReadKey{}).(string)
	return !lacks
}

// revealedKey is where a context has what its request's reply reveals.
type revealedKey struct{}

// revealed is the permission beside the route's that it takes to read a reply; "" for none.
type revealed struct{ permission string }

// HeaderReveals is where a reply that is kept has that permission. It is never sent.
const HeaderReveals = "X-Interlock-Reveals"

// MayReveal reports whether the caller may be told what takes a permission beside that of the
// route, and that the reply tells it then. A reply that was kept tells it again only to a caller
// who has the permission still.
func MayReveal(ctx context.Context, permission string) bool {
	if caller, _ := principal.From(ctx); caller.Kind == principal.Customer || !caller.May(permission) {
		return false
	}
	if reply, under := ctx.Value(revealedKey{}).(*revealed); under {
		reply.permission = permission
	}
	return true
}

// missingPermission is the permission that the caller lacks to be told again what a kept reply tells; "" for
// none.
func missingPermission(ctx context.Context, reply StoredReply) string {
	permission := reply.Header.Get(HeaderReveals)
	if caller, _ := principal.From(ctx); permission == "" || caller.May(permission) {
		return ""
	}
	return permission
}

// publicMembers are the members of a refusal that anybody may read who may cause it: versions,
// places in the request, names that the request gave, and who holds what was asked for.
var publicMembers = map[string]bool{
	"expectedVersion": true, "currentVersion": true, "currentEtag": true, "version": true, "eventVersion": true,
	"index": true, "key": true, "id": true, "sku": true, "op": true, "code": true, "verdict": true, "counts": true,
	"number": true, "clientId": true, "clientSeq": true, "eventId": true, "highestSeq": true,
	"retryAfterMs": true, "ticket": true, "limit": true, "holder": true,
}

// redact returns a refusal as a caller without the permission to read is told it.
func redact(e *apperr.Error, title, permission string) *apperr.Error {
	cut := *e
	cut.Members = nil
	for name, value := range e.Members {
		if listed := publicMembersOf(value); publicMembers[name] {
			cut.With(name, value)
		} else if listed != nil {
			cut.With(name, listed)
		}
	}
	if detailRevealsResource(e.Code) {
		cut.Detail = fmt.Sprintf("%s. What is there now is told to those with the permission %s.", title, permission)
		cut.Fields = nil
	}
	return &cut
}

// publicApprovalMembers are the members of a kept ApprovalStale that are told beside the public ones:
// what the approval itself is, and who moved what it would change.
var publicApprovalMembers = map[string]bool{"currentStatus": true, "allowedTransitions": true, "updatedBy": true, "updatedTime": true}

// redactForCaller returns the body of a kept reply as the caller of now is told it. An approval is
// about a resource of another domain, and which permission it takes to read that is not kept:
// what a refusal told of it is told once.
func redactForCaller(ctx context.Context, reply StoredReply) ([]byte, error) {
	permission, lacks := ctx.Value(missingReadKey{}).(string)
	if missing := missingPermission(ctx, reply); missing != "" && !lacks {
		permission, lacks = missing, true
	}
	if !strings.HasPrefix(reply.Header.Get(echo.HeaderContentType), mimeProblem) || !lacks && !bytes.Contains(reply.Body, []byte(apperr.ApprovalStale)) {
		return reply.Body, nil
	}
	var head problemHead
	var members map[string]any
	if err := errors.Join(json.Unmarshal(reply.Body, &head), json.Unmarshal(reply.Body, &members)); err != nil {
		return nil, fmt.Errorf("read a kept refusal: %w", err)
	}
	if !lacks {
		return redactApproval(head, members, reply.Body)
	}
	told := redact(&apperr.Error{Code: head.Code, Detail: head.Detail, Fields: head.Fields, Members: members}, head.Title, permission)
	delete(told.Members, "code")
	head.Detail, head.Fields = told.Detail, told.Fields
	return problemText(head, told.Members)
}

// redactApproval returns a kept refusal without what it told of the resource that an approval would
// change.
func redactApproval(head problemHead, members map[string]any, body []byte) ([]byte, error) {
	if head.Code != apperr.ApprovalStale {
		return body, nil
	}
	for name := range members {
		if !publicApprovalMembers[name] && !publicMembers[name] {
			delete(members, name)
		}
	}
	delete(members, "code")
	return problemText(head, members)
}

// detailRevealsResource reports whether the sentence of a refusal speaks of what is there,
// rather than of the request alone.
func detailRevealsResource(code apperr.Code) bool {
	switch code {
	case apperr.SoldOut, apperr.SaleNotOpen, apperr.RequestInProgress:
		return false
	}
	status := kinds[code].status
	return status == http.StatusConflict || status == http.StatusPreconditionFailed
}

// publicMembersOf cuts a list of objects, such as a batch's verdicts, down to their public
// members; nil for anything else, and for a list that has none of them.
func publicMembersOf(value any) []map[string]any {
	tree, err := merge.Tree(value)
	if err != nil {
		return nil
	}
	list, _ := tree.([]any)
	var kept []map[string]any
	for _, element := range list {
		object, _ := element.(map[string]any)
		left := map[string]any{}
		for name, member := range object {
			if publicMembers[name] {
				left[name] = member
			}
		}
		if len(left) > 0 {
			kept = append(kept, left)
		}
	}
	return kept
}
