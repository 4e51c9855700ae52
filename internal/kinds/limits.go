package kinds

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/phrases"
)

// This file answers: how is a kind of limit told, kept or loosened?

// limitRow has the words of a kind of limit; a layer reads as [phrases.Layer] has it.
type limitRow struct {
	// asked is what a limit asks of the members, or of the groups who: ` alone in their leaf`.
	asked func(l gang.Limit, who, layer string) string
	// loosened is a clause behind `if`: of is what keeps the limit, most the number then, 0: there is no limit.
	loosened func(most int, of, layer string) string
}

// limitWords has all kinds of limits.
var limitWords = map[gang.LimitKind]limitRow{
	gang.Apart:  {apart, notApart},
	gang.Alone:  {alone, notAlone},
	gang.Within: {within, notWithin},
}

// wordsOf are those of a kind; one that is not known reads as Apart.
func wordsOf(k gang.LimitKind) limitRow {
	if row, known := limitWords[k]; known {
		return row
	}
	return limitWords[gang.Apart]
}

// Limit is the limit that a rule names, like `Apart leaf at most 2`, the zero value if it names none.
func Limit(rule string) (l gang.Limit) {
	kind, rest, _ := strings.Cut(rule, " ")
	if _, is := limitWords[gang.LimitKind(kind)]; !is {
		return l
	}
	layer, most, _ := strings.Cut(rest, " at most ")
	l = gang.Limit{Kind: gang.LimitKind(kind), Layer: layer}
	l.Most, _ = strconv.Atoi(most)
	return l
}

// LimitPhrase says what a limit asks of the members, or of the groups who: ` alone in their leaf`.
func LimitPhrase(l gang.Limit, who string) string {
	return wordsOf(l.Kind).asked(l, who, phrases.Layer(l.Layer))
}

func apart(l gang.Limit, who, layer string) string {
	most := "no two"
	if l.Most != 1 {
		most = fmt.Sprint("no more than ", l.Most)
	}
	if who != "" {
		most += " of its " + who
	}
	return fmt.Sprintf(", %s in one %s", most, layer)
}

func notApart(most int, of, layer string) string {
	if most == 0 {
		return fmt.Sprintf("%s did not have to keep apart by %s", of, layer)
	}
	return fmt.Sprintf("%d of %s could be in one %s", most, of, layer)
}

func alone(_ gang.Limit, who, layer string) string {
	if who == "" {
		return " alone in their " + layer
	}
	return fmt.Sprintf(", each of its %s alone in one %s", who, layer)
}

func notAlone(_ int, of, layer string) string {
	return fmt.Sprintf("%s did not have to be alone in one %s", of, layer)
}

func within(l gang.Limit, _, _ string) string {
	return fmt.Sprintf(", in no more than %d domains of layer %s", l.Most, l.Layer)
}

func notWithin(most int, of, layer string) string {
	if most == 0 {
		return fmt.Sprintf("%s did not have to be in few domains of %s", of, layer)
	}
	return fmt.Sprintf("%s could be in %s of %s", of, phrases.Count(most, "domain"), layer)
}
