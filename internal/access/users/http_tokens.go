package users

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

func (h handler) tokenRoutes(r *httpapi.Router) {
	r = r.About(httpapi.Resource{Tag: "Access", Noun: "token", Example: tokenExample})
	fresh := r.SteppedUp()
	byID := httpapi.Numbered("token", h.service.Token)
	httpapi.Get(r, "/tokens", ReadTokensPermission, h.tokens).
		Doc("List API tokens", "Returns the caller's tokens, and with `users:write` those of all users. The secret of a token is never returned again.").
		With(httpapi.Contract{Sorts: tokenSorts})
	httpapi.Mutation(fresh, http.MethodPost, "/tokens", makeTokensPermission, h.createToken).
		Doc("Create an API token", "`token` in the reply is the secret; it is returned once and stored only as a digest. The token acts as its user "+
			"(`userId`, or else the caller), with the permissions that both its scopes and its user's roles allow at the time of each request. "+
			"Without `scopes` it has all permissions of its user; an empty list is rejected, because it would grant all permissions. "+
			"It expires at `expiresTime`, by default after 90 days.\n\n"+
			"A token of another user needs `scopes`, which both you and that user have, and none of them a permission that decides on requests of others "+
			"(`decides` in `GET /permissions`): 422. You are its `createdBy`: where two users have to agree, the token counts as yours too. "+
			"Such a token cannot create tokens: 403.\n\n"+
			"403 for a token of another user without `users:write`, and for a token with a permission that you lack. A repeat with the same idempotency key "+
			"returns the same token with `secretShownOnce` instead of the secret; then revoke it, and create another one with another key.").
		With(httpapi.Contract{Body: map[string]any{"name": "till", "scopes": []string{"orders:*"}}, MayMiss: true})
	httpapi.GetOf(r, "/tokens/:id", ReadTokensPermission, byID, h.token).
		Doc("Get an API token", "Returns the token without its secret. A token of another user returns 404 without `users:write`.")
	httpapi.MutationOf(fresh, http.MethodDelete, "/tokens/:id", makeTokensPermission, byID, h.deleteToken).
		Doc("Revoke an API token", "The token becomes invalid and its event streams end, within a second on every server. The audit log retains a record of it.").
		With(httpapi.Contract{ID: "revokeToken"})
}

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
