package search

type resultView struct {
	Items []hitView `json:"items"`
}

type hitView struct {
	Kind string `json:"kind" schema:"SearchKind"`
	// Identifies it within its kind: key, sku, code or id.
	ID string `json:"id" validate:"required"`
	// The display name: a config's key, the path of the resource that an approval changes, an order's number, a sku, a code,
	// the name of a campaign or flash sale, a ticket, an idempotency key, a user's id.
	Title string `json:"title" validate:"required"`
	// A config's remark, the status of an approval, order, coupon or flash sale, an item's name, the days of a campaign, the
	// number of a user's latest order or of a ticket's, the sale of a ticket that has none, the request of an idempotency
	// key. May be empty.
	Subtitle string `json:"subtitle"`
	// The path of its page in the web admin.
	Href string `json:"href" pattern:"^/[a-z-]+[/?]"`
}

func resultOf(found []Found) resultView {
	view := resultView{Items: make([]hitView, len(found))}
	for i, f := range found {
		view.Items[i] = hitView{Kind: f.Kind, ID: f.ID, Title: f.Title, Subtitle: f.Subtitle, Href: f.Path}
	}
	return view
}
