package orders

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Parcel is the record of one shipment of an order. It never changes. The unit that inserts it
// moves its units from ToShip to Shipped and removes them from stock, under the parcel's reference.
type Parcel struct {
	ID            int64
	TenantID      int64
	OrderID       int64
	Carrier       string
	TrackingNo    string
	CreatedBy     int64
	CreatedByName string
	CreatedTime   time.Time

	Lines []ParcelLine `gorm:"-"`
}

// TableName returns the table of parcels.
func (Parcel) TableName() string { return "shipments" }

// ParcelLine is the number of units of an order's line in a parcel.
type ParcelLine struct {
	ID         int64
	TenantID   int64
	ShipmentID int64
	OrderID    int64
	// LineID is the number of the line in its order, from 1.
	LineID   int64
	SKU      string
	Name     string
	Quantity int64
}

// TableName returns the table of the lines of parcels.
func (ParcelLine) TableName() string { return "shipment_lines" }

func (p *Parcel) add(o *Order, line ShipmentLine) {
	of := o.Lines[line.LineID-1]
	p.Lines = append(p.Lines, ParcelLine{OrderID: o.ID, LineID: line.LineID, SKU: of.SKU, Name: of.Name, Quantity: line.Quantity})
}

// reference returns the parcel's idempotency reference in stock.
func (p *Parcel) reference() string { return fmt.Sprintf("@shipments/%d", p.ID) }

// moves returns the moves of the order's lines.
func (p *Parcel) moves() []LineMove {
	moves := make([]LineMove, len(p.Lines))
	for i, line := range p.Lines {
		moves[i] = LineMove{SKU: line.SKU, ToShip: -line.Quantity, Shipped: line.Quantity}
	}
	return moves
}

// quantities returns the units of the parcel by sku.
func (p *Parcel) quantities() map[string]int64 {
	units := make(map[string]int64, len(p.Lines))
	for _, line := range p.Lines {
		units[line.SKU] = line.Quantity
	}
	return units
}

// shipmentDetail is the detail of a shipment in the history of its order.
type shipmentDetail struct {
	ShipmentID   int64          `json:"shipmentId"`
	Carrier      string         `json:"carrier"`
	TrackingNo   string         `json:"trackingNo"`
	ShipRefunded bool           `json:"shipRefunded,omitempty"`
	Lines        []ShipmentLine `json:"lines"`
}

// event returns the verb and the detail of the shipment in the history of its order.
func (s Shipment) event(after *Order) (verb string, detail any) {
	verb = s.action()
	if after.Status != shipped.Code {
		verb = partShipment
	}
	parcel := after.parcel
	shipment := shipmentDetail{
		ShipmentID: parcel.ID, Carrier: parcel.Carrier, TrackingNo: parcel.TrackingNo, ShipRefunded: s.ShipRefunded, Lines: make([]ShipmentLine, len(parcel.Lines)),
	}
	for i, line := range parcel.Lines {
		shipment.Lines[i] = ShipmentLine{LineID: line.LineID, Quantity: line.Quantity}
	}
	return verb, shipment
}

// insertParcel inserts a parcel with its lines, and sets its ids, author and time.
func insertParcel(ctx context.Context, u *uow.Unit, parcel *Parcel) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	caller, _ := principal.From(ctx)
	parcel.CreatedBy, parcel.CreatedByName, parcel.CreatedTime = caller.UserID, caller.Name, u.Now()
	if err := tx.Create(parcel).Error; err != nil {
		return fmt.Errorf("insert shipment: %w", err)
	}
	for i := range parcel.Lines {
		parcel.Lines[i].ShipmentID = parcel.ID
	}
	if err := storage.InsertDeferred(tx, parcel.Lines...); err != nil {
		return fmt.Errorf("insert shipment lines: %w", err)
	}
	return nil
}

var parcelSorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Unique: []string{"id"}, Default: "-id"}

// Parcels returns one page of an order's parcels with their lines.
func (s *Service) Parcels(ctx context.Context, order *Order, page storage.Page) (storage.Listing[Parcel], error) {
	listing, err := storage.List[Parcel](s.db.Read(ctx), page, parcelSorts, storage.OwnedBy("order_id", order.ID))
	if err != nil || len(listing.Rows) == 0 {
		return listing, err
	}
	return listing, storage.Attach(s.db.Read(ctx), "shipment_id", listing.Pointers(),
		func(p *Parcel) (int64, *[]ParcelLine) { return p.ID, &p.Lines }, func(l ParcelLine) int64 { return l.ShipmentID })
}
