package config

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

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
			in.note(at, feature.Name, "ignored", "is archived and not read")
			continue
		}
		in.addFlag(flagOfUnleash(feature, at))
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

// flagOfUnleash returns a feature: on for all users if it has no strategy, or one that selects all users.
func flagOfUnleash(f unleashFeature, at string) flag {
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
