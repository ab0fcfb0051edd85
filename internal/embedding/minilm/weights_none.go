//go:build nomodel

package minilm

// packedModel is empty in builds without the model.
const packedModel = ""
