package httpapi

import (
	"context"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// viewRoutes are for people who look at CodeMemory; the web pages use them.
func viewRoutes() []route {
	return []route{
		on("POST", "/v1/transcript", "Turns of a session as the agent recorded them, without secrets", transcript),
		on("GET", "/v1/sessions/{id}", "The record of a session, field by field", sessionRecord),
		on("POST", "/v1/turns/search", "Find turns of all agents by words", searchTurns),
		on("POST", "/v1/graph", "Memories and the entities they share", graph),
		on("GET", "/v1/events/recent", "What happened lately, newest first", listEvents),
		on("GET", "/v1/injections", "What was put before models lately, in numbers", listInjections),
		on("GET", "/v1/suppressions", "Memories that are kept away from prompts", listSuppressions),
		on("POST", "/v1/suppressions", "Keep a memory away from prompts like this one", suppress),
		on("DELETE", "/v1/suppressions/{id}", "Take a suppression back", unsuppress),
		on("GET", "/v1/capture", "Where agents' turns are recorded", captureState),
		on("POST", "/v1/capture/pause", "Stop or resume the recording of turns, everywhere or in a project", pauseCapture),
		on("GET", "/v1/settings", "Every setting, and every address that is called", settings),
		on("POST", "/v1/page/code", "A code with which a browser may open the web pages, once and soon", pageCode),
	}
}

func transcript(ctx context.Context, c call[none, codememory.TranscriptRequest]) (codememory.Transcript, error) {
	return c.View.Transcript(ctx, c.Body)
}

func sessionRecord(ctx context.Context, c call[wire.MemoryQuery, none]) (codememory.SessionRecord, error) {
	return c.View.SessionRecord(ctx, c.Query.Project, c.ID)
}

func searchTurns(ctx context.Context, c call[none, codememory.TurnQuery]) (wire.TurnsAnswer, error) {
	hits, err := c.View.SearchTurns(ctx, c.Body)
	return wire.TurnsAnswer{Turns: listed(hits)}, err
}

func graph(ctx context.Context, c call[none, codememory.GraphRequest]) (codememory.Graph, error) {
	return c.View.Graph(ctx, c.Body)
}

func listEvents(ctx context.Context, c call[none, none]) (wire.EventsAnswer, error) {
	events, err := c.View.RecentEvents(ctx)
	return wire.EventsAnswer{Events: listed(events)}, err
}

func listInjections(ctx context.Context, c call[wire.LimitQuery, none]) (codememory.InjectionReport, error) {
	return c.View.Injections(ctx, c.Query.Limit)
}

func listSuppressions(ctx context.Context, c call[none, none]) (wire.SuppressionsAnswer, error) {
	list, err := c.View.Suppressions(ctx)
	return wire.SuppressionsAnswer{Suppressions: listed(list)}, err
}

func suppress(ctx context.Context, c call[none, codememory.SuppressRequest]) (codememory.Suppression, error) {
	return c.View.Suppress(ctx, c.Body)
}

func unsuppress(ctx context.Context, c call[none, none]) (wire.Empty, error) {
	return wire.Empty{}, c.View.Unsuppress(ctx, c.ID)
}

func captureState(ctx context.Context, c call[none, none]) (codememory.CaptureState, error) {
	return c.View.CaptureState(ctx)
}

func pauseCapture(ctx context.Context, c call[none, codememory.PauseRequest]) (codememory.CaptureState, error) {
	return c.View.PauseCapture(ctx, c.Body)
}

func settings(ctx context.Context, c call[none, none]) (codememory.SettingsReport, error) {
	report, err := c.View.Settings(ctx)
	report.Settings, report.Outbound = listed(report.Settings), listed(report.Outbound)
	return report, err
}

func pageCode(_ context.Context, c call[none, none]) (wire.PageCode, error) {
	if c.Pages == nil {
		return wire.PageCode{}, codememory.Errorf(codememory.Unavailable, "this daemon serves no web pages")
	}
	code, err := c.codes.make()
	return wire.PageCode{Code: code, Seconds: int(codeLife.Seconds())}, err
}
