package config

import (
	"encoding/json"
	"slices"
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

func (in *document) addFlag(f flag) {
	switch {
	case f.rejection != "":
		in.reject(f.at, f.key, "%s", f.rejection)
		return
	case len(f.value) == 0:
		in.reject(f.at, f.key, "has no value")
		return
	case len(f.dropped) > 0:
		in.note(f.at, f.key, "has the value for users that no rule selects; dropped: %s", strings.Join(f.dropped, ", "))
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
		return !slices.ContainsFunc(items.members, func(m jsonMember) bool { return !hasVariations(m) })
	case err == nil && !flags.isArray && len(flags.members) > 0:
		return !slices.ContainsFunc(flags.members, func(m jsonMember) bool { return !hasVariations(m) })
	}
	return s.member("variations") != nil && s.member("environments") != nil || s.member("flagValues") != nil && s.hasOnly("flags", "flagValues", "segments")
}

// readLaunchDarkly reads GET /api/v2/flags/{project}?summary=0, one flag of it, or the data of SDKs and
// the relay proxy.
func (in *document) readLaunchDarkly(source jsonSource) error {
	if source.member("variations") != nil {
		return in.readDarklyFlags([]jsonMember{{name: "", Value: jsontext.Value(in.Text)}}, "")
	}
	if items := source.member("items"); items != nil {
		list, err := membersOf(items)
		if err != nil {
			return in.fault(1, "%w", err)
		}
		var total struct{ TotalCount int }
		if err := decodeLoosely(in.Text, &total); err == nil && total.TotalCount > len(list.members) {
			in.note(in.Name, "", "the file contains %d of %d flags; request the others with limit and offset", len(list.members), total.TotalCount)
		}
		return in.readDarklyFlags(list.members, "items/")
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
			in.reject(at, m.name, "cannot be read: %s", err)
			continue
		}
		var target darklyTarget
		if err := decodeLoosely(m.Value, &target); err != nil {
			in.reject(at, m.name, "cannot be read: %s", err)
			continue
		}
		if !f.Deleted {
			in.addFlag(f.as(m.name, at, target, f.Variations))
		}
	}
	return nil
}

func darklyFlagIn(text jsontext.Value) (f darklyFlag, err error) {
	err = decodeLoosely(text, &f)
	return f, err
}

// readDarklyFlags reads flags of the REST API.
func (in *document) readDarklyFlags(list []jsonMember, path string) error {
	flags := make([]darklyFlag, len(list))
	var environments []string
	for i, m := range list {
		var err error
		if flags[i], err = darklyFlagIn(m.Value); err != nil {
			in.reject(in.jsonPath(path+m.name), "", "the flag cannot be read: %s", err)
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
		at := in.jsonPath(path + list[i].name)
		target, exists := f.Environments[environment]
		switch {
		case f.Key == "":
		case f.Archived:
			in.note(at, f.Key, "is archived and not read")
		case !exists:
			in.reject(at, f.Key, "has no environment %s", environment)
		default:
			values := make([]jsontext.Value, len(f.Variations))
			for i, variation := range f.Variations {
				object, _ := membersOf(variation)
				values[i] = object.member("value")
			}
			in.addFlag(f.as(f.Key, at, target, values))
		}
	}
	return nil
}

// as returns the flag with its state in one environment and the values of its variations.
func (f darklyFlag) as(key, at string, target darklyTarget, values []jsontext.Value) flag {
	out := flag{key: key, at: at, description: f.Description}
	index := target.OffVariation
	if target.On {
		out.dropped.count(len(target.Rules), "targeting rules")
		out.dropped.count(len(target.Targets)+len(target.ContextTargets), "target lists")
		out.dropped.count(len(target.Prerequisites), "prerequisites")
		if target.Fallthrough == nil {
			out.rejection = "has no fallthrough; request the flags with ?summary=0"
			return out
		}
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

// unleashStrategy is a strategy of a feature of Unleash.
type unleashStrategy struct {
	Name, StrategyName, FeatureName, Environment string
	Parameters                                   map[string]jsontext.Value
	Constraints, Segments, Variants              []jsontext.Value
	Disabled                                     bool
}

// unleashFeature is a feature in GET /api/client/features or a state of version 1, which has Enabled and
// Strategies, or in a later export.
type unleashFeature struct {
	Name, Description string
	Archived          bool
	Enabled           bool
	Strategies        []unleashStrategy
	Variants          []jsontext.Value
	Dependencies      []jsontext.Value
}

type unleashExport struct {
	Features            []unleashFeature
	FeatureStrategies   []unleashStrategy
	FeatureEnvironments []struct {
		FeatureName, Environment string
		Enabled                  bool
		Variants                 []jsontext.Value
	}
	Dependencies []struct {
		Feature      string
		Dependencies []jsontext.Value
	}
}

func isUnleash(s jsonSource) bool {
	features, err := membersOf(s.member("features"))
	return !s.isArray && err == nil && features.isArray && (s.member("featureEnvironments") != nil || features.everyElement("strategies"))
}

// readUnleash reads POST /api/admin/features-batch/export, GET /api/admin/state/export, or
// GET /api/client/features.
func (in *document) readUnleash(source jsonSource) error {
	var export unleashExport
	if err := decodeLoosely(in.Text, &export); err != nil {
		return in.fault(1, "%w", err)
	}
	if source.member("featureEnvironments") != nil {
		var environments []string
		for _, e := range export.FeatureEnvironments {
			environments = append(environments, e.Environment)
		}
		environment, ok, err := in.choose(environments)
		if err != nil || !ok {
			return err
		}
		export.moveInto(environment)
	}
	for i, feature := range export.Features {
		at := in.jsonPath("features", strconv.Itoa(i))
		if feature.Archived {
			in.note(at, feature.Name, "is archived and not read")
			continue
		}
		in.addFlag(feature.as(at))
	}
	return nil
}

// moveInto adds to each feature its state in an environment.
func (e *unleashExport) moveInto(environment string) {
	index := map[string]*unleashFeature{}
	for i := range e.Features {
		index[e.Features[i].Name] = &e.Features[i]
	}
	for _, state := range e.FeatureEnvironments {
		if f := index[state.FeatureName]; f != nil && state.Environment == environment {
			f.Enabled, f.Variants = state.Enabled, append(f.Variants, state.Variants...)
		}
	}
	for _, strategy := range e.FeatureStrategies {
		if f := index[strategy.FeatureName]; f != nil && (strategy.Environment == "" || strategy.Environment == environment) {
			f.Strategies = append(f.Strategies, strategy)
		}
	}
	for _, dependency := range e.Dependencies {
		if f := index[dependency.Feature]; f != nil {
			f.Dependencies = dependency.Dependencies
		}
	}
}

// as returns the feature: on for all users if it has no strategy, or one that selects all users.
func (f unleashFeature) as(at string) flag {
	out := flag{key: f.Name, at: at, description: f.Description, value: jsontext.Value("false")}
	if !f.Enabled {
		return out
	}
	var isOn, isPartial bool
	targeted, variants := 0, len(f.Variants)
	active := slices.DeleteFunc(slices.Clone(f.Strategies), func(s unleashStrategy) bool { return s.Disabled })
	for _, strategy := range active {
		variants += len(strategy.Variants)
		switch share, isKnown := strategy.share(); {
		case !isKnown, len(strategy.Constraints)+len(strategy.Segments) > 0:
			targeted++
		case share >= 100:
			isOn = true
		case share > 0:
			isPartial = true
		}
	}
	out.dropped.count(targeted, "targeting rules")
	out.dropped.count(variants, "variants")
	out.dropped.count(len(f.Dependencies), "parent features")
	switch {
	case isOn || len(active) == 0:
		out.value = jsontext.Value("true")
	case isPartial:
		out.rejection = byPercentage
	}
	return out
}

// share returns the percentage of users that a strategy without constraints selects. isKnown is false
// for a strategy that selects users by their properties.
func (s unleashStrategy) share() (percent float64, isKnown bool) {
	name := s.Name
	if s.StrategyName != "" {
		name = s.StrategyName
	}
	switch {
	case name == "default":
		return 100, true
	case name != "flexibleRollout" && !strings.HasPrefix(name, "gradualRollout"):
		return 0, false
	}
	for _, parameter := range []string{"rollout", "percentage"} {
		if text := s.Parameters[parameter]; len(text) > 0 {
			percent, err := strconv.ParseFloat(ValueText(json.RawMessage(text)), 64)
			return percent, err == nil
		}
	}
	return 0, false
}

// smithFlag is a flag of Flagsmith in an export of features, in GET /api/v1/flags/, in an environment
// document, or in the output of flagsmith get.
type smithFlag struct {
	Name              string
	Enabled           bool
	Value             jsontext.Value
	FeatureStateValue jsontext.Value `json:"feature_state_value"`
	Feature           struct {
		Name, Description string
	}
	FeatureSegment jsontext.Value `json:"feature_segment"`
	Multivariate   []smithVariant
	// MultivariateValues are those of an environment document.
	MultivariateValues []smithVariant `json:"multivariate_feature_state_values"`
}

type smithVariant struct {
	Allocation float64 `json:"percentage_allocation"`
	Value      jsontext.Value
	Option     struct{ Value jsontext.Value } `json:"multivariate_feature_option"`
}

func isFlagsmith(s jsonSource) bool {
	if s.isArray {
		return s.everyElement("feature_state_value", "multivariate", "initial_value")
	}
	flags, err := membersOf(s.member("flags"))
	if err == nil && flags.isArray {
		return flags.everyElement("feature_state_value")
	}
	isState := err == nil && len(flags.members) > 0
	for _, m := range flags.members {
		object, err := membersOf(m.Value)
		isState = isState && err == nil && object.member("enabled") != nil && object.member("value") != nil
	}
	return isState || s.member("feature_states") != nil
}

// readFlagsmith reads the flags of one environment.
func (in *document) readFlagsmith(source jsonSource) error {
	list, path := source, ""
	for _, name := range []string{"feature_states", "flags"} {
		if value := source.member(name); value != nil {
			var err error
			if list, err = membersOf(value); err != nil {
				return in.fault(1, "%w", err)
			}
			path = name + "/"
			break
		}
	}
	for _, m := range list.members {
		at := in.jsonPath(path + m.name)
		var f smithFlag
		if err := decodeLoosely(m.Value, &f); err != nil {
			in.reject(at, "", "the flag cannot be read: %s", err)
			continue
		}
		if !list.isArray {
			f.Name = m.name
		}
		if f.FeatureSegment == nil || string(f.FeatureSegment) == "null" {
			in.addFlag(f.as(at))
		} else {
			in.note(at, f.Feature.Name, "has another value for a segment, which is dropped")
		}
	}
	return nil
}

// as returns the flag: its value, or whether it is enabled if it has none.
func (f smithFlag) as(at string) flag {
	name := f.Feature.Name
	if name == "" {
		name = f.Name
	}
	out := flag{key: name, at: at, description: f.Feature.Description, value: f.Value}
	if len(out.value) == 0 {
		out.value = f.FeatureStateValue
	}
	variants := slices.Concat(f.Multivariate, f.MultivariateValues)
	sum, unused := 0.0, 0
	for _, variant := range variants {
		sum += variant.Allocation
		if variant.Allocation == 0 {
			unused++
		}
		if variant.Allocation == 100 {
			if out.value = variant.Value; len(out.value) == 0 {
				out.value = variant.Option.Value
			}
		}
	}
	if sum > 0 && !slices.ContainsFunc(variants, func(v smithVariant) bool { return v.Allocation == 100 }) {
		out.rejection = byPercentage
		return out
	}
	out.dropped.count(unused, "variants")
	switch text := string(out.value); {
	case text == "" || text == "null" || text == `""`:
		out.value = jsontext.Value(strconv.FormatBool(f.Enabled))
	case !f.Enabled:
		out.dropped = append(out.dropped, "that the flag is disabled")
	}
	return out
}

// growthRule is a rule of a feature of GrowthBook.
type growthRule struct {
	Force            jsontext.Value
	Variations       []jsontext.Value
	Weights          []float64
	Coverage         *float64
	Condition        map[string]jsontext.Value
	ParentConditions []jsontext.Value
	Namespace        jsontext.Value
	Range            jsontext.Value
	Ranges           []jsontext.Value
	Filters          []jsontext.Value
}

type growthFeature struct {
	DefaultValue jsontext.Value
	Rules        []growthRule
}

// growthMembers are the members of the payload for SDKs.
var growthMembers = []string{"status", "features", "experiments", "dateUpdated", "savedGroups", "contextualBandits", "encryptedFeatures", "encryptedExperiments", "encryptedSavedGroups", "sseSupport"}

func isGrowthBook(s jsonSource) bool {
	features, err := membersOf(s.member("features"))
	if s.member("encryptedFeatures") != nil {
		return s.hasOnly(growthMembers...)
	}
	return err == nil && !features.isArray && s.hasOnly(growthMembers...) && !slices.ContainsFunc(features.members, func(m jsonMember) bool {
		feature, err := membersOf(m.Value)
		return err != nil || !feature.hasOnly("defaultValue", "rules", "project", "metadata", "tags", "valueType")
	})
}

// readGrowthBook reads GET /api/features/{clientKey}.
func (in *document) readGrowthBook(source jsonSource) error {
	if encrypted := source.member("encryptedFeatures"); encrypted != nil && string(encrypted) != `""` && string(encrypted) != "null" {
		return in.fault(1, "is encrypted; use a connection without encryption of payloads")
	}
	features, err := membersOf(source.member("features"))
	if err != nil {
		return in.fault(1, "%w", err)
	}
	for _, m := range features.members {
		at := in.jsonPath("features", m.name)
		var feature growthFeature
		if err := decodeLoosely(m.Value, &feature); err != nil {
			in.reject(at, m.name, "cannot be read: %s", err)
			continue
		}
		in.addFlag(feature.as(m.name, at))
	}
	return nil
}

// as returns the feature. The first rule that selects all users decides on the value.
func (f growthFeature) as(key, at string) flag {
	out := flag{key: key, at: at, value: f.DefaultValue}
	if len(out.value) == 0 {
		out.value = jsontext.Value("null")
	}
	ignored := 0
	for i, rule := range f.Rules {
		value, decides := rule.value()
		if !decides || len(rule.Condition)+len(rule.ParentConditions) > 0 {
			ignored++
			continue
		}
		if out.value = value; value == nil {
			out.rejection = byPercentage
		}
		ignored += len(f.Rules) - i - 1
		break
	}
	out.dropped.count(ignored, "rules")
	return out
}

// value returns the value of a rule without conditions; nil if users get several. decides is false if it
// selects no user.
func (r growthRule) value() (value jsontext.Value, decides bool) {
	covers := r.Coverage == nil || *r.Coverage >= 1
	isEmpty := r.Coverage != nil && *r.Coverage <= 0
	isPartial := !covers || len(r.Ranges)+len(r.Filters) > 0 || isSet(r.Namespace) || isSet(r.Range)
	switch {
	case isEmpty:
		return nil, false
	case isPartial:
		return nil, true
	case isSet(r.Force):
		return r.Force, true
	}
	for i, variation := range r.Variations {
		if i < len(r.Weights) && r.Weights[i] == 1 || len(r.Variations) == 1 {
			return variation, true
		}
	}
	return nil, len(r.Variations) > 0
}

// isSet reports whether a member exists and is not null.
func isSet(value jsontext.Value) bool { return len(value) > 0 && string(value) != "null" }
