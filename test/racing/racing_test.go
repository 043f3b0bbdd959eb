package racing_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/racing"
)

// write reads the number of a register (0), or sets another.
type write struct {
	name   string
	number int
}

var register = racing.Model[write, int, int]{
	Of: func(in write) any { return in.name },
	Step: func(number int, in write, out int) (bool, int) {
		if in.number == 0 {
			return out == number, number
		}
		return out == in.number, in.number
	},
}

func TestOneAfterTheOtherIsLinearizable(t *testing.T) {
	var h racing.History[write, int]
	for _, name := range []string{"a", "b"} {
		h.Record(0, write{name, 0}, func() (int, error) { return 0, nil })
		h.Record(0, write{name, 7}, func() (int, error) { return 7, nil })
		h.Record(1, write{name, 0}, func() (int, error) { return 7, nil })
	}
	require.True(t, racing.Linearizable(t, &h, register))
	require.Equal(t, []int{0, 7, 7, 0, 7, 7}, h.Results())
}

func TestReadOfAnOverwrittenValueIsNotLinearizable(t *testing.T) {
	var h racing.History[write, int]
	h.Record(0, write{"a", 7}, func() (int, error) { return 7, nil })
	h.Record(0, write{"a", 8}, func() (int, error) { return 8, nil })
	h.Record(1, write{"a", 0}, func() (int, error) { return 7, nil })
	require.False(t, racing.Linearizable(t, &h, register))
}

func TestReadDuringAWriteMayReturnEitherValue(t *testing.T) {
	for _, read := range []int{0, 7} {
		var h racing.History[write, int]
		h.Record(0, write{"a", 7}, func() (int, error) {
			h.Record(1, write{"a", 0}, func() (int, error) { return read, nil })
			return 7, nil
		})
		require.True(t, racing.Linearizable(t, &h, register))
	}
}

func TestAllRunAtOnce(t *testing.T) {
	const n = 20
	meet := racing.Meet(n)
	var met atomic.Int64
	errs := racing.Errors(n, func(i int) error {
		meet()
		met.Add(1)
		return nil
	})
	require.Len(t, errs, n)
	require.EqualValues(t, n, met.Load())
}
