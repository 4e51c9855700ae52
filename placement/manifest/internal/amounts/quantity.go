package amounts

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
)

// Quantity is a Kubernetes quantity, see Quantity of package manifest.
type Quantity struct {
	milli, whole *int64 // nil: beyond int64
}

// Amount is the quantity in the unit that a resource is counted in.
func (q Quantity) Amount(resource string) (int64, error) {
	n := q.whole
	if resource == muster.CPU {
		n = q.milli
	}
	if n == nil {
		return 0, errOverflow
	}
	return *n, nil
}

var (
	errNotQuantity = errors.New("not a quantity")
	errNegative    = errors.New("negative amount")
	errOverflow    = errors.New("amount too large")
)

// suffixes of quantities: the factor is base to the power of exp.
var suffixes = map[string]struct{ base, exp int64 }{
	"": {10, 0}, "n": {10, -9}, "u": {10, -6}, "m": {10, -3}, "k": {10, 3}, "M": {10, 6}, "G": {10, 9}, "T": {10, 12},
	"P": {10, 15}, "E": {10, 18}, "Ki": {2, 10}, "Mi": {2, 20}, "Gi": {2, 30}, "Ti": {2, 40}, "Pi": {2, 50}, "Ei": {2, 60},
}

// maxDigits bounds the work for one quantity; the largest amount has 19 digits.
const maxDigits = 100

// Parse reads a Kubernetes quantity. O(len(s)).
func Parse(s string) (Quantity, error) {
	number, suffix, err := splitQuantity(s)
	if err != nil {
		return Quantity{}, err
	}
	base, exp, err := scale(suffix)
	if err != nil {
		return Quantity{}, err
	}
	whole, fraction, _ := strings.Cut(number, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	switch {
	case digits == "":
		zero := int64(0)
		return Quantity{&zero, &zero}, nil
	case len(s) > maxDigits:
		return Quantity{}, fmt.Errorf("%w: more than %d characters", errNotQuantity, maxDigits)
	case base == 10 && exp > maxDigits:
		return Quantity{}, errOverflow
	case base == 10 && exp < -2*maxDigits: // less than a milli whatever the digits are: both round up to 1
		one := int64(1)
		return Quantity{&one, &one}, nil
	}
	mantissa, _ := new(big.Int).SetString(digits, 10)
	q := Quantity{milli: ceil(mantissa, len(fraction), base, exp, 1000), whole: ceil(mantissa, len(fraction), base, exp, 1)}
	if q.whole == nil {
		return Quantity{}, errOverflow
	}
	return q, nil
}

// splitQuantity cuts the number off its suffix and checks the number.
func splitQuantity(s string) (number, suffix string, err error) {
	unsigned := strings.TrimPrefix(s, "+")
	if strings.HasPrefix(s, "-") {
		return "", "", errNegative
	}
	end := strings.IndexFunc(unsigned, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(unsigned)
	}
	number, suffix = unsigned[:end], unsigned[end:]
	if strings.Count(number, ".") > 1 || strings.Trim(number, ".") == "" {
		return "", "", errNotQuantity
	}
	return number, suffix, nil
}

// scale reads the suffix, a decimal exponent included.
func scale(suffix string) (base, exp int64, err error) {
	if f, ok := suffixes[suffix]; ok {
		return f.base, f.exp, nil
	}
	if suffix[0] != 'e' && suffix[0] != 'E' {
		return 0, 0, errNotQuantity
	}
	exp, err = strconv.ParseInt(suffix[1:], 10, 32)
	if errors.Is(err, strconv.ErrRange) {
		exp, err = 1<<30, nil
		if suffix[1] == '-' {
			exp = -exp
		}
	}
	if err != nil {
		return 0, 0, errNotQuantity
	}
	return 10, exp, nil
}

// ceil is mantissa / 10^places * base^exp * unit, rounded up; nil if that does not fit.
func ceil(mantissa *big.Int, places int, base, exp, unit int64) *int64 {
	num, den := new(big.Int).Mul(mantissa, big.NewInt(unit)), power(10, int64(places))
	if exp >= 0 {
		num.Mul(num, power(base, exp))
	} else {
		den.Mul(den, power(base, -exp))
	}
	q, rest := new(big.Int).QuoRem(num, den, new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	if !q.IsInt64() {
		return nil
	}
	n := q.Int64()
	return &n
}

func power(base, exp int64) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(exp), nil)
}
