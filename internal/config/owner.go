package config

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
)

// The fields of a config have owners: programs that set them from a source, such as a repository.
// A field of a program is changed by that program, or by another caller that states a reason for
// taking it over. The next write of the program is then rejected until it does the same.
//
// By taking a field over, a user becomes its owner, so that the program detects it. Users do not
// exclude each other: versions protect their edits.
//
// Owners prevent mistakes, not attacks: a caller with writePermission can act for any manager.

// Owner is the manager of one field.
type Owner struct {
	// The name of a program, or `user:` and the name of the user who took the field over.
	Manager string `json:"manager" validate:"min=1,max=105"`
	// The revision of the manager's source that set the field; empty if the manager stated none.
	Revision string `json:"revision" validate:"max=100"`
	// When the manager set the field.
	Since time.Time `json:"since"`
}

// SchemaName returns the name of the schema in the contract.
func (Owner) SchemaName() string { return "ConfigOwner" }

// owners are the owners by field.
type owners map[string]Owner

// ownersView are owners in a representation.
type ownersView struct {
	// The owner of `value` and `valueType`.
	Value     *Owner `json:"value,omitempty"`
	Schema    *Owner `json:"schema,omitempty"`
	Remark    *Owner `json:"remark,omitempty"`
	Protected *Owner `json:"protected,omitempty"`
	Secret    *Owner `json:"secret,omitempty"`
}

// SchemaName returns the name of the schema in the contract.
func (ownersView) SchemaName() string { return "ConfigOwners" }

// ownersText are owners as stored: JSON, or "" for none.
type ownersText string

// read returns the owners.
func (t ownersText) read() owners {
	all := owners{}
	t.decode(&all)
	return all
}

func (t ownersText) view() (view ownersView) {
	t.decode(&view)
	return view
}

func (t ownersText) decode(into any) {
	if t != "" {
		_ = json.Unmarshal([]byte(t), into) // written by text
	}
}

func (o owners) text() (ownersText, error) {
	if len(o) == 0 {
		return "", nil
	}
	text, err := strictjson.Encode(o)
	if err != nil {
		return "", fmt.Errorf("encode the owners of a config: %w", err)
	}
	return ownersText(text), nil
}

// userManager is the prefix of the managers that are users.
const userManager = "user:"

// claim is the manager that a change acts for.
type claim struct {
	Manager  string `json:"manager"`
	Revision string `json:"revision,omitempty"`
	// TakeOver is the reason for changing fields of other owners; "" to reject such a change.
	TakeOver string `json:"takeOver,omitempty"`
	// Fields are the fields that the change sets, also to their current content.
	Fields []string `json:"fields,omitempty"`
}

func (c claim) isUser() bool { return strings.HasPrefix(c.Manager, userManager) }

// isPlain reports whether the change is of a user without a take-over.
func (c claim) isPlain() bool { return c.isUser() && c.TakeOver == "" }

// explicit returns the claim for a proposal; nil if it is plain, so that the proposal needs none.
func (c *claim) explicit(fields []string) *claim {
	if c == nil || c.isPlain() {
		return nil
	}
	made := *c
	made.Fields = fields
	return &made
}

// yieldsTo reports whether the owner of a field excludes changes by the claim.
func (c claim) yieldsTo(o Owner) bool {
	return o.Manager != c.Manager && !(c.isUser() && strings.HasPrefix(o.Manager, userManager))
}

type claimKey struct{}

// claimOf returns the claim of the context's request; by default, that of its user.
func claimOf(ctx context.Context) *claim {
	requested, _ := ctx.Value(claimKey{}).(claim)
	if requested.Manager == "" {
		caller, _ := principal.From(ctx)
		requested.Manager = userManager + caller.Name
	}
	return &requested
}

// OwnedFields are the fields that can have an owner, sorted.
var OwnedFields = []string{"protected", "remark", "schema", "secret", "value"}

// OwnedField returns the field that has the owner of a member of a config.
func OwnedField(member string) string {
	if member == "valueType" {
		return "value"
	}
	return member
}

// ownedFields returns the fields of members, without duplicates.
func ownedFields(members ...string) []string {
	fields := make([]string, len(members))
	for i, member := range members {
		fields[i] = OwnedField(member)
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// leavesOwners reports whether a change by the author neither depends on the owners of c nor changes
// them. This is true for most edits, which then compare no content here.
func (by author) leavesOwners(c *Config) bool {
	return by.claim == nil || by.claim.isPlain() && c.Owners == ""
}

// setOwners sets the owners of after, which author makes from c; confirmed are the fields that the
// author sets to their current content. Every change of a config passes through this function or
// permitDeletion. Errors: InUse for a field of another owner that the author does not take over.
func (c *Config) setOwners(after *Config, by author, confirmed []string) error {
	after.claim, after.takeOver = nil, ""
	if by.leavesOwners(c) {
		return nil
	}
	changed := ownedFields(c.differences(after)...)
	fields := ownedFields(slices.Concat(changed, confirmed)...)
	all := c.Owners.read()
	if err := by.claim.permit(c, all, fields); err != nil {
		return err
	}
	after.claim = by.claim.explicit(fields)
	for _, field := range fields {
		owner, isOwned := all[field]
		switch {
		case !isOwned && by.claim.isUser(), owner.Manager == by.claim.Manager && !slices.Contains(changed, field):
			continue
		case isOwned && by.claim.yieldsTo(owner):
			after.takeOver = by.claim.TakeOver
		}
		all[field] = Owner{Manager: by.claim.Manager, Revision: by.claim.Revision, Since: by.now}
	}
	var err error
	after.Owners, err = all.text()
	return err
}

// permitDeletion checks that the author may delete the config. Errors: InUse.
func (w *plannedWrite) permitDeletion(by author) error {
	if by.claim == nil {
		return nil
	}
	all := w.before.Owners.read()
	if err := by.claim.permit(w.before, all, slices.Collect(maps.Keys(all))); err != nil {
		return err
	}
	w.Claim = by.claim.explicit(nil)
	for _, owner := range all {
		if by.claim.yieldsTo(owner) {
			w.takeOver = by.claim.TakeOver
		}
	}
	return nil
}

// claimedFields returns the fields of a proposed change.
func (w plannedWrite) claimedFields() []string {
	if w.Claim == nil {
		return nil
	}
	return w.Claim.Fields
}

// permit checks that the claim may set fields of a config. Errors: InUse.
func (c claim) permit(of *Config, all owners, fields []string) error {
	others := owners{}
	for _, field := range fields {
		if owner, isOwned := all[field]; isOwned && c.yieldsTo(owner) {
			others[field] = owner
		}
	}
	if len(others) == 0 || c.TakeOver != "" {
		return nil
	}
	var names []string
	for _, field := range slices.Sorted(maps.Keys(others)) {
		name := fmt.Sprintf("%s by %s", field, others[field].Manager)
		if revision := others[field].Revision; revision != "" {
			name += " (revision " + revision + ")"
		}
		names = append(names, name)
	}
	return apperr.New(apperr.InUse, "%s has owned fields: %s. Nothing was changed. Change the source of the owner, or repeat the request with the parameter takeOver and a reason.",
		of.label(), strings.Join(names, ", ")).With("owner", others)
}

// noteOf returns the note of writes with the reason for which they take fields over.
func noteOf(note string, writes []plannedWrite) string {
	for _, w := range writes {
		reason := w.takeOver
		if w.after != nil {
			reason = w.after.takeOver
		}
		note = withReason(note, reason)
	}
	return note
}

// withReason returns the note of a change with the reason for which it took fields over; a note that
// has the reason is unchanged.
func withReason(note, reason string) string {
	if note == "" || strings.HasSuffix(note, reason) {
		return cmp.Or(note, reason)
	}
	return clip.Text(note+" / "+reason, MaxNote-1)
}

// claimed returns the patched document of a config with the owners of the fields that the patch
// names. Without a change of content, the document then differs only if an owner does.
func (by author) claimed(document, patched, patch any) any {
	if by.claim == nil || by.claim.isPlain() {
		return patched
	}
	fields := by.claim.Fields
	names, _ := merge.ObjectOf(patch)
	for name := range names.All() {
		fields = append(slices.Clip(fields), OwnedField(name))
	}
	managers := map[string]any{}
	for name, manager := range ownersIn(document) {
		managers[name] = manager
	}
	for _, field := range fields {
		_, isOwned := managers[field]
		if isOwned || !by.claim.isUser() {
			managers[field] = by.claim.Manager
		}
	}
	return withMember(patched, ownerMember, managers)
}

// confirmed returns the fields of the author in an edited document that have another owner in c.
func (by author) confirmed(c *Config, document any) (fields []string) {
	if by.leavesOwners(c) {
		return nil
	}
	before := c.Owners.read()
	for field, manager := range ownersIn(document) {
		if manager == by.claim.Manager && before[field].Manager != manager {
			fields = append(fields, field)
		}
	}
	return fields
}

// confirms returns the owned fields that an author sets with a whole content: all except empty ones.
func (by author) confirms(content Content) []string {
	if by.claim == nil || by.claim.isPlain() {
		return nil
	}
	return ownedFields(new(Config).differences(&Config{Content: content})...)
}

// ownerMember is the member of a document that contains the managers by field.
const ownerMember = "owner"

func (t ownersText) document() any {
	managers := map[string]any{}
	for field, owner := range t.read() {
		managers[field] = owner.Manager
	}
	return managers
}

// ownersIn returns the managers in a document, by field.
func ownersIn(document any) map[string]any {
	members, _ := merge.ObjectOf(document)
	owner, _ := members.Get(ownerMember)
	managers, _ := merge.ObjectOf(owner)
	return maps.Collect(managers.All())
}

// ownerParams are the parameters of a change by a manager; api/base.yaml describes them.
type ownerParams struct {
	Manager  *managerName      `query:"manager"`
	Revision *sourceRevision   `query:"revision"`
	TakeOver *approvals.Reason `query:"takeOver"`
}

func (p ownerParams) check() error {
	if p.Revision != nil && p.Manager == nil {
		return apperr.Malformed("?revision", "needs manager, the program that the revision belongs to")
	}
	return nil
}

// claiming returns a context for a change with the parameters.
func (p ownerParams) claiming(ctx context.Context) context.Context {
	var requested claim
	if p.Manager != nil {
		requested.Manager = string(*p.Manager)
	}
	if p.Revision != nil {
		requested.Revision = string(*p.Revision)
	}
	if p.TakeOver != nil {
		requested.TakeOver = string(*p.TakeOver)
	}
	return context.WithValue(ctx, claimKey{}, requested)
}

var managerPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,99}$`)

// managerName is the name of a program that manages configs.
type managerName string

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *managerName) UnmarshalText(text []byte) error {
	*m = managerName(text)
	switch {
	case !managerPattern.Match(text):
		return fmt.Errorf("must be 1 to 100 letters, digits and the characters . _ : @ / + - and start with a letter or digit")
	case strings.HasPrefix(string(text), userManager):
		return fmt.Errorf("must not start with %s, which names users", userManager)
	}
	return nil
}

// sourceRevision is a revision of a manager's source.
type sourceRevision string

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *sourceRevision) UnmarshalText(text []byte) error {
	*r = sourceRevision(text)
	n := utf8.RuneCount(text)
	if n == 0 || n > 100 || !utf8.Valid(text) || strings.ContainsFunc(string(text), unicode.IsControl) {
		return fmt.Errorf("must have 1 to 100 characters")
	}
	return nil
}
