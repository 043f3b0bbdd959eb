package actions

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/graph-gophers/graphql-go"
	gqlerrors "github.com/graph-gophers/graphql-go/errors"

	"interlock/internal/base/apperr"
	"interlock/internal/base/panics"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

//go:embed schema.graphql
var schemaText string

// Bounds of one GraphQL request. Its mutations run one after the other, each in a separate unit.
const (
	maxQueryBytes = 32 << 10 // bytes; the route takes 8192 characters
	maxDepth      = 20       // introspection by GraphiQL is 14 deep
	maxSelections = 1000
)

// newSchema returns the schema with the service as its resolver.
func newSchema(s *Service) *graphql.Schema {
	return graphql.MustParseSchema(schemaText, &resolver{s}, graphql.UseStringDescriptions(), graphql.UseFieldResolvers(),
		graphql.MaxQueryLength(maxQueryBytes), graphql.MaxDepth(maxDepth), graphql.MaxSelections(maxSelections),
		graphql.RestrictIntrospection(isKnown),
		graphql.Logger(fieldPanics{}), graphql.PanicHandler(fieldPanics{}))
}

// isKnown reports whether the caller is authenticated.
func isKnown(ctx context.Context) bool {
	_, known := principal.From(ctx)
	return known
}

// resolver resolves the fields of Query and Mutation.
type resolver struct{ service *Service }

// mutations runs the mutations of one document, one after the other. httpapi.Document implements
// it.
type mutations interface {
	Do(ctx context.Context, permission string, outcome any, fn uow.Func) error
}

type mutationsKey struct{}

func withMutations(ctx context.Context, m mutations) context.Context {
	return context.WithValue(ctx, mutationsKey{}, m)
}

type toggle struct {
	ActionID Long
	Active   *bool
}

type toggleItem struct {
	ItemID string
	toggle
}

type toggleCoupon struct {
	CouponID string
	toggle
}

type likeResult struct {
	IsLiked      bool
	LastActionID Long
}

type dislikeResult struct {
	IsDisliked   bool
	LastActionID Long
}

type bookmarkResult struct {
	IsBookmarked bool
	LastActionID Long
}

// ToggleLikeItem resolves Mutation.toggleLikeItem.
func (r *resolver) ToggleLikeItem(ctx context.Context, args toggleItem) (*likeResult, error) {
	result, err := r.apply(ctx, Item, args.ItemID, Like, args.toggle)
	if err != nil {
		return nil, err
	}
	return &likeResult{result.Active, Long(result.LastActionID)}, nil
}

// ToggleDislikeItem resolves Mutation.toggleDislikeItem.
func (r *resolver) ToggleDislikeItem(ctx context.Context, args toggleItem) (*dislikeResult, error) {
	result, err := r.apply(ctx, Item, args.ItemID, Dislike, args.toggle)
	if err != nil {
		return nil, err
	}
	return &dislikeResult{result.Active, Long(result.LastActionID)}, nil
}

// ToggleBookmarkItem resolves Mutation.toggleBookmarkItem.
func (r *resolver) ToggleBookmarkItem(ctx context.Context, args toggleItem) (*bookmarkResult, error) {
	result, err := r.apply(ctx, Item, args.ItemID, Bookmark, args.toggle)
	if err != nil {
		return nil, err
	}
	return &bookmarkResult{result.Active, Long(result.LastActionID)}, nil
}

// ToggleLikeCoupon resolves Mutation.toggleLikeCoupon.
func (r *resolver) ToggleLikeCoupon(ctx context.Context, args toggleCoupon) (*likeResult, error) {
	result, err := r.apply(ctx, Coupon, args.CouponID, Like, args.toggle)
	if err != nil {
		return nil, err
	}
	return &likeResult{result.Active, Long(result.LastActionID)}, nil
}

// ToggleDislikeCoupon resolves Mutation.toggleDislikeCoupon.
func (r *resolver) ToggleDislikeCoupon(ctx context.Context, args toggleCoupon) (*dislikeResult, error) {
	result, err := r.apply(ctx, Coupon, args.CouponID, Dislike, args.toggle)
	if err != nil {
		return nil, err
	}
	return &dislikeResult{result.Active, Long(result.LastActionID)}, nil
}

func (r *resolver) apply(ctx context.Context, entityType, name string, kind Kind, t toggle) (result Result, err error) {
	document := ctx.Value(mutationsKey{}).(mutations)
	err = document.Do(ctx, writePermission, &result, func(ctx context.Context, u *uow.Unit) (err error) {
		if t.ActionID < 1 {
			return apperr.Invalid(apperr.Field{Pointer: "/actionId", Code: "min", Message: "must be at least 1"})
		}
		result, err = r.service.Apply(ctx, u, Request{
			EntityType: entityType, EntityID: name, Kind: kind, ActionID: int64(t.ActionID), Active: t.Active,
		})
		return err
	})
	if err != nil {
		return Result{}, refusal(ctx, entityType, err)
	}
	return result, nil
}

// actionsOf is the GraphQL type Actions.
type actionsOf struct {
	Likes, Dislikes, Bookmarks        Long
	IsLiked, IsDisliked, IsBookmarked bool
	LastReactionID, LastBookmarkID    Long
}

// ItemActions resolves Query.itemActions.
func (r *resolver) ItemActions(ctx context.Context, args struct{ ItemID string }) (*actionsOf, error) {
	return r.summary(ctx, Item, args.ItemID)
}

// CouponActions resolves Query.couponActions.
func (r *resolver) CouponActions(ctx context.Context, args struct{ CouponID string }) (*actionsOf, error) {
	return r.summary(ctx, Coupon, args.CouponID)
}

func (r *resolver) summary(ctx context.Context, entityType, name string) (*actionsOf, error) {
	if err := httpapi.Permitted(ctx, readPermission); err != nil {
		return nil, refusal(ctx, entityType, err)
	}
	summary, err := r.service.Summary(ctx, entityType, name)
	if err != nil {
		return nil, refusal(ctx, entityType, err)
	}
	own := summary.Own
	return &actionsOf{
		Likes: Long(summary.Counts.Likes), Dislikes: Long(summary.Counts.Dislikes), Bookmarks: Long(summary.Counts.Bookmarks),
		IsLiked: own[Like].Active, IsDisliked: own[Dislike].Active, IsBookmarked: own[Bookmark].Active,
		LastReactionID: Long(own[Like].LastActionID), LastBookmarkID: Long(own[Bookmark].LastActionID),
	}, nil
}

// fieldError is an error of one field, with a machine-readable code.
type fieldError struct{ code, message string }

// Error implements error.
func (e *fieldError) Error() string { return e.message }

// Extensions returns the extensions of the error in the reply.
func (e *fieldError) Extensions() map[string]any { return map[string]any{"code": e.code} }

// refusal returns the part of an error that a caller may see, and logs the rest.
func refusal(ctx context.Context, entityType string, err error) error {
	seen := httpapi.Visible(err)
	e := &fieldError{code: strings.ToUpper(string(seen.Code)), message: seen.Detail}
	switch seen.Code {
	case apperr.Unauthenticated:
		e.code = "USER_NOT_AUTHENTICATED"
	case apperr.NotFound:
		e.code = strings.ToUpper(entityType) + "_NOT_FOUND"
	case apperr.Internal, apperr.Unavailable, apperr.OutcomeUnknown:
		slog.ErrorContext(ctx, "graphql: field not resolved", "error", err, "request", principal.Request(ctx))
	}
	return e
}

// fieldPanics logs the panic of a field, and replaces its message in the reply.
type fieldPanics struct{}

// unreadable reports whether the library panicked because it cannot parse a literal, such as a
// number beyond 64 bits.
func unreadable(value any) bool {
	err, _ := value.(error)
	return errors.Is(err, strconv.ErrRange) || errors.Is(err, strconv.ErrSyntax)
}

// LogPanic implements the library's Logger.
func (fieldPanics) LogPanic(ctx context.Context, value any) {
	if unreadable(value) {
		return
	}
	slog.ErrorContext(ctx, "graphql: field panicked", "request", principal.Request(ctx), "error", panics.Error(value))
}

// MakePanicError implements the library's PanicHandler.
func (fieldPanics) MakePanicError(_ context.Context, value any) *gqlerrors.QueryError {
	if unreadable(value) {
		return &gqlerrors.QueryError{Message: "A literal of the document cannot be read."}
	}
	return &gqlerrors.QueryError{Message: "This was not completed.", Extensions: map[string]any{"code": "INTERNAL"}}
}

// Long is a 64-bit integer.
type Long int64

// ImplementsGraphQLType implements the library's Unmarshaler.
func (Long) ImplementsGraphQLType(name string) bool { return name == "Long" }

// UnmarshalGraphQL implements the library's Unmarshaler: it accepts integers, and strings of their
// digits. The library passes numbers in documents as int32 or int64, and numbers in variables as
// json.Number.
func (l *Long) UnmarshalGraphQL(input any) error {
	switch n := input.(type) {
	case int32:
		*l = Long(n)
		return nil
	case int64:
		*l = Long(n)
		return nil
	case json.Number:
		return l.parse(n.String())
	case string:
		return l.parse(n)
	}
	return fmt.Errorf("a Long must be a whole number, not %T", input)
}

func (l *Long) parse(digits string) error {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return fmt.Errorf("a Long must be a whole number of 64 bits, not %.40q", digits)
	}
	*l = Long(n)
	return nil
}
