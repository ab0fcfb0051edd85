package daemon

import (
	"log/slog"
	"os"

	"codememory/internal/atomicfile"

	"gopkg.in/natefinch/lumberjack.v2"
)

// openLog writes JSON lines into a file that only its owner can read and that
// is rotated by size, and text to the console if there is one.
func openLog(o Options) (*slog.Logger, func(), error) {
	if err := atomicfile.MkdirAll(o.Layout.State, 0o700); err != nil {
		return nil, nil, err
	}
	settings := o.Config.Config.Log
	var level slog.Level
	if err := level.UnmarshalText([]byte(settings.Level)); err != nil {
		level = slog.LevelInfo // the configuration allows no other word
	}
	if info, err := os.Stat(o.Layout.LogFile()); err == nil && info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(o.Layout.LogFile(), 0o600); err != nil {
			return nil, nil, atomicfile.Coded("protect", o.Layout.LogFile(), err)
		}
	}
	file := &lumberjack.Logger{
		Filename: o.Layout.LogFile(), MaxSize: settings.MaxMB,
		MaxBackups: max(1, settings.Keep), // to lumberjack, 0 means all
	}
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewJSONHandler(file, options)
	if o.Console != nil {
		handler = slog.NewMultiHandler(handler, slog.NewTextHandler(o.Console, options))
	}
	return slog.New(handler), func() { file.Close() }, nil
}
