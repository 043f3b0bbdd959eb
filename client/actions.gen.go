// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"net/http"
)

// ActionSummary is returned by [Client.Actions].
type ActionSummary struct {
	// One of item, coupon.
	EntityType string       `json:"entityType"`
	EntityID   string       `json:"entityId"`
	Counts     ActionCounts `json:"counts"`
	Own        ActionOwn    `json:"own"`
}

// ActionCounts is part of [ActionSummary].
type ActionCounts struct {
	Like     int64 `json:"like"`
	Dislike  int64 `json:"dislike"`
	Bookmark int64 `json:"bookmark"`
}

// ActionOwn is part of [ActionSummary].
type ActionOwn struct {
	Like     ActionState `json:"like"`
	Dislike  ActionState `json:"dislike"`
	Bookmark ActionState `json:"bookmark"`
}

// ActionState is part of [ActionOwn].
type ActionState struct {
	Active       bool  `json:"active"`
	LastActionID int64 `json:"lastActionId"`
}

// ActionRequest is the request body of [Client.ApplyAction].
type ActionRequest struct {
	// One of item, coupon.
	EntityType string `json:"entityType"`
	// The `sku` of an item, the `code` of a coupon.
	EntityID string `json:"entityId"`
	// One of like, dislike, bookmark.
	Action   string `json:"action"`
	ActionID int64  `json:"actionId"`
	// Whether the action is to be active; null or absent toggles.
	Active *bool `json:"active,omitzero"`
}

// ActionResult is returned by [Client.ApplyAction].
type ActionResult struct {
	// Whether the requested action is active now.
	Active       bool  `json:"active"`
	LastActionID int64 `json:"lastActionId"`
	// One of applied, duplicate, stale.
	Outcome string `json:"outcome"`
}

// Actions returns counts and your actions.
//
// `counts` covers all users; `own` is the state of the caller, or of the customer that a token acts
// for. Like and dislike share their `lastActionId`, which is 0 before the first action.
func (c *Client) Actions(ctx context.Context, entityType string, entityID string, options ...CallOption) (ActionSummary, error) {
	return call[ActionSummary](ctx, c, request{method: http.MethodGet, path: "/actions", query: parameters{}.set("entityType", entityType).set("entityId", entityID)}, options)
}

// ApplyAction likes, dislikes or bookmarks.
//
// `actionId` is assigned by the client, from 1 and increasing, for example the time in ms since
// 1970. Only an id above your last one on this entity is applied; any other returns 200 with the
// current state (`stale`, or `duplicate` for a repeat of the last one). If requests set `active`,
// they can therefore be repeated and reordered: the highest id wins. Without `active` an action
// toggles.
//
// Like and dislike exclude each other and share one last id; removing the active one leaves
// neither. Bookmark has a separate last id. The last id with other content returns 422
// `idempotency_key_reused`; an id that, as ms since 1970, is more than 5 minutes in the future
// returns 400 `action_id_in_future`.
//
// A customer acts for itself; an API token acts for the customer in `X-On-Behalf-Of`, or else for
// its user. The same operations are available as GraphQL, at `POST /graphql`.
func (c *Client) ApplyAction(ctx context.Context, body ActionRequest, options ...CallOption) (ActionResult, error) {
	return call[ActionResult](ctx, c, request{method: http.MethodPost, path: "/actions", body: body}, options)
}
