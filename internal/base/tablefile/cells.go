package tablefile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// separators are in the order of preference between equally plausible separators: a comma can be
// part of an amount, a semicolon rarely, and a tab never.
const separators = "\t;,|"

// Code is the reason for the rejection of a line.
type Code string

// The reasons.
const (
	// UnclosedQuote: a quote is not closed, or is inside a cell.
	UnclosedQuote Code = "quote"
	// OtherWidth: the number of cells differs from that of the first line.
	OtherWidth Code = "cells"
	// Undecodable: the line has bytes that are invalid in the encoding, or a replacement character.
	Undecodable Code = "encoding"
	// ControlCharacter: the line has a control character.
	ControlCharacter Code = "control"
	// NoValue: the column that identifies the row has no value.
	NoValue Code = "key"
	// NotANumber: a cell is not a number in the decimal style of the file.
	NotANumber Code = "number"
	// AmbiguousNumber: a cell such as 1.200 is a number in both decimal styles.
	AmbiguousNumber Code = "ambiguous_number"
	// UnknownValue: a cell is not one of the values of its column.
	UnknownValue Code = "value"
	// TooLarge: the line has more than maxCells cells, or a cell has more than maxCell characters.
	TooLarge Code = "size"
	// NoFirstLine: the line has the values of the first line of its group, and that line may be rejected.
	NoFirstLine Code = "group"
)

// maxCells is the maximum number of cells of a line.
const maxCells = 1_000

// maxCell is the maximum number of characters of a cell, which is that of Excel.
const maxCell = 32_767

// Enum returns the reasons.
func (Code) Enum() []string {
	codes := []Code{UnclosedQuote, OtherWidth, Undecodable, ControlCharacter, NoValue, NotANumber, AmbiguousNumber, UnknownValue, TooLarge, NoFirstLine}
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = string(code)
	}
	return names
}

// Span is the lines of a row. Lines are numbered from 1, and a quoted cell can contain line breaks.
type Span struct{ Line, Last int }

// Rejected is a line that is not read.
type Rejected struct {
	Span
	Code Code
	// Column is the header of the cell; "" if the line as a whole is rejected.
	Column string
	// Text is the content of the cell.
	Text string
}

// Reason returns the reason of the rejection in a sentence.
func (r Rejected) Reason() string {
	switch r.Code {
	case UnclosedQuote:
		return "A quote is not closed, or is inside a cell."
	case OtherWidth:
		return "The number of cells differs from the first line."
	case Undecodable:
		return "The line contains bytes that are invalid in this encoding."
	case ControlCharacter:
		return "The line contains a control character."
	case NoValue:
		return "The column that identifies the row is empty."
	case TooLarge:
		return fmt.Sprintf("The line has more than %d cells, or a cell with more than %d characters.", maxCells, maxCell)
	case NoFirstLine:
		return "The line has the values of the first line of its group, and the line before the group is rejected."
	case AmbiguousNumber:
		return fmt.Sprintf("%s: %q is a different number with a decimal point than with a decimal comma. Choose the decimal separator.", r.Column, r.Text)
	case NotANumber:
		return fmt.Sprintf("%s: %q is not a number in the style of the file.", r.Column, r.Text)
	default:
		return fmt.Sprintf("%s: %q is not one of the known values.", r.Column, r.Text)
	}
}

// record is a line with its cells. Its code is "" unless it is rejected.
type record struct {
	Span
	cells []string
	code  Code
}

// grid is a text that is split into cells.
type grid struct {
	separator rune
	// isDeclared is true if the first line of the file is "sep=;", as Excel writes it.
	isDeclared bool
	// records contains no empty lines. The first one has the header, or the first row.
	records []record
}

// split splits a text into cells (RFC 4180). separator is 0 unless the caller chose one. Lines without
// a value are omitted. A rejected line ends at its first line break, and splitting resumes at the next
// one. If the first line is rejected, no other line is read, because it decides the number of cells.
// Splitting stops after MaxRows lines and one more.
func split(text string, separator rune) grid {
	g := grid{separator: separator}
	line := 1
	if rest, declared, ok := declaration(text); ok {
		text, line, g.isDeclared = rest, 2, true
		if separator == 0 {
			g.separator = declared
		}
	}
	if g.separator == 0 {
		g.separator = detectSeparator(text)
	}
	for text != "" && len(g.records) <= MaxRows {
		var r record
		r, text = next(text, g.separator, line)
		line = r.Last + 1
		if r.code == "" && !slices.ContainsFunc(r.cells, func(cell string) bool { return cell != "" }) {
			continue
		}
		if r.code == "" && len(g.records) > 0 && len(r.cells) != len(g.records[0].cells) {
			r.code = OtherWidth
		}
		g.records = append(g.records, r)
		if g.records[0].code != "" {
			break
		}
	}
	return g
}

// declaration reads a first line such as "sep=;".
func declaration(text string) (rest string, separator rune, ok bool) {
	const length = len("sep=")
	line, rest := cutLine(text)
	if len(line) <= length || !strings.EqualFold(line[:length], "sep=") {
		return text, 0, false
	}
	separator, size := utf8.DecodeRuneInString(line[length:])
	// A spreadsheet can add separators to make the line as wide as the others.
	if !strings.ContainsRune(separators, separator) || strings.Trim(line[length+size:], separators) != "" {
		return text, 0, false
	}
	return rest, separator, true
}

// detectSeparator returns the separator with which the most lines have the width of the first one.
func detectSeparator(text string) rune {
	const enough = 100
	best, bestRows, bestWidth := ',', -1, 1
	for _, separator := range separators {
		first, rest := next(text, separator, 1)
		width, rows := len(first.cells), 0
		for lines := 0; rest != "" && lines < enough; lines++ {
			var r record
			if r, rest = next(rest, separator, 1); len(r.cells) == width {
				rows++
			}
		}
		if width > 1 && (rows > bestRows || rows == bestRows && width > bestWidth) {
			best, bestRows, bestWidth = separator, rows, width
		}
	}
	return best
}

// next reads one row, and returns the text after it.
func next(text string, separator rune, line int) (r record, rest string) {
	r.Span = Span{Line: line, Last: line}
	var code Code
	for left := text; ; {
		cell, after, ok := nextCell(left, separator)
		if !ok || len(r.cells) == maxCells {
			raw, rest := cutLine(text)
			if code = UnclosedQuote; ok {
				code = TooLarge
			}
			return record{Span: r.Span, code: cmp.Or(textCode(raw), code)}, rest
		}
		if len(cell) > maxCell && utf8.RuneCountInString(cell) > maxCell {
			code = TooLarge
		}
		r.cells = append(r.cells, clean(cell))
		if c, size := utf8.DecodeRuneInString(after); c == separator && size > 0 {
			left = after[size:]
			continue
		}
		raw := text[:len(text)-len(after)]
		r.Last += lineBreaks(raw)
		if r.code = cmp.Or(textCode(raw), code); r.code != "" {
			r.cells = nil
		}
		_, rest = cutLine(after)
		return r, rest
	}
}

// textCode returns the reason for the rejection of the characters of a line; "" for none.
func textCode(raw string) Code {
	switch {
	case strings.ContainsRune(raw, utf8.RuneError):
		return Undecodable
	case strings.ContainsFunc(raw, isControl):
		return ControlCharacter
	}
	return ""
}

// nextCell reads one cell, and returns the text from its separator or line break. ok is false for a
// quote that is not closed or is inside a cell. Spreadsheets copy cells with quotes unquoted if tabs
// separate the cells.
func nextCell(text string, separator rune) (cell, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexFunc(text, func(r rune) bool { return r == separator || r == '\n' || r == '\r' })
		if end < 0 {
			end = len(text)
		}
		return text[:end], text[end:], separator == '\t' || !strings.Contains(text[:end], `"`)
	}
	end := 1
	for {
		quote := strings.IndexByte(text[end:], '"')
		if quote < 0 {
			return "", "", false
		}
		if end += quote + 1; !strings.HasPrefix(text[end:], `"`) {
			break
		}
		end++
	}
	cell, rest = strings.ReplaceAll(text[1:end-1], `""`, `"`), strings.TrimLeft(text[end:], " ")
	r, size := utf8.DecodeRuneInString(rest)
	return cell, rest, size == 0 || r == separator || r == '\n' || r == '\r'
}

// cutLine returns the text before and after the first line break.
func cutLine(text string) (line, rest string) {
	end := strings.IndexAny(text, "\r\n")
	if end < 0 {
		return text, ""
	}
	line, rest = text[:end], text[end+1:]
	if text[end] == '\r' {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return line, rest
}

func lineBreaks(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}

// clean returns a cell without surrounding spaces, and without the apostrophes that exports add so that
// a spreadsheet does not evaluate a formula or round a number.
func clean(cell string) string {
	cell = strings.TrimSpace(cell)
	if !strings.Contains(cell, "'") {
		return cell
	}
	if digits := strings.TrimPrefix(cell, "'"); digits != "" && strings.Trim(digits, "0123456789") == "" {
		return digits
	}
	var b strings.Builder
	isStart := true
	for i, r := range cell {
		if r == '\'' && isStart && startsFormula(cell[i+1:]) {
			isStart = false
			continue
		}
		b.WriteRune(r)
		isStart = strings.ContainsRune(";|\t\r\n", r)
	}
	return b.String()
}

// FormulaStarts are the first characters of a cell that a spreadsheet can evaluate as a formula. Exports
// add an apostrophe before them, and clean removes it.
const FormulaStarts = "=@+-＝＠＋－\t\r\n"

// startsFormula reports whether a text, after further apostrophes, starts like a formula.
func startsFormula(text string) bool {
	text = strings.TrimLeft(text, "'")
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && strings.ContainsRune(FormulaStarts, r)
}
