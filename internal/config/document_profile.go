package config

import (
	"encoding/json"
	"slices"
	"strings"
)

// profileKeys bind a document of a file to profiles of Spring; the second is that before Spring Boot 2.4.
var profileKeys = []string{"spring.config.activate.on-profile", "spring.profiles"}

// platformKey binds a document to a cloud platform.
const platformKey = "spring.config.activate.on-cloud-platform"

// profilePart is a document of a YAML or properties file, with its first line.
type profilePart struct {
	*document
	line int
}

// includeProfiles adds the documents of a file as Spring does, except for those that are bound to another
// profile than the selected one, or to a cloud platform.
func (in *document) includeProfiles(parts []profilePart) {
	for _, part := range parts {
		profiles, platforms := part.condition(profileKeys...), part.condition(platformKey)
		in.out.Environments = append(in.out.Environments, profiles...)
		isSelected := slices.Contains(profiles, in.Environment)
		if isSelected {
			in.out.Environment = in.Environment
		}
		switch at := in.at(part.line); {
		case len(platforms) > 0:
			*part.out = Document{}
			part.note(at, "", "condition", "the values of the cloud platform %s are not read", strings.Join(platforms, ", "))
		case len(profiles) > 0 && !isSelected:
			*part.out = Document{}
			part.note(at, "", "condition", "the values of the profile %s are not read", strings.Join(profiles, ", "))
		}
	}
	in.includeInOrder(parts)
}

// condition removes the settings that have one of the keys, and returns their values.
func (in *document) condition(keys ...string) (values []string) {
	in.out.Settings = slices.DeleteFunc(in.out.Settings, func(s Setting) bool {
		if !slices.Contains(keys, strings.TrimPrefix(s.Name, in.prefix)) {
			return false
		}
		var list []string
		if json.Unmarshal(s.Value, &list) != nil {
			list = []string{s.Text + ValueText(s.Value)}
		}
		for _, text := range list {
			for value := range strings.SplitSeq(text, ",") {
				if in.fits() {
					values = append(values, strings.TrimSpace(value))
				}
			}
		}
		return true
	})
	return values
}

// includeInOrder adds documents, each of which overrides the documents before it: also with a value that
// is rejected, so that no document has the value of another one instead.
func (in *document) includeInOrder(parts []profilePart) {
	last := map[string]int{}
	for i, part := range parts {
		for _, s := range part.out.Settings {
			last[s.Name] = i
		}
		for _, rejected := range part.out.Rejected {
			last[rejected.Key] = i
		}
	}
	for i, part := range parts {
		part.out.Settings = slices.DeleteFunc(part.out.Settings, func(s Setting) bool { return last[s.Name] > i })
		in.include(part.out)
	}
}
