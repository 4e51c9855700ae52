package fabric

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/topology"
)

// accelerators makes a topology of the domains that accelerators are in.
func (r *reading) accelerators(domains map[string][]string) {
	spec := topology.Spec{Layers: []topology.Layer{{Name: domainLabel, Tier: 1}}}
	for name, nodes := range domains {
		spec.Roots = append(spec.Roots, topology.Domain{Name: name, Tier: 1, Nodes: nodes})
	}
	r.build("accelerator", "", spec)
}

// rows are those of a table of comma-separated values, by the names in its first line, with their lines. The table must have some
// columns.
func (r *reading) rows(f File, must ...string) (columns []string, rows []map[string]string, lines []int) {
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(f.Data, []byte("\xef\xbb\xbf"))))
	in.ReuseRecord, in.TrimLeadingSpace = true, true
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var bad *csv.ParseError
			e := Error{File: f.Name, Reason: err.Error()}
			if errors.As(err, &bad) {
				e.Line, e.Reason = bad.Line, bad.Err.Error()
			}
			r.fail(e)
			return nil, nil, nil
		}
		if columns == nil {
			columns = slices.Clone(record)
			continue
		}
		row := make(map[string]string, len(columns))
		for i, name := range columns {
			row[name] = strings.TrimSpace(record[i])
		}
		line, _ := in.FieldPos(0)
		rows, lines = append(rows, row), append(lines, line)
	}
	for _, name := range must {
		if !slices.Contains(columns, name) {
			r.fail(Error{File: f.Name, Line: 1, Field: name, Reason: "missing column"})
			return nil, nil, nil
		}
	}
	return columns, rows, lines
}

// readCables reads a table of cables as switches see them: columns `switch`, `peer` and `peer_kind`, which is `switch` or `node`. A
// peer of any other kind is nobody's machine.
func readCables(r *reading, files []File) {
	c := r.cables()
	for _, f := range files {
		_, rows, lines := r.rows(f, "switch", "peer", "peer_kind")
		for i, row := range rows {
			for _, key := range []string{"switch", "peer"} {
				if row[key] == "" {
					r.fail(Error{File: f.Name, Line: lines[i], Field: key, Reason: "missing"})
				}
			}
			s, kind := row["switch"], row["peer_kind"]
			switch {
			case s == "" || row["peer"] == "":
			case kind == "switch", kind == "node":
				c.link(c.device(s, false), c.device(row["peer"], kind == "node"))
			default:
				r.find(Finding{UnknownName, r.name, row["peer"], s})
			}
		}
	}
	c.finish("")
}

// readTable reads a table of hosts: the first column names them, the others are layers, from the widest to the lowest.
func readTable(r *reading, files []File) {
	for _, f := range files {
		columns, rows, lines := r.rows(f)
		if len(columns) < 2 {
			r.fail(Error{File: f.Name, Line: 1, Reason: "a table of hosts has a column of hosts, and one of a layer or more"})
			continue
		}
		host := columns[0]
		nodes := make([]topology.LabeledNode, len(rows))
		for i, row := range rows {
			if nodes[i] = (topology.LabeledNode{Name: row[host], Labels: row}); row[host] == "" {
				r.fail(Error{File: f.Name, Line: lines[i], Field: host, Reason: "missing"})
			}
		}
		r.fromLabels(Levels{Topology: r.name, Labels: columns[1:]}, nodes, f.Name)
	}
}

// readList reads Koordinator's list of `{layer, name, parents, children}`, by itself or as the one such value of a ConfigMap.
func readList(r *reading, files []File) {
	for _, f := range files {
		for _, root := range r.documents(f) {
			for _, list := range listsIn(root) {
				r.list(list)
			}
		}
	}
}

// listsIn are the lists in a document: itself, or the values of a ConfigMap that are lists in JSON.
func listsIn(root field) (lists []field) {
	if root.isList() {
		return []field{root}
	}
	for _, e := range root.get("data").entries() {
		text := strings.TrimSpace(e.text())
		if !strings.HasPrefix(text, "[") {
			continue
		}
		values, err := document.ParseJSON([]byte(text))
		if err != nil {
			e.v = nil // which is long
			e.fail(err.Reason)
			continue
		}
		for _, v := range values {
			v.SetLines(e.line)
			lists = append(lists, e.at(e.path, v))
		}
	}
	if len(lists) == 0 && len(root.r.errs) == 0 {
		root.v = nil
		root.fail("no list of {layer, name, parents, children}")
	}
	return lists
}

// list makes the tree of a list. What is below tier 1 is a node.
func (r *reading) list(f field) {
	isEntry := map[string]bool{}
	for e := range f.all(false) {
		isEntry[e.get("name").text()] = true
	}
	var nodes []string
	for e := range f.all(false) {
		for child := range e.get("children").all(false) {
			if name := child.text(); !isEntry[name] && e.get("layer").text() == "1" {
				nodes = append(nodes, name)
			}
		}
	}
	slices.SortFunc(nodes, muster.CompareNatural)
	data, err := json.Marshal(f.v.Plain())
	if err != nil {
		f.fail(err.Error())
		return
	}
	tree, err := topology.FromJSON(data, slices.Compact(nodes))
	if err != nil {
		r.refuse(f.file, err)
		return
	}
	r.keep(r.name, f.file, tree)
}
