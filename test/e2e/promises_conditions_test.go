package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// conditions returns the alternatives of an SQL condition, each of which makes it true: the operands of OR,
// also in parentheses after AND, and the branches of CASE.
func conditions(sql string) (alternatives []string) {
	sql = strings.TrimSpace(sql)
	if inner, ok := enclosed(sql, "(", ")"); ok {
		return conditions(inner)
	}
	if operands := splitAt(sql, "OR"); len(operands) > 1 {
		for _, operand := range operands {
			alternatives = append(alternatives, conditions(operand)...)
		}
		return alternatives
	}
	if branches, ok := enclosed(sql, "CASE ", " END"); ok {
		return ofBranches(branches)
	}
	operands := splitAt(sql, "AND")
	last := len(operands) - 1
	if inner, ok := enclosed(strings.TrimSpace(operands[last]), "(", ")"); ok && last > 0 {
		return joined(strings.Join(operands[:last], "AND"), inner)
	}
	return []string{sql}
}

// ofBranches returns the alternatives of CASE WHEN … THEN … ELSE ….
func ofBranches(branches string) (alternatives []string) {
	earlier := ""
	for _, branch := range splitAt(branches, "WHEN")[1:] {
		parts := splitAt(branch, "THEN")
		results := splitAt(parts[1], "ELSE")
		alternatives = append(alternatives, joined(earlier+"("+parts[0]+")", results[0])...)
		earlier += "NOT (" + parts[0] + ") AND "
		if len(results) > 1 && strings.TrimSpace(results[1]) != "1 = 0" {
			alternatives = append(alternatives, joined(strings.TrimSuffix(earlier, " AND "), results[1])...)
		}
	}
	return alternatives
}

func joined(premise, conclusion string) (alternatives []string) {
	for _, alternative := range conditions(conclusion) {
		alternatives = append(alternatives, strings.TrimSpace(premise)+" AND ("+alternative+")")
	}
	return alternatives
}

// enclosed returns the text between an opening and its closing at the ends of an SQL text.
func enclosed(sql, opening, closing string) (inner string, ok bool) {
	inner, opens := strings.CutPrefix(sql, opening)
	inner, closes := strings.CutSuffix(inner, closing)
	if !opens || !closes {
		return "", false
	}
	depth := 0
	for _, word := range words(inner) {
		if depth += nesting(word); depth < 0 {
			return "", false
		}
	}
	return inner, true
}

// splitAt splits an SQL text at a keyword that is outside parentheses, CASE and texts.
func splitAt(sql, keyword string) (parts []string) {
	depth, part := 0, ""
	for _, word := range words(sql) {
		depth += nesting(word)
		if depth == 0 && word == keyword {
			parts, part = append(parts, part), ""
			continue
		}
		part += word
	}
	return append(parts, part)
}

// nesting returns by how much a word changes the depth.
func nesting(word string) int {
	switch word {
	case "(", "CASE":
		return 1
	case ")", "END":
		return -1
	}
	return 0
}

// words divides an SQL text into names, quoted texts and single characters.
func words(sql string) (list []string) {
	isName := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	for i := 0; i < len(sql); {
		end := i + 1
		switch {
		case sql[i] == '\'':
			end += strings.IndexByte(sql[end:], '\'') + 1
		case isName(sql[i]):
			for end < len(sql) && isName(sql[end]) {
				end++
			}
		}
		list = append(list, sql[i:end])
		i = end
	}
	return list
}

func TestConditionsAreTheAlternativesOfAnSQLCondition(t *testing.T) {
	require.Equal(t, []string{
		"a <> 'x OR (y'", "b = (SELECT 1 WHERE c OR d) AND e", "f AND (g)", "f AND (h)",
		"( i ) AND (j)", "NOT ( i ) AND (k)", "NOT ( i ) AND (l)", "m < CASE WHEN n OR o THEN 1 END",
	}, conditions(`a <> 'x OR (y' OR b = (SELECT 1 WHERE c OR d) AND e
		OR f AND (g OR h) OR CASE WHEN i THEN j ELSE k OR l END OR (m < CASE WHEN n OR o THEN 1 END)`))
}
