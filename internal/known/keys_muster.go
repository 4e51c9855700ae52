package known

var musterKeys = []Key{
	{"muster.dev/expected-end", Annotations, End, "users"},
}
