package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// ChangeQuantity adds delta units to a sale, or removes unsold units if delta is negative, and
// replaces value with the reply. Changes of value that were not saved are lost.
func (s *FlashSales) ChangeQuantity(ctx context.Context, value *FlashSale, delta int64, options ...CallOption) error {
	body := map[string]int64{"quantityDelta": delta}
	return s.client.do(ctx, request{method: http.MethodPatch, path: "/flash-sales/" + segment(value.ID), ifMatch: value.ETag, body: body}, value, options)
}

// Await reads a ticket repeatedly until it is confirmed or rejected. It also waits while the service
// cannot be reached. Errors: that of ctx together with that of the last attempt, or a rejection,
// such as not_found.
func (s *FlashSales) Await(ctx context.Context, id int64, ticket string, options ...CallOption) (FlashSaleTicket, error) {
	pauses := backoff{first: 200 * time.Millisecond, limit: 2 * time.Second}
	for {
		read, err := s.Ticket(ctx, id, ticket, options...)
		if isRejection(err) || err == nil && read.Status != FlashSaleTicketStatusQueued {
			return read, err
		}
		if stopped := wait(ctx, pauses.next(requestedPause(err))); stopped != nil {
			return read, errors.Join(stopped, err)
		}
	}
}

// TicketOf returns the ticket in an error of [FlashSales.BuyIn]: that of a purchase with an unknown
// outcome, or the latest ticket of a customer who has reached the limit. It is "" if there is none.
func TicketOf(err error) string {
	var problem *Problem
	var gaveUp *GaveUp
	// A later attempt may have ended without a reply; its ticket is the same.
	if errors.As(err, &gaveUp) && gaveUp.undecided != nil {
		problem = gaveUp.undecided
	} else if !errors.As(err, &problem) {
		return ""
	}
	var about struct {
		Ticket string `json:"ticket"`
	}
	if json.Unmarshal(problem.Body, &about) != nil {
		return ""
	}
	return about.Ticket
}
