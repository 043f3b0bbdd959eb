package access

type userView struct {
	ID          int64    `json:"id"`
	Username    string   `json:"username"`
	DisplayName string   `json:"displayName"`
	Roles       []string `json:"roles"`
	Permissions []string `json:"permissions"`
}

func userViewOf(user User) userView { return userView(user) }

type sessionView struct {
	User      userView `json:"user"`
	Tenant    string   `json:"tenant"`
	Currency  string   `json:"currency"`
	CSRFToken string   `json:"csrfToken"`
}

func sessionViewOf(session Session, currency string) sessionView {
	return sessionView{User: userViewOf(session.User), Tenant: session.Tenant, Currency: currency, CSRFToken: session.CSRFToken}
}
