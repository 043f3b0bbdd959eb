package search

import (
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/edge/httpapi"
)

// longest is how many characters are searched for.
const longest = 100

// Routes registers the search. What is searched depends on the caller's permissions.
func Routes(r *httpapi.Router, s *Service) { r.Query("/search", "", s.search) }

type hitView struct {
	Kind     string `json:"kind"`
	ID       string `json:"id"`
	Title    string `json:"title"`
	Subtitle string `json:"subtitle"`
	Href     string `json:"href"`
}

type resultView struct {
	Items []hitView `json:"items"`
}

func (s *Service) search(c echo.Context) (httpapi.Reply, error) {
	text := strings.TrimSpace(c.QueryParam("q"))
	if length := utf8.RuneCountInString(text); length < 1 || length > longest {
		return httpapi.Reply{}, apperr.Malformed("?q", "must have 1 to 100 characters that are not spaces at its ends")
	}
	found, err := s.Search(c.Request().Context(), text)
	if err != nil {
		return httpapi.Reply{}, err
	}
	result := resultView{Items: make([]hitView, len(found))}
	for i, f := range found {
		result.Items[i] = hitView{Kind: f.Kind, ID: f.ID, Title: f.Title, Subtitle: f.Subtitle, Href: f.Path}
	}
	return httpapi.OK(result), nil
}
