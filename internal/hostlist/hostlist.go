// Package hostlist answers: which names does a hostlist of Slurm stand for? Such as `n[1-3,07],login` for n1, n2, n3, n07 and
// login, and the other way round.
package hostlist

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
)

// MaxNames bounds how many names one list may stand for; all of them together have at most 64 bytes a name.
const MaxNames = 1 << 20

// maxBrackets bounds the brackets of one name.
const maxBrackets = 16

var (
	errTooMany = fmt.Errorf("more than %d names", MaxNames)
	errTooLong = fmt.Errorf("names of more than %d bytes in all", 64*MaxNames)
	errDeep    = fmt.Errorf("more than %d brackets in a name", maxBrackets)
	errEnd     = errors.New("a bracket that does not end")
	errStart   = errors.New("a bracket that does not begin")
)

// Expand lists the names of a list, as they stand there; a name may come more than once. Several brackets in one name make every
// combination, the last one counting fastest. Numbers keep their leading zeros. The error says what is wrong: brackets that do not
// match, what is no number or goes down, more than [MaxNames] names. O(names).
func Expand(list string) ([]string, error) {
	var e expansion
	for list != "" {
		item, rest, err := next(list)
		if err != nil {
			return nil, err
		}
		list = rest
		if item == "" {
			continue // as in a,,b
		}
		if strings.Count(item, "[") > maxBrackets {
			return nil, errDeep
		}
		if err = e.expand("", item); err != nil {
			return nil, err
		}
	}
	return e.names, nil
}

// next is what stands before the first comma outside of brackets, and after it.
func next(list string) (item, rest string, err error) {
	depth := 0
	for i := range len(list) {
		switch list[i] {
		case '[':
			if depth++; depth > 1 {
				return "", "", errors.New("a bracket in a bracket")
			}
		case ']':
			if depth--; depth < 0 {
				return "", "", errStart
			}
		case ',', ' ', '\t':
			if depth == 0 {
				return list[:i], list[i+1:], nil
			}
		}
	}
	if depth > 0 {
		return "", "", errEnd
	}
	return list, "", nil
}

// expansion is what was found so far.
type expansion struct {
	names []string
	bytes int
}

// expand adds the names of one item, of which a beginning is known.
func (e *expansion) expand(prefix, item string) error {
	before, after, found := strings.Cut(item, "[")
	prefix += before
	if !found {
		if len(e.names) >= MaxNames {
			return errTooMany
		}
		if e.bytes += len(prefix); e.bytes > 64*MaxNames {
			return errTooLong
		}
		e.names = append(e.names, prefix)
		return nil
	}
	inside, after, _ := strings.Cut(after, "]")
	for span := range strings.SplitSeq(inside, ",") {
		low, high, err := ends(strings.TrimSpace(span))
		if err != nil {
			return err
		}
		width := len(low)
		from, _ := strconv.ParseUint(low, 10, 63)
		to, _ := strconv.ParseUint(high, 10, 63)
		if to < from {
			return fmt.Errorf("%s goes down", span)
		}
		if to-from >= MaxNames {
			return errTooMany
		}
		for n := from; n <= to; n++ {
			if err := e.expand(prefix+fmt.Sprintf("%0*d", width, n), after); err != nil {
				return err
			}
		}
	}
	return nil
}

// ends are the numbers of a span, equal for a single one.
func ends(span string) (low, high string, err error) {
	low, high, isSpan := strings.Cut(span, "-")
	if !isSpan {
		high = low
	}
	for _, n := range []string{low, high} {
		if _, bad := strconv.ParseUint(n, 10, 63); bad != nil || len(n) > 18 || strings.ContainsAny(n, "+-_") {
			return "", "", fmt.Errorf("%q is not a number or a span of numbers", span)
		}
	}
	return low, high, nil
}

// Fold writes names as a list: those that differ in their last number alone are put together. The order is the natural one, each name
// once. O(n log n).
func Fold(names []string) string {
	names = slices.Clone(names)
	slices.SortFunc(names, muster.CompareNatural)
	names = slices.Compact(names)
	var b strings.Builder
	for len(names) > 0 {
		prefix, digits, suffix := parts(names[0])
		run := 1
		for digits != "" && run < len(names) {
			p, d, s := parts(names[run])
			if p != prefix || s != suffix || len(d) != len(digits) && (d[0] == '0' || digits[0] == '0') || d == "" {
				break
			}
			run++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		if run == 1 {
			b.WriteString(names[0])
		} else {
			numbers := make([]string, run)
			for i := range numbers {
				_, numbers[i], _ = parts(names[i])
			}
			b.WriteString(prefix + "[" + spans(numbers) + "]" + suffix)
		}
		names = names[run:]
	}
	return b.String()
}

// parts cut a name at its last number; one that is too long to count with is none.
func parts(name string) (prefix, digits, suffix string) {
	end := len(name)
	for end > 0 && !isDigit(name[end-1]) {
		end--
	}
	start := end
	for start > 0 && isDigit(name[start-1]) {
		start--
	}
	if start == end || end-start > 18 {
		return name, "", ""
	}
	return name[:start], name[start:end], name[end:]
}

// Alike is how many of the first names differ in one number alone, at the same place in each, and have at most so many spans of numbers, at
// least 2; it is 1 or more, 0 of no names. It looks at no more names than that. A name with what lists are written with is like no other one.
func Alike(names []string, most int) int {
	if len(names) < 2 {
		return len(names)
	}
	head, tail, are := between(names[0], names[1])
	if !are {
		return 1
	}
	number := func(i int) string { return names[i][head : len(names[i])-tail] }
	first, n := 0, 1 // of the span
	for ; n < len(names); n++ {
		if len(names[n]) <= head+tail || names[n][:head] != names[0][:head] || !strings.HasSuffix(names[n], names[0][len(names[0])-tail:]) || !isNumber(number(n)) {
			break
		}
		if !follows(number(n), number(n-1), number(first)) {
			if most--; most < 1 {
				break
			}
			first = n
		}
	}
	return n
}

// InOrder writes names that are alike as one item of a list, which [Expand] reads as the same names in the same order.
func InOrder(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	head, tail, _ := between(names[0], names[1])
	numbers := make([]string, len(names))
	for i, name := range names {
		numbers[i] = name[head : len(name)-tail]
	}
	return names[0][:head] + "[" + spans(numbers) + "]" + names[0][len(names[0])-tail:]
}

// between is how many bytes two names have in common before the number in which they differ, and behind it.
func between(a, b string) (head, tail int, are bool) {
	if a == b || strings.ContainsAny(a, Special) {
		return 0, 0, false
	}
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for head > 0 && isDigit(a[head-1]) {
		head--
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && isDigit(a[len(a)-tail]) {
		tail--
	}
	return head, tail, isNumber(a[head:len(a)-tail]) && isNumber(b[head:len(b)-tail])
}

// Special are the characters that lists are written with.
const Special = "[], \t"

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isNumber says whether a text is digits, few enough to count with.
func isNumber(text string) bool {
	return text != "" && len(text) <= 18 && strings.Trim(text, "0123456789") == ""
}

// follows says whether a number stands in the span that begins with first, right behind last. The first of a span has its width; where the next
// one is wider, the first has no leading zero, or it would be read as wide.
func follows(next, last, first string) bool {
	if number(next) != number(last)+1 {
		return false
	}
	return len(next) == len(last) || len(next) == len(last)+1 && (first[0] != '0' || first == "0") && next[0] != '0'
}

// spans writes numbers, those that count up by one together.
func spans(numbers []string) string {
	var out []string
	for i := 0; i < len(numbers); {
		first := numbers[i]
		last, n := first, i+1
		for ; n < len(numbers); n++ {
			if !follows(numbers[n], last, first) {
				break
			}
			last = numbers[n]
		}
		if last == first {
			out = append(out, first)
		} else {
			out = append(out, first+"-"+last)
		}
		i = n
	}
	return strings.Join(out, ",")
}

func number(digits string) uint64 {
	n, _ := strconv.ParseUint(digits, 10, 63)
	return n
}
