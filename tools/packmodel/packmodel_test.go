package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFromHalf(t *testing.T) {
	for bits, want := range map[uint16]float32{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 0x1p-24, 0x8400: -0x1p-14, 0x3555: 0.33325195,
	} {
		if got := fromHalf(bits); got != want {
			t.Errorf("%#04x is %v, want %v", bits, got, want)
		}
	}
	if got := fromHalf(0x7c00); !math.IsInf(float64(got), 1) {
		t.Errorf("infinity is %v", got)
	}
}

func TestTensorsAreReadByName(t *testing.T) {
	directory := `{"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(directory)))
	file = append(file, directory...)
	file = append(file, 0x00, 0x3c, 0x00, 0xc0, 0, 0, 0, 0)
	tensors, err := openTensors(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float32{1, -2}, tensors.floats("a")); diff != "" || tensors.err != nil {
		t.Error(diff, tensors.err)
	}
	for _, name := range []string{"b", "missing"} {
		tensors.err = nil
		if tensors.floats(name); tensors.err == nil {
			t.Errorf("%s was read", name)
		}
	}
	if _, err := openTensors(file[:20]); err == nil {
		t.Error("a file cut short was opened")
	}
}

// correlatedInputs are rows whose columns depend on each other, as activations do.
func correlatedInputs(r *rand.Rand, n, rows int) [][]float32 {
	out := make([][]float32, rows)
	for i := range out {
		shared := r.NormFloat64()
		out[i] = make([]float32, n)
		for j := range out[i] {
			out[i][j] = float32(shared*3 + r.NormFloat64() + 2)
		}
	}
	return out
}

func TestCompensatedRoundingKeepsTheOutputCloser(t *testing.T) {
	const n = 64
	r := rand.New(rand.NewPCG(1, 2))
	inputs := correlatedInputs(r, n, 400)
	m := &moments{n: n, sum: make([]float64, n*n)}
	for _, x := range inputs {
		m.add(x)
	}
	w := make([]float32, 8*n)
	for i := range w {
		w[i] = float32(r.NormFloat64())
	}
	outputError := func(q []int8, scales []float32) (sum float64) {
		for _, x := range inputs {
			for row, scale := range scales {
				var off float64
				for k, v := range x {
					off += float64(v) * (float64(w[row*n+k]) - float64(q[row*n+k])*float64(scale))
				}
				sum += off * off
			}
		}
		return sum
	}
	plain := outputError(nearest("x", w, n))
	better := outputError(compensated(map[string]*moments{"x": m})("x", w, n))
	if better > plain/2 {
		t.Errorf("error is %.3g, to the nearest it is %.3g", better, plain)
	}
}

func TestInverseFactor(t *testing.T) {
	const n = 12
	m := &moments{n: n, sum: make([]float64, n*n)}
	for _, x := range correlatedInputs(rand.New(rand.NewPCG(3, 4)), n, 100) {
		m.add(x)
	}
	u := m.inverseFactor()
	trace := 0.0
	for i := range n {
		trace += m.sum[i*n+i]
	}
	// UᵀU times the damped moments must be the identity.
	at := func(i, j int) float64 {
		v := m.sum[max(i, j)*n+min(i, j)]
		if i == j {
			v += damping * trace / n
		}
		return v
	}
	for i := range n {
		for j := range n {
			var got float64
			for k := range n {
				var inverse float64
				for l := range n {
					inverse += u[l*n+i] * u[l*n+k]
				}
				got += inverse * at(k, j)
			}
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(got-want) > 1e-8 {
				t.Fatalf("element %d,%d is %v", i, j, got)
			}
		}
	}
}

func TestPrincipalFindsTheStrongestDirections(t *testing.T) {
	sum := make([]float64, hidden*hidden)
	for i := range hidden {
		sum[i*hidden+i] = 1 / float64(1+i*i)
	}
	for r := range 3 {
		row := principal(sum, 3)[r*hidden:][:hidden]
		if math.Abs(math.Abs(float64(row[r]))-1) > 1e-4 {
			t.Errorf("direction %d has %v at its own axis", r, row[r])
		}
	}
}

func TestReadCorpusTakesTextsOfEveryKind(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("words ", 10)
	for name, content := range map[string]string{
		"a.jsonl":   `{"text":"A ` + long + `"}` + "\n" + `{"text":"short"}`,
		"b.json":    `{"sessions":[{"text":"B1 ` + long + `\n\nB2 ` + long + `"}]}`,
		"c.go":      "package c\n\n// C " + long + "\nfunc C() {}\n",
		"d.md":      "D " + long,
		"e.bin":     "E " + long,
		"f_test.go": "package c\n\n// F " + long + "\nfunc F() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	texts, err := readCorpus([]string{dir}, 100)
	if err != nil {
		t.Fatal(err)
	}
	var firsts []string
	for _, text := range texts {
		firsts = append(firsts, strings.Fields(text)[0])
	}
	if diff := cmp.Diff([]string{"A", "B1", "B2", "C", "D"}, firsts); diff != "" {
		t.Error(diff)
	}
	if some, _ := readCorpus([]string{dir}, 2); len(some) != 2 {
		t.Errorf("a sample of 2 has %d", len(some))
	}
}

func TestRunRefusesForeignWeights(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "model"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "model", "model.fp16.safetensors"), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := run(options{packageDir: dir, statistics: "x", out: filepath.Join(dir, "out")})
	if err == nil || !strings.Contains(err.Error(), "sha256") {
		t.Errorf("got %v", err)
	}
	if err := run(options{packageDir: dir}); err == nil {
		t.Error("it ran without -corpus or -statistics")
	}
}
