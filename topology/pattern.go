package topology

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what selectors may cost, whatever they say.
const (
	maxPattern    = 4096    // bytes of a regular expression
	maxMatchSteps = 1 << 26 // steps of all selectors of a topology
	perChosen     = 32      // steps for a node that is chosen, which is sorted and compared with others
	perByte       = 16      // for one of a pattern that is parsed
	perRange      = 2000    // for a class that may be of all letters there are
	perFold       = 200_000 // the same where case does not matter
	perPart       = 64      // for an instruction that is compiled, or a range of its class
)

// pattern is a regular expression as its steps can be counted: it walks all ways through the program side by side, byte by byte. It says
// what regexp.MatchString says.
type pattern struct {
	prog    *syntax.Prog
	prefix  string // every text with a match begins with it
	needed  string // or has it in it
	at      []uint32
	next    []uint32
	stack   []uint32
	seen    []int // by instruction: the place that it was reached at, from 1
	reached int
}

// compile reads a pattern, and counts its size; the reason says why it cannot. Nil without a reason: the steps are spent.
func compile(text string, steps *int) (p *pattern, reason string) {
	if len(text) > maxPattern {
		return nil, fmt.Sprintf("regex of %d bytes, at most %d are read", len(text), maxPattern)
	}
	if *steps += parsing(text); *steps > maxMatchSteps {
		return nil, ""
	}
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, "regex: " + err.Error()
	}
	p = &pattern{}
	p.prefix, p.needed = literals(re)
	if *steps += perPart * size(re, maxMatchSteps); *steps > maxMatchSteps {
		return nil, ""
	}
	if p.prog, err = syntax.Compile(re.Simplify()); err != nil {
		return nil, "regex: " + err.Error()
	}
	p.seen = make([]int, len(p.prog.Inst))
	return p, ""
}

// parsing is about how many steps it takes to parse a pattern: classes beyond ASCII are long lists, which are folded letter by letter.
func parsing(text string) int {
	cost := perByte * len(text)
	wide := strings.Count(text, `\p`) + strings.Count(text, `\P`)
	if wide == 0 && !strings.Contains(text, `\x`) && !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return cost
	}
	each := perRange
	if strings.Contains(text, "(?") {
		each = perFold
	}
	return cost + each*(wide+strings.Count(text, "-"))
}

// size is about the number of instructions that an expression becomes, with the ranges of their classes, up to a bound.
func size(re *syntax.Regexp, most int) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n = min(most, n+size(sub, most))
	}
	if re.Op == syntax.OpRepeat {
		n = min(most, n*max(1, re.Min, re.Max))
	}
	return n
}

// literals are what every text with a match begins with, and the longest that is somewhere in it; empty where none is plain to see.
func literals(re *syntax.Regexp) (prefix, longest string) {
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	for i, sub := range parts {
		// The replacement character also matches bytes that are no UTF-8.
		if sub.Op != syntax.OpLiteral || sub.Flags&syntax.FoldCase != 0 || slices.Contains(sub.Rune, utf8.RuneError) {
			continue
		}
		text := string(sub.Rune)
		if i == 1 && parts[0].Op == syntax.OpBeginText {
			prefix = text
		}
		if len(text) > len(longest) {
			longest = text
		}
	}
	return prefix, longest
}

// matches says whether a text has a match, and counts the steps.
func (p *pattern) matches(text string, steps *int) bool {
	*steps += 1 + len(text)/16
	if !strings.Contains(text, p.needed) {
		return false
	}
	p.at = p.at[:0]
	before := rune(-1)
	for i := 0; ; {
		r, width := rune(-1), 0
		if i < len(text) {
			r, width = utf8.DecodeRuneInString(text[i:])
		}
		is := syntax.EmptyOpContext(before, r)
		p.reached++
		threads := p.at
		p.at, p.next = p.next[:0], threads
		if p.enter(uint32(p.prog.Start), is, steps) {
			return true
		}
		for _, pc := range threads {
			if p.enter(pc, is, steps) {
				return true
			}
		}
		if width == 0 || *steps > maxMatchSteps {
			return false
		}
		p.advance(r, steps)
		before, i = r, i+width
	}
}

// enter follows an instruction up to those that want a character, which are kept, and says whether a match is reached.
func (p *pattern) enter(pc uint32, is syntax.EmptyOp, steps *int) bool {
	for p.stack = append(p.stack[:0], pc); len(p.stack) > 0; {
		pc := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		*steps++
		if p.seen[pc] == p.reached {
			continue
		}
		p.seen[pc] = p.reached
		switch in := &p.prog.Inst[pc]; in.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			p.stack = append(p.stack, in.Arg, in.Out)
		case syntax.InstCapture, syntax.InstNop:
			p.stack = append(p.stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^is == 0 {
				p.stack = append(p.stack, in.Out)
			}
		case syntax.InstFail:
		default:
			p.at = append(p.at, pc)
		}
	}
	return false
}

// advance passes a character: what comes after the instructions that take it is reached next.
func (p *pattern) advance(r rune, steps *int) {
	*steps += len(p.at)
	kept := p.at[:0]
	for _, pc := range p.at {
		if in := &p.prog.Inst[pc]; in.MatchRune(r) {
			kept = append(kept, in.Out)
		}
	}
	p.at = kept
}
