package tablefile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/width"

	"interlock/internal/base/apperr"
)

// mapping is the use of each column of a file.
type mapping struct {
	hasHeader bool
	// uses has the name of a column of the kind for each column of the file; "" ignores it.
	uses []string
	// isComplete is true if a column identifies the rows, and a header or the caller names it.
	isComplete bool
}

// mappingOf returns the mapping of the caller, else that of known headers, else a proposal.
func mappingOf(records []record, kind Kind, options Options) (mapping, error) {
	head := records[0].cells
	known := knownHeaders(head, kind)
	isKnown := slices.ContainsFunc(known, func(use string) bool { return use != "" })
	m := mapping{hasHeader: isKnown || len(records) > 1 && areNames(head), uses: known}
	if options.Header != nil {
		m.hasHeader = *options.Header
	}
	switch {
	case options.Mapping != nil:
		if err := checkMapping(options.Mapping, len(head), kind); err != nil {
			return m, err
		}
		m.uses = options.Mapping
	case !isKnown || !m.hasHeader:
		m.uses = make([]string, len(head))
		copy(m.uses, kind.Names())
		return m, nil
	}
	m.isComplete = slices.Contains(m.uses, kind.Columns[0].Name)
	return m, nil
}

// knownHeaders returns the column of the kind for each header; "" for unknown ones. Each column uses
// the header that comes first in its list, or a fallback if no header of the file is doubtful.
func knownHeaders(head []string, kind Kind) []string {
	keys := make([]string, len(head))
	for i, cell := range head {
		keys[i] = headerKey(cell)
	}
	uses := make([]string, len(head))
	use := func(headers []string, name string) bool {
		for _, header := range headers {
			if i := slices.Index(keys, header); i >= 0 && uses[i] == "" {
				uses[i] = name
				return true
			}
		}
		return false
	}
	for _, column := range kind.Columns {
		headers := append([]string{headerKey(column.Name)}, column.Headers...)
		if !slices.ContainsFunc(column.Doubtful, func(header string) bool { return slices.Contains(keys, header) }) {
			headers = append(headers, column.Fallbacks...)
		}
		if !use(headers, column.Name) {
			continue
		}
		for _, part := range column.Parts {
			use([]string{part}, column.Name)
		}
	}
	return uses
}

// maxHead is the size of the part of a file that contains its headers, in bytes.
const maxHead = 64 << 10

// byKnownHeaders sorts encodings by the number of known headers that the file has in them. A few cells
// in Chinese are also plausible Korean, but only one of the two has headers of the kind.
func byKnownHeaders(found []Encoding, content []byte, kind Kind) []Encoding {
	if len(found) < 2 {
		return found
	}
	head := content[:min(len(content), maxHead)]
	known := make(map[Encoding]int, len(found))
	for _, name := range found {
		g := split(decode(head, name), 0)
		if len(g.records) == 0 {
			continue
		}
		for _, use := range knownHeaders(g.records[0].cells, kind) {
			if use != "" {
				known[name]++
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Encoding) int { return known[b] - known[a] })
	return found
}

// checkMapping checks a mapping of the caller. Errors: MalformedRequest.
func checkMapping(uses []string, width int, kind Kind) error {
	if len(uses) != width {
		return apperr.Malformed("?mapping", fmt.Sprintf("has %d columns, and the file has %d", len(uses), width))
	}
	seen := map[string]bool{}
	for _, use := range uses {
		column, ok := kind.column(use)
		if use != "" && !ok {
			return apperr.Malformed("?mapping", fmt.Sprintf("contains %q; the columns are %s", use, strings.Join(kind.Names(), ", ")))
		}
		if use != "" && seen[use] && column.Parts == nil {
			return apperr.Malformed("?mapping", fmt.Sprintf("contains %q more than once", use))
		}
		seen[use] = true
	}
	return nil
}

// headerKey returns a header in small letters, without the differences that people and shops make.
func headerKey(header string) string {
	words := strings.FieldsFunc(strings.ToLower(width.Fold.String(header)), func(r rune) bool { return strings.ContainsRune(" \u00a0\t\r\n_-.:*", r) })
	return strings.Join(words, " ")
}

// nameLike matches a cell that can be a header: cells that identify rows usually contain a digit.
var nameLike = regexp.MustCompile(`^[\p{L}\s_()./-]*$`)

func areNames(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return !nameLike.MatchString(cell) })
}

// isListSeparator reports whether a character separates the names of a list in one line.
func isListSeparator(r rune) bool { return strings.ContainsRune(" \u00a0\t\r\n,;，；、|", r) }

// readList reads a list of names: one line with names between separators, or one name in each line.
// It returns false for a table: a line with several cells, a known header, or a first line that can be
// a header.
func (t *Table) readList(g grid, kind Kind, options Options) bool {
	if g.isDeclared || len(g.records) == 0 || g.records[0].code != "" || options.Header != nil && *options.Header {
		return false
	}
	key, first := kind.Columns[0].Name, g.records[0]
	if slices.Contains(knownHeaders(first.cells, kind), key) {
		return false
	}
	add := func(span Span, name string) {
		t.Rows = append(t.Rows, Row{Span: span, Values: map[string]string{key: name}})
	}
	if len(g.records) == 1 {
		for _, cell := range first.cells {
			for name := range strings.FieldsFuncSeq(cell, isListSeparator) {
				add(first.Span, name)
			}
		}
		t.IsMapped = true
		return true
	}
	if len(first.cells) > 1 || options.Header == nil && areNames(first.cells) {
		return false
	}
	for _, row := range g.records {
		if row.code != "" {
			t.Rejected = append(t.Rejected, Rejected{Span: row.Span, Code: row.code})
			continue
		}
		add(row.Span, row.cells[0])
	}
	t.IsMapped = true
	return true
}
