package wallets

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of wallets.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	const read, write = "wallets:read", "wallets:write"
	r.Query("/wallets", read, h.list)
	r.Query("/wallets/:userId", read, h.get)
	r.Query("/wallets/:userId/entries", read, h.entries)
	r.Critical().Mutation(http.MethodPost, "/wallets/:userId/entries", write, h.enter)
	r.Critical().Mutation(http.MethodPost, "/wallet-transfers", write, h.transfer)
}

type handler struct{ service *Service }

type representation struct {
	UserID  principal.CustomerID `json:"userId"`
	Balance int64                `json:"balance"`
	guard.LateStamp
}

func represent(w Wallet) representation {
	return representation{UserID: w.UserID, Balance: w.Balance, LateStamp: w.LateStamp()}
}

type entryView struct {
	ID          int64                 `json:"id"`
	UserID      principal.CustomerID  `json:"userId"`
	Amount      int64                 `json:"amount"`
	Balance     int64                 `json:"balance"`
	Version     int64                 `json:"version"`
	Kind        string                `json:"kind"`
	Reference   string                `json:"reference"`
	OtherUserID *principal.CustomerID `json:"otherUserId"`
	CreatedBy   principal.Person      `json:"createdBy"`
	CreatedTime time.Time             `json:"createdTime"`
}

func representEntry(e Entry) entryView {
	return entryView{
		ID: e.ID, UserID: e.UserID, Amount: e.Amount, Balance: e.Balance, Version: e.Version, Kind: e.Kind, Reference: e.Reference,
		OtherUserID: e.OtherUserID, CreatedBy: principal.Person{ID: e.CreatedBy, Name: e.CreatedByName}, CreatedTime: e.CreatedTime,
	}
}

// transferView is a transfer; its id is that of the entry that debits.
type transferView struct {
	ID          int64                `json:"id"`
	FromUserID  principal.CustomerID `json:"fromUserId"`
	ToUserID    principal.CustomerID `json:"toUserId"`
	Amount      int64                `json:"amount"`
	Reference   string               `json:"reference"`
	Debit       entryView            `json:"debit"`
	Credit      entryView            `json:"credit"`
	CreatedTime time.Time            `json:"createdTime"`
}

func (h handler) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	user, err := httpapi.CustomerParam(c, "userId")
	if err != nil {
		return httpapi.Reply{}, err
	}
	// The id is all that a wallet can be looked for by, so q is it.
	if user == "" {
		if user, err = httpapi.CustomerParam(c, "q"); err != nil {
			return httpapi.Reply{}, err
		}
	}
	listing, err := h.service.List(c.Request().Context(), user, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, represent), nil
}

func (h handler) get(c echo.Context) (httpapi.Reply, error) {
	user, err := httpapi.PathCustomer(c, "userId")
	if err != nil {
		return httpapi.Reply{}, err
	}
	wallet, err := h.service.Wallet(c.Request().Context(), user)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(represent(*wallet)), nil
}

func (h handler) entries(c echo.Context) (httpapi.Reply, error) {
	user, err := httpapi.PathCustomer(c, "userId")
	if err != nil {
		return httpapi.Reply{}, err
	}
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	filter := Filter{Reference: c.QueryParam("reference"), Kind: c.QueryParam("kind")}
	listing, err := h.service.Entries(c.Request().Context(), user, filter, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, representEntry), nil
}

type entryRequest struct {
	Amount    *int64 `json:"amount" validate:"required"`
	Kind      string `json:"kind"`
	Reference string `json:"reference"`
}

var kindPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// check asks the rules that need no wallet.
func (r entryRequest) check() error {
	var broken apperr.Fields
	broken.Unless(*r.Amount != 0, "/amount", "nonzero", "must not be 0")
	broken.Unless(kindPattern.MatchString(r.Kind), "/kind", "pattern", "must be 1 to 32 letters, digits, dots, underscores and hyphens")
	if field := httpapi.CheckReference(r.Reference); field != nil {
		broken = append(broken, *field)
	}
	if len(broken) > 0 {
		return apperr.Invalid(broken...)
	}
	return nil
}

func (h handler) enter(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	user, err := httpapi.PathCustomer(c, "userId")
	if err != nil {
		return httpapi.Reply{}, err
	}
	var request entryRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	wait, err := httpapi.WaitParam(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	if err := request.check(); err != nil {
		return httpapi.Reply{}, err
	}
	ctx, err := h.service.Lock(c.Request().Context(), u, wait, user)
	if err != nil {
		return httpapi.Reply{}, err
	}
	entry, first, err := h.service.Enter(ctx, u, Posting{UserID: user, Amount: *request.Amount, Kind: request.Kind, Reference: request.Reference})
	if err != nil {
		return httpapi.Reply{}, err
	}
	if !first {
		return httpapi.OK(representEntry(*entry)), nil
	}
	return httpapi.Created(locationOf(entry), representEntry(*entry)), nil
}

// locationOf is where an entry is found again.
func locationOf(entry *Entry) string {
	return fmt.Sprintf("%s/%s/entries?reference=%s", httpapi.Base, resource(entry.UserID), url.QueryEscape(entry.Reference))
}

type transferRequest struct {
	FromUserID principal.CustomerID `json:"fromUserId" validate:"pattern"`
	ToUserID   principal.CustomerID `json:"toUserId" validate:"pattern"`
	Amount     int64                `json:"amount" validate:"min=1"`
	Reference  string               `json:"reference"`
}

func (r transferRequest) check() error {
	if r.FromUserID == r.ToUserID {
		return apperr.Invalid(apperr.Field{Pointer: "/toUserId", Code: "different", Message: "must be another user than fromUserId"})
	}
	if field := httpapi.CheckReference(r.Reference); field != nil {
		return apperr.Invalid(*field)
	}
	return nil
}

func (h handler) transfer(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	var request transferRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	wait, err := httpapi.WaitParam(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	if err := request.check(); err != nil {
		return httpapi.Reply{}, err
	}
	ctx, err := h.service.Lock(c.Request().Context(), u, wait, request.FromUserID, request.ToUserID)
	if err != nil {
		return httpapi.Reply{}, err
	}
	out, in, first, err := h.service.Transfer(ctx, u, Transfer(request))
	if err != nil {
		return httpapi.Reply{}, err
	}
	view := transferView{
		ID: out.ID, FromUserID: out.UserID, ToUserID: in.UserID, Amount: in.Amount, Reference: out.Reference,
		Debit: representEntry(*out), Credit: representEntry(*in), CreatedTime: out.CreatedTime,
	}
	if !first {
		return httpapi.OK(view), nil
	}
	return httpapi.Created(locationOf(out), view), nil
}
