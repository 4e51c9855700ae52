package front

// How many domains does a vector use, where only so many may be used?

// countsDomains says whether a dimension does.
func (s *Space) countsDomains(r int) bool { return r >= len(s.most)-len(s.Domains) }

// domains is how many there may be by such a dimension.
func (s *Space) domains(r int) int32 { return s.Domains[r-len(s.most)+len(s.Domains)] }

// tooWide says whether a vector uses more domains than there may be.
func (s *Space) tooWide(a Vector) bool {
	for i, most := range s.Domains {
		if a[len(a)-len(s.Domains)+i] < -most {
			return true
		}
	}
	return false
}
