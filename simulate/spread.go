package simulate

import "math/bits"

// Numbers below this have a bucket each; above, each power of two has so many.
const buckets = 64

// add adds a number, which is not negative.
func (s *Spread) add(n int64) {
	s.Count++
	s.Sum += n
	s.Max = max(s.Max, n)
	at := bucketOf(n)
	for len(s.counts) <= at {
		s.counts = append(s.counts, 0)
	}
	s.counts[at]++
}

// Merge adds the numbers of another spread, as if all of them had been counted by this one. O(numbers of different size).
func (s *Spread) Merge(other *Spread) {
	s.Count += other.Count
	s.Sum += other.Sum
	s.Max = max(s.Max, other.Max)
	for len(s.counts) < len(other.counts) {
		s.counts = append(s.counts, 0)
	}
	for at, n := range other.counts {
		s.counts[at] += n
	}
	s.close()
}

// bucketOf is the bucket of a number: the larger the number the wider it is.
func bucketOf(n int64) int {
	shift := max(0, bits.Len64(uint64(n))-bits.Len64(buckets))
	return shift*buckets + int(n>>shift)
}

// lastOf is the largest number in a bucket.
func lastOf(bucket int) int64 {
	shift := max(0, bucket/buckets-1)
	return (int64(bucket-shift*buckets)+1)<<shift - 1
}

// close finds mean and quantiles.
func (s *Spread) close() {
	if s.Count == 0 {
		return
	}
	s.Mean = s.Sum / int64(s.Count)
	s.P50, s.P95, s.P99 = s.quantile(50), s.quantile(95), s.quantile(99)
}

// quantile is the least number that so many of a hundred are not above, rounded up to the end of its bucket.
func (s *Spread) quantile(percent int) int64 {
	left := (s.Count*percent + 99) / 100
	for at, n := range s.counts {
		if left -= n; left <= 0 {
			return min(s.Max, lastOf(at))
		}
	}
	return s.Max
}
