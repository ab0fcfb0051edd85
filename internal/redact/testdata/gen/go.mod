module codememory/internal/redact/testdata/gen

go 1.26
