// Package imports reads the table files that people import, and changes nothing.
//
// Invariants:
//
//   - A preview runs no statement. The caller writes the rows with the routes of their domain.
//   - A caller previews only the kinds of records that it may write.
//
// It depends on no domain: each declares its tables.
package imports

import (
	"context"
	"slices"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/base/tablefile"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Service reads files. It is safe for concurrent use.
type Service struct{ kinds []module.Import }

// New returns a Service for these kinds.
func New(kinds ...module.Import) *Service { return &Service{kinds: kinds} }

// Preview reads a file as a table of a kind. Errors: MalformedRequest for an unknown kind, Forbidden,
// and those of tablefile.Read.
func (s *Service) Preview(ctx context.Context, kind string, content []byte, options tablefile.Options) (*tablefile.Table, error) {
	i := slices.IndexFunc(s.kinds, func(k module.Import) bool { return k.Name == kind })
	if i < 0 {
		return nil, apperr.Malformed("?kind", "must be one of "+strings.Join(s.names(), ", "))
	}
	if err := httpapi.Permitted(ctx, s.kinds[i].Permission); err != nil {
		return nil, err
	}
	return tablefile.Read(content, s.kinds[i].Kind, options)
}

func (s *Service) names() []string {
	names := make([]string, len(s.kinds))
	for i, kind := range s.kinds {
		names[i] = kind.Name
	}
	return names
}
