package config

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

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
	list, path := source, []string(nil)
	for _, name := range []string{"feature_states", "flags"} {
		if value := source.member(name); value != nil {
			var err error
			if list, err = membersOf(value); err != nil {
				return in.fault(1, "%w", err)
			}
			path = []string{name}
			break
		}
	}
	segments, identities, err := smithOverrides(source)
	if err != nil {
		return in.fault(1, "has overrides that cannot be read: %w", err)
	}
	for _, m := range list.members {
		at := in.jsonPath(append(path, m.name)...)
		var f smithFlag
		if err := decodeLoosely(m.Value, &f); err != nil {
			in.reject(at, "", "unreadable", "the flag cannot be read: %s", err)
			continue
		}
		if !list.isArray {
			f.Name = m.name
		}
		if isSet(f.FeatureSegment) {
			in.note(at, f.Feature.Name, "dropped", "has another value for a segment, which is dropped")
			continue
		}
		out := flagOfSmith(f, at)
		out.dropped.count(segments[out.key], "segment overrides")
		out.dropped.count(identities[out.key], "identity overrides")
		in.addFlag(out)
	}
	return nil
}

// smithOverrides counts the values for segments and identities in an environment document, by the names
// of the features.
func smithOverrides(source jsonSource) (segments, identities map[string]int, err error) {
	type override struct{ Feature struct{ Name string } }
	var project struct {
		Segments []struct {
			FeatureStates []override `json:"feature_states"`
		}
	}
	var users []struct {
		IdentityFeatures []override `json:"identity_features"`
	}
	if value := source.member("project"); value.Kind() == '{' {
		err = decodeLoosely(value, &project)
	}
	if value := source.member("identity_overrides"); value.Kind() == '[' && err == nil {
		err = decodeLoosely(value, &users)
	}
	segments, identities = map[string]int{}, map[string]int{}
	for _, segment := range project.Segments {
		for _, o := range segment.FeatureStates {
			segments[o.Feature.Name]++
		}
	}
	for _, user := range users {
		for _, o := range user.IdentityFeatures {
			identities[o.Feature.Name]++
		}
	}
	return segments, identities, err
}

// flagOfSmith returns a flag: its value, or whether it is enabled if it has none.
func flagOfSmith(f smithFlag, at string) flag {
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
	if sum > 0 && every(variants, func(v smithVariant) bool { return v.Allocation != 100 }) {
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
	return err == nil && !features.isArray && s.hasOnly(growthMembers...) && every(features.members, func(m jsonMember) bool {
		feature, err := membersOf(m.Value)
		return err == nil && feature.hasOnly("defaultValue", "rules", "project", "metadata", "tags", "valueType")
	})
}

// readGrowthBook reads GET /api/features/{clientKey}.
func (in *document) readGrowthBook(source jsonSource) error {
	if encrypted := source.member("encryptedFeatures"); isSet(encrypted) && string(encrypted) != `""` {
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
			in.reject(at, m.name, "unreadable", "cannot be read: %s", err)
			continue
		}
		in.addFlag(flagOfGrowth(feature, m.name, at))
	}
	return nil
}

// flagOfGrowth returns a feature. The first rule that selects all users decides on the value.
func flagOfGrowth(f growthFeature, key, at string) flag {
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
