package main

import (
	"regexp"
	"strings"
)

// rule is a word or phrase that this project does not use, with its replacement.
type rule struct {
	pattern     string
	replacement string
	// except matches phrases in which the word is the field's term.
	except string
}

// rules apply to comments, documentation, log messages, error texts, the texts of the web admin
// and the names of tests.
var rules = []rule{
	{pattern: "what", replacement: "a noun"},
	{pattern: "says|said", replacement: "reports, returns, contains, describes"},
	{pattern: "takes|taken", replacement: "needs, lasts, accepts, acquires, already exists"},
	{pattern: "asks|asked", replacement: "requests, queries, checks, prompts"},
	{pattern: "somebody|nobody", replacement: "another user, the caller, no caller"},
	{pattern: "keep|keeps|kept", replacement: "stores, caches, retains"},
	{pattern: "tell|tells|told", replacement: "notifies, reports, returns, distinguishes"},
	{pattern: "of (?:its|his|their|our|one's) own", replacement: "its, separate; usually delete"},
	{pattern: "answers|answered", replacement: "returns, responds, response"},
	{pattern: "holds", replacement: "is true, owns, reserves, contains, has", except: "holds? (?:the|a|its|this|that) (?:lock|lease)|stock holds"},
	{pattern: "gives|given", replacement: "returns, provides, assigns, grants"},
	{pattern: "whose|whom|whoever", replacement: "the user that, the caller, the process with"},
	{pattern: "refuse|refuses|refused|refusal|refusals", replacement: "rejects, rejection, error response", except: "connection refused"},
	{pattern: "place|places", replacement: "JSON Pointer, cursor, position, slot", except: "in place|places? (?:an |the |its )?orders?|decimal places?|place of birth"},
	{pattern: "stands|stood", replacement: "is, is stored in, depends on, is displayed"},
	{pattern: "begun|began", replacement: "started"},
	{pattern: "as (?:it|they) (?:was|were|stands?)", replacement: "unchanged, current"},
	{pattern: "at once", replacement: "immediately, or concurrently"},
	{pattern: "beside", replacement: "next to, in addition to, concurrently with"},
	{pattern: "goes on|went on|go on", replacement: "continues, resumes, retries"},
	{pattern: "pieces?", replacement: "units, quantity"},
	{pattern: "looks|looked|look at", replacement: "checks, scans, polls, lookup"},
	{pattern: "meanwhile", replacement: "concurrently, since then"},
	{pattern: "remembers|remembered|forgets|forgotten", replacement: "caches, evicts, expires"},
	{pattern: "became of|comes to", replacement: "outcome, amounts to"},
	{pattern: "gone", replacement: "deleted, expired, disconnected", except: "410 gone"},
	{pattern: "so many|no more than", replacement: "at most N"},
	{pattern: "by itself", replacement: "automatically"},
	{pattern: "lets? in|shuts? out", replacement: "admits, blocks"},
	{pattern: "(?:comes|came) (?:back|again)", replacement: "is retried, is redelivered, reconnects"},
	{pattern: "anew", replacement: "again, re-…"},
	{pattern: "hears?|heard", replacement: "receives, is notified"},
	{pattern: "undone", replacement: "rolled back"},
	{pattern: "but for|but those", replacement: "except"},
	{pattern: "(?:is|are) there|there any more", replacement: "exists, no longer exists"},
	{pattern: "mend|mends|mended|in vain|on (?:its|the) way|cut off", replacement: "fix, without success, in flight, interrupted"},
}

// nameRules apply to the words of declared identifiers.
var nameRules = []rule{
	{pattern: "somebody|nobody|whom|whoever|whose", replacement: "the user, the caller"},
	{pattern: "told", replacement: "redacted, notified"},
	{pattern: "kept|keeper", replacement: "stored, store"},
	{pattern: "asked", replacement: "requested, isOpen"},
	{pattern: "anew|meanwhile|beside|begun|began", replacement: "a noun or the field's verb"},
	{pattern: "arrivals", replacement: "purchaseAttempts"},
	{pattern: "numbered", replacement: "sequenced"},
	{pattern: "wanted", replacement: "requested"},
}

// matcher finds the rules that a text breaks.
type matcher struct {
	pattern *regexp.Regexp
	except  *regexp.Regexp
	rules   []compiledRule
}

type compiledRule struct {
	pattern     *regexp.Regexp
	replacement string
}

func newMatcher(rules []rule) matcher {
	var patterns, exceptions []string
	var m matcher
	for _, r := range rules {
		patterns = append(patterns, r.pattern)
		m.rules = append(m.rules, compiledRule{whole(r.pattern), r.replacement})
		if r.except != "" {
			exceptions = append(exceptions, r.except)
		}
	}
	m.pattern = whole(strings.Join(patterns, "|"))
	if len(exceptions) > 0 {
		m.except = whole(strings.Join(exceptions, "|"))
	}
	return m
}

// whole compiles a pattern that matches whole words, in any case.
func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`) }

// find returns each match in the text with its replacement.
func (m matcher) find(text string) (hits []hit) {
	if !m.pattern.MatchString(text) {
		return nil
	}
	if m.except != nil {
		text = m.except.ReplaceAllString(text, "")
	}
	for _, word := range m.pattern.FindAllString(text, -1) {
		for _, r := range m.rules {
			if r.pattern.FindString(word) == word {
				hits = append(hits, hit{word: word, replacement: r.replacement})
				break
			}
		}
	}
	return hits
}

// hit is one use of a word that a rule replaces.
type hit struct {
	file        string
	line        int
	word        string
	replacement string
}
