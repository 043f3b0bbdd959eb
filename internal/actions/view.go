package actions

type resultView struct {
	Active       bool    `json:"active"`
	LastActionID int64   `json:"lastActionId"`
	Outcome      Outcome `json:"outcome"`
}

type summaryView struct {
	EntityType string     `json:"entityType"`
	EntityID   string     `json:"entityId"`
	Counts     countsView `json:"counts"`
	Own        ownView    `json:"own"`
}

type countsView struct {
	Like     int64 `json:"like"`
	Dislike  int64 `json:"dislike"`
	Bookmark int64 `json:"bookmark"`
}

type ownView struct {
	Like     stateView `json:"like"`
	Dislike  stateView `json:"dislike"`
	Bookmark stateView `json:"bookmark"`
}

// stateView is the caller's own state of one kind; its last action id is 0 when the
// caller never acted.
type stateView struct {
	Active       bool  `json:"active"`
	LastActionID int64 `json:"lastActionId"`
}

func summaryViewOf(entityType string, s Summary) summaryView {
	state := func(kind Kind) stateView {
		return stateView{Active: s.Own[kind].Active, LastActionID: s.Own[kind].LastActionID}
	}
	return summaryView{
		EntityType: entityType, EntityID: s.EntityID, Counts: countsView{s.Counts.Likes, s.Counts.Dislikes, s.Counts.Bookmarks},
		Own: ownView{Like: state(Like), Dislike: state(Dislike), Bookmark: state(Bookmark)},
	}
}
