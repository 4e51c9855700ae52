package muster_test

// core are the packages that make a plan, from the door inwards. What takes numbers without names since long (preempt, cover) and what tells of plans is none.
var core = []string{
	"placement", "internal/snapshot", "internal/match", "internal/index", "internal/layout", "internal/cow", "internal/front", "internal/sets", "internal/holds", "internal/limits",
	"internal/model", "internal/room", "internal/problem", "internal/gather", "internal/packing", "internal/manyshapes", "internal/joint", "internal/picks", "internal/parts", "internal/search", "internal/preferred", "internal/remedies", "internal/seats",
	"internal/victims", "internal/steps",
}

// tangled are the functions of the core that have more ways through them than a function should.
var tangled = map[string][]string{
	"internal/gather": {"allWorse", "best", "fillsPlainly", "indexedSpan", "isWider", "takes"},
}

// doors are the packages whose doors are wider than they should be.
var doors = map[string]door{
	"internal/cli":                           {0, 6},
	"internal/cover":                         {0, 4},
	"internal/cow":                           {0, 13},
	"internal/document":                      {0, 13},
	"internal/front":                         {0, 20},
	"internal/holds":                         {0, 7},
	"internal/hostlist":                      {0, 4},
	"internal/index":                         {0, 16},
	"internal/known":                         {0, 16},
	"internal/limits":                        {0, 32},
	"internal/match":                         {0, 16},
	"internal/packing":                       {0, 12},
	"internal/problem":                       {155, 56},
	"internal/room":                          {0, 61},
	"internal/search":                        {0, 3},
	"internal/sets":                          {0, 66},
	"internal/snapshot":                      {180, 89},
	"internal/steps":                         {0, 3},
	"placement/manifest/internal/amounts":    {0, 6},
	"placement/manifest/internal/apart":      {0, 23},
	"placement/manifest/internal/member":     {0, 71},
	"placement/manifest/internal/nodes":      {0, 31},
	"placement/manifest/internal/object":     {158, 86},
	"placement/manifest/internal/owners":     {0, 37},
	"placement/manifest/internal/priorities": {0, 13},
	"placement/manifest/internal/quotas":     {0, 20},
	"placement/manifest/internal/selectors":  {0, 4},
	"placement/manifest/internal/trees":      {0, 41},
}
