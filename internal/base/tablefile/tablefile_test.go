package tablefile_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

	"interlock/internal/base/apperr"
	"interlock/internal/base/tablefile"
)

// plain is a kind of table with two texts.
var plain = tablefile.Kind{Name: "plain", Columns: []tablefile.Column{{Name: "sku"}, {Name: "name"}}}

func read(t require.TestingT, text string, kind tablefile.Kind, options tablefile.Options) *tablefile.Table {
	table, err := tablefile.Read([]byte(text), kind, options)
	require.NoError(t, err)
	return table
}

// Proves G6.6.
func TestMalformedLinesAreRejectedByNumber(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rejected   map[int]tablefile.Code
		rows       []int
	}{
		{"a quote that ends before its cell", "sku,name\n\"Green\" tea,1\nCUP,2", map[int]tablefile.Code{2: tablefile.UnclosedQuote}, []int{3}},
		{"a quote that is not closed", "sku,name\n\"Green tea,1\nCUP,2\nPOT,3", map[int]tablefile.Code{2: tablefile.UnclosedQuote}, []int{3, 4}},
		{"a quote that only a later line closes", "sku,name\nTEA,\"1\nCUP\",\"2\"\n\"x\ny\",2", map[int]tablefile.Code{2: tablefile.OtherWidth}, []int{4}},
		{"a quote inside a cell", "sku,name\n12\" pan,1\nCUP,2", map[int]tablefile.Code{2: tablefile.UnclosedQuote}, []int{3}},
		{"too few cells, and too many", "sku,name\nTEA\nCUP,2\nPOT,3,4", map[int]tablefile.Code{2: tablefile.OtherWidth, 4: tablefile.OtherWidth}, []int{3}},
		{"a replacement character", "sku,name\n\"two\nlines\",1\nM\ufffdller,2", map[int]tablefile.Code{4: tablefile.Undecodable}, []int{2}},
		{"a broken byte", "sku,name\nTEA,Grüner Tee\nCUP,Gr\xffn\n", map[int]tablefile.Code{3: tablefile.Undecodable}, []int{2}},
		{"no name of the row", "sku,name\n,Tea\nCUP,Cup", map[int]tablefile.Code{2: tablefile.NoValue}, []int{3}},
		{"a control character", "sku,name\nTEA,T\x0bea\nCUP,C\u0085up\nPOT,Grüner Tee\x1a", map[int]tablefile.Code{2: tablefile.ControlCharacter, 3: tablefile.ControlCharacter}, []int{4}},
		{"a control character in a code page", "sku,name\nTEA,T\x0bea\nCUP,M\xfcller\n", map[int]tablefile.Code{2: tablefile.ControlCharacter}, []int{3}},
		{"a long cell", "sku,name\nTEA,\"1\n" + strings.Repeat("ä", 32_767) + "\"\nCUP," + strings.Repeat("ä", 32_767), map[int]tablefile.Code{2: tablefile.TooLarge}, []int{4}},
		{"many cells", "sku,name\nTEA" + strings.Repeat(",", 1_000) + "\nCUP,2", map[int]tablefile.Code{2: tablefile.TooLarge}, []int{3}},
		{"a first line with many cells", strings.Repeat(",", 1<<20) + "\nCUP,2", map[int]tablefile.Code{1: tablefile.TooLarge}, nil},
		{"a first line with an open quote", "\"sku,name\nTEA,Tea", map[int]tablefile.Code{1: tablefile.UnclosedQuote}, nil},
	} {
		table := read(t, c.text, plain, tablefile.Options{})
		rows, rejected := byLine(table)
		require.Equal(t, c.rejected, rejected, c.name)
		require.Equal(t, c.rows, slices.Sorted(maps.Keys(rows)), c.name)
		for _, r := range table.Rejected {
			require.NotEmpty(t, r.Reason(), c.name)
		}
	}
}

func TestCellsAreSplitBySeparatorAndQuotes(t *testing.T) {
	for text, cells := range map[string][][]string{
		"a\tb, c\n1\t2":                 {{"a", "b, c"}, {"1", "2"}},
		"\ufeffa;b\r\n1;2\r\n":          {{"a", "b"}, {"1", "2"}},
		"a,\"b \"\"x\"\", c\"\n\n1,":    {{"a", `b "x", c`}, {"1", ""}},
		"\"two\nlines\",2":              {{"two\nlines", "2"}},
		"TEA;12,50":                     {{"TEA", "12,50"}},
		"\"a;b\";c,d,e":                 {{"a;b", "c,d,e"}},
		"TEA\t12\" pan":                 {{"TEA", `12" pan`}},
		"a,b\r1,2\r":                    {{"a", "b"}, {"1", "2"}},
		"sep=|\r\na;b|c\r\n1|2":         {{"a;b", "c"}, {"1", "2"}},
		"Name, long;x\nTEA;1\nCUP;2,5":  {{"Name, long", "x"}, {"TEA", "1"}, {"CUP", "2,5"}},
		"'=1+1,'+49 30\n''=1+1,a;'=1+1": {{"=1+1", "+49 30"}, {"'=1+1", "a;=1+1"}},
		"'0049,don't\n\"'-5\",'@x '@y":  {{"0049", "don't"}, {"-5", "@x '@y"}},
	} {
		uses := []string{"sku", "name"}
		table := read(t, text, plain, tablefile.Options{Header: new(false), Mapping: uses})
		require.Empty(t, table.Rejected, "%q", text)
		got := make([][]string, len(table.Rows))
		for i, row := range table.Rows {
			got[i] = []string{row.Values["sku"], row.Values["name"]}
		}
		require.Equal(t, cells, got, "%q", text)
	}
}

func TestAHeaderIsNeverARow(t *testing.T) {
	for name, text := range map[string]string{
		"in another language":           "Varenummer;Vare\nTEA-1;Te\n",
		"with a known column only":      "Kolli;Name\nTEA-1;Te\n",
		"without a line below it":       "Varenummer;Vare\n",
		"of a list of one column":       "Kundenkonto\nada\n",
		"that may be a row":             "TEA-1;Te\nTEA-2;Kop\n",
		"of a product without variants": "Handle,Title\ntea,Tea\n",
	} {
		table := read(t, text, items, tablefile.Options{})
		require.False(t, table.IsMapped, name)
		require.Empty(t, table.Rows, name)
		require.NotEmpty(t, table.Columns, name)
	}
}

func TestTheCallersMappingReplacesKnownHeaders(t *testing.T) {
	text := "sku,name,title\nTEA,a,b\n"
	table := read(t, text, items, tablefile.Options{Mapping: []string{"sku", "", "name"}})
	require.Equal(t, values{"sku": "TEA", "name": "b"}, table.Rows[0].Values)
	table = read(t, text, items, tablefile.Options{Mapping: []string{"sku", "name", "name"}})
	require.Equal(t, values{"sku": "TEA", "name": "a - b"}, table.Rows[0].Values)
	require.False(t, read(t, text, items, tablefile.Options{Mapping: []string{"", "name", ""}}).IsMapped)
}

// The variants of a product have its name and status once, in its first line.
func TestARejectedLineChangesNoOtherLineOfItsGroup(t *testing.T) {
	head := "Handle,Title,SKU,Price,Status\n"
	for name, c := range map[string]struct {
		text     string
		rejected map[int]tablefile.Code
		rows     map[int]values
	}{
		"a value of the first line": {
			"tea,Tea,T1,five,draft\ntea,,T2,6,\n", map[int]tablefile.Code{2: tablefile.NotANumber},
			map[int]values{3: {"sku": "T2", "name": "Tea", "price": "6", "status": "archived"}},
		},
		"the status of the first line": {
			"tea,Tea,T1,5,sold\ntea,,T2,6,\ncup,Cup,C1,7,draft\n", map[int]tablefile.Code{2: tablefile.UnknownValue, 3: tablefile.UnknownValue},
			map[int]values{4: {"sku": "C1", "name": "Cup", "price": "7", "status": "archived"}},
		},
		"the cells of the first line": {
			"cup,Cup,C1,7,active\ntea,12\" tea,T1,5,draft\ntea,,T2,6,\ntea,,T3,6,\npot,Pot,P1,8,draft\npot,,P2,8,\n",
			map[int]tablefile.Code{3: tablefile.UnclosedQuote, 4: tablefile.NoFirstLine, 5: tablefile.NoFirstLine},
			map[int]values{
				2: {"sku": "C1", "name": "Cup", "price": "7", "status": "active"},
				6: {"sku": "P1", "name": "Pot", "price": "8", "status": "archived"}, 7: {"sku": "P2", "name": "Pot", "price": "8", "status": "archived"},
			},
		},
		"the cells of another line": {
			"tea,Tea,T1,5,draft\ntea,,T2\ntea,,T3,6,\n", map[int]tablefile.Code{3: tablefile.OtherWidth},
			map[int]values{2: {"sku": "T1", "name": "Tea", "price": "5", "status": "archived"}, 4: {"sku": "T3", "name": "Tea", "price": "6", "status": "archived"}},
		},
	} {
		rows, rejected := byLine(read(t, head+c.text, items, tablefile.Options{}))
		require.Equal(t, c.rejected, rejected, name)
		require.Equal(t, c.rows, rows, name)
	}
}

func TestAnOptionFollowsTheTitleAlsoFromAColumnBeforeIt(t *testing.T) {
	for _, options := range []tablefile.Options{{}, {Mapping: []string{"name", "sku", "name"}}} {
		table := read(t, "Option1 Value,SKU,Title\n100 g,TEA,Earl Grey\n", items, options)
		require.Equal(t, values{"sku": "TEA", "name": "Earl Grey - 100 g"}, table.Rows[0].Values)
	}
}

func TestAnExampleIsShort(t *testing.T) {
	table := read(t, "sku,name\nTEA,"+strings.Repeat("x", 1_000), plain, tablefile.Options{})
	require.Equal(t, strings.Repeat("x", 100)+"…", table.Columns[1].Example)
}

func TestWrongOptionsAreRejected(t *testing.T) {
	for name, options := range map[string]tablefile.Options{
		"?mapping with fewer columns":  {Mapping: []string{"sku"}},
		"?mapping with a column twice": {Mapping: []string{"sku", "sku"}},
		"?mapping with another column": {Mapping: []string{"sku", "weight"}},
		"?columns with another column": {Columns: []string{"sku", "weight"}},
	} {
		_, err := tablefile.Read([]byte("sku,name\nTEA,Tea"), items, options)
		var e *apperr.Error
		require.ErrorAs(t, err, &e, name)
		require.Equal(t, apperr.MalformedRequest, e.Code, name)
		require.Equal(t, name[:len("?mapping")], e.Fields[0].Pointer, name)
	}
}

func TestFilesThatAreNotTextAreRejected(t *testing.T) {
	for name, content := range map[string]string{"a workbook": "PK\x03\x04\x14\x00\x00\x00\x08", "a picture": "\x89PNG\r\n\x1a\n", "a program": "\x7fELF\x02\x01\x01"} {
		_, err := tablefile.Read([]byte(content), items, tablefile.Options{})
		require.True(t, apperr.Has(err, apperr.UnsupportedMediaType), name)
	}
	_, err := tablefile.Read([]byte("sku\n"+strings.Repeat("TEA\n", tablefile.MaxRows)), items, tablefile.Options{})
	require.True(t, apperr.Has(err, apperr.PayloadTooLarge))
}

func TestAListHasNoWordsOfATable(t *testing.T) {
	for text, users := range map[string][]string{
		"12, 13；14 li":                               {"12", "13", "14", "li"},
		"12\n13\r\n\n14":                             {"12", "13", "14"},
		"User\n12\nada":                              {"12", "ada"},
		"Balance,User\n100.00,12\n7.00,13":           {"12", "13"},
		"email,name\nada@example.com,Ada":            {"ada@example.com"},
		"ada@example.com,Ada\nli@example.com,Li":     nil,
		"Customer,E-Mail\nAda,ada@example.com":       {"ada@example.com"},
		"id,E-Mail\n7,ada@example.com":               nil,
		"id,E-Mail,User ID\n7,ada@example.com,12":    {"12"},
		"E-Mail-Konto\nada@example.com":              nil,
		"Vorname;Nachname\nAda;Lovelace\nLi;Wei":     nil,
		"email,name":                                 nil,
		"sep=;\nada@example.com;li@example.com\n1;2": nil,
	} {
		var got []string
		for _, row := range read(t, text, customers, tablefile.Options{}).Rows {
			got = append(got, row.Values["userId"])
		}
		require.Equal(t, users, got, "%q", text)
	}
}

func TestNumbersAreReadInOneStyle(t *testing.T) {
	const ambiguous, invalid = "ambiguous", "invalid"
	for _, c := range []struct {
		cells   []string
		decimal tablefile.Decimal
		want    []string
	}{
		{[]string{"12.50", "1,234.50", "1,200", "0"}, "", []string{"12.5", "1234.5", "1200", "0"}},
		{[]string{"12,50", "1.234,50", "1.200"}, "", []string{"12.5", "1234.5", "1200"}},
		{[]string{"1.234.567", "1.200"}, "", []string{"1234567", "1200"}},
		{[]string{"1.200", "15"}, "", []string{ambiguous, "15"}},
		{[]string{"1.200", "15"}, tablefile.Point, []string{"1.2", "15"}},
		{[]string{"1.200", "15"}, tablefile.Comma, []string{"1200", "15"}},
		{[]string{"12.50", "12,50", "1.200"}, "", []string{"12.5", "12.5", ambiguous}},
		{[]string{"12.50", "12,50"}, tablefile.Comma, []string{invalid, "12.5"}},
		{[]string{"1'234.50", "1’234.50", "1 234.50", "1\u00a0234.50", "1\u202f234.50"}, "", []string{"1234.5", "1234.5", "1234.5", "1234.5", "1234.5"}},
		{[]string{"€ 12.50", "12.50€", "EUR 12.50", "12.50 USD", "￥１２.５", "12.50元"}, "", []string{"12.5", "12.5", "12.5", "12.5", "12.5", "12.5"}},
		{[]string{"-5", "−5.0", "+5", "-0", "007"}, "", []string{"-5", "-5", "5", "0", "7"}},
		{[]string{"31.12.2024", "1.2.3", "1,2,3", "12.50", "1.200"}, "", []string{invalid, invalid, invalid, "12.5", "1.2"}},
		{[]string{"0.125", "0,125"}, "", []string{"0.125", "0.125"}},
		{[]string{"12,3456", "1.2345,6", "12.34.56", "1 2", "12 34", "five", "1e3", "--5", "€", "1,2,3", ".5", "5."}, tablefile.Comma,
			[]string{"12.3456", invalid, invalid, invalid, invalid, invalid, invalid, invalid, invalid, invalid, invalid, invalid}},
	} {
		var text strings.Builder
		text.WriteString("sku\tprice\n")
		for i, cell := range c.cells {
			fmt.Fprintf(&text, "S%d\t%s\n", i, cell)
		}
		table := read(t, text.String(), items, tablefile.Options{Decimal: c.decimal})
		got := make([]string, len(c.cells))
		for _, row := range table.Rows {
			got[row.Line-2] = row.Values["price"]
		}
		for _, r := range table.Rejected {
			got[r.Line-2] = map[tablefile.Code]string{tablefile.AmbiguousNumber: ambiguous, tablefile.NotANumber: invalid}[r.Code]
		}
		require.Equal(t, c.want, got, "%q", c.cells)
	}
}

func TestUnitsAreWhole(t *testing.T) {
	table := read(t, "sku;stock\nA;1.200,00\nB;1,5\nC;-3\n", stock, tablefile.Options{})
	rows, rejected := byLine(table)
	require.Equal(t, map[int]values{2: {"sku": "A", "setTo": "1200"}, 4: {"sku": "C", "setTo": "-3"}}, rows)
	require.Equal(t, map[int]tablefile.Code{3: tablefile.NotANumber}, rejected)
}

// Short names of the West have been read as Chinese.
//
// Proves G6.6.
func TestOneNameInACodePageIsDetected(t *testing.T) {
	for text, want := range map[string]tablefile.Encoding{
		"Müller": "windows-1252", "Größe": "windows-1252", "Äpfel": "windows-1252", "MÜLLER": "windows-1252", "José Ñandú": "windows-1252", "Zoë": "windows-1252",
		"don’t": "windows-1252", "5 €": "windows-1252", "à la carte": "windows-1252", "Françoise Hélène": "windows-1252", "São João": "windows-1252", "blåbær": "windows-1252",
		"茶": "gb18030", "茶叶": "gb18030", "中": "gb18030", "绿茶": "gb18030", "红": "gb18030", "抹茶ラテ": "shift_jis", "お茶": "shift_jis", "чай": "windows-1251", "żółw": "windows-1250",
	} {
		codec, err := htmlindex.Get(string(want))
		require.NoError(t, err)
		content, err := codec.NewEncoder().String("SKU,Name\nTEA-1," + text + "\n")
		require.NoError(t, err, text)
		table := read(t, content, items, tablefile.Options{})
		require.Equal(t, want, table.Encoding, text)
		require.Equal(t, text, table.Rows[0].Values["name"])
		require.Contains(t, table.Encodings, want)
	}
}

func TestKnownHeadersDecideBetweenPlausibleEncodings(t *testing.T) {
	codec, err := htmlindex.Get("gb18030")
	require.NoError(t, err)
	content, err := codec.NewEncoder().String("货号,名称,价格\nA1,绿茶,12.50\n")
	require.NoError(t, err)
	table := read(t, content, items, tablefile.Options{})
	require.Equal(t, []tablefile.Encoding{"gb18030", "euc-kr"}, table.Encodings[:2])
	require.Equal(t, map[string]string{"sku": "A1", "name": "绿茶", "price": "12.5"}, table.Rows[0].Values)
}

func TestAFileInUTF8IsNeverReadInACodePage(t *testing.T) {
	for _, text := range []string{"Müller", "茶", "Ä", "żółw", "抹茶"} {
		table := read(t, "SKU,Name\nTEA-1,"+text+"\n", items, tablefile.Options{})
		require.Equal(t, tablefile.UTF8, table.Encoding, text)
		require.Equal(t, text, table.Rows[0].Values["name"])
	}
	table := read(t, "SKU,Name\nTEA-1,"+strings.Repeat("ü", 51)+"\n", items, tablefile.Options{})
	require.Equal(t, []tablefile.Encoding{tablefile.UTF8}, table.Encodings)
}

// written are the ways to write a table.
type written struct {
	encoding          tablefile.Encoding
	separator, breaks string
	quoteAll          bool
	declares          bool
}

// letters are characters that each encoding has, with separators, quotes and line breaks.
var letters = map[tablefile.Encoding]string{
	"utf-8": "aZ9 äß茶😀\u00a0,;|\"\n\t", "utf-16le": "aZ9 äß茶😀,;|\"\n\t", "utf-16be": "aZ9 äß茶一😀,;|\"\n\t",
	"windows-1252": "aZ9 äß€,;|\"\n\t", "windows-1250": "aZ9 żł,;|\"\n\t", "windows-1251": "aZ9 чай,;|\"\n\t", "macintosh": "aZ9 äß,;|\"\n\t",
	"windows-1253": "aZ9 τσάι,;|\"\n\t", "windows-1254": "aZ9 ışğ,;|\"\n\t", "windows-1255": "aZ9 תה,;|\"\n\t", "windows-1256": "aZ9 شاي,;|\"\n\t",
	"windows-1257": "aZ9 ąė,;|\"\n\t", "windows-874": "aZ9 ชา,;|\"\n\t",
	"gb18030": "aZ9 茶叶杯,;|\"\n\t", "shift_jis": "aZ9 茶のテ,;|\"\n\t", "big5": "aZ9 茶葉杯,;|\"\n\t", "euc-kr": "aZ9 차잔물,;|\"\n\t",
}

func drawWritten(t *rapid.T) written {
	return written{
		encoding:  rapid.SampledFrom(slices.Sorted(maps.Keys(letters))).Draw(t, "encoding"),
		separator: rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(t, "separator"),
		breaks:    rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "breaks"),
		quoteAll:  rapid.Bool().Draw(t, "quoteAll"),
		declares:  rapid.Bool().Draw(t, "declares"),
	}
}

func (w written) line(cells []string) string {
	quoted := make([]string, len(cells))
	for i, cell := range cells {
		quoted[i] = cell
		if w.quoteAll || strings.ContainsAny(cell, ",;|\t\"\n") {
			quoted[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, w.separator) + w.breaks
}

func (w written) encode(t require.TestingT, text string) []byte {
	if w.encoding == tablefile.UTF16LE || w.encoding == tablefile.UTF16BE {
		order := map[tablefile.Encoding]unicode.Endianness{tablefile.UTF16LE: unicode.LittleEndian, tablefile.UTF16BE: unicode.BigEndian}[w.encoding]
		content, err := unicode.UTF16(order, unicode.IgnoreBOM).NewEncoder().String(text)
		require.NoError(t, err)
		return []byte(content)
	}
	codec, err := htmlindex.Get(string(w.encoding))
	require.NoError(t, err)
	content, err := codec.NewEncoder().String(text)
	require.NoError(t, err)
	return []byte(content)
}

// Every table is read back equal in its encoding. With the detected encoding, a row can differ only if
// the caller can choose the right encoding.
//
// Proves G6.6.
func TestATableIsReadBackInEveryEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWritten(t)
		cell := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]rune(letters[w.encoding])), 0, 8), func(r []rune) string { return strings.TrimSpace(string(r)) })
		names := rapid.SliceOfN(cell, 1, 6).Draw(t, "names")
		text := w.line([]string{"SKU", "Name"})
		if w.declares {
			text = "sep=" + w.separator + w.breaks + text
		}
		for i, name := range names {
			text += w.line([]string{fmt.Sprintf("S-%d", i), name})
		}
		content := w.encode(t, text)
		table, err := tablefile.Read(content, plain, tablefile.Options{Encoding: w.encoding})
		require.NoError(t, err)
		require.Empty(t, table.Rejected)
		require.Len(t, table.Rows, len(names))
		for i, row := range table.Rows {
			require.Equal(t, names[i], row.Values["name"])
		}

		detected, err := tablefile.Read(content, plain, tablefile.Options{})
		require.NoError(t, err)
		if detected.Encoding != w.encoding && !slices.ContainsFunc(names, func(name string) bool {
			return strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf })
		}) {
			return // ASCII is equal in all code pages
		}
		require.Contains(t, detected.Encodings, w.encoding)
	})
}

// Any bytes are read without a panic and without a replacement character.
func TestAnyBytesGiveNoReplacementCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.SampledFrom([]string{"sku,name\n", "sku;name\r\n", "\xff\xfes\x00k\x00u\x00\n\x00", ""}).Draw(t, "head")
		bytes := rapid.SliceOfN(rapid.SampledFrom([]byte("aZ1,;\t\"\n\r\x80\x92\xa1\xb0\xc3\xc4\xe4\xfc\xff")), 0, 40).Draw(t, "bytes")
		encoding := rapid.SampledFrom(append([]string{""}, tablefile.Encoding("").Enum()...)).Draw(t, "encoding")
		table, err := tablefile.Read(append([]byte(head), bytes...), plain, tablefile.Options{Encoding: tablefile.Encoding(encoding)})
		if err != nil {
			require.True(t, apperr.Has(err, apperr.UnsupportedMediaType))
			return
		}
		for _, row := range table.Rows {
			for _, value := range row.Values {
				require.NotContains(t, value, string(utf8.RuneError))
			}
		}
	})
}
