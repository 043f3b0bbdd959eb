package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"interlock/client"
	"interlock/internal/base/clip"
	"interlock/internal/base/strictjson"
	"interlock/internal/config"
)

// Verdicts of a plan.
const (
	verdictCreate    = "create"
	verdictChange    = "change"
	verdictOwn       = "own"
	verdictUnchanged = "unchanged"
	verdictConflict  = "conflict"
	verdictDelete    = "delete"
)

var verdicts = []string{verdictCreate, verdictChange, verdictOwn, verdictDelete, verdictUnchanged, verdictConflict}

// maxBatch is the maximum of changes in one request.
const maxBatch = 500

// configsChanges compares the configs of a source with those of a server.
type configsChanges struct {
	manager, prefix string
	takesOver       bool
	current         map[string]client.Config
	// named are the keys of current by format and name; see keyOf.
	named   map[string]map[string][]string
	planned []plannedConfig
	counts  map[string]int
	// notes describe parts of the source that the plan does not contain.
	notes []config.Note
}

// plannedConfig is the plan for one key.
type plannedConfig struct {
	key, verdict, text string
	change             func() (client.ConfigChange, error)
}

// isJSON reports whether the server has a config of the type json with the key.
func (p *configsChanges) isJSON(key string) bool {
	return p.current[key].ValueType == client.ValueTypeJSON
}

func (p *configsChanges) isEmpty() bool { return p.counts[verdictUnchanged] == len(p.planned) }

func (p *configsChanges) conflictError(consequence string) error {
	return exitError{fmt.Errorf("%d configs have other owners; %s: change the configs at their owners, remove them from the source, or take them over with --take-over REASON",
		p.counts[verdictConflict], consequence), exitConflicts}
}

// batch returns the request for the plan.
func (p *configsChanges) batch() (client.ConfigBatch, error) {
	var batch client.ConfigBatch
	for _, planned := range p.planned {
		if planned.change == nil {
			continue
		}
		change, err := planned.change()
		if err != nil {
			return batch, err
		}
		batch.Changes = append(batch.Changes, change)
	}
	if len(batch.Changes) > maxBatch {
		return batch, fmt.Errorf("the plan has %d changes; one request has at most %d: apply by --prefix", len(batch.Changes), maxBatch)
	}
	return batch, nil
}

// owns reports whether the manager owns a field.
func (p *configsChanges) owns(c client.Config, field string) bool {
	owner := c.Owner.Of(field)
	return owner != nil && owner.Manager == p.manager
}

func (p *configsChanges) print(out io.Writer) {
	var counts []string
	for _, note := range p.notes {
		fmt.Fprintf(out, "note       %s\n", note)
	}
	for _, planned := range p.planned {
		fmt.Fprintf(out, "%-10s %s\n", planned.verdict, planned.text)
	}
	for _, verdict := range verdicts {
		counts = append(counts, fmt.Sprintf("%s %d", verdict, p.counts[verdict]))
	}
	fmt.Fprintf(out, "Plan: %s.\n", strings.Join(counts, ", "))
}

// compare plans the settings of a source. With prune it also deletes the manager's configs that the
// source does not contain.
func (p *configsChanges) compare(settings []config.Setting, prune bool) error {
	if prune && len(settings) == 0 {
		return errors.New("the source has no configs, so that --prune would delete all; check its path")
	}
	places := map[string]string{}
	for _, setting := range settings {
		key, err := p.keyOf(setting)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(key, p.prefix) {
			continue
		}
		if other, isTaken := places[key]; isTaken {
			return fmt.Errorf("%s: %s is also set at %s; remove one of them", setting.At, key, other)
		}
		places[key] = setting.At
		planned, err := p.planOf(key, setting)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", setting.At, key, err)
		}
		p.planned = append(p.planned, planned)
	}
	for key, current := range p.current {
		if _, isSet := places[key]; prune && !isSet && p.owns(current, "value") {
			p.planned = append(p.planned, p.planDeletion(current))
		}
	}
	slices.SortFunc(p.planned, func(a, b plannedConfig) int { return cmp.Compare(a.key, b.key) })
	for _, planned := range p.planned {
		p.counts[planned.verdict]++
	}
	return nil
}

// keyOf returns the key of a setting. A name of env or a ConfigMap is that of the one config of the
// server that the export names so, or else a new key.
func (p *configsChanges) keyOf(s config.Setting) (string, error) {
	if s.Format == "" {
		return s.Name, nil
	}
	if p.named[s.Format] == nil {
		named := map[string][]string{}
		for key := range p.current {
			named[s.NameOf(key)] = append(named[s.NameOf(key)], key)
		}
		p.named[s.Format] = named
	}
	key, err := s.KeyAmong(p.named[s.Format][s.Name])
	if err != nil {
		return "", fmt.Errorf("%s: %s %w", s.At, s.Name, err)
	}
	return key, nil
}

func (p *configsChanges) planOf(key string, s config.Setting) (plannedConfig, error) {
	current, exists := p.current[key]
	switch {
	case s.Withheld && exists:
		return plannedConfig{key: key, verdict: verdictUnchanged, text: key + " (the source withholds its value)"}, nil
	case s.Withheld:
		return plannedConfig{}, errors.New("the source withholds its value; read it with the permission configs:secrets, or remove it from the source")
	case !exists:
		return planCreation(key, s)
	case current.Masked:
		return plannedConfig{}, errors.New("the server withholds its value; use a token with the permission configs:secrets")
	}
	return p.planUpdate(current, s)
}

func planCreation(key string, s config.Setting) (plannedConfig, error) {
	value, err := s.ValueAs("")
	if err != nil {
		return plannedConfig{}, err
	}
	body := client.ConfigCreate{Key: key, Value: value, Remark: s.Remark}
	if c := s.Config; c != nil {
		body.ValueType, body.Remark, body.Schema, body.Protected, body.Secret = client.ValueType(c.ValueType), c.Remark, c.Schema, c.Protected, c.Secret
	}
	return plannedConfig{
		key: key, verdict: verdictCreate, text: key + " = " + shownValue(body.Value, body.Secret),
		change: func() (client.ConfigChange, error) { return client.CreateConfig(body) },
	}, nil
}

func (p *configsChanges) planDeletion(current client.Config) plannedConfig {
	planned := plannedConfig{
		key: current.Key, verdict: verdictDelete, text: current.Key + " = " + shownValue(current.Value, current.Secret),
		change: func() (client.ConfigChange, error) { return client.DeleteConfig(current), nil },
	}
	return p.checked(planned, current, config.OwnedFields)
}

// difference is a field in which the source and the server differ.
type difference struct{ field, before, after string }

func (p *configsChanges) planUpdate(current client.Config, s config.Setting) (plannedConfig, error) {
	requested, err := requestedConfig(current, s)
	if err != nil {
		return plannedConfig{}, err
	}
	differences := differencesOf(current, requested)
	confirmed := p.confirmed(current, s, differences)
	planned := plannedConfig{key: current.Key, verdict: verdictUnchanged, text: current.Key}
	var fields []string
	for i, d := range differences {
		planned.verdict, planned.text = verdictChange, planned.text+[]string{": ", "; "}[min(i, 1)]
		if d.field != "value" {
			planned.text += d.field + " "
		}
		planned.text += d.before + " → " + d.after
		fields = append(fields, config.OwnedField(d.field))
	}
	if len(differences) == 0 && len(confirmed) > 0 {
		planned.verdict, planned.text = verdictOwn, fmt.Sprintf("%s: %s becomes the owner of %s", current.Key, p.manager, strings.Join(confirmed, ", "))
	}
	if planned.verdict != verdictUnchanged {
		planned.change = func() (client.ConfigChange, error) { return update(requested, confirmed) }
	}
	return p.checked(planned, current, append(fields, confirmed...)), nil
}

// checked returns the plan, or a conflict if another owner has one of the fields.
func (p *configsChanges) checked(planned plannedConfig, current client.Config, fields []string) plannedConfig {
	for _, field := range slices.Compact(slices.Sorted(slices.Values(fields))) {
		owner := current.Owner.Of(field)
		if owner == nil || owner.Manager == p.manager || p.manager == "" && strings.HasPrefix(owner.Manager, "user:") {
			continue
		}
		by := fmt.Sprintf("%s is owned by %s since %s", field, owner.Manager, owner.Since.Format("2006-01-02 15:04"))
		if owner.Revision != "" {
			by += ", revision " + owner.Revision
		}
		planned.text += " (" + by + ")"
		if !p.takesOver {
			planned.verdict, planned.change = verdictConflict, nil
		}
	}
	return planned
}

// requestedConfig returns a config with the fields of the source.
func requestedConfig(current client.Config, s config.Setting) (client.Config, error) {
	value, err := s.ValueAs(config.Type(current.ValueType))
	if err != nil {
		return current, err
	}
	requested := current
	requested.Value = value
	if c := s.Config; c != nil {
		requested.ValueType, requested.Remark, requested.Schema, requested.Protected, requested.Secret = client.ValueType(c.ValueType), c.Remark, c.Schema, c.Protected, c.Secret
	}
	if strictjson.Same(comparedValue(current), comparedValue(requested)) {
		requested.Value = current.Value
	}
	if strictjson.Same(string(current.Schema), string(requested.Schema)) {
		requested.Schema = current.Schema
	}
	return requested, nil
}

// comparedValue returns the value of a config as JSON. Values of other types than string may be stored
// as their text in a JSON string.
func comparedValue(c client.Config) string {
	if c.ValueType == client.ValueTypeString {
		return string(c.Value)
	}
	return config.ValueText(c.Value)
}

func differencesOf(current, requested client.Config) (list []difference) {
	secret := current.Secret || requested.Secret
	for _, d := range []difference{
		{"value", shownValue(current.Value, secret), shownValue(requested.Value, secret)},
		{"valueType", string(current.ValueType), string(requested.ValueType)},
		{"remark", fmt.Sprintf("%q", current.Remark), fmt.Sprintf("%q", requested.Remark)},
		{"schema", shownValue(current.Schema, false), shownValue(requested.Schema, false)},
		{"protected", fmt.Sprint(current.Protected), fmt.Sprint(requested.Protected)},
		{"secret", fmt.Sprint(current.Secret), fmt.Sprint(requested.Secret)},
	} {
		differs := d.before != d.after
		switch d.field {
		case "value":
			differs = string(current.Value) != string(requested.Value)
		case "schema":
			differs = string(current.Schema) != string(requested.Schema)
		}
		if differs {
			list = append(list, d)
		}
	}
	return list
}

// confirmed returns the fields that the source sets to their current content and that the manager
// does not own: the value, and the other fields of an export that are not empty. A merge patch
// cannot set null, so the owner of such a value is unchanged.
func (p *configsChanges) confirmed(current client.Config, s config.Setting, differences []difference) (fields []string) {
	if p.manager == "" {
		return nil
	}
	sets := map[string]bool{"value": string(current.Value) != "null"}
	if s.Config != nil {
		sets["remark"], sets["schema"] = current.Remark != "", len(current.Schema) > 0
		sets["protected"], sets["secret"] = current.Protected, current.Secret
	}
	for _, d := range differences {
		delete(sets, config.OwnedField(d.field))
	}
	for field, isSet := range sets {
		if isSet && !p.owns(current, field) {
			fields = append(fields, field)
		}
	}
	slices.Sort(fields)
	return fields
}

// update returns the change of a config. Its patch also names the confirmed fields.
func update(requested client.Config, confirmed []string) (client.ConfigChange, error) {
	change, err := client.UpdateConfig(requested)
	if err != nil || len(confirmed) == 0 {
		return change, err
	}
	patch := map[string]any{}
	for name, member := range membersOf(change.Patch) {
		patch[name] = member
	}
	content := map[string]any{"remark": requested.Remark, "protected": requested.Protected, "secret": requested.Secret, "value": unchanged(requested.Value), "schema": unchanged(requested.Schema)}
	for _, field := range confirmed {
		patch[field] = content[field]
	}
	change.Patch, err = strictjson.Encode(patch)
	return change, err
}

// membersOf returns the members of a JSON object as JSON, with the notation of their numbers.
func membersOf(object json.RawMessage) (members map[string]json.RawMessage) {
	_ = json.Unmarshal(object, &members) // made by client.UpdateConfig
	return members
}

// unchanged returns a merge patch that does not change a value: of an object, the empty one, because
// null in a merge patch removes a member.
func unchanged(value json.RawMessage) any {
	if len(value) > 0 && value[0] == '{' {
		return struct{}{}
	}
	return value
}

// shownValue returns a value for the plan.
func shownValue(value json.RawMessage, secret bool) string {
	switch {
	case secret:
		return "(secret)"
	case len(value) == 0:
		return "(none)"
	}
	return clip.Text(string(value), 200)
}
