package muster_test

// core are the packages that make a plan, from the door inwards. What takes numbers without names since long (preempt, cover) and what tells of plans is none.
var core = []string{
	"placement", "internal/snapshot", "internal/match", "internal/index", "internal/layout", "internal/cow", "internal/front", "internal/sets", "internal/holds", "internal/limits",
	"internal/problem", "internal/gather", "internal/packing", "internal/crowd", "internal/joint", "internal/picks", "internal/parts", "internal/search", "internal/relax", "internal/seats",
	"internal/victims", "internal/steps",
}

// tangled are the functions of the core that have more ways through them than a function should.
var tangled = map[string][]string{
	"internal/front":   {"Sum"},
	"internal/gather":  {"allWorse", "best", "fillsPlainly", "indexedSpan", "isWider", "takes"},
	"internal/limits":  {"Leaving"},
	"internal/parts":   {"removalsIn"},
	"internal/problem": {"settleParts"},
	"internal/relax":   {"roomsOf", "smallest"},
	"internal/sets":    {"keepScored"},
	"internal/victims": {"Evict"},
	"placement":        {"refuse"},
}

// doors are the packages whose doors are wider than they should be.
var doors = map[string]door{
	"internal/cli":                           {52, 6},
	"internal/cover":                         {34, 4},
	"internal/cow":                           {27, 13},
	"internal/document":                      {50, 15},
	"internal/front":                         {47, 21},
	"internal/holds":                         {8, 7},
	"internal/hostlist":                      {6, 5},
	"internal/index":                         {47, 20},
	"internal/known":                         {55, 25},
	"internal/layout":                        {58, 11},
	"internal/limits":                        {59, 40},
	"internal/match":                         {32, 16},
	"internal/packing":                       {18, 15},
	"internal/problem":                       {278, 107},
	"internal/search":                        {9, 5},
	"internal/sets":                          {88, 65},
	"internal/snapshot":                      {180, 89},
	"internal/steps":                         {8, 3},
	"placement/manifest/internal/amounts":    {11, 7},
	"placement/manifest/internal/apart":      {27, 26},
	"placement/manifest/internal/member":     {89, 71},
	"placement/manifest/internal/nodes":      {35, 33},
	"placement/manifest/internal/object":     {158, 87},
	"placement/manifest/internal/owners":     {41, 37},
	"placement/manifest/internal/priorities": {20, 15},
	"placement/manifest/internal/quotas":     {25, 23},
	"placement/manifest/internal/selectors":  {5, 4},
	"placement/manifest/internal/trees":      {47, 43},
}
