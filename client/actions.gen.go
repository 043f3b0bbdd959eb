// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"net/http"
)

// ActionsEntityType is a parameter of [Client.Actions].
type ActionsEntityType string

// The values of ActionsEntityType.
const (
	ActionsEntityTypeItem   ActionsEntityType = "item"
	ActionsEntityTypeCoupon ActionsEntityType = "coupon"
)

// ActionSummary is returned by [Client.Actions].
type ActionSummary struct {
	EntityType ActionSummaryEntityType `json:"entityType"`
	EntityID   string                  `json:"entityId"`
	Counts     ActionCounts            `json:"counts"`
	Own        ActionOwn               `json:"own"`
}

// ActionSummaryEntityType is part of [ActionSummary].
type ActionSummaryEntityType string

// The values of ActionSummaryEntityType.
const (
	ActionSummaryEntityTypeItem   ActionSummaryEntityType = "item"
	ActionSummaryEntityTypeCoupon ActionSummaryEntityType = "coupon"
)

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
	EntityType ActionRequestEntityType `json:"entityType"`
	// The `sku` of an item, the `code` of a coupon.
	EntityID string              `json:"entityId"`
	Action   ActionRequestAction `json:"action"`
	ActionID int64               `json:"actionId"`
	// Whether the action is to be active; null or absent toggles.
	Active *bool `json:"active,omitzero"`
}

// ActionRequestEntityType is part of [ActionRequest].
type ActionRequestEntityType string

// The values of ActionRequestEntityType.
const (
	ActionRequestEntityTypeItem   ActionRequestEntityType = "item"
	ActionRequestEntityTypeCoupon ActionRequestEntityType = "coupon"
)

// ActionRequestAction is part of [ActionRequest].
type ActionRequestAction string

// The values of ActionRequestAction.
const (
	ActionRequestActionLike     ActionRequestAction = "like"
	ActionRequestActionDislike  ActionRequestAction = "dislike"
	ActionRequestActionBookmark ActionRequestAction = "bookmark"
)

// ActionResult is returned by [Client.ApplyAction].
type ActionResult struct {
	// Whether the requested action is active now.
	Active       bool                `json:"active"`
	LastActionID int64               `json:"lastActionId"`
	Outcome      ActionResultOutcome `json:"outcome"`
}

// ActionResultOutcome is part of [ActionResult].
type ActionResultOutcome string

// The values of ActionResultOutcome.
const (
	ActionResultOutcomeApplied   ActionResultOutcome = "applied"
	ActionResultOutcomeDuplicate ActionResultOutcome = "duplicate"
	ActionResultOutcomeStale     ActionResultOutcome = "stale"
)

// Actions returns counts and your actions.
//
// `counts` covers all users; `own` is the state of the caller, or of the customer that a token acts
// for. Like and dislike share their `lastActionId`, which is 0 before the first action.
func (c *Client) Actions(ctx context.Context, entityType ActionsEntityType, entityID string, options ...CallOption) (ActionSummary, error) {
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
