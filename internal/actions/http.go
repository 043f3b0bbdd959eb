package actions

import (
	"context"
	"net/http"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of actions.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	httpapi.Get(r, "/actions", readPermission, h.summary)
	httpapi.Mutation(r, http.MethodPost, "/actions", writePermission, h.apply)
	httpapi.Operations(r, http.MethodPost, "/graphql", graphHandler{s.schema()}.execute)
}

type handler struct{ service *Service }

type applyRequest struct {
	Body struct {
		EntityType string `json:"entityType" validate:"required,oneof=item coupon"`
		EntityID   string `json:"entityId" validate:"required,max=64"`
		Kind       Kind   `json:"action" validate:"required,oneof=like dislike bookmark"`
		ActionID   int64  `json:"actionId" validate:"min=1"`
		Active     *bool  `json:"active"`
	}
}

func (h handler) apply(ctx context.Context, u *uow.Unit, in applyRequest) (resultView, error) {
	result, err := h.service.Apply(ctx, u, Request(in.Body))
	return resultView(result), err
}

type summaryRequest struct {
	EntityType string `query:"entityType"`
	EntityID   string `query:"entityId"`
}

// Check validates the type of the resource.
func (r *summaryRequest) Check() error {
	if r.EntityType != Item && r.EntityType != Coupon {
		return apperr.Malformed("?entityType", "must be item or coupon")
	}
	if r.EntityID == "" {
		return apperr.Malformed("?entityId", "is required: the sku of an item or the code of a coupon")
	}
	return nil
}

func (h handler) summary(ctx context.Context, in summaryRequest) (summaryView, error) {
	summary, err := h.service.Summary(ctx, in.EntityType, in.EntityID)
	return summaryViewOf(in.EntityType, summary), err
}
