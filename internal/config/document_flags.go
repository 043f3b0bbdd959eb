package config

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A config has one value for all users. So the value of a flag is the one for a user that no rule
// selects. Notes name the rules that are dropped. A flag is rejected if such users get several values by
// percentage, or the default of the program.

// flag is a flag of another system, as a config.
type flag struct {
	key, at, description string
	value                jsontext.Value
	dropped              dropped
	// rejection is the reason for which the flag has no single value; "" if it has one.
	rejection string
}

// dropped counts parts of a flag that a config cannot contain, by their names in the plural.
type dropped []string

func (d *dropped) count(n int, name string) {
	if n == 1 {
		*d = append(*d, "1 "+strings.TrimSuffix(name, "s"))
	} else if n > 1 {
		*d = append(*d, strconv.Itoa(n)+" "+name)
	}
}

// code returns the code of the rejection.
func (f flag) code() string {
	if f.rejection == byPercentage {
		return "percentage"
	}
	return "unreadable"
}

func (in *document) addFlag(f flag) {
	switch {
	case f.rejection != "":
		in.reject(f.at, f.key, f.code(), "%s", f.rejection)
		return
	case len(f.value) == 0:
		in.reject(f.at, f.key, "required", "has no value")
		return
	case len(f.dropped) > 0:
		in.note(f.at, f.key, "dropped", "has the value for users that no rule selects; dropped: %s", strings.Join(f.dropped, ", "))
	}
	in.addAt(f.at, Setting{Name: f.key, Value: json.RawMessage(f.value), Remark: f.description})
}

const byPercentage = "has several values by percentage; a config has one: create it by hand"

// darklyTarget is the state of a flag of LaunchDarkly in one environment.
type darklyTarget struct {
	On           bool
	OffVariation *int
	Fallthrough  *struct {
		Variation *int
		Rollout   *struct {
			Variations []struct{ Variation, Weight int }
		}
	}
	Rules, Targets, ContextTargets, Prerequisites []jsontext.Value
}

// darklyFlag is a flag of the REST API, which has Environments, or of the data for SDKs.
type darklyFlag struct {
	Key, Name, Description string
	Archived, Deleted      bool
	Variations             []jsontext.Value
	Environments           map[string]darklyTarget
}

func isLaunchDarkly(s jsonSource) bool {
	items, _ := membersOf(s.member("items"))
	flags, err := membersOf(s.member("flags"))
	hasVariations := func(m jsonMember) bool {
		object, err := membersOf(m.Value)
		return err == nil && object.member("variations") != nil
	}
	switch {
	case s.isArray:
		return false
	case items.isArray && len(items.members) > 0:
		return every(items.members, hasVariations)
	case err == nil && !flags.isArray && len(flags.members) > 0:
		return every(flags.members, hasVariations)
	}
	return s.member("variations") != nil && s.member("environments") != nil || s.member("flagValues") != nil && s.hasOnly("flags", "flagValues", "segments")
}

// readLaunchDarkly reads GET /api/v2/flags/{project}?summary=0, one flag of it, or the data of SDKs and
// the relay proxy.
func (in *document) readLaunchDarkly(source jsonSource) error {
	if source.member("variations") != nil {
		return in.readDarklyFlags([]jsonMember{{name: "", Value: jsontext.Value(in.Text)}})
	}
	if items := source.member("items"); items != nil {
		list, err := membersOf(items)
		if err != nil {
			return in.fault(1, "%w", err)
		}
		var total struct{ TotalCount int }
		if err := decodeLoosely(in.Text, &total); err == nil && total.TotalCount > len(list.members) {
			in.note(in.Name, "", "incomplete", "the file contains %d of %d flags; request the others with limit and offset", len(list.members), total.TotalCount)
		}
		return in.readDarklyFlags(list.members, "items")
	}
	if values := source.member("flagValues"); values != nil {
		list, err := membersOf(values)
		if err != nil {
			return in.fault(1, "%w", err)
		}
		for _, m := range list.members {
			in.addFlag(flag{key: m.name, at: in.jsonPath("flagValues", m.name), value: m.Value})
		}
	}
	list, _ := membersOf(source.member("flags"))
	for _, m := range list.members {
		at := in.jsonPath("flags", m.name)
		f, err := darklyFlagIn(m.Value)
		if err != nil {
			in.reject(at, m.name, "unreadable", "cannot be read: %s", err)
			continue
		}
		var target darklyTarget
		if err := decodeLoosely(m.Value, &target); err != nil {
			in.reject(at, m.name, "unreadable", "cannot be read: %s", err)
			continue
		}
		if !f.Deleted {
			in.addFlag(flagOfDarkly(f, m.name, at, target, f.Variations))
		}
	}
	return nil
}

func darklyFlagIn(text jsontext.Value) (f darklyFlag, err error) {
	err = decodeLoosely(text, &f)
	return f, err
}

// readDarklyFlags reads flags of the REST API. path contains the names on the path to the list.
func (in *document) readDarklyFlags(list []jsonMember, path ...string) error {
	flags := make([]darklyFlag, len(list))
	var environments []string
	for i, m := range list {
		var err error
		if flags[i], err = darklyFlagIn(m.Value); err != nil {
			in.reject(in.jsonPath(append(path, m.name)...), "", "unreadable", "the flag cannot be read: %s", err)
		}
		for name := range flags[i].Environments {
			environments = append(environments, name)
		}
	}
	environment, ok, err := in.choose(environments)
	if err != nil || !ok {
		return err
	}
	for i, f := range flags {
		at := in.jsonPath(append(path, list[i].name)...)
		target, exists := f.Environments[environment]
		switch {
		case f.Key == "":
		case f.Archived:
			in.note(at, f.Key, "ignored", "is archived and not read")
		case !exists:
			in.reject(at, f.Key, "environment", "has no environment %s", environment)
		default:
			values := make([]jsontext.Value, len(f.Variations))
			for i, variation := range f.Variations {
				object, _ := membersOf(variation)
				values[i] = object.member("value")
			}
			in.addFlag(flagOfDarkly(f, f.Key, at, target, values))
		}
	}
	return nil
}

// flagOfDarkly returns a flag with its state in one environment and the values of its variations.
func flagOfDarkly(f darklyFlag, key, at string, target darklyTarget, values []jsontext.Value) flag {
	out := flag{key: key, at: at, description: f.Description}
	index := target.OffVariation
	if target.Fallthrough == nil && (target.On || index == nil) {
		out.rejection = "has no fallthrough; request the flags with ?summary=0"
		return out
	}
	if target.On {
		out.dropped.count(len(target.Rules), "targeting rules")
		out.dropped.count(len(target.Targets)+len(target.ContextTargets), "target lists")
		out.dropped.count(len(target.Prerequisites), "prerequisites")
		index = target.Fallthrough.Variation
		if rollout := target.Fallthrough.Rollout; index == nil && rollout != nil {
			for _, share := range rollout.Variations {
				if share.Weight == 0 {
					continue
				}
				if index != nil {
					out.rejection = byPercentage
					return out
				}
				index = &share.Variation
			}
		}
	}
	switch {
	case index == nil && !target.On:
		out.rejection = "is off without an off variation, so that programs use their defaults"
	case index == nil || *index < 0 || *index >= len(values):
		out.rejection = "has no variation for users that no rule selects"
	default:
		out.value = values[*index]
	}
	return out
}

// isSet reports whether a member exists and is not null.
func isSet(value jsontext.Value) bool { return len(value) > 0 && string(value) != "null" }
