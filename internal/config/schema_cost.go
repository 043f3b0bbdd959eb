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

// A schema is a program that a caller writes and the server runs. Its work is counted in units of
// about 10 ns before it runs: each subschema that is applied to a value, by its number of members,
// and each pattern by its size times the length of the text, the upper bound of RE2. All schemas of
// a request share one budget, and validation stops when the request ends.
const (
	// maxConfigWork bounds the work for the schema of one config, about one second; maxRequestWork
	// bounds the work for all schemas of a request, about five seconds.
	maxConfigWork  = 100_000_000
	maxRequestWork = 500_000_000
	// stepWork is the cost of applying a subschema, and each of its list members, to a value.
	stepWork = 100
	// compileWork is the cost of compiling one byte of a schema.
	compileWork = 10
	// maxPatterns bounds the compiled patterns of one schema, in instructions.
	maxPatterns = 20_000
)

var (
	// errTooManySteps, errTooMuchWork and errEnded stop a validation from inside the validator.
	errTooManySteps = errors.New("the validation needs too many steps")
	errTooMuchWork  = errors.New("the schemas of this request need too many steps together; send it in parts")
	errEnded        = errors.New("the request has ended")
)

// work is the remaining budget of a request for schemas. It is not safe for concurrent use.
type work struct {
	// request and config are the remainders of maxRequestWork and maxConfigWork.
	request, config int64
	ended           <-chan struct{}
}

func newWork(ctx context.Context) *work {
	return &work{request: maxRequestWork, config: maxConfigWork, ended: ctx.Done()}
}

// spend subtracts units, or panics to stop the validation: the library has no other way to stop.
// validate recovers the panic.
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

// isStop reports whether a panic value is from spend.
func isStop(p any) (error, bool) {
	err, is := p.(error)
	return err, is && (errors.Is(err, errTooManySteps) || errors.Is(err, errTooMuchWork) || errors.Is(err, errEnded))
}

// steps returns a vocabulary without keywords that is part of every subschema; listWork is the
// cost of searching the schema's longest list of values. The library calls it after it has applied
// a subschema to a value, but not after a failed type or enum check: therefore each call also
// counts the members of its value.
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

// lengthOf returns the number of members of a value.
func lengthOf(value any) int {
	switch value := value.(type) {
	case []any:
		return len(value)
	case map[string]any:
		return len(value)
	}
	return 0
}

// Costs of comparing a number, which the library does exactly, and another value.
const (
	numberWork = 60
	valueWork  = 5
)

// comparing returns the cost of comparing a whole value.
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

// maxListCost returns the cost of comparing with the longest list of values (enum, const) in a
// schema.
func maxListCost(schema any) (units int64) {
	switch schema := schema.(type) {
	case []any:
		for _, element := range schema {
			units = max(units, maxListCost(element))
		}
	case map[string]any:
		for name, member := range schema {
			if name == "enum" || name == "const" {
				units = max(units, comparing(member))
			}
			units = max(units, maxListCost(member))
		}
	}
	return units
}

// countValues returns the number of values in a value, including itself.
func countValues(value any) int64 {
	n := int64(1)
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			n += countValues(element)
		}
	case map[string]any:
		for _, member := range value {
			n += countValues(member)
		}
	}
	return n
}

// patterns compiles the patterns of one schema and caches them, because the library compiles each
// several times.
func (w *work) patterns() jsonschema.RegexpEngine {
	compiledPatterns, size := map[string]*pattern{}, 0
	return func(text string) (jsonschema.Regexp, error) {
		if p := compiledPatterns[text]; p != nil {
			return p, nil
		}
		parsed, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			return nil, err
		}
		patternSize := sizeOf(parsed)
		if size += patternSize; size > maxPatterns {
			return nil, fmt.Errorf("its patterns are too large: the limit is about %d characters in total, where repetitions count each time", maxPatterns)
		}
		compiled, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		compiledPatterns[text] = &pattern{compiled, w, int64(patternSize)}
		return compiledPatterns[text], nil
	}
}

// sizeOf returns about the number of instructions of a compiled pattern, at most maxPatterns+1.
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

// pattern is a compiled pattern that spends work for each match.
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
