package known

var musterKeys = []Key{
	{"muster.dev/expected-end", Annotations, End, "users"},
	{"muster.dev/lost-work", Annotations, Lost, "users"},
	{"muster.dev/duration", Annotations, Duration, "users"},
	{"muster.dev/expected-duration", Annotations, Duration, "users"},
	{"muster.dev/checkpoint", Annotations, Duration, "users"},
}
