package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
)

// Whoever may change a resource may read it, so that a refusal is not cut for its reader. Two
// replies are about more than the resource of their route: one that reveals a secret value, and
// one about an approval, which shows the resource that the approval would change. The handler shows
// what its caller may read; what is stored of such a reply is cut when it is replayed.

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

// publicApprovalMembers are the members of a stored ApprovalStale that a replay contains: what the
// approval itself is, and who moved what it would change.
var publicApprovalMembers = map[string]bool{
	"currentStatus": true, "allowedTransitions": true, "updatedBy": true, "updatedTime": true,
	"expectedVersion": true, "currentVersion": true, "currentEtag": true,
}

// redactForCaller returns the body of a stored problem as a replay contains it. An approval is
// about a resource of another domain, and the permission to read that is not stored: what a
// problem showed of it is shown once.
func redactForCaller(ctx context.Context, reply StoredReply) ([]byte, error) {
	if !strings.HasPrefix(reply.Header.Get(echo.HeaderContentType), mimeProblem) {
		return reply.Body, nil
	}
	var head problemHead
	var members map[string]any
	if err := errors.Join(json.Unmarshal(reply.Body, &head), json.Unmarshal(reply.Body, &members)); err != nil {
		return nil, fmt.Errorf("read a kept refusal: %w", err)
	}
	if permission := missingPermission(ctx, reply); permission != "" {
		head.Detail, head.Fields = fmt.Sprintf("%s. What is there now is told to those with the permission %s.", head.Title, permission), nil
		return problemText(head, nil)
	}
	if head.Code != apperr.ApprovalStale {
		return reply.Body, nil
	}
	for name := range members {
		if !publicApprovalMembers[name] {
			delete(members, name)
		}
	}
	return problemText(head, members)
}
