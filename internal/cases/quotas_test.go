package cases

import (
	"testing"
)

func TestQuotaCases(t *testing.T) {
	const (
		two    = `"quotas": [{"name": "a", "min": {"gpu": 2}, "used": {"gpu": 1}, "demand": {"gpu": 9}}, {"name": "b", "min": {"gpu": 2}, "allowLent": false}]`
		shares = `"kind": "runtime", "total": {"gpu": 8}, ` + two
		asks   = `"kind": "admit", "total": {"gpu": 8}, ` + two + `, "gang": {"quota": "a", "request": {"gpu": 7}}`
		broken = `"kind": "tree", "quotas": [{"name": "a", "parent": "c"}]`
	)
	requireJudged(t, map[string]bool{
		shares + `, "want": {"a": {"gpu": 6}, "b": {"gpu": 2}}`: true,
		shares + `, "want": {"a": {"gpu": 7}}`:                  false,
		shares + `, "want": {"a": {"cpu": 0}}`:                  false,
		shares + `, "want": 7`:                                  false,
		asks + `, "want": {"admitted": false, "quota": "a", "rule": "limit", "deficit": {"gpu": 2}}`:                               true,
		asks + `, "want": {"admitted": false, "quota": "a", "rule": "limit", "deficit": {"gpu": 1}}`:                               false,
		asks + `, "want": {"admitted": false, "quota": "b", "rule": "limit", "deficit": {"gpu": 2}}`:                               false,
		asks + `, "want": {"admitted": true}`:                                                                                      false,
		asks + `, "mode": "greedy", "want": {"admitted": true}`:                                                                    true,
		asks + `, "mode": "greedy", "want": {"admitted": false, "quota": "a"}`:                                                     false,
		asks + `, "mode": "all", "want": {"admitted": true}`:                                                                       false,
		broken + `, "error": {"quota": "a", "field": "parent"}`:                                                                    true,
		broken + `, "error": {"quota": ["b", "a"], "field": "parent"}`:                                                             true,
		broken + `, "error": {"quota": "a", "field": "max", "resource": "gpu"}`:                                                    false,
		broken + `, "error": {"quota": 7, "field": "parent"}`:                                                                      false,
		broken + `, "error": null`:                                                                                                 false,
		`"kind": "tree", "quotas": [{"name": "a"}]`:                                                                                true,
		`"kind": "tree", "quotas": [{"name": "a"}], "error": {"quota": "a", "field": "parent"}`:                                    false,
		`"kind": "tree", "quotas": [{"name": "a", "parent": "c", "min": {"gpu": -1}}], "error": {"quota": "a", "field": "parent"}`: false,
	})
}
