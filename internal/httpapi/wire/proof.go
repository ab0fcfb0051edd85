package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Proof shows that its maker knows the token without telling it. A client asks
// for it before it sends the token anywhere: after a daemon was killed, any
// program may be listening on its port. The address is part of it, so that a
// program in between cannot pass the question on to the true daemon.
func Proof(token, challenge, address string) string {
	mac := hmac.New(sha256.New, []byte(token))
	for _, part := range []string{"codememory livez", challenge, address} {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// CheckProof reports whether proof is that of token for this challenge and address.
func CheckProof(proof, token, challenge, address string) bool {
	return hmac.Equal([]byte(proof), []byte(Proof(token, challenge, address)))
}
