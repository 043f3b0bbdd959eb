package workorders

import (
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type workOrderView struct {
	ID       int64                  `json:"id"`
	Title    string                 `json:"title" validate:"required"`
	Body     string                 `json:"body"`
	Priority Priority               `json:"priority"`
	Status   status.Name[WorkOrder] `json:"status"`
	// The actions that the status allows, for callers with their permissions.
	AllowedTransitions []status.ActionName[WorkOrder] `json:"allowedTransitions"`
	// The time by which it should be resolved.
	DueTime *time.Time `json:"dueTime"`
	// The paths of the records that it is about, such as `orders/41`.
	Links  []string          `json:"links"`
	Holder *principal.Person `json:"holder"`
	// The time at which the holder got it.
	HeldTime *time.Time `json:"heldTime"`
	// True if a user can claim it: it is open, or its holder is disabled or may not read work orders any more.
	Offered    bool    `json:"offered"`
	Resolution *string `json:"resolution"`
	// The number of comments.
	Comments  int64            `json:"comments" validate:"min=0"`
	CreatedBy principal.Person `json:"createdBy"`
	guard.Stamp
}

// viewOf returns the view of a work order; unable are the users who cannot have one.
func viewOf(w WorkOrder, unable []int64) workOrderView {
	return workOrderView{
		ID: w.ID, Title: w.Title, Body: w.Body, Priority: Priority(priorities[w.Priority]), Status: status.NameOf[WorkOrder](w.Status),
		AllowedTransitions: status.ActionNames[WorkOrder](allowed(&w, unable)), DueTime: w.DueTime, Links: resourcesOf(w), Holder: holderOf(w), HeldTime: w.HeldTime,
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

// refusalView has the members of a rejected transition that only work orders have.
type refusalView struct {
	// The user that has the work order.
	Holder *principal.Person `json:"holder"`
}

// example is a work order for the contract.
var example = func() workOrderView {
	created := time.Date(2026, time.February, 3, 9, 15, 0, 0, time.UTC)
	held, due := created.Add(20*time.Minute), created.Add(25*time.Hour)
	order := WorkOrder{
		Row:       guard.Row{ID: 12, Version: 2, CreatedTime: created, UpdatedTime: held, UpdatedBy: 7, UpdatedByName: "Wu Min"},
		CreatedBy: 1, CreatedByName: "admin", Title: "A teapot arrived broken", Body: "See the picture in the mail of today.",
		Priority: 1, Status: claimed.Code, DueTime: &due, HeldTime: &held, HolderName: "Wu Min", Links: []Link{{Resource: "orders/41"}},
	}
	order.HolderID = &order.UpdatedBy
	return viewOf(order, nil)
}()
