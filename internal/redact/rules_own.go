package redact

// ownTokens are formats of services that developers of coding agents use and
// gitleaks does not know.
var ownTokens = []tokenRule{
	{"atlassian-api-token", "ATATT3 ATCTT3", `AT[AC]TT3[A-Za-z0-9_\-=]{100,}`, 3.5, wordStart | ends},
	{"bitbucket-app-password", "ATBB", `ATBB[A-Za-z0-9]{32}`, 3, wordStart | ends},
	{"discord-bot-token", "MD MT Mj Mz ND NT Nj Nz OD OT", `[MNO][A-Za-z0-9]{23,27}\.[\w-]{6}\.[\w-]{27,38}`, 4, wordStart | ends},
	{"django-secret-key", "django-insecure-", `django-insecure-[^\s'"]{20,}`, 3, wordStart},
	{"docker-pat", "dckr_pat_ dckr_oat_", `dckr_[po]at_[\w-]{27,}`, 3, wordStart | ends},
	{"figma-token", "figd_", `figd_[\w-]{40,}`, 3, wordStart | ends},
	{"google-oauth-client-secret", "GOCSPX-", `GOCSPX-[\w-]{28}`, 3, wordStart | ends},
	{"google-oauth-access-token", "ya29.", `ya29\.[\w-]{30,}`, 3, wordStart},
	{"google-oauth-refresh-token", "1//0", `1//0[\w-]{40,}`, 3.5, wordStart},
	{"groq-api-key", "gsk_", `gsk_[A-Za-z0-9]{40,}`, 3.5, wordStart | ends},
	{"langsmith-api-key", "lsv2_", `lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}`, 3, wordStart | ends},
	{"nvidia-api-key", "nvapi-", `nvapi-[\w-]{40,}`, 3.5, wordStart | ends},
	{"pinecone-api-key", "pcsk_", `pcsk_[A-Za-z0-9_]{40,}`, 3.5, wordStart | ends},
	{"replicate-api-token", "r8_", `r8_[A-Za-z0-9]{37}`, 3.5, wordStart | ends},
	{"sk-api-key", "sk-", `sk-(?:[a-z0-9]{1,12}-){0,3}[A-Za-z0-9_]{28,}(?:-[A-Za-z0-9_-]*)?`, 3.5, wordStart},
	{"stripe-webhook-secret", "whsec_", `whsec_[A-Za-z0-9+/=]{24,}`, 3, wordStart},
	{"supabase-token", "sbp_ sb_secret_", `(?:sbp|sb_secret)_[A-Za-z0-9_-]{30,}`, 3, wordStart | ends},
	{"tailscale-key", "tskey-", `tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{16,}`, 3, wordStart | ends},
	{"tavily-api-key", "tvly-", `tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,}`, 3, wordStart | ends},
	{"vercel-token", "vcp_ vci_ vca_ vcr_ vck_", `vc[piark]_[A-Za-z0-9]{50,}`, 3.5, wordStart | ends},
	{"xai-api-key", "xai-", `xai-[A-Za-z0-9]{60,}`, 3.5, wordStart | ends},
}
