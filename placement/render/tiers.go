package render

import (
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/placement"
)

// A layer is told by its name. One without a name is called by its tier, in words: a number alone says nothing.

// inDomain reads `in leaf s0/l1`, of the root `below the root`.
func inDomain(layer string, tier int, domain []string) string {
	if len(domain) == 0 {
		return "below the root"
	}
	return "in " + domainWords(layer, tier, domain)
}

// domainWords reads `leaf s0/l1`, where the layer has no name `domain s0/l1 of tier 1`.
func domainWords(layer string, tier int, domain []string) string {
	path := strings.Join(domain, "/")
	if layer = layerOrTier(layer, tier); layer == tierWord(tier) {
		return "domain " + path + " of " + layer
	}
	return layer + " " + path
}

// layerOrTier reads `leaf`, `node` or `tier 2`.
func layerOrTier(name string, tier int) string {
	switch {
	case name == "" && tier == 0:
		return "node"
	case name == "" || name == strconv.Itoa(tier):
		return tierWord(tier)
	}
	return name
}

func tierWord(tier int) string { return "tier " + strconv.Itoa(tier) }

// strategyWords reads `leaf/unit`, of layers without names `tier 2/tier 1`.
func strategyWords(r *placement.Result) string {
	rest, is := strings.CutPrefix(r.Strategy, r.Layer)
	if !is {
		return r.Strategy
	}
	gang := r.Layer
	if gang != "" { // as that of the root is
		gang = layerOrTier(gang, r.Tier)
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		if phrases.IsNumber(part) {
			parts[i] = "tier " + part
		}
	}
	return gang + strings.Join(parts, "/")
}

// ruleWords reads `MustGather leaf`, of a layer without a name `MustGather tier 2`.
func ruleWords(rule string) string {
	words := strings.Split(rule, " ")
	for i := 1; i < len(words); i++ {
		switch words[i-1] {
		case "MustGather", "Apart", "Alone", "Within", "at":
			if phrases.IsNumber(words[i]) {
				words[i] = "tier " + words[i]
			}
		}
	}
	return strings.Join(words, " ")
}
