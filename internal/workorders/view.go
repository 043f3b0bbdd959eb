package workorders

import (
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type workOrderView struct {
	ID                 int64             `json:"id"`
	Title              string            `json:"title"`
	Body               string            `json:"body"`
	Priority           string            `json:"priority"`
	Status             string            `json:"status"`
	AllowedTransitions []string          `json:"allowedTransitions"`
	DueTime            *time.Time        `json:"dueTime"`
	Links              []string          `json:"links"`
	Holder             *principal.Person `json:"holder"`
	HeldTime           *time.Time        `json:"heldTime"`
	// Offered is true if it can be claimed: it is open, or its holder is disabled or may not read
	// work orders.
	Offered    bool             `json:"offered"`
	Resolution *string          `json:"resolution"`
	Comments   int64            `json:"comments"`
	CreatedBy  principal.Person `json:"createdBy"`
	guard.Stamp
}

// viewOf returns the view of a work order; unable are the users who cannot have one.
func viewOf(w WorkOrder, unable []int64) workOrderView {
	return workOrderView{
		ID: w.ID, Title: w.Title, Body: w.Body, Priority: priorities[w.Priority], Status: Machine.Of(w.Status).Name,
		AllowedTransitions: allowed(&w, unable), DueTime: w.DueTime, Links: resourcesOf(w), Holder: holderOf(w), HeldTime: w.HeldTime,
		Offered: w.Status == opened.Code || w.orphaned(unable), Resolution: httpapi.OrNull(w.Resolution), Comments: w.Comments,
		CreatedBy: principal.Person{ID: w.CreatedBy, Name: w.CreatedByName}, Stamp: w.Stamp(),
	}
}

// holderOf returns the holder of a work order, nil for none.
func holderOf(w WorkOrder) *principal.Person {
	if w.HolderID == nil {
		return nil
	}
	return &principal.Person{ID: *w.HolderID, Name: w.HolderName}
}

func resourcesOf(w WorkOrder) []string {
	resources := make([]string, len(w.Links))
	for i, link := range w.Links {
		resources[i] = link.Resource
	}
	return resources
}

type commentView struct {
	WorkOrderID int64 `json:"workOrderId"`
	change.CommentView
}

func commentViewOf(c Comment) commentView { return commentView{c.WorkOrderID, c.View()} }

func eventViewOf(e Event) change.EventView { return e.View(Machine) }
