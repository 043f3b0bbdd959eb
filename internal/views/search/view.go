package search

type resultView struct {
	Items []hitView `json:"items"`
}

type hitView struct {
	Kind     string `json:"kind"`
	ID       string `json:"id"`
	Title    string `json:"title"`
	Subtitle string `json:"subtitle"`
	Href     string `json:"href"`
}

func resultOf(found []Found) resultView {
	view := resultView{Items: make([]hitView, len(found))}
	for i, f := range found {
		view.Items[i] = hitView{Kind: f.Kind, ID: f.ID, Title: f.Title, Subtitle: f.Subtitle, Href: f.Path}
	}
	return view
}
