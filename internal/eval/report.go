package eval

import (
	"fmt"
	"io"
	"time"
)

// Row is one line of a report.
type Row struct {
	Set, System string
	Metrics
}

// Report writes a markdown table.
func Report(w io.Writer, rows []Row) error {
	if _, err := fmt.Fprint(w, "| set (queries) | system | any@1 | any@5 | any@10 | frac@5 | frac@10 | all@5 | all@10 | MRR | nDCG@10 | in budget | no answer | p50 | p99 | CPU |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"); err != nil {
		return err
	}
	for _, r := range rows {
		_, err := fmt.Fprintf(w, "| %s (%d) | %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %s | %s | %s |\n",
			r.Set, r.Queries, r.System, r.AnyAt1, r.AnyAt5, r.AnyAt10, r.FracAt5, r.FracAt10, r.AllAt5, r.AllAt10,
			r.MRR, r.NDCG10, r.Budget, r.Abstained, millis(r.P50), millis(r.P99), millis(r.CPU))
		if err != nil {
			return err
		}
	}
	return nil
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}
