package customers

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

// The permissions to read orders, and the balances of wallets.
const (
	readPermission    = "orders:read"
	balancePermission = "wallets:read"
)

// Routes registers the list of customers.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Customers", Noun: "customer", Example: example})
	httpapi.Get(r, "/customers", readPermission, handler{s}.list).
		Doc("List customers", "The users who have orders, with the sums of their orders; the latest order first by default. A customer has no other record.").
		With(httpapi.Contract{Sorts: sorts})
}

type handler struct{ service *Service }

type listRequest struct {
	// Prefix of the user's id.
	Prefix httpapi.Search `query:"q"`
	httpapi.Page
}

type customerView struct {
	UserID principal.CustomerID `json:"userId"`
	// The email of the latest order.
	Email *string `json:"email"`
	// The number of orders, including cancelled ones; at most 10,000.
	Orders   int64  `json:"orders" validate:"min=1,max=10000"`
	Currency string `json:"currency"`
	// The sum of the payments of the orders without the settled refunds, in minor units. Null for a customer with more than 10,000 orders.
	Spent *int64 `json:"spent" validate:"min=0"`
	// When the latest order was created.
	LastOrderTime time.Time `json:"lastOrderTime"`
	// The balance of the wallet, in minor units. Only for callers with `wallets:read`.
	Balance *int64 `json:"balance,omitempty" validate:"min=0"`
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[customerView], error) {
	listing, err := h.service.List(ctx, string(in.Prefix), in.Page.Page())
	reveals := httpapi.MayReveal(ctx, balancePermission)
	return httpapi.ListOf(listing, func(c Customer) customerView { return viewOf(ctx, c, reveals) }), err
}

func viewOf(ctx context.Context, c Customer, reveals bool) customerView {
	v := customerView{
		UserID: c.UserID, Email: httpapi.OrNull(c.Email), Orders: c.Orders, Currency: principal.CurrencyOf(ctx), LastOrderTime: c.LastOrderTime,
	}
	if !c.More {
		v.Spent = &c.Spent
	}
	if reveals {
		v.Balance = &c.Balance
	}
	return v
}

// example is a customer for the contract.
var example = viewOf(principal.With(context.Background(), principal.Principal{Currency: "CNY"}), Customer{
	UserID: "user-12", Email: "li@example.com", Orders: 3, Spent: 10_440, LastOrderTime: time.Date(2026, time.January, 31, 9, 30, 0, 123_456_000, time.UTC), Balance: 1200,
}, true)
