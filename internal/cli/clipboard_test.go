package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheClipboardOfEachPlatform(t *testing.T) {
	for name, tt := range map[string]struct {
		system string
		env    map[string]string
		want   string
	}{
		"macOS":         {system: "darwin", want: "pbcopy"},
		"Windows":       {system: "windows", want: "clip.exe"},
		"Wayland first": {system: "linux", env: map[string]string{"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, want: "wl-copy xclip xsel"},
		"X11":           {system: "linux", env: map[string]string{"DISPLAY": ":0"}, want: "xclip xsel"},
		"WSL":           {system: "linux", env: map[string]string{"WSL_DISTRO_NAME": "Ubuntu"}, want: "clip.exe"},
		"no display":    {system: "freebsd"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range clipboardPrograms(tt.system, func(name string) string { return tt.env[name] }) {
				got = append(got, c[0])
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

func TestWhatClipboardsAreGiven(t *testing.T) {
	if diff := cmp.Diff([]byte{0xFF, 0xFE, 'a', 0, 0xFC, 0}, utf16Text("aü")); diff != "" {
		t.Error(diff)
	}
	var out strings.Builder
	if err := askTerminal(&out, "/tmp/ü.md"); err != nil || out.String() != "\x1b]52;c;L3RtcC/DvC5tZA==\a" {
		t.Errorf("%q %v", out.String(), err)
	}
}
