//go:build !nomodel

package minilm

import _ "embed"

//go:embed weights/minilm-l6-v2.bin
var packedModel string
