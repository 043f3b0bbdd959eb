package catalog

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

type itemView struct {
	SKU  SKU    `json:"sku"`
	Name string `json:"name" validate:"name=200"`
	// In minor units.
	Price    int64  `json:"price" validate:"min=0"`
	Currency string `json:"currency"`
	// The user who owns the item; null for none.
	OwnedByUserID *principal.CustomerID `json:"ownedByUserId"`
	// Archived items can be read but not ordered.
	Status Status `json:"status"`
	guard.Stamp
}

func viewOf(ctx context.Context, item Item) itemView {
	return itemView{
		SKU: SKU(item.SKU), Name: item.Name, Price: item.Price, Currency: principal.CurrencyOf(ctx), OwnedByUserID: item.OwnedByUserID,
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
	Action        string                `json:"action" validate:"oneof=create update"`
	Name          string                `json:"name"`
	Price         int64                 `json:"price"`
	Currency      string                `json:"currency"`
	OwnedByUserID *principal.CustomerID `json:"ownedByUserId"`
	Status        Status                `json:"status"`
	ChangedBy     principal.Person      `json:"changedBy"`
	ChangedTime   time.Time             `json:"changedTime"`
}

func revisionViewOf(ctx context.Context, r Revision) revisionView {
	return revisionView{
		Version: r.Version, Action: r.Action, Name: r.Name, Price: r.Price, Currency: principal.CurrencyOf(ctx), OwnedByUserID: r.OwnedByUserID,
		Status: r.Status, ChangedBy: r.By(), ChangedTime: r.ChangedTime,
	}
}

// example is an item for the contract.
var example = func() itemView {
	created := time.Date(2026, time.January, 31, 9, 30, 0, 123_456_000, time.UTC)
	return viewOf(principal.With(context.Background(), principal.Principal{Currency: "CNY"}), Item{
		Row:     guard.Row{ID: 1, Version: 1, CreatedTime: created, UpdatedTime: created, UpdatedBy: 7, UpdatedByName: "Li"},
		SKU:     "TEA-100",
		Content: Content{Name: "Green tea 100 g", Price: 1990, Status: Active},
	})
}()
