package search

import (
	"context"
	"strings"
	"unicode/utf8"

	"interlock/internal/base/apperr"
	"interlock/internal/edge/httpapi"
)

// longest is the maximum length of a search text in characters.
const longest = 100

// Routes registers the search. The searched kinds depend on the caller's permissions.
func Routes(r *httpapi.Router, s *Service) { httpapi.Get(r, "/search", "", handler{s}.search) }

type handler struct{ service *Service }

type searchRequest struct {
	Text string `query:"q"`
}

func (r *searchRequest) Check() error {
	r.Text = strings.TrimSpace(r.Text)
	if length := utf8.RuneCountInString(r.Text); length < 1 || length > longest {
		return apperr.Malformed("?q", "must have 1 to 100 characters that are not spaces at its ends")
	}
	return nil
}

func (h handler) search(ctx context.Context, in searchRequest) (resultView, error) {
	found, err := h.service.Search(ctx, in.Text)
	return resultOf(found), err
}
