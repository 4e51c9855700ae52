package known

var musterKeys = []Key{
	{"muster.dev/expected-end", Annotations, End, "users"},
	{"muster.dev/lost-work", Annotations, Lost, "users"},
}
