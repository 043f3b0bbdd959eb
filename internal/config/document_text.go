package config

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"interlock/internal/base/strictjson"
)

// textLines iterates over the lines of a text.
type textLines struct {
	rest []byte
	// line is the number of the current line.
	line int
}

// next returns the next line without its line break; ok is false after the last one.
func (l *textLines) next() (text string, ok bool) {
	if l.rest == nil {
		return "", false
	}
	current, rest, isBroken := bytes.Cut(l.rest, []byte("\n"))
	if l.rest = rest; !isBroken {
		l.rest = nil
	}
	l.line++
	return strings.TrimSuffix(string(current), "\r"), true
}

// readProperties reads the format of java.util.Properties, and documents of Spring, which are separated
// by #--- or !---.
func readProperties(in *document) error {
	lines := textLines{rest: in.Text}
	parts := []profilePart{{in.part(in.prefix), 1}}
	for text, ok := lines.next(); ok; text, ok = lines.next() {
		if separator := strings.TrimRight(text, " \t\f"); separator == "#---" || separator == "!---" {
			parts = append(parts, profilePart{in.part(in.prefix), lines.line + 1})
			continue
		}
		first, line := lines.line, strings.TrimLeft(text, " \t\f")
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		var logical strings.Builder
		for continues(line) {
			logical.WriteString(line[:len(line)-1])
			if text, ok = lines.next(); !ok {
				return in.fault(first, "ends with a backslash and has no next line")
			}
			line = strings.TrimLeft(text, " \t\f")
		}
		logical.WriteString(line)
		parts[len(parts)-1].readProperty(first, logical.String())
	}
	in.includeProfiles(parts)
	return nil
}

func (in *document) readProperty(at int, line string) {
	end := propertyNameEnd(line)
	name, err := unescapedProperty(line[:end])
	if err != nil {
		in.reject(in.at(at), line[:end], "pattern", "%s", err)
		return
	}
	value := strings.TrimLeft(line[end:], " \t\f")
	if value == "" {
		in.reject(in.at(at), name, "required", "has no = after the key; write %s= for an empty value", name)
		return
	}
	if value[0] == '=' || value[0] == ':' {
		value = strings.TrimLeft(value[1:], " \t\f")
	}
	text, err := unescapedProperty(value)
	if err != nil {
		in.reject(in.at(at), name, "pattern", "%s", err)
		return
	}
	in.add(at, Setting{Name: name, Text: text})
}

// continues reports whether a line ends with an odd number of backslashes.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// propertyNameEnd returns the index after the name.
func propertyNameEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '=', ':', ' ', '\t', '\f':
			return i
		}
	}
	return len(line)
}

// unescapedProperty reads the escapes of java.util.Properties.
func unescapedProperty(text string) (string, error) {
	var out strings.Builder
	for len(text) > 0 {
		if text[0] != '\\' || len(text) == 1 {
			out.WriteByte(text[0])
			text = text[1:]
			continue
		}
		switch escape := text[1]; escape {
		case 'u':
			// Surrogate pairs are two escapes, as in JSON.
			n := 6
			if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' && text[2]|0x20 == 'd' {
				n = 12
			}
			var decoded string
			if len(text) < n || strictjson.Decode([]byte(`"`+text[:n]+`"`), &decoded) != nil {
				return "", fmt.Errorf(`has the escape %s, which is not the \uXXXX of a character`, text[:min(len(text), n)])
			}
			out.WriteString(decoded)
			text = text[n:]
			continue
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case 't':
			out.WriteByte('\t')
		case 'f':
			out.WriteByte('\f')
		default:
			out.WriteByte(escape)
		}
		text = text[2:]
	}
	return out.String(), nil
}

var (
	envAssignment = regexp.MustCompile(`^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=`)
	endOfEnvLine  = regexp.MustCompile(`^[ \t]*(?:[ \t]#[^\n]*)?\r?(?:\n|$)`)
	unescapedEnv  = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`").Replace
	singleQuoted  = regexp.MustCompile(`^'([^']*)'`)
	doubleQuoted  = regexp.MustCompile("^\"((?:[^\"\\\\$`]|\\\\[\\\\\"$`])*)\"")
	quotedOnLine  = regexp.MustCompile(`^(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`)
	bareInEnv     = regexp.MustCompile("^(?:[^ \t\r\n'\"\\\\$`#]|[ \t]+[^ \t\r\n'\"\\\\$`#])*")
)

// readEnv reads the assignments that an export and .env files of others contain: bare texts, which may
// contain spaces, texts in apostrophes, and texts in quotes with the escapes of a POSIX shell. It
// expands no variables.
func readEnv(in *document) error {
	for text, line := string(in.Text), 1; text != ""; {
		current, rest, _ := strings.Cut(text, "\n")
		if trimmed := strings.TrimSpace(current); trimmed == "" || trimmed[0] == '#' {
			text, line = rest, line+1
			continue
		}
		match := envAssignment.FindStringSubmatch(text)
		if match == nil {
			in.reject(in.at(line), "", "pattern", "is not an assignment; write NAME=value")
			text, line = rest, line+1
			continue
		}
		after := text[len(match[0]):]
		value, raw := envValue(after)
		end := endOfEnvLine.FindString(after[len(raw):])
		if end == "" && after[len(raw):] != "" {
			if strings.ContainsAny(after[:1], `'"`) && !quotedOnLine.MatchString(after) {
				return in.fault(line, "%s has a value that is not plain text; write it in apostrophes: %s='…'", match[1], match[1])
			}
			in.reject(in.at(line), match[1], "pattern", "has a value that is not plain text; write it in apostrophes: %s='…'", match[1])
			text, line = rest, line+1
			continue
		}
		in.add(line, Setting{Name: match[1], Text: value, Format: string(exportEnv)})
		consumed := len(match[0]) + len(raw) + len(end)
		line += strings.Count(text[:consumed], "\n")
		text = text[consumed:]
	}
	return nil
}

// envValue returns the value at the start of a text, and its notation.
func envValue(text string) (value, raw string) {
	if single := singleQuoted.FindStringSubmatch(text); single != nil {
		return single[1], single[0]
	}
	if double := doubleQuoted.FindStringSubmatch(text); double != nil {
		return unescapedEnv(double[1]), double[0]
	}
	raw = bareInEnv.FindString(text)
	return strings.TrimSpace(raw), raw
}
