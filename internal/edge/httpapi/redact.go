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

// A caller that may change a resource may read it, so most rejections need no redaction. Two kinds
// of replies contain more than the resource of their route: a reply with a secret value, and a
// reply about an approval, which contains the resource that the approval would change. The handler
// shows only data that its caller may read; a replay redacts the stored reply again.

// revealedKey is the context key of revealed.
type revealedKey struct{}

// revealed is the permission that a reply requires in addition to the route's; "" for none.
type revealed struct{ permission string }

// HeaderReveals is the header of a stored reply that contains the permission from revealed. It is
// never sent.
const HeaderReveals = "X-Interlock-Reveals"

// MayReveal reports whether the caller has a permission in addition to the route's. If so, the
// reply is marked, and a replay reveals the data only to a caller that still has the permission.
func MayReveal(ctx context.Context, permission string) bool {
	if caller, _ := principal.From(ctx); caller.Kind == principal.Customer || !caller.May(permission) {
		return false
	}
	if reply, under := ctx.Value(revealedKey{}).(*revealed); under {
		reply.permission = permission
	}
	return true
}

// missingPermission returns the permission that a stored reply requires and the caller lacks; ""
// for none.
func missingPermission(ctx context.Context, reply StoredReply) string {
	permission := reply.Header.Get(HeaderReveals)
	if caller, _ := principal.From(ctx); permission == "" || caller.May(permission) {
		return ""
	}
	return permission
}

// publicApprovalMembers are the members of a stored ApprovalStale that a replay contains: the state
// of the approval, and the user that changed its resource.
var publicApprovalMembers = map[string]bool{
	"currentStatus": true, "allowedTransitions": true, "updatedBy": true, "updatedTime": true,
	"expectedVersion": true, "currentVersion": true, "currentEtag": true,
}

// redactForCaller returns the body of a stored problem for a replay. An approval contains a
// resource of another domain, and the permission to read that resource is not stored. A replay
// therefore leaves it out.
func redactForCaller(ctx context.Context, reply StoredReply) ([]byte, error) {
	if !strings.HasPrefix(reply.Header.Get(echo.HeaderContentType), mimeProblem) {
		return reply.Body, nil
	}
	var head problemHead
	var members map[string]any
	if err := errors.Join(json.Unmarshal(reply.Body, &head), json.Unmarshal(reply.Body, &members)); err != nil {
		return nil, fmt.Errorf("decode a stored problem: %w", err)
	}
	if permission := missingPermission(ctx, reply); permission != "" {
		head.Detail, head.Fields = fmt.Sprintf("%s. Reading the current state requires the permission %s.", head.Title, permission), nil
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
