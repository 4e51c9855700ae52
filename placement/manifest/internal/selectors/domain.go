package selectors

import (
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// OfDomain reads the labels of the topology domain that a pod is bound to: a JSON object or `key=value,...`.
func OfDomain(f object.Field) map[string]string {
	s := strings.TrimSpace(f.Text())
	if s == "" {
		return nil
	}
	if strings.HasPrefix(s, "{") {
		return f.JSON().TextMap()
	}
	out := map[string]string{}
	for _, pair := range strings.Split(s, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || key == "" {
			f.Fail("neither a JSON object nor key=value")
			return nil
		}
		out[key] = value
	}
	return out
}
