package engines

import "time"

// reportView shows nodes by number instead of address, because the administrator of a
// tenant may not operate the servers.
type reportView struct {
	CheckedTime time.Time     `json:"checkedTime"`
	Findings    []FindingView `json:"findings"`
	Redis       []memoryView  `json:"redis"`
	Clocks      []clockView   `json:"clocks"`
}

// FindingView is the representation of a finding.
type FindingView struct {
	Engine Engine   `json:"engine"`
	Node   int      `json:"node,omitempty"`
	Name   string   `json:"name"`
	Value  string   `json:"value,omitempty"`
	Want   string   `json:"want,omitempty"`
	Level  Level    `json:"level"`
	Loss   lossView `json:"loss"`
	Detail string   `json:"detail"`
}

type lossView struct {
	Process  Extent `json:"process,omitempty"`
	Machine  Extent `json:"machine,omitempty"`
	Failover Extent `json:"failover,omitempty"`
	Memory   Extent `json:"memory,omitempty"`
}

type memoryView struct {
	Node        int    `json:"node,omitempty"`
	UsedBytes   int64  `json:"usedBytes"`
	LimitBytes  int64  `json:"limitBytes"`
	Policy      string `json:"policy,omitempty"`
	EvictedKeys int64  `json:"evictedKeys"`
}

type clockView struct {
	Engine       Engine  `json:"engine"`
	Node         int     `json:"node,omitempty"`
	SkewSeconds  float64 `json:"skewSeconds"`
	ErrorSeconds float64 `json:"errorSeconds"`
}

func viewOf(report Report) reportView {
	number := report.numbers()
	view := reportView{
		CheckedTime: report.Time, Findings: report.View(report.Findings),
		Redis: make([]memoryView, len(report.Memory)), Clocks: make([]clockView, len(report.Clocks)),
	}
	for i, m := range report.Memory {
		view.Redis[i] = memoryView{Node: number[m.Node], UsedBytes: m.Used, LimitBytes: m.Limit, Policy: m.Policy, EvictedKeys: m.Evicted}
	}
	for i, c := range report.Clocks {
		view.Clocks[i] = clockView{Engine: c.Engine, Node: number[c.Node], SkewSeconds: c.Skew.Seconds(), ErrorSeconds: c.Error.Seconds()}
	}
	return view
}

// View returns the representation of some of the report's findings.
func (r Report) View(findings []Finding) []FindingView {
	number := r.numbers()
	list := make([]FindingView, len(findings))
	for i, f := range findings {
		list[i] = FindingView{
			Engine: f.Engine, Node: number[f.Node], Name: f.Name, Value: f.Value, Want: f.Want, Level: f.Level, Loss: lossView(f.Loss), Detail: f.Says,
		}
	}
	return list
}

// numbers assigns numbers to the nodes in the order of their findings, from 1; a node
// without an address has none.
func (r Report) numbers() map[string]int {
	number := map[string]int{}
	for _, f := range r.Findings {
		if _, seen := number[f.Node]; !seen && f.Node != "" {
			number[f.Node] = len(number) + 1
		}
	}
	return number
}
