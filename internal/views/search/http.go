package search

import (
	"context"
	"strings"

	"interlock/internal/edge/httpapi"
)

// Routes registers the search. The searched kinds depend on the caller's permissions.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Overview", Noun: "search"})
	httpapi.Get(r, "/search", "", handler{s}.search).
		Doc("Search by prefix", "Searches configs by key, orders by number, users by id (those that have ordered), items by sku and name, coupons by code, "+
			"aggregates by id, campaigns by name, refunds by the reference of their money and work orders by title. Hits start with the text, as typed or in "+
			"another case; they are grouped by kind, at most eight of each. Exact matches come first within their kind, and their kind comes before the others.\n\n"+
			"Kinds that you may not read are omitted.").
		With(httpapi.Contract{ID: "search", Success: "The hits.", Reply: resultView{[]hitView{
			{Kind: "config", ID: "checkout.tax", Title: "checkout.tax", Subtitle: "Standard rate", Href: "/configs/checkout.tax"},
		}}})
}

type handler struct{ service *Service }

type searchRequest struct {
	// The prefix to search for. Leading and trailing spaces are ignored.
	Text string `query:"q" validate:"required,max=100"`
}

// Check removes the spaces around the text.
func (r *searchRequest) Check() error {
	r.Text = strings.TrimSpace(r.Text)
	return nil
}

func (h handler) search(ctx context.Context, in searchRequest) (resultView, error) {
	found, err := h.service.Search(ctx, in.Text)
	return resultOf(found), err
}
