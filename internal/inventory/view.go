package inventory

import (
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
)

type stockView struct {
	SKU       string `json:"sku"`
	OnHand    int64  `json:"onHand"`
	Reserved  int64  `json:"reserved"`
	Available int64  `json:"available"`
	guard.OptionalStamp
}

func viewOf(i Inventory) stockView {
	return stockView{SKU: i.SKU, OnHand: i.OnHand, Reserved: i.Reserved, Available: i.Free(), OptionalStamp: i.OptionalStamp()}
}

type movementView struct {
	ID   int64  `json:"id"`
	SKU  string `json:"sku"`
	Kind string `json:"kind"`
	// Delta is the change of the available units.
	Delta         int64            `json:"delta"`
	OnHandDelta   int64            `json:"onHandDelta"`
	ReservedDelta int64            `json:"reservedDelta"`
	OnHand        int64            `json:"onHand"`
	Reserved      int64            `json:"reserved"`
	Available     int64            `json:"available"`
	Version       int64            `json:"version"`
	Holder        *string          `json:"holder"`
	Reason        string           `json:"reason"`
	Reference     string           `json:"reference"`
	CreatedBy     principal.Person `json:"createdBy"`
	CreatedTime   time.Time        `json:"createdTime"`
}

func movementViewOf(m Movement) movementView {
	v := movementView{
		ID: m.ID, SKU: m.SKU, Kind: m.Kind, Delta: m.delta(), OnHandDelta: m.OnHandDelta, ReservedDelta: m.ReservedDelta,
		OnHand: m.OnHand, Reserved: m.Reserved, Available: m.OnHand - m.Reserved, Version: m.Version,
		Reason: m.Reason, Reference: m.Reference,
		CreatedBy: principal.Person{ID: m.CreatedBy, Name: m.CreatedByName}, CreatedTime: m.CreatedTime,
	}
	if m.Holder != "" {
		v.Holder = &m.Holder
	}
	return v
}
