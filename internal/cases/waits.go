package cases

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest"
)

// missingPackage names what the kinds of cases belong to that are not plans of files.
func missingPackage(c *Case) string {
	switch {
	case c.Raw["config"] != nil || c.Raw["ports"] != nil:
		return "discovery"
	case c.Raw["events"] != nil || c.Kind == "lifecycle":
		return "the permit state machine"
	case c.Raw["queue"] != nil || c.Kind == "queue":
		return "the gang queue"
	case c.Objects == nil && !slices.Contains(zoneKinds, c.Kind) && !slices.Contains(quotaKinds, c.Kind):
		return "cases of kind " + c.Kind
	}
	return ""
}

// waitsFor says what a case needs beyond placing gangs on free capacity. It looks at the objects and at what is wanted,
// never at the name. Empty: the case should hold.
func waitsFor(c *Case, got answer) string {
	objects := parse(c.Objects)
	var needs []string
	if evicts(c.Want) || wantsMorePlaced(c.Want, got) && mayEvict(objects) {
		needs = append(needs, "preemption")
	}
	if slices.ContainsFunc(laterFeatures, func(f string) bool { return strings.Contains(got.unsupported, f) }) {
		needs = append(needs, got.unsupported)
	}
	return strings.Join(needs, " and ")
}

// laterFeatures are words for what gangs may ask for and wait for. A case that is refused because of anything else
// fails.
var laterFeatures = []string{"roles", "different shapes", "unequal", "minimum number"}

// missingFeature says what a gang asks for that is not supported, without the names of objects. Empty: the error is
// about something else.
func missingFeature(err error) string {
	var unread *manifest.Error
	var invalid *muster.InvalidError
	switch {
	case !errors.Is(err, muster.ErrNotSupported):
		return ""
	case errors.As(err, &unread):
		return unread.Reason
	case errors.As(err, &invalid):
		return invalid.Reason
	}
	return err.Error()
}

// evicts says whether a victim is wanted anywhere in a want.
func evicts(want json.RawMessage) bool {
	var value any
	if json.Unmarshal(want, &value) != nil {
		return false
	}
	return hasVictims(value)
}

func hasVictims(want any) bool {
	switch v := want.(type) {
	case []any:
		return slices.ContainsFunc(v, hasVictims)
	case map[string]any:
		for key, value := range v {
			list, isList := value.([]any)
			n, isNumber := value.(float64)
			switch {
			case key == "victims" && isList && len(list) > 0, key == "victimCount" && isNumber && n > 0, hasVictims(value):
				return true
			}
		}
	}
	return false
}

// wantsMorePlaced says whether a gang is to be placed that found no place.
func wantsMorePlaced(want json.RawMessage, got answer) bool {
	var list []struct{ Gang, Status string }
	if json.Unmarshal(want, &list) != nil {
		return false
	}
	for _, w := range list {
		for i := range got.plans {
			if p := &got.plans[i]; p.Gang == w.Gang && w.Status == "placed" && p.Status == "unschedulable" {
				return true
			}
		}
	}
	return false
}

// object is what there is to know of an object's priority.
type object struct {
	Kind     string
	Metadata struct {
		Name, DeletionTimestamp string
		Labels                  map[string]string
	}
	Value int64 // of a PriorityClass
	Spec  struct {
		NodeName, PriorityClassName string
		Priority                    *int64
	}
	Status struct {
		Phase     string
		Admission json.RawMessage
	}
}

func parse(raw []json.RawMessage) []object {
	list := make([]object, len(raw))
	for i := range raw {
		// A field of another type than expected stays empty, the rest is read.
		_ = json.Unmarshal(raw[i], &list[i])
	}
	return list
}

// mayEvict says whether some pending object has a higher priority than something preemptible that runs and stays.
func mayEvict(objects []object) bool {
	classes := map[string]int64{}
	for _, o := range objects {
		if o.Kind == "PriorityClass" {
			classes[o.Metadata.Name] = o.Value
		}
	}
	pending, running := []int64{}, []int64{}
	for _, o := range objects {
		priority := classes[o.Spec.PriorityClassName]
		if o.Spec.Priority != nil {
			priority = *o.Spec.Priority
		}
		runs := o.Spec.NodeName != "" || o.Status.Admission != nil
		switch {
		case o.Kind == "Node" || o.Kind == "PriorityClass" || o.Status.Phase == "Succeeded" || o.Status.Phase == "Failed":
		case !runs:
			pending = append(pending, priority)
		case o.Metadata.DeletionTimestamp == "" && o.Metadata.Labels["quota.scheduling.koordinator.sh/preemptible"] != "false":
			running = append(running, priority)
		}
	}
	return len(pending) > 0 && len(running) > 0 && slices.Max(pending) > slices.Min(running)
}
