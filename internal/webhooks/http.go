package webhooks

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"interlock/internal/base/apperr"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of subscriptions.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Webhooks", Noun: "webhook", Example: example})
	h := handler{s}
	byID := httpapi.Numbered("webhook", s.Webhook)
	httpapi.Get(r, "/webhooks", ReadPermission, h.list).Doc("List webhooks", "").With(httpapi.Contract{Sorts: sorts})
	httpapi.Mutation(r, http.MethodPost, "/webhooks", writePermission, h.create).
		Doc("Create a webhook", "It receives the changes after its creation. `secret` in the reply signs the messages; it is returned once. "+
			"403 for a topic that the caller may not read.").
		With(httpapi.Contract{
			Body:  map[string]any{"url": "https://shop.example.com/hooks", "topics": []string{"orders"}, "filter": map[string]any{"actions": []string{"ship"}}},
			Reply: secretView{webhookView: example, Secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}, Rejections: []httpapi.Rejection{{Code: apperr.LimitReached}},
		})
	httpapi.GetOf(r, "/webhooks/:id", ReadPermission, byID, h.get).
		Doc("Get a webhook", "The version is that of the settings; the progress of the deliveries changes without a new version.")
	httpapi.MutationOf(r, http.MethodPatch, "/webhooks/:id", writePermission, byID, h.edit).
		Doc("Update a webhook", "A merge patch (RFC 7396). `{\"enabled\":true}` resumes a paused webhook at its position. The caller needs the read permissions of all topics, "+
			"which then decide on the content of messages.").
		With(httpapi.Contract{ID: "editWebhook", Body: map[string]any{"enabled": true}})
	httpapi.MutationOf(r, http.MethodDelete, "/webhooks/:id", writePermission, byID, h.delete).Doc("Delete a webhook", "")
	httpapi.GetOf(r, "/webhooks/:id/history", ReadPermission, byID, h.versions).
		Doc("List the versions of a webhook", "Newest first.").With(httpapi.Contract{Sorts: change.HistorySorts})
	httpapi.GetOf(r, "/webhooks/:id/deliveries", ReadPermission, byID, h.deliveries).
		Doc("List the deliveries of a webhook", "Newest first: one entry for each attempt of the last seven days.").
		With(httpapi.Contract{Sorts: sorts, Reply: httpapi.List[deliveryView]{Items: []deliveryView{exampleDelivery}, Total: 1, TotalIsExact: true}})
	httpapi.ActOf(r, http.MethodPost, "/webhooks/:id/test", writePermission, byID, h.test).
		Doc("Send a test message", "Sends one message of type `webhooks.test` immediately, also to a disabled webhook, and returns the outcome. It is not retried.").
		With(httpapi.Contract{ID: "testWebhook", Success: "The delivery.", Reply: exampleDelivery})
	httpapi.MutationOf(r, http.MethodPost, "/webhooks/:id/rotate-secret", writePermission, byID, h.rotate).
		Doc("Replace the secret of a webhook", "`secret` in the reply is the new one; it is returned once. For 24 hours messages have the signatures of both secrets.").
		With(httpapi.Contract{ID: "rotateWebhookSecret", Reply: secretView{webhookView: example, Secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}})
	httpapi.MutationOf(r, http.MethodPost, "/webhooks/:id/replay", writePermission, byID, h.replay).
		Doc("Replay a webhook", "Delivers the messages after a point of the log again: `after` is the `cursor` of a delivery or of a webhook, or a time. "+
			"410 `gone` if entries after it do not exist any more.").
		With(httpapi.Contract{ID: "replayWebhook", Body: replayBody{"2026-02-07T00:00:00Z"}, Rejections: []httpapi.Rejection{{Code: apperr.Gone}}})
}

type handler struct{ service *Service }

func (h handler) list(ctx context.Context, in httpapi.Page) (httpapi.List[webhookView], error) {
	db := h.service.db.Read(ctx)
	listing, err := storage.List[Webhook](db, in.Page(), sorts)
	if err != nil {
		return httpapi.List[webhookView]{}, err
	}
	if err := withStates(db, listing.Pointers()); err != nil {
		return httpapi.List[webhookView]{}, err
	}
	history, err := h.service.history(ctx)
	return httpapi.ListOf(listing, func(w Webhook) webhookView { return viewOf(w, history) }), err
}

type createRequest struct{ Body webhookCreate }

type webhookCreate struct {
	// The address that receives the messages. It must use https, unless a setting of the server lists its network.
	URL string `json:"url" validate:"required,max=2000"`
	// The topics of `GET /events` to receive, each with its read permission.
	Topics  []Topic `json:"topics" validate:"min=1,max=50,unique,dive,pattern"`
	Filter  *Filter `json:"filter,omitempty"`
	Payload Payload `json:"content,omitempty" validate:"omitempty,enum" default:"thin"`
	Enabled *bool   `json:"enabled,omitempty" default:"true"`
}

func (h handler) create(ctx context.Context, u *uow.Unit, in createRequest) (httpapi.Created[secretView], error) {
	b := in.Body
	content := Content{URL: b.URL, Topics: b.Topics, Filter: b.Filter, Payload: cmp.Or(b.Payload, Thin), Enabled: b.Enabled == nil || *b.Enabled}
	w, secret, err := h.service.Create(ctx, u, content)
	if err != nil {
		return httpapi.Created[secretView]{}, err
	}
	return httpapi.Created[secretView]{Location: fmt.Sprintf("/webhooks/%d", w.ID), Body: secretView{viewOf(*w, ""), httpapi.Secret(secret)}}, nil
}

func (h handler) get(ctx context.Context, w *Webhook, _ httpapi.None) (httpapi.Fresh[webhookView], error) {
	view, err := h.view(ctx, w)
	return httpapi.Fresh[webhookView]{Body: view, Changed: true}, err
}

func (h handler) view(ctx context.Context, w *Webhook) (webhookView, error) {
	history, err := h.service.history(ctx)
	return viewOf(*w, history), err
}

type editRequest struct{ httpapi.Edit[Content] }

func (h handler) edit(ctx context.Context, u *uow.Unit, w *Webhook, in editRequest) (editedView, error) {
	edited, err := h.service.Edit(ctx, u, w, in.Change())
	if err != nil {
		return editedView{}, err
	}
	view, err := h.view(ctx, edited.Row)
	return editedView{webhookView: view, Merged: edited.Merged}, err
}

func (h handler) delete(ctx context.Context, u *uow.Unit, w *Webhook, in httpapi.Guarded) (httpapi.None, error) {
	return httpapi.None{}, h.service.Delete(ctx, u, w, in.IfMatch)
}

func (h handler) versions(ctx context.Context, w *Webhook, in httpapi.Page) (httpapi.List[revisionView], error) {
	listing, err := storage.List[Revision](h.service.db.Read(ctx), in.Page(), change.HistorySorts, storage.OwnedBy("webhook_id", w.ID))
	return httpapi.ListOf(listing, revisionViewOf), err
}

func (h handler) deliveries(ctx context.Context, w *Webhook, in httpapi.Page) (httpapi.List[deliveryView], error) {
	listing, err := storage.List[Delivery](h.service.db.Read(ctx), in.Page(), sorts, storage.OwnedBy("webhook_id", w.ID))
	if err != nil {
		return httpapi.List[deliveryView]{}, err
	}
	history, err := h.service.history(ctx)
	return httpapi.ListOf(listing, func(d Delivery) deliveryView { return deliveryViewOf(d, history) }), err
}

func (h handler) test(ctx context.Context, w *Webhook, _ httpapi.None) (deliveryView, error) {
	delivery, err := h.service.Test(ctx, w)
	return deliveryViewOf(delivery, epoch.Epoch("")), err
}

func (h handler) rotate(ctx context.Context, u *uow.Unit, w *Webhook, _ httpapi.None) (secretView, error) {
	after, secret, err := h.service.RotateSecret(ctx, u, w)
	if err != nil {
		return secretView{}, err
	}
	view, err := h.view(ctx, after)
	return secretView{view, httpapi.Secret(secret)}, err
}

type replayRequest struct{ Body replayBody }

type replayBody struct {
	// The cursor of a delivery or of a webhook, or a time.
	After string `json:"after" validate:"required,max=128"`
}

func (h handler) replay(ctx context.Context, u *uow.Unit, w *Webhook, in replayRequest) (webhookView, error) {
	replayed, err := h.service.Replay(ctx, u, w, in.Body.After)
	if err != nil {
		return webhookView{}, err
	}
	return h.view(ctx, replayed)
}
