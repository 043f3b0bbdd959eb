package wallets

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of wallets.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	httpapi.Get(r, "/wallets", ReadPermission, h.list)
	httpapi.Get(r, "/wallets/:userId", ReadPermission, h.get)
	httpapi.Get(r, "/wallets/:userId/entries", ReadPermission, h.entries)
	httpapi.Mutation(r.Critical(), http.MethodPost, "/wallets/:userId/entries", writePermission, h.enter)
	httpapi.Mutation(r.Critical(), http.MethodPost, "/wallet-transfers", writePermission, h.transfer)
}

type handler struct{ service *Service }

type listRequest struct {
	UserID principal.CustomerID `query:"userId"`
	// Search is a user's complete id: wallets have no other searchable field.
	Search principal.CustomerID `query:"q"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[walletView], error) {
	user := in.UserID
	if user == "" {
		user = in.Search
	}
	listing, err := h.service.List(ctx, user, in.Page.Page())
	return httpapi.ListOf(listing, func(wallet Wallet) walletView { return viewOf(ctx, wallet) }), err
}

// walletPath identifies a wallet by its user. Every user has one.
type walletPath struct {
	UserID principal.CustomerID `path:"userId" of:"user"`
}

func (h handler) get(ctx context.Context, in walletPath) (httpapi.Fresh[readView], error) {
	wallet, err := h.service.Wallet(ctx, in.UserID)
	if err != nil {
		return httpapi.Fresh[readView]{}, err
	}
	view := readView{walletView: viewOf(ctx, *wallet)}
	needs, changed, err := h.service.needs(ctx, wallet)
	if needs != nil {
		view.ChangeNeeds = &changeNeeds{Above: needs.Above, Approvals: needs.Approvals}
	}
	return httpapi.Fresh[readView]{Body: view, Changed: changed}, err
}

type entriesRequest struct {
	walletPath
	Reference string `query:"reference"`
	Kind      string `query:"kind"`
	httpapi.Page
}

func (h handler) entries(ctx context.Context, in entriesRequest) (httpapi.List[entryView], error) {
	listing, err := h.service.Entries(ctx, in.UserID, Filter{Reference: in.Reference, Kind: in.Kind}, in.Page.Page())
	return httpapi.ListOf(listing, func(entry Entry) entryView { return entryViewOf(ctx, entry) }), err
}

type enterRequest struct {
	walletPath
	Wait httpapi.Wait `query:"wait"`
	Body struct {
		Amount    *int64 `json:"amount" validate:"required"`
		Kind      string `json:"kind"`
		Reference string `json:"reference"`
	}
}

var kindPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// Check validates the rules that need no wallet.
func (in *enterRequest) Check() error {
	var violations apperr.Fields
	violations.Check(*in.Body.Amount != 0, "/amount", "nonzero", "must not be 0")
	violations.Check(kindPattern.MatchString(in.Body.Kind), "/kind", "pattern", "must be 1 to 32 letters, digits, dots, underscores and hyphens")
	violations.Check(!slices.Contains([]string{Paid, Refunded, Transferred}, in.Body.Kind), "/kind", "reserved",
		"must not be payment, refund or transfer: the service makes entries of these kinds")
	if field := httpapi.CheckReference(in.Body.Reference); field != nil {
		violations = append(violations, *field)
	}
	if len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

func (h handler) enter(ctx context.Context, u *uow.Unit, in enterRequest) (httpapi.Created[entryView], error) {
	posting := Posting{UserID: in.UserID, Amount: *in.Body.Amount, Kind: in.Body.Kind, Reference: in.Body.Reference}
	entry, first, err := h.service.Enter(ctx, u, posting, in.Wait.Duration())
	if err != nil || entry == nil {
		return httpapi.Created[entryView]{}, err
	}
	return httpapi.Created[entryView]{Location: locationOf(entry), Body: entryViewOf(ctx, *entry), Existed: !first}, nil
}

// locationOf returns the URL of an entry.
func locationOf(entry *Entry) string {
	return "/" + resource(entry.UserID) + "/entries?reference=" + url.QueryEscape(entry.Reference)
}

type transferRequest struct {
	Wait httpapi.Wait `query:"wait"`
	Body struct {
		FromUserID principal.CustomerID `json:"fromUserId" validate:"pattern"`
		ToUserID   principal.CustomerID `json:"toUserId" validate:"pattern"`
		Amount     int64                `json:"amount" validate:"min=1"`
		Reference  string               `json:"reference"`
	}
}

// Check validates the rules that need no wallet.
func (in *transferRequest) Check() error {
	if in.Body.FromUserID == in.Body.ToUserID {
		return apperr.Invalid(apperr.Field{Pointer: "/toUserId", Code: "different", Message: "must be another user than fromUserId"})
	}
	if field := httpapi.CheckReference(in.Body.Reference); field != nil {
		return apperr.Invalid(*field)
	}
	return nil
}

func (h handler) transfer(ctx context.Context, u *uow.Unit, in transferRequest) (httpapi.Created[transferView], error) {
	debit, credit, first, err := h.service.Transfer(ctx, u, Transfer(in.Body), in.Wait.Duration())
	if err != nil || debit == nil {
		return httpapi.Created[transferView]{}, err
	}
	return httpapi.Created[transferView]{Location: locationOf(debit), Body: transferViewOf(ctx, *debit, *credit), Existed: !first}, nil
}
