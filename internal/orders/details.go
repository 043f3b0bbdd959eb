package orders

import "slices"

// Terms are the payment terms of an order.
type Terms string

// Prepaid orders are paid before they are shipped. The others may be shipped unpaid.
const (
	Prepaid    Terms = "prepaid"
	OnDelivery Terms = "on_delivery"
	Invoice    Terms = "invoice"
)

// Enum returns the values in the contract.
func (Terms) Enum() []string {
	return []string{string(Prepaid), string(OnDelivery), string(Invoice)}
}

// Details are facts from the storefront about an order that change no amount and no stock. Edit
// changes them.
type Details struct {
	// The address for messages about the order; empty for none.
	Email string `json:"email,omitempty" validate:"omitempty,email,max=254"`
	// The addresses are nil for none, which "not null" stores as an empty text. They do not change
	// after the first shipment.
	ShippingAddress *Address `json:"shippingAddress,omitempty" gorm:"serializer:json;not null"`
	BillingAddress  *Address `json:"billingAddress,omitempty" gorm:"serializer:json;not null"`
	Note            string   `json:"note,omitempty" validate:"max=4000"`
	// Each once; they are stored in alphabetical order.
	Tags []string `json:"tags,omitempty" gorm:"serializer:json" validate:"max=20,unique,dive,name=50"`
	// Names and values of the storefront.
	Metadata map[string]string `json:"metadata,omitempty" gorm:"serializer:json" validate:"max=50,dive,keys,min=1,max=64,endkeys,max=500"`
}

// normalize brings equal details to one form: the tags are sorted, and an absent member is not nil. An
// erasure leaves an empty object of an address in the history.
func (d *Details) normalize() {
	tags := append([]string{}, d.Tags...)
	slices.Sort(tags)
	d.Tags = tags
	if d.Metadata == nil {
		d.Metadata = map[string]string{}
	}
	for _, address := range []**Address{&d.ShippingAddress, &d.BillingAddress} {
		if *address != nil && **address == (Address{}) {
			*address = nil
		}
	}
}

// Address is a postal address.
type Address struct {
	Name    string `json:"name" validate:"required,max=200"`
	Company string `json:"company,omitempty" validate:"max=200"`
	// Street and house number.
	Line1      string `json:"line1" validate:"required,max=200"`
	Line2      string `json:"line2,omitempty" validate:"max=200"`
	City       string `json:"city" validate:"required,max=100"`
	Region     string `json:"region,omitempty" validate:"max=100"`
	PostalCode string `json:"postalCode,omitempty" validate:"max=20"`
	// ISO 3166-1 alpha-2, such as DE.
	Country string `json:"country" validate:"required,iso3166_1_alpha2"`
	Phone   string `json:"phone,omitempty" validate:"max=40"`
}

// SchemaName returns the name in the contract.
func (Address) SchemaName() string { return "Address" }

// PaymentStatus describes how much of an order's amount was paid and refunded.
type PaymentStatus string

// The payment states.
const (
	Unpaid             PaymentStatus = "unpaid"
	PartlyPaid         PaymentStatus = "partly_paid"
	FullyPaid          PaymentStatus = "paid"
	PartlyRefunded     PaymentStatus = "partly_refunded"
	CompletelyRefunded PaymentStatus = "refunded"
)

// Enum returns the values in the contract.
func (PaymentStatus) Enum() []string {
	return []string{string(Unpaid), string(PartlyPaid), string(FullyPaid), string(PartlyRefunded), string(CompletelyRefunded)}
}

// SchemaName returns the name in the contract. PaymentStatus is the status of a payment.
func (PaymentStatus) SchemaName() string { return "OrderPaymentStatus" }

// PaymentStatus returns the payment status. An order without an amount is unpaid until its payment
// step. Refunds do not increase the amount that is due.
func (o *Order) PaymentStatus() PaymentStatus {
	switch {
	case o.Refunded > 0 && o.Refunded == o.Paid:
		return CompletelyRefunded
	case o.Refunded > 0:
		return PartlyRefunded
	case o.PaidTime != nil:
		return FullyPaid
	case o.Paid > 0:
		return PartlyPaid
	}
	return Unpaid
}

// FulfilmentStatus describes how many of an order's units were shipped.
type FulfilmentStatus string

// The fulfilment states.
const (
	NoneShipped   FulfilmentStatus = "none"
	PartlyShipped FulfilmentStatus = "partly_shipped"
	AllShipped    FulfilmentStatus = "shipped"
)

// Enum returns the values in the contract.
func (FulfilmentStatus) Enum() []string {
	return []string{string(NoneShipped), string(PartlyShipped), string(AllShipped)}
}

// FulfilmentStatus returns the fulfilment status. Units that a refund or the cancellation returned
// to stock before their shipment do not count.
func (o *Order) FulfilmentStatus() FulfilmentStatus {
	switch {
	case o.unitsShipped() == 0:
		return NoneShipped
	case o.unitsHeld() > 0:
		return PartlyShipped
	}
	return AllShipped
}

// Due returns the amount that the customer still owes, in minor units; 0 for a cancelled order.
func (o *Order) Due() int64 {
	if o.Cancelled() {
		return 0
	}
	return o.Amount - o.Paid
}
