// Package minilm is the built-in embedding model: all-MiniLM-L6-v2, run in the
// process on the weights inside the binary.
package minilm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"

	"codememory"
	"codememory/internal/embedding/minilm/encoder"

	"golang.org/x/sync/errgroup"
)

// ModelID names the vector space. It changes whenever vectors made before are
// no longer comparable: other weights or other text preparation.
const ModelID = "minilm-l6-v2/1"

// weightsSum is the SHA-256 of the packed file.
const weightsSum = "f17dcd81032c342600c0444b135c94cf6addf2174c5388db7134ae66e27a6f02"

// Embedder implements codememory.Embedder. The model is loaded at first use.
type Embedder struct {
	load func() (*space, error)
}

// New returns the built-in embedder. It costs nothing until the first text.
func New() *Embedder {
	return &Embedder{load: sync.OnceValues(func() (*space, error) { return loadSpace(packedModel) })}
}

// Model describes the vector space.
func (e *Embedder) Model() codememory.EmbeddingModel {
	return codememory.EmbeddingModel{
		ID:         ModelID,
		Dim:        encoder.Hidden,
		TokenDim:   encoder.TokenDim,
		Thresholds: thresholds,
	}
}

// EmbedQuery encodes a question. Of a long one the beginning and the end count.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) (codememory.Embedding, error) {
	s, err := e.load()
	if err != nil {
		return codememory.Embedding{}, err
	}
	if err := ctx.Err(); err != nil {
		return codememory.Embedding{}, err
	}
	return s.embed(s.queryTokens(text)), nil
}

// EmbedDocuments encodes texts, each as one or more passages.
func (e *Embedder) EmbedDocuments(ctx context.Context, texts []string) ([][]codememory.Embedding, error) {
	s, err := e.load()
	if err != nil {
		return nil, err
	}
	out := make([][]codememory.Embedding, len(texts))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)/2)) // the rest of the machine has work of its own
	for i, text := range texts {
		g.Go(func() error {
			for _, passage := range s.passages(text) {
				if err := ctx.Err(); err != nil {
					return err
				}
				out[i] = append(out[i], s.embed(passage))
			}
			return nil
		})
	}
	return out, g.Wait()
}

// Kernels loads the model and names the inner loops this processor uses.
func (e *Embedder) Kernels() (string, error) {
	s, err := e.load()
	if err != nil {
		return "", err
	}
	return s.model.Kernels(), nil
}

// Verify checks the weights in the binary against their checksum. It reads all
// of them, so it is for diagnosis, not for every start.
func Verify() error {
	if packedModel == "" {
		return errNoModel()
	}
	sum := sha256.New()
	for rest := packedModel; rest != ""; {
		n := min(len(rest), 1<<16)
		sum.Write([]byte(rest[:n]))
		rest = rest[n:]
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != weightsSum {
		return codememory.Errorf(codememory.Internal, "the built-in embedding model is damaged (sha256 %s, expected %s): reinstall codememory", got, weightsSum)
	}
	return nil
}

func errNoModel() error {
	return codememory.Errorf(codememory.Unavailable, "this build has no built-in embedding model: configure an embedding provider or install the full build")
}

func loadSpace(packed string) (*space, error) {
	if packed == "" {
		return nil, errNoModel()
	}
	s, err := newSpace(packed)
	if err != nil {
		return nil, codememory.Errorf(codememory.Unavailable, "load the built-in embedding model: %w", err)
	}
	return s, nil
}

func newSpace(packed string) (*space, error) {
	m, err := encoder.Load(packed)
	if err != nil {
		return nil, err
	}
	s := &space{model: m}
	if s.projection, err = encoder.ReadFloats(packed, encoder.ProjectionSection, encoder.TokenDim*encoder.Hidden); err != nil {
		return nil, fmt.Errorf("token projection: %w", err)
	}
	if s.weights, err = encoder.ReadFloats(packed, encoder.WeightSection, encoder.VocabSize); err != nil {
		return nil, fmt.Errorf("token weights: %w", err)
	}
	return s, nil
}
