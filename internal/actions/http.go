package actions

import (
	"context"
	"net/http"

	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of actions.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	about := r.About(httpapi.Resource{Tag: "Actions", Noun: "action"})
	httpapi.Get(about, "/actions", readPermission, h.summary).
		Doc("Get counts and your actions", "`counts` covers all users; `own` is the state of the caller, or of the customer that a token acts for. "+
			"Like and dislike share their `lastActionId`, which is 0 before the first action.").
		With(httpapi.Contract{ID: "getActions", Success: "The counts and your state.", MayMiss: true, Reply: summaryExample})
	httpapi.Mutation(about, http.MethodPost, "/actions", writePermission, h.apply).
		Doc("Like, dislike or bookmark", "`actionId` is assigned by the client, from 1 and increasing, for example the time in ms since 1970. "+
			"Only an id above your last one on this entity is applied; any other returns 200 with the current state (`stale`, or `duplicate` for a repeat of "+
			"the last one). If requests set `active`, they can therefore be repeated and reordered: the highest id wins. Without `active` an action toggles.\n\n"+
			"Like and dislike exclude each other and share one last id; removing the active one leaves neither. Bookmark has a separate last id. "+
			"The last id with other content returns 422 `idempotency_key_reused`; an id that, as ms since 1970, is more than 5 minutes in the future returns 400 "+
			"`action_id_in_future`.\n\n"+
			"A customer acts for itself; an API token acts for the customer in `X-On-Behalf-Of`, or else for its user. "+
			"The same operations are available as GraphQL, at `POST /graphql`.").
		With(httpapi.Contract{
			ID: "applyAction", Success: "The current state, and the outcome of the action.", MayMiss: true, Responses: map[string]string{"400": "ActionUnreadable"},
			Body: requestExample, Reply: resultView{Active: true, LastActionID: requestExample.ActionID, Outcome: Applied},
		})
	httpapi.Operations(r, http.MethodPost, "/graphql", graphHandler{s.schema()}.execute)
}

type handler struct{ service *Service }

type applyRequest struct{ Body actionRequest }

type actionRequest struct {
	EntityType string `json:"entityType" validate:"required,oneof=item coupon"`
	// The `sku` of an item, the `code` of a coupon.
	EntityID string `json:"entityId" validate:"required,max=64"`
	Kind     Kind   `json:"action" validate:"required,oneof=like dislike bookmark"`
	ActionID int64  `json:"actionId" validate:"min=1"`
	// Whether the action is to be active; null or absent toggles.
	Active *bool `json:"active"`
}

var requestExample = actionRequest{EntityType: Item, EntityID: "MUG-01", Kind: Like, ActionID: 1769851800123, Active: new(true)}

func (h handler) apply(ctx context.Context, u *uow.Unit, in applyRequest) (resultView, error) {
	result, err := h.service.Apply(ctx, u, Request(in.Body))
	return resultView(result), err
}

type summaryRequest struct {
	// The kind of entity that `entityId` identifies.
	EntityType string `query:"entityType" validate:"required,oneof=item coupon"`
	// The `sku` of an item, the `code` of a coupon.
	EntityID string `query:"entityId" validate:"required"`
}

func (h handler) summary(ctx context.Context, in summaryRequest) (summaryView, error) {
	summary, err := h.service.Summary(ctx, in.EntityType, in.EntityID)
	return summaryViewOf(in.EntityType, summary), err
}
