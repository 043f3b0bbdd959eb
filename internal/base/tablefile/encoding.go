package tablefile

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf "golang.org/x/text/encoding/unicode"
)

// Encoding is the name of a character encoding, as in the Encoding Standard of the WHATWG.
type Encoding string

// The encodings of Unicode.
const (
	UTF8    Encoding = "utf-8"
	UTF16LE Encoding = "utf-16le"
	UTF16BE Encoding = "utf-16be"
)

// Enum returns the encodings.
func (Encoding) Enum() []string {
	names := []string{string(UTF8), string(UTF16LE), string(UTF16BE)}
	for _, page := range codePages {
		names = append(names, string(page.name))
	}
	return names
}

// codePage is an encoding in which spreadsheets save files.
type codePage struct {
	name  Encoding
	codec encoding.Encoding
	// plausible counts the non-ASCII characters, and those that are usual in real text.
	plausible func(content []byte, text string) (usual, all int)
}

// codePages are in the order of preference between equally plausible encodings.
var codePages = []codePage{
	{"windows-1252", charmap.Windows1252, latin(western, 2)},
	{"windows-1250", charmap.Windows1250, latin(central, 3)},
	{"windows-1254", charmap.Windows1254, latin(turkish, 3)},
	{"windows-1257", charmap.Windows1257, latin(baltic, 3)},
	{"gb18030", simplifiedchinese.GB18030, chineseText},
	{"euc-kr", korean.EUCKR, pairs(commonKorean)},
	{"big5", traditionalchinese.Big5, pairs(commonTraditional)},
	{"windows-1251", charmap.Windows1251, cyrillic.rule},
	{"windows-1253", charmap.Windows1253, greek.rule},
	{"windows-1255", charmap.Windows1255, hebrew.rule},
	{"windows-1256", charmap.Windows1256, arabic.rule},
	{"windows-874", charmap.Windows874, thai.rule},
	{"shift_jis", japanese.ShiftJIS, japaneseText},
	{"macintosh", charmap.Macintosh, latin(western, 2)},
}

var byteOrderMarks = []struct {
	mark []byte
	name Encoding
}{{[]byte("\xef\xbb\xbf"), UTF8}, {[]byte("\xff\xfe"), UTF16LE}, {[]byte("\xfe\xff"), UTF16BE}}

// longText is the number of non-ASCII characters above which valid UTF-8 is no coincidence.
const longText = 50

// maxSample is the size of the text that detects a code page, in bytes.
const maxSample = 1 << 20

// encodingsOf returns the possible encodings of a file, the most likely first; none if the file is
// not text. A byte order mark, or long text in valid UTF-8, excludes all others. If at most half of
// the non-ASCII characters are invalid in UTF-8, UTF-8 is the most likely, and Read rejects the
// lines with invalid bytes.
func encodingsOf(content []byte) []Encoding {
	for _, b := range byteOrderMarks {
		if bytes.HasPrefix(content, b.mark) {
			return []Encoding{b.name}
		}
	}
	if bytes.IndexByte(content, 0) >= 0 {
		return unmarkedUTF16(content)
	}
	valid, invalid, isBinary := countUTF8(content)
	switch {
	case isBinary:
		return nil
	case invalid == 0 && (valid == 0 || valid > longText):
		return []Encoding{UTF8}
	case invalid <= valid:
		return append([]Encoding{UTF8}, plausibleCodePages(content)...)
	}
	return plausibleCodePages(content)
}

// countUTF8 counts the non-ASCII characters and the invalid bytes of UTF-8. isBinary is true if more
// than a tenth of the characters are controls; a line with fewer is rejected.
func countUTF8(content []byte) (valid, invalid int, isBinary bool) {
	const tenth = 10
	all, controls := 0, 0
	for at := 0; at < len(content); {
		r, size := utf8.DecodeRune(content[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			invalid++
		case isControl(r):
			controls++
		case r >= utf8.RuneSelf:
			valid++
		}
		all++
		at += size
	}
	return valid, invalid, controls*tenth > all
}

// isControl reports whether a character is not part of text: all controls except tab, line breaks and
// form feed.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' && r != '\f'
}

// unmarkedUTF16 detects UTF-16 without a byte order mark: in the wrong byte order, line breaks and
// separators are not ASCII.
func unmarkedUTF16(content []byte) []Encoding {
	best, most := []Encoding(nil), 0
	for _, name := range []Encoding{UTF16LE, UTF16BE} {
		text := decode(content, name)
		if !isStrict(text) || strings.ContainsFunc(text, isControl) {
			continue
		}
		breaks := 0
		for _, r := range text {
			if strings.ContainsRune("\r\n\t,;", r) {
				breaks++
			}
		}
		if best == nil || breaks > most {
			best, most = []Encoding{name}, breaks
		}
	}
	return best
}

// plausibleCodePages returns the code pages in which a sample of the content is valid, the most
// plausible first.
func plausibleCodePages(content []byte) []Encoding {
	sample := sampleOf(content)
	type candidate struct {
		name  Encoding
		share float64
	}
	var found []candidate
	for _, page := range codePages {
		text := decode(sample, page.name)
		if !isStrict(text) {
			continue
		}
		usual, all := page.plausible(sample, text)
		found = append(found, candidate{page.name, float64(usual) / float64(max(all, 1))})
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.share, a.share) })
	names := make([]Encoding, len(found))
	for i, c := range found {
		names[i] = c.name
	}
	return names
}

// sampleOf returns the lines with non-ASCII bytes, up to maxSample. A line break is never part of a
// character of several bytes.
func sampleOf(content []byte) []byte {
	var sample []byte
	for len(content) > 0 && len(sample) < maxSample {
		end := bytes.IndexAny(content, "\r\n") + 1
		if end == 0 {
			end = len(content)
		}
		if line := content[:end]; bytes.ContainsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }) {
			sample = append(sample, startOf(line, maxSample-len(sample))...)
		}
		content = content[end:]
	}
	return sample
}

// startOf returns the start of a line, up to a number of bytes. It ends after a space, a separator or a
// quote, which are never part of a character of several bytes.
func startOf(line []byte, maxLength int) []byte {
	if len(line) <= maxLength {
		return line
	}
	return line[:bytes.LastIndexFunc(line[:maxLength], func(r rune) bool { return r < '0' })+1]
}

// isStrict reports whether a decoded text contains only characters that the encoding defines. The
// controls of ASCII are equal in all code pages.
func isStrict(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r == utf8.RuneError || r >= utf8.RuneSelf && isControl(r) || unicode.Is(unicode.Co, r)
	})
}

// decode returns the text of a file without its byte order mark. Invalid bytes are decoded to U+FFFD.
func decode(content []byte, name Encoding) string {
	var codec encoding.Encoding
	switch name {
	case UTF8:
		return strings.TrimPrefix(strings.ToValidUTF8(string(content), string(utf8.RuneError)), "\ufeff")
	case UTF16LE:
		codec = utf.UTF16(utf.LittleEndian, utf.IgnoreBOM)
	case UTF16BE:
		codec = utf.UTF16(utf.BigEndian, utf.IgnoreBOM)
	default:
		page := slices.IndexFunc(codePages, func(p codePage) bool { return p.name == name })
		codec = codePages[page].codec
	}
	// The decoders of this package return no error: they replace invalid bytes.
	text, err := codec.NewDecoder().Bytes(content)
	if err != nil {
		return string(utf8.RuneError)
	}
	return strings.TrimPrefix(string(text), "\ufeff")
}
