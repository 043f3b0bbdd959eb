package catalog

import (
	"context"
	"fmt"

	"interlock/internal/base/merge"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
)

// Topic announces changes of items, keyed by sku.
const Topic = "items"

// InUse reports, as read by the unit, whether a row of another domain refers to an item, so that
// the item cannot be deleted. Domains above the catalog implement it.
type InUse func(ctx context.Context, u *uow.Unit, sku string) (bool, error)

// Deps are the dependencies of a Service.
type Deps struct {
	DB  *storage.DB
	Bus events.Bus
	// InUse prevents the deletion of used items; an item is used if any function reports it.
	InUse []InUse
}

// Service implements the use cases of the catalog. It is safe for concurrent use.
type Service struct {
	db    *storage.DB
	bus   events.Bus
	inUse []InUse
	// merges serializes the merges into one item.
	merges *change.RowQueues[*Item]
}

// New returns a Service.
func New(d Deps) *Service {
	return &Service{db: d.DB, bus: d.Bus, inUse: d.InUse, merges: new(change.RowQueues[*Item])}
}

// Item returns the item with a sku. Errors: NotFound.
func (s *Service) Item(ctx context.Context, sku string) (*Item, error) {
	return find(s.db.Read(ctx), sku)
}

// List returns one page of items.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Item], error) {
	return storage.List[Item](s.db.Read(ctx), page, itemSorts, f.filters()...)
}

// History returns one page of an item's versions, newest first.
func (s *Service) History(ctx context.Context, item *Item, page storage.Page) (storage.Listing[Revision], error) {
	return storage.List[Revision](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("item_id", item.ID))
}

// Create adds an item with valid content. Errors: AlreadyExists.
func (s *Service) Create(ctx context.Context, u *uow.Unit, sku string, content Content) (*Item, error) {
	item := &Item{SKU: sku, Content: content}
	if err := insert(ctx, u, item); err != nil {
		return nil, err
	}
	if err := insertHistory(ctx, u, item, "create"); err != nil {
		return nil, err
	}
	s.record(u, "create", item, map[string]any{"version": item.Version, "content": content})
	return item, nil
}

// Edit changes an item that was just read; see change.Editable.Apply for its errors.
func (s *Service) Edit(ctx context.Context, u *uow.Unit, item *Item, edit change.Edit) (change.Edited[*Item], error) {
	return s.editable().Apply(ctx, u, item, edit)
}

// Delete removes an item that was just read. Errors: VersionConflict, InUse.
func (s *Service) Delete(ctx context.Context, u *uow.Unit, item *Item, ifMatch guard.Precondition) error {
	s.record(u, "delete", item, map[string]any{"version": item.Version, "content": item.Content})
	return s.editable().Delete(ctx, u, item, ifMatch, func() error { return s.remove(ctx, u, item) })
}

// record writes the unit's audit entry, and publishes the change after commit.
func (s *Service) record(u *uow.Unit, verb string, item *Item, detail any) {
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "item", Topic: Topic, Key: item.SKU, Detail: detail,
		Change: events.Change{Version: item.Version, ETag: item.Ref().ETag(), Action: verb, Status: string(item.Status), Label: item.Name},
	})
}

// editable declares items to package change.
func (s *Service) editable() change.Editable[Item, *Item] {
	return change.Editable[Item, *Item]{
		Rows:      change.Rows[Item, *Item]{DB: s.db, Label: (*Item).Label, View: func(ctx context.Context, item *Item) any { return viewOf(ctx, *item) }},
		Document:  func(item *Item) (any, error) { return merge.Tree(item.Content) },
		Revise:    revise,
		AtVersion: s.at,
		Record: func(ctx context.Context, u *uow.Unit, before, after *Item, _ *change.Overwrite) error {
			s.record(u, "update", after, map[string]any{
				"fromVersion": before.Version, "version": after.Version, "before": before.Content, "after": after.Content,
			})
			return insertHistory(ctx, u, after, "update")
		},
		MergeQueue: s.merges,
	}
}

// revise returns the item of an edited document, if it is valid.
func revise(item *Item, document any) (*Item, guard.Set, error) {
	var content Content
	if err := merge.Decode(document, &content); err != nil {
		return nil, nil, fmt.Errorf("read an edited item: %w", err)
	}
	if err := httpapi.Validate(content); err != nil {
		return nil, nil, err
	}
	after := *item
	after.Content = content
	return &after, content.columns(), nil
}

// at returns an item at an earlier version.
func (s *Service) at(ctx context.Context, item *Item, version int64) (*Item, error) {
	var revision Revision
	err := s.db.Read(ctx).Where("item_id = ? AND version = ?", item.ID, version).Take(&revision).Error
	if err != nil {
		return nil, err
	}
	return revision.restore(item), nil
}
