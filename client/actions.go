package client

import (
	"context"
	"net/http"
	"net/url"
)

// Actions are likes, dislikes and bookmarks of items and coupons. Their ids order
// them: of actions that overtake each other, the highest id decides.
type Actions struct{ client *Client }

// EntityType is what an action is about.
type EntityType string

// The things that can be acted on.
const (
	ItemEntity   EntityType = "item"
	CouponEntity EntityType = "coupon"
)

// ActionKind is what is done to a thing.
type ActionKind string

// The kinds of action. Like and dislike exclude each other.
const (
	Like     ActionKind = "like"
	Dislike  ActionKind = "dislike"
	Bookmark ActionKind = "bookmark"
)

// Action is one tap. ID is the caller's own and grows, such as the time in
// milliseconds since 1970.
type Action struct {
	EntityType EntityType `json:"entityType"`
	EntityID   string     `json:"entityId"`
	Kind       ActionKind `json:"action"`
	ID         int64      `json:"actionId"`
	// Active says whether the action is to be active; nil toggles, which is safe only
	// while actions arrive in order.
	Active *bool `json:"active,omitempty"`
}

// ActionResult is the state after an action. Outcome is applied, duplicate or stale.
type ActionResult struct {
	Active       bool   `json:"active"`
	LastActionID int64  `json:"lastActionId"`
	Outcome      string `json:"outcome"`
}

// ActionState is the caller's own state of one kind.
type ActionState struct {
	Active       bool  `json:"active"`
	LastActionID int64 `json:"lastActionId"`
}

// ActionSummary counts everybody's actions on a thing and has the caller's own.
type ActionSummary struct {
	EntityType EntityType                 `json:"entityType"`
	EntityID   string                     `json:"entityId"`
	Counts     map[ActionKind]int64       `json:"counts"`
	Own        map[ActionKind]ActionState `json:"own"`
}

// Take takes an action. It can be sent again: by its id it has its effect once.
func (s *Actions) Take(ctx context.Context, a Action, options ...CallOption) (ActionResult, error) {
	return call[ActionResult](ctx, s.client, request{method: http.MethodPost, path: "/actions", body: a}, options)
}

// Get reads the counts of a thing and the caller's own state.
func (s *Actions) Get(ctx context.Context, of EntityType, id string, options ...CallOption) (ActionSummary, error) {
	query := url.Values{"entityType": {string(of)}, "entityId": {id}}
	return call[ActionSummary](ctx, s.client, request{method: http.MethodGet, path: "/actions", query: query}, options)
}
