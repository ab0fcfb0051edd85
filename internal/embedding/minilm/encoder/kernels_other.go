//go:build !amd64 && !arm64

package encoder

func bestKernels() kernels { return plainKernels() }

func availableKernels() []kernels { return []kernels{plainKernels()} }
