package main

// Which mutants does a file have?

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is a stretch of a file, and what stands there instead.
type mutant struct {
	id       int // from 1
	file     *file
	from, to int    // offsets in the file
	becomes  string // what stands there instead; empty: nothing
	either   string // a format, %[1]d the id, %[2]s what stands there: the code that chooses between both
	line     int
	function string
	killer   string // what failed; empty: nothing
}

// place is where the mutant is, in words.
func (m *mutant) place() string {
	return fmt.Sprintf("%s:%d %s [%d]", filepath.Base(m.file.name), m.line, m.function, m.id)
}

// String is the mutant as a difference of lines.
func (m *mutant) String() string {
	text := m.file.text
	from := strings.LastIndexByte(text[:m.from], '\n') + 1
	to := len(text)
	if n := strings.IndexByte(text[m.to:], '\n'); n >= 0 {
		to = m.to + n
	}
	b := new(strings.Builder)
	fmt.Fprintln(b, m.place())
	for _, half := range []struct{ sign, text string }{{"-", text[from:to]}, {"+", text[from:m.from] + m.becomes + text[m.to:to]}} {
		for line := range strings.SplitSeq(half.text, "\n") {
			fmt.Fprintf(b, "  %s %s\n", half.sign, strings.TrimSpace(line))
		}
	}
	return b.String()
}

// file is one file of a package, with its mutants in the order of the text.
type file struct {
	name    string
	text    string
	tree    *ast.File
	mutants []*mutant
}

// finder walks through a file.
type finder struct {
	p        *target
	f        *file
	function string
}

// find lists the mutants of a file.
func (p *target) find(f *file) {
	for _, d := range f.tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			w := &finder{p: p, f: f, function: fn.Name.Name}
			ast.Inspect(fn.Body, w.visit)
		}
	}
}

// visit is called with every node of a function.
func (w *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		if w.text(n.Cond) == "invariant.On" {
			return false // off, but under a build tag
		}
		w.condition(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			w.either(n.Cond, "false", "(mutantOn != %[1]d && (%[2]s))")
		}
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				if n.Tag == nil {
					w.condition(e)
				}
			}
		}
	case *ast.BlockStmt:
		w.statements(n.List)
	case *ast.CaseClause:
		w.statements(n.Body)
	case *ast.CommClause:
		w.statements(n.Body)
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case ast.Expr:
		return w.expression(n)
	}
	return true
}

// text is what stands in the file for a node.
func (w *finder) text(n ast.Node) string { return w.f.text[w.p.offset(n.Pos()):w.p.offset(n.End())] }

// either notes a mutant of a node.
func (w *finder) either(n ast.Node, becomes, either string) {
	w.f.mutants = append(w.f.mutants, &mutant{
		file: w.f, from: w.p.offset(n.Pos()), to: w.p.offset(n.End()), becomes: becomes, either: either,
		line: w.p.fset.Position(n.Pos()).Line, function: w.function,
	})
}

// closure notes a mutant of an expression of which only one of both is to be evaluated.
func (w *finder) closure(n ast.Expr, becomes string) {
	if name, ok := w.typeName(n); ok {
		w.either(n, becomes, "func() "+name+" { if mutantOn == %[1]d { return "+strings.ReplaceAll(becomes, "%", "%%")+" }; return %[2]s }()")
	}
}

// typeName is the type of an expression as the file writes it, false if it does not import what it is from.
func (w *finder) typeName(n ast.Expr) (name string, ok bool) {
	ok = true
	name = types.TypeString(types.Default(w.p.info.TypeOf(n)), func(of *types.Package) string {
		if of == w.p.types {
			return ""
		}
		for _, i := range w.f.tree.Imports {
			if strings.Trim(i.Path.Value, `"`) == of.Path() && i.Name == nil {
				return of.Name()
			}
		}
		ok = false
		return ""
	})
	return name, ok
}

// condition is what an if or a switch asks.
func (w *finder) condition(n ast.Expr) {
	w.either(n, "true", "(mutantOn == %[1]d || (%[2]s))")
	w.either(n, "false", "(mutantOn != %[1]d && (%[2]s))")
	if _, compares := n.(*ast.BinaryExpr); !compares { // those are turned round below
		w.either(n, "!("+w.text(n)+")", "((mutantOn == %[1]d) != (%[2]s))")
	}
}

// others are the operators that may stand instead of one.
var others = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR}, token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN}, token.INC: {token.DEC}, token.DEC: {token.INC},
}

// expression lists the mutants of an expression, and says whether to look into it.
func (w *finder) expression(n ast.Expr) bool {
	of := w.p.info.Types[n]
	if of.IsType() {
		return false
	}
	if of.Value != nil {
		w.constant(n, of.Value)
		return false
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.ADD && !isNumber(w.p.info.TypeOf(n)) {
			break
		}
		for _, op := range others[n.Op] {
			w.closure(n, w.between(n.X, n.Y, n.OpPos, len(n.Op.String()), op.String()))
		}
	case *ast.CallExpr:
		name, ok := n.Fun.(*ast.Ident)
		if !ok || w.p.info.Uses[name] == nil || w.p.info.Uses[name].Parent() != types.Universe {
			break
		}
		if instead := map[string]string{"min": "max", "max": "min"}[name.Name]; instead != "" && len(n.Args) > 1 {
			w.closure(n, instead+strings.TrimPrefix(w.text(n), name.Name))
		}
	}
	return true
}

// between is the text from x to y with another operator.
func (w *finder) between(x, y ast.Node, at token.Pos, length int, op string) string {
	pos := w.p.offset(at)
	return w.f.text[w.p.offset(x.Pos()):pos] + op + w.f.text[pos+length:w.p.offset(y.End())]
}

func isNumber(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

// constant lists the mutants of the largest constant expression around a literal: named constants alone have none.
func (w *finder) constant(n ast.Expr, value constant.Value) {
	name, ok := w.typeName(n)
	switch {
	case !ok:
	case value.Kind() == constant.Bool:
		if id, isName := n.(*ast.Ident); isName && w.p.info.Uses[id].Parent() == types.Universe {
			w.either(n, fmt.Sprint(!constant.BoolVal(value)), "mutantEither[bool](%[1]d, %[2]s, "+fmt.Sprint(!constant.BoolVal(value))+")")
		}
	case value.Kind() == constant.Int && holdsLiteral(n):
		for _, sign := range []string{"+", "-"} {
			becomes := "(" + w.text(n) + sign + "1)"
			w.either(n, becomes, "mutantEither["+name+"](%[1]d, %[2]s, "+becomes+")")
		}
	}
}

// holdsLiteral says whether a number stands in a constant expression.
func holdsLiteral(n ast.Expr) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		_, ok := n.(*ast.BasicLit)
		found = found || ok
		return !found
	})
	return found
}

// statements lists those of a block that may be left out, or turned round.
func (w *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		if call, ok := s.(*ast.ExprStmt); ok && strings.HasPrefix(w.text(call), "panic(") {
			continue
		}
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || slices.ContainsFunc(s.Lhs, isBlank) {
				continue
			}
			for _, op := range others[s.Tok] {
				if isNumber(w.p.info.TypeOf(s.Lhs[0])) {
					w.turn(s, w.between(s.Lhs[0], s.Rhs[0], s.TokPos, len(s.Tok.String()), op.String()))
				}
			}
		case *ast.IncDecStmt:
			w.turn(s, w.text(s.X)+others[s.Tok][0].String())
		case *ast.ExprStmt, *ast.ReturnStmt, *ast.BranchStmt, *ast.DeferStmt:
		default:
			continue
		}
		w.either(s, "", "if mutantOn != %[1]d { %[2]s }")
	}
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// turn notes a statement with another one instead.
func (w *finder) turn(s ast.Stmt, becomes string) {
	w.either(s, becomes, "if mutantOn == %[1]d { "+strings.ReplaceAll(becomes, "%", "%%")+" } else { %[2]s }")
}
