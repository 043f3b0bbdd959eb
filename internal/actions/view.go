package actions

type resultView struct {
	// Whether the requested action is active now.
	Active       bool    `json:"active"`
	LastActionID int64   `json:"lastActionId"`
	Outcome      Outcome `json:"outcome" validate:"oneof=applied duplicate stale"`
}

type summaryView struct {
	EntityType string     `json:"entityType" validate:"oneof=item coupon"`
	EntityID   string     `json:"entityId" validate:"required"`
	Counts     countsView `json:"counts"`
	Own        ownView    `json:"own"`
}

type countsView struct {
	Like     int64 `json:"like" validate:"min=0"`
	Dislike  int64 `json:"dislike" validate:"min=0"`
	Bookmark int64 `json:"bookmark" validate:"min=0"`
}

type ownView struct {
	Like     stateView `json:"like"`
	Dislike  stateView `json:"dislike"`
	Bookmark stateView `json:"bookmark"`
}

// stateView is the caller's state of one kind; its last action id is 0 if the caller never acted.
type stateView struct {
	Active       bool  `json:"active"`
	LastActionID int64 `json:"lastActionId" validate:"min=0"`
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

// summaryExample is a summary for the contract.
var summaryExample = summaryView{
	EntityType: Item, EntityID: "MUG-01", Counts: countsView{41, 2, 7},
	Own: ownView{Like: stateView{true, 1769851800123}, Dislike: stateView{LastActionID: 1769851800123}},
}
