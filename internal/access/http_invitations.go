package access

import (
	"context"
	"net/http"
	"time"

	"interlock/internal/edge/httpapi"
)

type checkInvitationRequest struct {
	arrivingPage
	HTTP    *http.Request
	Address httpapi.Address
	Body    shownInvitationBody
}

type shownInvitationBody struct {
	Invitation string `json:"invitation" validate:"required,max=64"`
}

// invitedView is the user of an invitation.
type invitedView struct {
	Tenant      string    `json:"tenant"`
	Username    string    `json:"username" schema:"Username"`
	DisplayName string    `json:"displayName" schema:"DisplayName"`
	ExpiresTime time.Time `json:"expiresTime"`
}

func (h handler) checkInvitation(ctx context.Context, in checkInvitationRequest) (invitedView, error) {
	if err := in.arrivingPage.check(in.HTTP); err != nil {
		return invitedView{}, err
	}
	invited, err := h.service.CheckInvitation(ctx, in.Body.Invitation, string(in.Address))
	return invitedView(invited), err
}

type acceptInvitationRequest struct {
	sessionCredential
	arrivingPage
	Agent   string `header:"User-Agent"`
	HTTP    *http.Request
	Address httpapi.Address
	Body    acceptanceBody
}

type acceptanceBody struct {
	Invitation string `json:"invitation" validate:"required,max=64"`
	Password   string `json:"password" validate:"required,max=1024" schema:"NewPassword"`
}

// acceptInvitation replies like signIn.
func (h handler) acceptInvitation(ctx context.Context, in acceptInvitationRequest) (signInOutcome, error) {
	if err := in.arrivingPage.check(in.HTTP); err != nil {
		return signInOutcome{}, err
	}
	signedIn, err := h.service.AcceptInvitation(ctx, Acceptance{
		Token: in.Body.Invitation, Password: in.Body.Password, Replaces: in.token(), Address: string(in.Address), UserAgent: in.Agent,
	})
	if err != nil {
		return signInOutcome{}, err
	}
	return h.signInReply(in.sessionCredential, signedIn), nil
}
