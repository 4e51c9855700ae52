// Package zeros answers: does a public type do no harm where it is used in its zero state, or asked for what it lacks? It
// calls everything that a value exports with zero arguments, nil pointers and numbers out of range; nothing may panic.
// Only tests import it.
package zeros

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"testing"
)

// maxCalls bounds the calls of one method, maxSteps what is taken of one iterator: a zero value has nothing to iterate over
// for long.
const (
	maxCalls = 1 << 12
	maxSteps = 1 << 20
)

// Walk calls all exported methods of the values, and those of them that are functions, and fails on a panic. Numbers are 0,
// -1 and 1<<30, texts empty and unknown, pointers nil and of a zero value, lists nil and of one such element, all in every
// combination; all else is zero. Iterators among the results are drained, and left after their first step. A value behind
// a pointer is copied for each call.
func Walk(t *testing.T, values ...any) {
	t.Helper()
	walk(func(text string) { t.Helper(); t.Error(text) }, values...)
}

func walk(fail func(text string), values ...any) {
	for _, value := range values {
		v := reflect.ValueOf(value)
		if v.Kind() == reflect.Func {
			callAll(fail, v.Type().String(), v.Type(), func() reflect.Value { return v })
			continue
		}
		for i := range v.NumMethod() {
			m := v.Type().Method(i)
			if v.Kind() == reflect.Pointer && v.IsNil() {
				if _, byValue := v.Type().Elem().MethodByName(m.Name); byValue {
					continue // the language itself refuses such calls
				}
			}
			name := fmt.Sprintf("(%s).%s", v.Type(), m.Name)
			callAll(fail, name, v.Method(i).Type(), func() reflect.Value { return fresh(v).Method(i) })
		}
	}
}

// fresh is a copy of what a pointer points to, so that no call sees what another one left.
func fresh(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return v
	}
	to := reflect.New(v.Type().Elem())
	to.Elem().Set(v.Elem())
	return to
}

// callAll calls a function with all combinations of arguments.
func callAll(fail func(text string), name string, of reflect.Type, f func() reflect.Value) {
	options := make([][]reflect.Value, of.NumIn())
	for i := range options {
		options[i] = optionsOf(of.In(i))
	}
	at := make([]int, len(options))
	for range maxCalls {
		args := make([]reflect.Value, len(options))
		for i, list := range options {
			args[i] = list[at[i]]
		}
		call(fail, name, f, args)
		i := 0
		for ; i < len(at); i++ { // the next combination
			if at[i]++; at[i] < len(options[i]) {
				break
			}
			at[i] = 0
		}
		if i == len(at) {
			return
		}
	}
	fail(fmt.Sprintf("%s has more combinations of arguments than are tried", name))
}

// optionsOf lists the arguments of a type.
func optionsOf(t reflect.Type) []reflect.Value {
	zero := reflect.Zero(t)
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return []reflect.Value{zero, reflect.ValueOf(-1).Convert(t), reflect.ValueOf(1 << 30).Convert(t)}
	case reflect.String:
		return []reflect.Value{zero, reflect.ValueOf("unknown").Convert(t)}
	case reflect.Bool:
		return []reflect.Value{zero, reflect.ValueOf(true).Convert(t)}
	case reflect.Pointer:
		return []reflect.Value{zero, reflect.New(t.Elem())}
	case reflect.Slice:
		list := []reflect.Value{zero}
		for _, e := range optionsOf(t.Elem()) {
			list = append(list, reflect.Append(zero, e))
		}
		return list
	case reflect.Interface:
		if t == reflect.TypeFor[context.Context]() {
			done, cancel := context.WithCancel(context.Background())
			cancel()
			return []reflect.Value{zero, reflect.ValueOf(context.Background()), reflect.ValueOf(done)}
		}
		if nowhere := reflect.ValueOf(io.Discard); t.NumMethod() > 0 && nowhere.Type().Implements(t) {
			return []reflect.Value{nowhere.Convert(t)}
		}
	default:
	}
	return []reflect.Value{zero}
}

// call calls a function once and drains what it returns.
func call(fail func(text string), name string, f func() reflect.Value, args []reflect.Value) {
	defer func() {
		if r := recover(); r != nil {
			fail(fmt.Sprintf("%s(%s) panics: %v", name, write(args), r))
		}
	}()
	fn := f()
	var results []reflect.Value
	if fn.Type().IsVariadic() {
		results = fn.CallSlice(args)
	} else {
		results = fn.Call(args)
	}
	for _, r := range results {
		if isIterator(r.Type()) && !r.IsNil() {
			drain(r, maxSteps)
			drain(r, 1)
		}
	}
}

// isIterator recognises iter.Seq and iter.Seq2, under any name.
func isIterator(t reflect.Type) bool {
	if t.Kind() != reflect.Func || t.NumIn() != 1 || t.NumOut() != 0 || t.In(0).Kind() != reflect.Func {
		return false
	}
	yield := t.In(0)
	return yield.NumIn() <= 2 && yield.NumOut() == 1 && yield.Out(0).Kind() == reflect.Bool
}

// drain takes so many steps of an iterator.
func drain(iterator reflect.Value, steps int) {
	yield := reflect.MakeFunc(iterator.Type().In(0), func([]reflect.Value) []reflect.Value {
		steps--
		return []reflect.Value{reflect.ValueOf(steps > 0)}
	})
	iterator.Call([]reflect.Value{yield})
}

// write is the arguments for a reader.
func write(args []reflect.Value) string {
	text := ""
	for i, a := range args {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%#v", a)
	}
	return text
}
