package object

// Naming is how an object calls itself, which may be one of several ways.
type Naming struct{ version, kind, namespace, name string }

// NamingOf is that of an object as a client holds it.
func NamingOf(obj map[string]any) Naming {
	text := func(of map[string]any, key string) string {
		s, _ := of[key].(string)
		return s
	}
	meta, _ := obj["metadata"].(map[string]any)
	return Naming{text(obj, "apiVersion"), text(obj, "kind"), text(meta, "namespace"), text(meta, "name")}
}
