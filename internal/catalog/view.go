package catalog

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

type itemView struct {
	SKU           string                `json:"sku"`
	Name          string                `json:"name"`
	Price         int64                 `json:"price"`
	Currency      string                `json:"currency"`
	OwnedByUserID *principal.CustomerID `json:"ownedByUserId"`
	Status        string                `json:"status"`
	guard.Stamp
}

func viewOf(ctx context.Context, item Item) itemView {
	return itemView{
		SKU: item.SKU, Name: item.Name, Price: item.Price, Currency: principal.CurrencyOf(ctx), OwnedByUserID: item.OwnedByUserID,
		Status: item.Status, Stamp: item.Stamp(),
	}
}

// editedView is an item with the changes that an edit was merged with.
type editedView struct {
	itemView
	Merged *change.Merged `json:"merged,omitempty"`
}

type revisionView struct {
	Version       int64                 `json:"version"`
	Action        string                `json:"action"`
	Name          string                `json:"name"`
	Price         int64                 `json:"price"`
	Currency      string                `json:"currency"`
	OwnedByUserID *principal.CustomerID `json:"ownedByUserId"`
	Status        string                `json:"status"`
	ChangedBy     principal.Person      `json:"changedBy"`
	ChangedTime   time.Time             `json:"changedTime"`
}

func revisionViewOf(ctx context.Context, r Revision) revisionView {
	return revisionView{
		Version: r.Version, Action: r.Action, Name: r.Name, Price: r.Price, Currency: principal.CurrencyOf(ctx), OwnedByUserID: r.OwnedByUserID,
		Status: r.Status, ChangedBy: r.By(), ChangedTime: r.ChangedTime,
	}
}
