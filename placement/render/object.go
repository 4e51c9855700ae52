package render

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object whose keys keep their order.
type object []field

type field struct {
	key   string
	value any
}

// MarshalJSON writes the fields in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(&b, f.key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encode(&b, f.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode writes a value without the line end of the standard encoder.
func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}
