package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A schema is a program that its author writes and our processor runs. What it may take is counted in
// units of about 10 ns before it is spent: each subschema that is held against a place of a value, by
// how much there is in it, and each pattern by its size times the length of the text, which is what
// RE2 takes at most. All schemas of a request share one amount, and none goes on when the request has
// ended.
const (
	// maxConfigWork is what the schema of one config may take, and maxRequestWork what those of a
	// request may: about one second and five.
	maxConfigWork  = 100_000_000
	maxRequestWork = 500_000_000
	// stepWork is what it takes to hold a subschema, and each thing that it lists, against a place.
	stepWork = 100
	// compileWork is what it takes to read a byte of a schema.
	compileWork = 10
	// maxPatterns bounds the compiled patterns of one schema, in instructions.
	maxPatterns = 20_000
)

var (
	// errTooManySteps, errTooMuchWork and errEnded end a validation from inside the validator.
	errTooManySteps = errors.New("the validation takes too many steps")
	errTooMuchWork  = errors.New("the schemas of this request take too many steps together; send it in parts")
	errEnded        = errors.New("the request has ended")
)

// work is what a request may spend on schemas yet. One goroutine uses it.
type work struct {
	// request and config are what is left of maxRequestWork and maxConfigWork.
	request, config int64
	ended           <-chan struct{}
}

func newWork(ctx context.Context) *work {
	return &work{request: maxRequestWork, config: maxConfigWork, ended: ctx.Done()}
}

// spend takes units, or ends the validation: the library can be stopped by a panic alone, which
// validate catches.
func (w *work) spend(units int64) {
	select {
	case <-w.ended:
		panic(errEnded)
	default:
	}
	w.request, w.config = w.request-units, w.config-units
	switch {
	case w.config < 0:
		panic(errTooManySteps)
	case w.request < 0:
		panic(errTooMuchWork)
	}
}

// isStop reports whether a panic is one of spend.
func isStop(p any) (error, bool) {
	err, is := p.(error)
	return err, is && (errors.Is(err, errTooManySteps) || errors.Is(err, errTooMuchWork) || errors.Is(err, errEnded))
}

// steps is a vocabulary without keywords that takes part in every subschema of a schema whose longest
// list of values takes so much to look through. The library calls it when it has held a subschema
// against a value, and not where the type or such a list did not fit: so each pays for the members of
// its value too.
func (w *work) steps(listWork int64) *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL: "interlock:///steps",
		Compile: func(_ *jsonschema.CompilerContext, subschema map[string]any) (jsonschema.SchemaExt, error) {
			lists := 1
			for _, keyword := range subschema {
				lists += lengthOf(keyword)
			}
			return step{w, int64(lists)*stepWork + listWork}, nil
		},
	}
}

// step is one subschema.
type step struct {
	work  *work
	units int64
}

// Validate implements jsonschema.SchemaExt.
func (s step) Validate(_ *jsonschema.ValidatorContext, value any) {
	s.work.spend(s.units * int64(1+lengthOf(value)))
}

// lengthOf is how many members a value has.
func lengthOf(value any) int {
	switch value := value.(type) {
	case []any:
		return len(value)
	case map[string]any:
		return len(value)
	}
	return 0
}

// What it takes to compare with a number, which the library does exactly, and with anything else.
const (
	numberWork = 60
	valueWork  = 5
)

// comparing is what it takes to compare with all of a value.
func comparing(value any) int64 {
	units := int64(valueWork)
	switch value := value.(type) {
	case json.Number:
		units = numberWork
	case []any:
		for _, element := range value {
			units += comparing(element)
		}
	case map[string]any:
		for _, member := range value {
			units += comparing(member)
		}
	}
	return units
}

// longestList is what it takes to compare with the longest list of values (enum, const) anywhere in a
// schema.
func longestList(schema any) (units int64) {
	switch schema := schema.(type) {
	case []any:
		for _, element := range schema {
			units = max(units, longestList(element))
		}
	case map[string]any:
		for name, member := range schema {
			if name == "enum" || name == "const" {
				units = max(units, comparing(member))
			}
			units = max(units, longestList(member))
		}
	}
	return units
}

// places is how many values there are in a value.
func places(value any) int64 {
	n := int64(1)
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			n += places(element)
		}
	case map[string]any:
		for _, member := range value {
			n += places(member)
		}
	}
	return n
}

// patterns compiles the patterns of one schema, which are looked at more than once.
func (w *work) patterns() jsonschema.RegexpEngine {
	known, size := map[string]*pattern{}, 0
	return func(text string) (jsonschema.Regexp, error) {
		if p := known[text]; p != nil {
			return p, nil
		}
		parsed, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			return nil, err
		}
		own := sizeOf(parsed)
		if size += own; size > maxPatterns {
			return nil, fmt.Errorf("its patterns are too large: together they may have about %d characters, each as often as it is repeated", maxPatterns)
		}
		compiled, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		known[text] = &pattern{compiled, w, int64(own)}
		return known[text], nil
	}
}

// sizeOf is about how many instructions a pattern compiles to, at most maxPatterns+1.
func sizeOf(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		size = min(size+sizeOf(sub), maxPatterns+1)
	}
	if re.Op == syntax.OpRepeat {
		size = min(size*max(re.Min, re.Max, 1), maxPatterns+1)
	}
	return size
}

// pattern is a compiled pattern that pays for what it looks at.
type pattern struct {
	*regexp.Regexp
	work *work
	size int64
}

// MatchString implements jsonschema.Regexp.
func (p *pattern) MatchString(text string) bool {
	p.work.spend(p.size * int64(len(text)+1))
	return p.Regexp.MatchString(text)
}
