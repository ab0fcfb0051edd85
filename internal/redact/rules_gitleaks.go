package redact

// The patterns below come from gitleaks v8.30.1 (MIT, see NOTICE), split into
// the keyword that finds a candidate, the pattern that decides, and the
// conditions around it. Left out or changed: patterns that match ordinary text
// without their surroundings, such as any git commit for Sourcegraph.

// tokenFlag says what has to stand around a token.
type tokenFlag uint8

const (
	wordStart   tokenFlag = 1 << iota // no word character before it
	ends                              // nothing that could continue it after it
	foldCase                          // the keyword may have any case
	looksDrawn                        // it has to look random: the form alone also fits identifiers or base64
	lettersOnly                       // it may come without a digit, which for others means that it is an identifier
)

// tokenRule recognises a secret by its own form: a keyword at its start, then
// a pattern.
type tokenRule struct {
	id      string
	keys    string // separated by spaces
	pattern string // of the whole secret
	entropy float64
	flags   tokenFlag
}

var gitleaksTokens = []tokenRule{
	{"1password-secret-key", "A3-", `A3-[A-Z0-9]{6}-(?:(?:[A-Z0-9]{11})|(?:[A-Z0-9]{6}-[A-Z0-9]{5}))-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}`, 3.8, wordStart | ends},
	{"1password-service-account-token", "ops_", `ops_eyJ[a-zA-Z0-9+/]{250,}={0,3}`, 4, 0},
	{"adobe-client-secret", "p8e-", `p8e-(?i)[a-z0-9]{32}`, 2, wordStart | ends},
	{"age-secret-key", "AGE-SECRET-KEY-1", `AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`, 0, 0},
	{"airtable-personnal-access-token", "pat", `pat[[:alnum:]]{14}\.[a-f0-9]{64}`, 0, wordStart | ends},
	{"alibaba-access-key-id", "LTAI", `LTAI(?i)[a-z0-9]{20}`, 2, wordStart | ends},
	{"anthropic-admin-api-key", "sk-ant-admin", `sk-ant-admin\d\d-[a-zA-Z0-9_\-]{60,}`, 0, wordStart | ends},
	{"anthropic-api-key", "sk-ant-", `sk-ant-(?:api|oat|ort|sid)\d\d-[a-zA-Z0-9_\-]{60,}`, 0, wordStart | ends},
	{"artifactory-api-key", "AKCp", `AKCp[A-Za-z0-9]{69}`, 4.5, wordStart | ends},
	{"artifactory-reference-token", "cmVmd", `cmVmd[A-Za-z0-9]{59}`, 4.5, wordStart | ends},
	{"authress-service-client-access-key", "sc_ ext_ scauth_ authress_", `(?:sc|ext|scauth|authress)_(?i)[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.(?-i:acc)[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}`, 2, wordStart | ends},
	{"aws-access-token", "A3T AKIA ASIA ABIA ACCA", `(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}`, 3, wordStart | ends},
	{"aws-amazon-bedrock-api-key-long-lived", "ABSK", `ABSK[A-Za-z0-9+/]{109,269}={0,2}`, 3, wordStart | ends},
	{"aws-amazon-bedrock-api-key-short-lived", "bedrock-api-key-", `bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=_-]*`, 3, 0},
	{"clickhouse-cloud-api-secret-key", "4b1d", `4b1d[A-Za-z0-9]{38}`, 3, wordStart | ends},
	{"clojars-api-token", "clojars_", `(?i)CLOJARS_[a-z0-9]{60}`, 2, foldCase},
	{"cloudflare-origin-ca-key", "v1.0-", `v1\.0-[a-f0-9]{24}-[a-f0-9]{146}`, 2, wordStart | ends},
	{"databricks-api-token", "dapi", `dapi[a-f0-9]{32}(?:-\d)?`, 3, wordStart | ends},
	{"digitalocean-access-token", "doo_v1_", `doo_v1_[a-f0-9]{64}`, 3, wordStart | ends},
	{"digitalocean-pat", "dop_v1_", `dop_v1_[a-f0-9]{64}`, 3, wordStart | ends},
	{"digitalocean-refresh-token", "dor_v1_", `(?i)dor_v1_[a-f0-9]{64}`, 0, wordStart | ends | foldCase},
	{"doppler-api-token", "dp.pt.", `dp\.pt\.(?i)[a-z0-9]{43}`, 2, 0},
	{"duffel-api-token", "duffel_", `duffel_(?:test|live)_(?i)[a-z0-9_\-=]{43}`, 2, 0},
	{"dynatrace-api-token", "dt0c01.", `dt0c01\.(?i)[a-z0-9]{24}\.[a-z0-9]{64}`, 4, 0},
	{"easypost-api-token", "EZAK", `EZAK(?i)[a-z0-9]{54}`, 2, wordStart | ends},
	{"easypost-test-api-token", "EZTK", `EZTK(?i)[a-z0-9]{54}`, 2, wordStart | ends},
	{"facebook-page-access-token", "EAAM EAAC", `EAA[MC](?i)[a-z0-9]{100,}`, 4, wordStart | ends},
	{"flutterwave-encryption-key", "FLWSECK_TEST", `FLWSECK_TEST-(?i)[a-h0-9]{12}`, 2, 0},
	{"flutterwave-public-key", "FLWPUBK_TEST", `FLWPUBK_TEST-(?i)[a-h0-9]{32}-X`, 2, 0},
	{"flutterwave-secret-key", "FLWSECK_TEST", `FLWSECK_TEST-(?i)[a-h0-9]{32}-X`, 2, 0},
	{"flyio-access-token", "fo1_ fm1a_ fm1r_ fm2_", `(?:fo1_[\w-]{43}|fm1[ar]_[a-zA-Z0-9+\/]{100,}={0,3}|fm2_[a-zA-Z0-9+\/]{100,}={0,3})`, 4, wordStart | ends},
	{"frameio-api-token", "fio-u-", `fio-u-(?i)[a-z0-9\-_=]{64}`, 0, 0},
	{"gcp-api-key", "AIza", `AIza[\w-]{35}`, 4, wordStart | ends},
	{"github-app-token", "ghu_ ghs_", `(?:ghu|ghs)_[0-9a-zA-Z]{36}`, 3, 0},
	{"github-fine-grained-pat", "github_pat_", `github_pat_\w{82}`, 3, 0},
	{"github-oauth", "gho_", `gho_[0-9a-zA-Z]{36}`, 3, 0},
	{"github-pat", "ghp_", `ghp_[0-9a-zA-Z]{36}`, 3, 0},
	{"github-refresh-token", "ghr_", `ghr_[0-9a-zA-Z]{36}`, 3, 0},
	{"gitlab-cicd-job-token", "glcbt-", `glcbt-[0-9a-zA-Z]{1,5}_[0-9a-zA-Z_-]{20}`, 3, 0},
	{"gitlab-deploy-token", "gldt-", `gldt-[0-9a-zA-Z_\-]{20}`, 3, 0},
	{"gitlab-feature-flag-client-token", "glffct-", `glffct-[0-9a-zA-Z_\-]{20}`, 3, 0},
	{"gitlab-feed-token", "glft-", `glft-[0-9a-zA-Z_\-]{20}`, 3, 0},
	{"gitlab-incoming-mail-token", "glimt-", `glimt-[0-9a-zA-Z_\-]{25}`, 3, 0},
	{"gitlab-kubernetes-agent-token", "glagent-", `glagent-[0-9a-zA-Z_\-]{50}`, 3, 0},
	{"gitlab-oauth-app-secret", "gloas-", `gloas-[0-9a-zA-Z_\-]{64}`, 3, 0},
	{"gitlab-pat", "glpat-", `glpat-[\w-]{20}`, 3, 0},
	{"gitlab-pat-routable", "glpat-", `glpat-[0-9a-zA-Z_-]{27,300}\.[0-9a-z]{2}[0-9a-z]{7}`, 4, wordStart | ends},
	{"gitlab-ptt", "glptt-", `glptt-[0-9a-f]{40}`, 3, 0},
	{"gitlab-rrt", "GR1348941", `GR1348941[\w-]{20}`, 3, 0},
	{"gitlab-runner-authentication-token", "glrt-", `glrt-[0-9a-zA-Z_\-]{20}`, 3, 0},
	{"gitlab-runner-authentication-token-routable", "glrt-", `glrt-t\d_[0-9a-zA-Z_\-]{27,300}\.[0-9a-z]{2}[0-9a-z]{7}`, 4, wordStart | ends},
	{"gitlab-scim-token", "glsoat-", `glsoat-[0-9a-zA-Z_\-]{20}`, 3, 0},
	{"gitlab-session-cookie", "_gitlab_session=", `_gitlab_session=[0-9a-z]{32}`, 3, 0},
	{"grafana-api-key", "eyjrijoi", `(?i)eyJrIjoi[A-Za-z0-9]{70,400}={0,3}`, 3, wordStart | ends | foldCase},
	{"grafana-cloud-api-token", "glc_", `glc_[A-Za-z0-9+/]{32,400}={0,3}`, 3, wordStart | ends},
	{"grafana-service-account-token", "glsa_", `(?i)glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}`, 3, wordStart | ends | foldCase},
	{"harness-api-key", "pat. sat.", `(?:pat|sat)\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{20}`, 0, 0},
	{"heroku-api-key-v2", "HRKU-AA", `HRKU-AA[0-9a-zA-Z_-]{58}`, 4, wordStart | ends},
	{"huggingface-access-token", "hf_", `hf_[a-zA-Z0-9]{34,40}`, 2, wordStart | ends | lettersOnly},
	{"huggingface-organization-api-token", "api_org_", `api_org_(?i:[a-z]{34})`, 2, wordStart | ends | lettersOnly},
	{"infracost-api-token", "ico-", `ico-[a-zA-Z0-9]{32}`, 3, wordStart | ends},
	{"intra42-client-secret", "s-s4t2ud- s-s4t2af-", `s-s4t2(?:ud|af)-(?i)[abcdef0123456789]{64}`, 3, wordStart | ends},
	{"jwt", "ey", `ey[a-zA-Z0-9_-]{17,}\.ey[a-zA-Z0-9\/\\_-]{17,}\.(?:[a-zA-Z0-9\/\\_-]{10,}={0,2})?`, 3, wordStart},
	{"linear-api-key", "lin_api_", `lin_api_(?i)[a-z0-9]{40}`, 2, 0},
	{"notion-api-token", "ntn_", `ntn_[0-9]{11}[A-Za-z0-9]{32}[A-Za-z0-9]{3}`, 4, wordStart | ends},
	{"npm-access-token", "npm_", `(?i)npm_[a-z0-9]{36}`, 2, wordStart | ends | foldCase},
	{"octopus-deploy-api-key", "API-", `API-[A-Z0-9]{26}`, 3, wordStart | ends},
	{"openshift-user-token", "sha256~", `sha256~[\w-]{43}`, 3.5, wordStart | ends},
	{"perplexity-api-key", "pplx-", `pplx-[a-zA-Z0-9]{48}`, 4, wordStart | ends},
	{"planetscale-api-token", "pscale_tkn_", `pscale_tkn_(?i)[\w=\.-]{32,64}`, 3, wordStart | ends},
	{"planetscale-oauth-token", "pscale_oauth_", `pscale_oauth_[\w=\.-]{32,64}`, 3, wordStart | ends},
	{"planetscale-password", "pscale_pw_", `(?i)pscale_pw_(?i)[\w=\.-]{32,64}`, 3, wordStart | ends | foldCase},
	{"postman-api-token", "PMAK-", `PMAK-(?i)[a-f0-9]{24}\-[a-f0-9]{34}`, 3, wordStart | ends},
	{"prefect-api-token", "pnu_", `pnu_[a-zA-Z0-9]{36}`, 2, wordStart | ends},
	{"pulumi-api-token", "pul-", `pul-[a-f0-9]{40}`, 2, wordStart | ends},
	{"pypi-upload-token", "pypi-AgEIcHlwaS5vcmc", `pypi-AgEIcHlwaS5vcmc[\w-]{50,1000}`, 3, 0},
	{"readme-api-token", "rdme_", `rdme_[a-z0-9]{70}`, 2, wordStart | ends},
	{"rubygems-api-token", "rubygems_", `rubygems_[a-f0-9]{48}`, 2, wordStart | ends},
	{"scalingo-api-token", "tk-us-", `tk-us-[\w-]{48}`, 2, wordStart | ends},
	{"sendgrid-api-token", "SG.", `SG\.(?i)[a-z0-9=_\-\.]{66}`, 2, wordStart | ends},
	{"sendinblue-api-token", "xkeysib-", `xkeysib-[a-f0-9]{64}\-(?i)[a-z0-9]{16}`, 2, wordStart | ends},
	{"sentry-org-token", "sntrys_eyJpYXQiO", `sntrys_eyJpYXQiO[a-zA-Z0-9+/]{10,200}(?:LCJyZWdpb25fdXJs|InJlZ2lvbl91cmwi|cmVnaW9uX3VybCI6)[a-zA-Z0-9+/]{10,200}={0,2}_[a-zA-Z0-9+/]{43}`, 4.5, wordStart},
	{"sentry-user-token", "sntryu_", `sntryu_[a-f0-9]{64}`, 3.5, wordStart | ends},
	{"settlemint-application-access-token", "sm_aat", `sm_aat_[a-zA-Z0-9]{16}`, 3, wordStart | ends},
	{"settlemint-personal-access-token", "sm_pat", `sm_pat_[a-zA-Z0-9]{16}`, 3, wordStart | ends},
	{"settlemint-service-access-token", "sm_sat", `sm_sat_[a-zA-Z0-9]{16}`, 3, wordStart | ends},
	{"shippo-api-token", "shippo_", `shippo_(?:live|test)_[a-fA-F0-9]{40}`, 2, wordStart | ends},
	{"shopify-access-token", "shpat_", `shpat_[a-fA-F0-9]{32}`, 2, 0},
	{"shopify-custom-access-token", "shpca_", `shpca_[a-fA-F0-9]{32}`, 2, 0},
	{"shopify-private-app-access-token", "shppa_", `shppa_[a-fA-F0-9]{32}`, 2, 0},
	{"shopify-shared-secret", "shpss_", `shpss_[a-fA-F0-9]{32}`, 2, 0},
	{"slack-app-token", "xapp", `(?i)xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+`, 2, foldCase},
	{"slack-bot-token", "xoxb", `xoxb-[0-9]{10,13}-[0-9]{10,13}[a-zA-Z0-9-]*`, 3, 0},
	{"slack-config-access-token", "xoxe.xoxb- xoxe.xoxp-", `(?i)xoxe.xox[bp]-\d-[A-Z0-9]{163,166}`, 2, foldCase},
	{"slack-config-refresh-token", "xoxe-", `(?i)xoxe-\d-[A-Z0-9]{146}`, 2, foldCase},
	{"slack-legacy-bot-token", "xoxb", `xoxb-[0-9]{8,14}-[a-zA-Z0-9]{18,26}`, 2, 0},
	{"slack-legacy-token", "xoxo- xoxs-", `xox[os]-\d+-\d+-\d+-[a-fA-F\d]+`, 2, 0},
	{"slack-legacy-workspace-token", "xoxa- xoxr-", `xox[ar]-(?:\d-)?[0-9a-zA-Z]{8,48}`, 2, 0},
	{"slack-user-token", "xoxp- xoxe-", `xox[pe](?:-[0-9]{10,13}){3}-[a-zA-Z0-9-]{28,34}`, 2, 0},
	{"square-access-token", "EAAA", `EAAA[\w-]{22,60}`, 2, wordStart | ends | looksDrawn},
	{"square-access-token", "sq0atp-", `sq0atp-[\w-]{22,60}`, 2, wordStart | ends},
	{"stripe-access-token", "sk_test_ sk_live_ sk_prod_ rk_test_ rk_live_ rk_prod_", `(?:sk|rk)_(?:test|live|prod)_[a-zA-Z0-9]{10,}`, 2, wordStart | ends},
	{"twilio-api-key", "SK", `SK[0-9a-fA-F]{32}`, 3, 0},
	{"vault-batch-token", "hvb.", `hvb\.[\w-]{138,300}`, 4, wordStart | ends},
	{"vault-service-token", "hvs.", `hvs\.[\w-]{90,120}`, 3.5, wordStart | ends},
	{"vault-service-token", "s.", `s\.(?i:[a-z0-9]{24})`, 3.5, wordStart | ends | looksDrawn},
	{"jwt-base64", "ZXlK", `ZXlK(?:aGJHY2lPaU|aGNIVWlPaU|aGNIWWlPaU|aGRXUWlPaU|aU5qUWlP|amNtbDBJanBi|amRIa2lPaU|bGNHc2lPbn|bGJtTWlPaU|cWEzVWlPaU|cWQyc2lPb|cGMzTWlPaU|cGRpSTZJ|cmFXUWlP|clpYbGZiM0J6SWpwY|cmRIa2lPaUp|dWIyNWpaU0k2|d01tTWlP|d01uTWlPaU|d2NIUWlPaU|emRXSWlPaU|emRuUWlP|MFlXY2lPaU|MGVYQWlPaUp|MWNtd2l|MWMyVWlPaUp|MlpYSWlPaU|MlpYSnphVzl1SWpv|NElqb2|NE5XTWlP|NE5YUWlPaU|NE5YUWpVekkxTmlJNkl|NE5YVWlPaU|NmFYQWlPaU)[a-zA-Z0-9\/\\_+\-\r\n]{40,}={0,2}`, 2, wordStart},
	{"microsoft-teams-webhook", "webhook.office.com/webhookb2/", `(?i)webhook\.office\.com/webhookb2/[a-z0-9-]{36}@[a-z0-9-]{36}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}`, 0, foldCase},
	{"new-relic-browser-api-token", "nrjs-", `(?i)NRJS-[a-f0-9]{19}`, 0, wordStart | ends | foldCase},
	{"new-relic-insert-key", "nrii-", `(?i)NRII-[a-z0-9-]{32}`, 0, wordStart | ends | foldCase},
	{"new-relic-user-api-key", "nrak-", `(?i)NRAK-[a-z0-9]{27}`, 0, wordStart | ends | foldCase},
	{"openai-api-key", "sk-", `sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{58,74}T3BlbkFJ[A-Za-z0-9_-]{58,74}|sk-[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20}`, 3, wordStart | ends},
	{"slack-webhook-url", "hooks.slack.com/", `hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,56}`, 0, 0},
	{"sourcegraph-access-token", "sgp_", `(?i)sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}`, 3, wordStart | ends | foldCase},
	{"typeform-api-token", "tfp_", `(?i)tfp_[a-z0-9\-_\.=]{59}`, 0, wordStart | ends | foldCase},
}
