package manifest_test

// gangAt is a gang of a file in testdata/controllers. The file is together for all files as one cluster; the gang is aside for what an
// input says beside gangs, and beside together a file that cannot be read beside the others.
type gangAt struct{ file, gang string }

// notYet has what is read otherwise than its system reads it, by what is wrong. An entry that has become right fails the test, until it
// is taken out.
var notYet = map[string][]gangAt{}

// wrongGangs are the entries of notYet, each with what is wrong.
func wrongGangs() map[gangAt]string {
	all := map[gangAt]string{}
	for wrong, gangs := range notYet {
		for _, at := range gangs {
			all[at] = wrong
		}
	}
	return all
}
