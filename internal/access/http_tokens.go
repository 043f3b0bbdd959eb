package access

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

type listTokensRequest struct {
	// A part of the name, in either case.
	Search httpapi.Search `query:"q"`
	// The user that the tokens act as.
	UserID *int64 `query:"userId"`
	httpapi.Page
}

func (h handler) tokens(ctx context.Context, in listTokensRequest) (httpapi.List[tokenView], error) {
	filter := TokenFilter{Text: string(in.Search)}
	if in.UserID != nil {
		filter.UserID = *in.UserID
	}
	listing, err := h.service.Tokens(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, tokenViewOf), err
}

type createTokenRequest struct{ Body tokenCreate }

type tokenCreate struct {
	Name   string   `json:"name" validate:"required" schema:"TokenName"`
	Scopes []string `json:"scopes" validate:"omitempty,min=1,max=500,dive,max=100"`
	// 90 days from now if absent.
	ExpiresTime *time.Time `json:"expiresTime"`
	// The caller if absent.
	UserID *int64 `json:"userId" validate:"omitempty,min=1"`
}

func (h handler) createToken(ctx context.Context, u *uow.Unit, in createTokenRequest) (httpapi.Created[createdTokenView], error) {
	caller, _ := principal.From(ctx)
	owner := caller.UserID
	if in.Body.UserID != nil {
		owner = *in.Body.UserID
	}
	spec := TokenSpec{Name: in.Body.Name, Scopes: in.Body.Scopes}
	if in.Body.ExpiresTime != nil {
		spec.Expires = *in.Body.ExpiresTime
	}
	secret, token, err := h.service.AddToken(ctx, u, owner, spec)
	if err != nil {
		return httpapi.Created[createdTokenView]{}, err
	}
	return httpapi.Created[createdTokenView]{
		Location: fmt.Sprintf("/tokens/%d", token.ID), Body: createdTokenView{tokenView: tokenViewOf(*token), Token: httpapi.Secret(secret)},
	}, nil
}

func (h handler) token(_ context.Context, token *Token, _ httpapi.None) (tokenView, error) {
	return tokenViewOf(*token), nil
}

func (h handler) deleteToken(ctx context.Context, u *uow.Unit, token *Token, in httpapi.Guarded) (httpapi.None, error) {
	return httpapi.None{}, h.service.DeleteToken(ctx, u, token, in.IfMatch)
}
