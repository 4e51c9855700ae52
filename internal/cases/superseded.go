package cases

import "encoding/json"

// superseded has, by the name of a case, what is wanted in place of what its file says, since a later rule decides otherwise.
var superseded = map[string]string{}

// wanted is what a case wants.
func wanted(c *Case) json.RawMessage {
	if want, is := superseded[c.Name]; is {
		return json.RawMessage(want)
	}
	return c.Want
}
