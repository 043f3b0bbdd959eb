package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are words with their spelling in Go names.
var initialisms = map[string]string{
	"api": "API", "csrf": "CSRF", "etag": "ETag", "http": "HTTP", "id": "ID", "ids": "IDs", "json": "JSON", "sku": "SKU", "uri": "URI", "url": "URL",
}

// goName returns the Go name of a member, a parameter or a value, such as UserIDs for userIds.
func goName(name string) string {
	var result strings.Builder
	for _, word := range words(name) {
		if special, ok := initialisms[strings.ToLower(word)]; ok {
			word = special
		}
		result.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return result.String()
}

// words splits a name at capitals and at characters that Go names cannot have.
func words(name string) (all []string) {
	start := 0
	for i, r := range name {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if i > start && (!letter || unicode.IsUpper(r)) {
			all = append(all, name[start:i])
			start = i
		}
		if !letter {
			start = i + 1
		}
	}
	if start < len(name) {
		all = append(all, name[start:])
	}
	return all
}

// argument returns the Go name of a parameter of a method.
func argument(name string) string {
	first := words(name)[0]
	rest := goName(name[len(first):])
	if name == "type" {
		return "kind" // a keyword
	}
	return strings.ToLower(first) + rest
}

func singular(name string) string {
	if stem, ok := strings.CutSuffix(name, "ies"); ok {
		return stem + "y"
	}
	if strings.HasSuffix(name, "is") {
		return name
	}
	return strings.TrimSuffix(name, "s")
}

// sentence returns the first sentence of a doc comment: the method's name, followed by the
// operation's summary, which is an imperative such as "Credit or debit a wallet".
func sentence(name, summary string) string {
	all := strings.Fields(summary)
	for i := 0; i < len(all); i++ {
		verb, comma := strings.CutSuffix(all[i], ",")
		all[i] = thirdPerson(strings.ToLower(verb))
		if comma {
			all[i] += ","
		} else if i+1 < len(all) && all[i+1] == "or" {
			i++
		} else {
			break
		}
	}
	return name + " " + strings.Join(all, " ") + "."
}

func thirdPerson(verb string) string {
	stem := strings.TrimSuffix(verb, "y")
	switch {
	case verb == "get":
		return "returns"
	case stem != verb && !strings.ContainsAny(stem[len(stem)-1:], "aeo"):
		return stem + "ies"
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "x"), strings.HasSuffix(verb, "ch"), strings.HasSuffix(verb, "sh"):
		return verb + "es"
	}
	return verb + "s"
}

// comment returns a text as a Go comment, with lines of at most 100 characters and Go's form of
// lists.
func comment(indent, text string) string {
	var result strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			result.WriteString(indent + "//\n")
		}
		for j, item := range strings.Split("\n"+paragraph, "\n- ") {
			first, next := "// ", "// "
			if j > 0 {
				first, next = "//   - ", "//     "
			}
			line := indent + first
			for _, word := range strings.Fields(item) {
				if utf8.RuneCountInString(line+word) > 100-3*len(indent) {
					result.WriteString(strings.TrimRight(line, " ") + "\n")
					line = indent + next
				}
				line += word + " "
			}
			if line != indent+"// " {
				result.WriteString(strings.TrimRight(line, " ") + "\n")
			}
		}
	}
	return result.String()
}
