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
	r = r.About(httpapi.Resource{Tag: "Wallets", Noun: "wallet", Example: example})
	h := handler{s}
	httpapi.Get(r, "/wallets", ReadPermission, h.list).
		Doc("List wallets", "Wallets without entries are not listed; their balance is zero.").
		With(httpapi.Contract{Sorts: walletSorts})
	httpapi.Get(r, "/wallets/:userId", ReadPermission, h.get).
		Doc("Get a wallet", "Zeros, version 0 and no `etag` before the first entry. Every user has a wallet.")
	httpapi.Get(r, "/wallets/:userId/entries", ReadPermission, h.entries).
		Doc("List a wallet's entries", "The append-only ledger, newest first. The sum of the amounts of all entries is the balance.").
		With(httpapi.Contract{Sorts: entrySorts})
	myRoutes(r, h)
	entries := r.About(httpapi.Resource{Tag: "Wallets", Noun: "wallet", Example: entryExample}).Critical()
	rejections := []httpapi.Rejection{
		{Code: apperr.InsufficientBalance, Cause: "the wallet has less"},
		{Code: apperr.PayloadMismatch, Cause: "the reference belongs to another entry, which is `first`", Members: mismatchView{}},
		{Code: apperr.LimitReached, Cause: "the change needs an approval, and you have 200 changes that wait for votes"},
	}
	httpapi.Mutation(entries, http.MethodPost, "/wallets/:userId/entries", writePermission, h.enter).
		Doc("Credit or debit a wallet", "A positive `amount` credits, a negative one debits. `reference` identifies the entry within the wallet. A repeat "+
			"with the same content returns 200 with the first entry and changes nothing; other content returns 409 `payload_mismatch`. Retries are therefore safe.\n\n"+
			"Above the tenant's `walletApprovalThreshold` the entry waits for votes: 202, and no entry is made before the last vote.").
		With(httpapi.Contract{
			ID: "enterWalletEntry", Success: "Applied.", Repeated: "Already applied; the body is the first entry.", Proposes: true, Locks: true,
			Body: walletPosting{Amount: new(int64(5000)), Kind: "topup", Reference: "psp-90211"}, Rejections: rejections,
		})
	httpapi.Mutation(entries, http.MethodPost, "/wallet-transfers", writePermission, h.transfer).
		Doc("Transfer between wallets", "One transaction makes two entries, both with the `reference`: both wallets change or neither. A repeat with the "+
			"same content returns 200 with the first transfer and changes nothing; other content returns 409 `payload_mismatch`. "+
			"Above the tenant's `walletApprovalThreshold` the transfer waits for votes: 202 with the approval.").
		With(httpapi.Contract{
			ID: "transferBetweenWallets", Success: "Applied.", Repeated: "Already applied; the body is the first transfer.", Proposes: true, Locks: true,
			Body: walletTransferRequest{FromUserID: "user-12", ToUserID: "user-13", Amount: 1200, Reference: "gift-1"}, Rejections: rejections,
		})
}

type handler struct{ service *Service }

type listRequest struct {
	// The wallet of this user.
	UserID principal.CustomerID `query:"userId"`
	// The same as `userId`, the only search criterion of wallets.
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

// walletPath identifies a wallet by its user. Every user has a wallet, with balance 0 until the
// first entry.
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
	// Entries of this kind.
	Kind string `query:"kind"`
	httpapi.Page
}

func (h handler) entries(ctx context.Context, in entriesRequest) (httpapi.List[entryView], error) {
	listing, err := h.service.Entries(ctx, in.UserID, Filter{Reference: in.Reference, Kind: in.Kind}, in.Page.Page())
	return httpapi.ListOf(listing, func(entry Entry) entryView { return entryViewOf(ctx, entry) }), err
}

type enterRequest struct {
	walletPath
	Wait httpapi.Wait `query:"wait"`
	Body walletPosting
}

type walletPosting struct {
	// In minor units: positive to credit, negative to debit, not 0.
	Amount *int64 `json:"amount" validate:"required,nonzero"`
	// The purpose, such as `topup`. `payment`, `refund` and `transfer` are reserved for the service.
	Kind      kind   `json:"kind" validate:"pattern"`
	Reference string `json:"reference" validate:"reference"`
}

// kind is the kind of an entry by hand.
type kind string

var kindPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// Pattern returns the syntax of a kind and its maximum length, in characters.
func (kind) Pattern() (expression string, maxLength int) { return kindPattern.String(), 32 }

// Valid reports whether the text has the syntax of a kind.
func (k kind) Valid() bool { return kindPattern.MatchString(string(k)) }

// Rule describes the rule of Valid in a sentence without a subject.
func (kind) Rule() string { return "must be 1 to 32 letters, digits, dots, underscores and hyphens" }

// Check rejects the kinds of the service's entries.
func (in *enterRequest) Check() error {
	if slices.Contains([]kind{Paid, Refunded, Transferred}, in.Body.Kind) {
		return apperr.Invalid(apperr.Field{Pointer: "/kind", Code: "reserved", Message: "must not be payment, refund or transfer: the service makes entries of these kinds"})
	}
	return nil
}

func (h handler) enter(ctx context.Context, u *uow.Unit, in enterRequest) (httpapi.Created[entryView], error) {
	posting := Posting{UserID: in.UserID, Amount: *in.Body.Amount, Kind: string(in.Body.Kind), Reference: in.Body.Reference}
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
	Body walletTransferRequest
}

type walletTransferRequest struct {
	FromUserID principal.CustomerID `json:"fromUserId" validate:"pattern"`
	ToUserID   principal.CustomerID `json:"toUserId" validate:"pattern"`
	// In minor units.
	Amount    int64  `json:"amount" validate:"min=1"`
	Reference string `json:"reference" validate:"reference"`
}

// Check rejects a transfer to the same wallet.
func (in *transferRequest) Check() error {
	if in.Body.FromUserID == in.Body.ToUserID {
		return apperr.Invalid(apperr.Field{Pointer: "/toUserId", Code: "different", Message: "must be another user than fromUserId"})
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
