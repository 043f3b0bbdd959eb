package wallets

import (
	"context"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

// myRoutes registers the routes of customers, who read their wallets.
func myRoutes(r *httpapi.Router, h handler) {
	mine := r.About(httpapi.Resource{Tag: "Customers", Noun: "my wallet", Example: myWalletView{5000, "CNY"}})
	httpapi.GetOf(mine, "/my/wallet", "", httpapi.Myself, h.mine).
		Doc("Get my wallet", "The wallet of the calling customer, or of the customer that an API token acts for.").
		With(httpapi.Contract{ID: "getMyWallet", ForCustomers: true})
}

// myWalletView is a wallet for its customer.
type myWalletView struct {
	// In minor units.
	Balance  int64  `json:"balance" validate:"min=0"`
	Currency string `json:"currency"`
}

func (h handler) mine(ctx context.Context, me principal.CustomerID, _ httpapi.None) (myWalletView, error) {
	wallet, err := h.service.Wallet(ctx, me)
	if err != nil {
		return myWalletView{}, err
	}
	return myWalletView{wallet.Balance, principal.CurrencyOf(ctx)}, nil
}
