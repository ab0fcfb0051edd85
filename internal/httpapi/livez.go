package httpapi

import (
	"net/http"

	"codememory/internal/httpapi/wire"
)

// livez is the one route without a token: it says that the daemon lives and,
// by its header, of which version it is. To a challenge it answers with a proof
// that it is the daemon it seems to be, so that a client knows to whom it is
// about to send the token.
var livez = route{
	method: "GET", path: "/livez", summary: "That the daemon lives, without a token",
	door: compat, public: true, quiet: true, status: http.StatusNoContent,
	serve: func(s *Server, w http.ResponseWriter, r *http.Request) error {
		g, _ := r.Context().Value(guardKey{}).(guard)
		if challenge := r.Header.Get(wire.ChallengeHeader); challenge != "" && len(challenge) <= 128 && g.plain != "" {
			w.Header().Set(wire.ProofHeader, wire.Proof(g.plain, challenge, g.addr))
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	},
}
