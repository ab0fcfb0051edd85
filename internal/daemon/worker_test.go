package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAWorkerThatFailsPausesLongerUntilItWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		began := time.Now()
		var at []time.Duration
		ctx, cancel := context.WithCancel(t.Context())
		w := Worker{Name: "embed", Every: time.Minute, Do: func(context.Context) error {
			at = append(at, time.Since(began))
			switch len(at) {
			case 2:
				return errors.New("model not there")
			case 3:
				panic("text of a memory")
			case 6:
				cancel()
			}
			return nil
		}}
		<-runWorkers(ctx, slog.New(slog.NewTextHandler(&log, nil)), []Worker{w})
		want := []time.Duration{0, 1 * time.Minute, 3 * time.Minute, 7 * time.Minute, 8 * time.Minute, 9 * time.Minute}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("it worked at other times (-want +got):\n%s", diff)
		}
		if s := log.String(); !strings.Contains(s, "model not there") || !strings.Contains(s, "worker=embed") || !strings.Contains(s, "worker_test.go") || strings.Contains(s, "text of a memory") {
			t.Errorf("the log is %s", s)
		}
	})
}

func TestPausesHaveALimit(t *testing.T) {
	if got := (Worker{Every: time.Second}).pause(100); got != maxBackoff {
		t.Errorf("after 100 failures it pauses for %v", got)
	}
	if got := (Worker{Every: 24 * time.Hour}).pause(3); got != 24*time.Hour {
		t.Errorf("a daily worker pauses for %v", got)
	}
}

func TestIdleCountsFromTheLastRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last atomic.Pointer[time.Time]
		last.Store(new(time.Now()))
		requests := time.AfterFunc(20*time.Minute, func() { last.Store(new(time.Now())) })
		defer requests.Stop()
		began := time.Now()
		if !awaitIdle(t.Context(), func() time.Duration { return time.Since(*last.Load()) }, 30*time.Minute) {
			t.Fatal("it gave up")
		}
		if got := time.Since(began); got != 50*time.Minute {
			t.Errorf("it was idle after %v, want 50m", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if awaitIdle(ctx, func() time.Duration { return 0 }, time.Minute) {
			t.Error("it was idle while somebody asked all the time")
		}
	})
}
