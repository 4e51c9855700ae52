package muster_test

// core are the packages that make a plan, from the door inwards. What takes numbers without names since long (preempt, cover) and what tells of plans is none.
var core = []string{
	"placement", "internal/snapshot", "internal/match", "internal/labels", "internal/index", "internal/layout", "internal/cow", "internal/front", "internal/bounds", "internal/keys", "internal/sets", "internal/frontsets", "internal/hitting", "internal/intern", "internal/holds", "internal/reserve", "internal/ends", "internal/moves", "internal/limits",
	"internal/blocks", "internal/roll", "internal/model", "internal/room", "internal/leavable", "internal/ranks", "internal/partnames", "internal/problem", "internal/outcome", "internal/gather", "internal/packing", "internal/manyshapes", "internal/joint", "internal/selections", "internal/picks", "internal/fronts", "internal/parts", "internal/search", "internal/preferred", "internal/remedies", "internal/seats",
	"internal/victims", "internal/steps",
}

// tangled are the functions of the core that have more ways through them than a function should.
var tangled = map[string][]string{}

// ownMost are the packages that once had far more exported names, methods and fields than their question asks for, with how many they
// have now: they may only get fewer.
var ownMost = map[string]int{
	"internal/problem": 58,
}

// doors are the packages whose doors are wider than they should be.
var doors = map[string]door{
	"internal/cow":                       {0, 5},
	"internal/document":                  {0, 7},
	"internal/labels":                    {0, 3},
	"internal/limits":                    {0, 10},
	"internal/match":                     {0, 3},
	"internal/packing":                   {0, 3},
	"internal/problem":                   {0, 9},
	"internal/room":                      {0, 22},
	"internal/snapshot":                  {157, 37},
	"placement/manifest/internal/object": {158, 0},
}
