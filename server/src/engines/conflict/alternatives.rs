//! Things of which one is chosen, by category: who has MongoDB for the orders does not have PostgreSQL for them. Data only.

use super::{
    shapes, synonyms,
    text::{Reading, Word},
};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// One category a line: its name for a person, then its members. A capital letter means that only this spelling counts, for
/// words that mean something else in lower case.
const CATEGORIES: &str = "\
data store: redis memcached hazelcast valkey dragonfly ehcache caffeine postgresql mysql mariadb sqlite mongodb cockroachdb oracle mssql dynamodb cassandra scylladb couchdb firestore firebase rocksdb leveldb postgis neo4j yugabytedb tidb spanner clickhouse duckdb redshift bigquery snowflake timescaledb influxdb aurora planetscale supabase databricks druid
message broker: kafka rabbitmq nats sqs activemq pulsar redpanda kinesis pubsub eventbridge zeromq mqtt servicebus
language: Go golang rust Rust java kotlin scala python ruby php javascript typescript Swift swift elixir erlang haskell clojure c++ c# f# dart perl Zig ocaml objective-c groovy lua
web framework: react vue angular svelte solidjs preact htmx ember nextjs next.js nuxt remix astro sveltekit gatsby qwik
server framework: express fastify nestjs koa hapi django flask fastapi rails sinatra laravel symfony spring quarkus micronaut ktor axum actix actix-web rocket warp gin Echo fiber phoenix
package manager: npm yarn pnpm bun
python packaging: pip poetry pipenv uv conda pdm hatch
jvm build: maven gradle bazel sbt Ant
test runner: jest vitest mocha jasmine karma ava pytest unittest nose junit testng rspec minitest nextest
browser testing: cypress playwright selenium puppeteer testcafe webdriverio nightwatch
linter: flake8 pylint eslint oxlint tslint standardjs rome
formatter: ruff biome rustfmt gofmt prettier dprint black yapf autopep8
styling: tailwind styled-components emotion sass scss less-css css-modules bootstrap bulma vanilla-extract stylex
bundler: webpack vite rollup esbuild parcel turbopack rspack rsbuild snowpack
state management: redux zustand mobx recoil jotai pinia vuex xstate
date library: moment dayjs date-fns luxon day.js temporal
orm: prisma typeorm sequelize drizzle knex hibernate jpa jooq mybatis sqlalchemy activerecord sqlx diesel seaorm gorm ent dapper
migration tool: flyway liquibase alembic goose dbmate atlas sqitch
ci system: jenkins github-actions gitlab-ci circleci buildkite travis teamcity drone bamboo woodpecker concourse tekton
code host: github gitlab bitbucket gitea forgejo gerrit codeberg
delivery tool: argocd flux spinnaker harness octopus fluxcd argo
infrastructure as code: terraform pulumi cloudformation opentofu cdk crossplane bicep
configuration tool: ansible puppet chef saltstack
orchestrator: kubernetes nomad ecs swarm openshift mesos cloudrun fargate
manifest tool: helm kustomize jsonnet tanka
cloud: aws gcp azure hetzner digitalocean ovh linode scaleway ionos heroku fly.io vercel netlify render railway
container tool: docker podman containerd buildah kaniko colima
reverse proxy: nginx haproxy envoy traefik caddy apache httpd
service mesh: istio linkerd consul
api style: graphql rest REST grpc soap trpc odata json-rpc
format: json yaml toml xml ini hcl csv parquet plain-text logfmt plaintext gelf protobuf avro msgpack messagepack thrift cbor flatbuffers bson ndjson
push style: websocket websockets sse polling poll long-polling webhooks
http client: axios superagent okhttp retrofit httpx aiohttp reqwest urllib3
session: cookie cookies jwt jwts session-cookie bearer-token api-key api-keys
rendering: ssr spa csr ssg server-side-rendering client-side-rendering
deletion: soft-delete hard-delete soft-deleted hard-deleted tombstone
locking: optimistic pessimistic
default branch: main master develop
log level: debug info warn trace
temperature: celsius kelvin fahrenheit
encoding: utf-8 utf8 latin-1 latin1 iso-8859-1 utf-16 windows-1252
isolation level: serializable read-committed repeatable-read snapshot-isolation
digest: sha256 sha-256 sha512 sha-512 blake3 sha-1
cipher: aes-gcm aes-256 aes-128 chacha20 aes-cbc 3des
key algorithm: rsa ed25519 ecdsa dsa secp256k1
cdn and dns: route53 route-53 cloudflare fastly akamai cloudfront bunny
logging library: log4j log4j2 logback slf4j winston pino bunyan zap logrus loguru tracing-subscriber serilog nlog
json library: jackson gson moshi simdjson
async runtime: tokio async-std smol asyncio trio gevent
template engine: askama tera handlebars mustache jinja jinja2 twig ejs pug liquid thymeleaf
documentation tool: mkdocs docusaurus sphinx mdbook vitepress jekyll hugo
design tool: figma sketch-app penpot
shell: bash zsh fish posix-sh powershell
task runner: makefile justfile taskfile rake npm-scripts
mocking: mockito easymock wiremock msw nock testcontainers mocks fakes fixtures
git hooks: husky lefthook pre-commit
crm: salesforce hubspot pipedrive
carrier: dhl ups fedex dpd hermes gls usps
currency: eur usd gbp chf sek euro euros dollars
hardware tool: openocd probe-rs jlink stlink
video: hls dash-stream rtmp webrtc
theme: dark light
scheduler: cron systemd-timer airflow-scheduler
instance type: spot on-demand
tenancy: row-level-security schema-per-tenant database-per-tenant
graph library: d3 chartjs echarts highcharts recharts plotly
translation: i18next formatjs gettext lingui fluent
virtual desktop: vpn zero-trust wireguard openvpn tailscale bastion
api description: openapi swagger asyncapi raml
image format: webp avif png jpeg jpg gif svg heic canvas
token signature: rs256 hs256 es256 eddsa ps256 rs512 hs512
password hash: argon2id argon2 bcrypt scrypt pbkdf2 md5 sha1
sign-in: oauth oauth2 saml ldap kerberos basic-auth mtls
identity provider: okta auth0 keycloak cognito entra azuread authentik zitadel ory clerk
key type: uuid uuidv4 uuidv7 ulid bigserial serial autoincrement auto-increment snowflake-id nanoid ksuid bigint cuid
licence: mit apache-2.0 gpl agpl lgpl bsd mpl bsl sspl proprietary
monitoring: prometheus datadog newrelic dynatrace grafana-cloud zabbix nagios icinga victoriametrics cloudwatch influx
error tracker: sentry rollbar bugsnag airbrake honeybadger crashlytics glitchtip raygun
tracing: jaeger zipkin tempo opentelemetry honeycomb x-ray lightstep
log store: loki elk splunk graylog papertrail logstash fluentd sumologic
search engine: elasticsearch opensearch solr algolia meilisearch typesense tantivy lucene vespa manticore
vector store: pgvector pinecone qdrant weaviate milvus chroma faiss
object store: s3 gcs minio r2 ceph swift-storage
secret store: vault doppler 1password bitwarden sops keepass lastpass
ticket tool: jira linear Linear youtrack zendesk freshdesk trello asana shortcut redmine intercom helpscout clickup servicenow monday.com
wiki: confluence Confluence notion Notion sharepoint bookstack mediawiki gitbook outline-wiki
chat: slack Slack mattermost discord Teams zulip rocketchat telegram
meeting tool: zoom meet webex jitsi
mail provider: postmark sendgrid mailgun ses mailchimp sparkpost mandrill brevo resend
payment provider: stripe adyen paypal braintree mollie redsys klarna worldpay checkout.com square
pager: pagerduty opsgenie victorops grafana-oncall
feature flags: launchdarkly unleash flagsmith split.io configcat growthbook openfeature
dashboard tool: looker tableau metabase superset powerbi qlik redash
analytics: amplitude mixpanel segment posthog matomo plausible
workflow engine: airflow dagster prefect temporal.io camunda luigi argo-workflows stepfunctions
job queue: sidekiq celery resque bullmq rq hangfire quartz delayed_job good_job goodjob
editor: vscode vs-code visual-studio intellij vim emacs neovim zed cursor-editor sublime
merge method: squash rebase merge-commit fast-forward
branching: trunk-based gitflow git-flow github-flow trunk
versioning: semver calver
indentation: tabs spaces
naming: snake_case camelcase pascalcase kebab-case
pagination: cursor cursors offset keyset
consistency: eventual strong
repository layout: monorepo polyrepo multirepo submodules
deployment style: blue-green canary big-bang rolling recreate
architecture: monolith microservices serverless
error style: exceptions panic
money type: float floats decimal decimals numeric integer integers cents
time zone: utc local-time cet
compression: gzip brotli zstd lz4 snappy deflate
operating system: ubuntu debian alpine centos rhel fedora rocky almalinux windows macos nixos distroless
mobile framework: flutter react-native swiftui uikit compose xamarin ionic capacitor
transport: http https udp tcp quic
rtos: freertos zephyr threadx rtems nuttx vxworks mbed contiki chibios
experiment tracking: mlflow wandb weights-biases comet neptune clearml tensorboard sacred
artefact store: artifactory nexus harbor ghcr quay ecr acr dockerhub packagecloud cloudsmith verdaccio jfrog
model kind: lightgbm xgboost catboost transformer neural lambdamart bert lstm cnn random-forest logistic-regression two-tower tree conformer
machine learning library: pytorch torch tensorflow keras jax mxnet onnx scikit-learn sklearn
game engine: unity unreal godot bevy cryengine
netcode: lockstep rollback
markup: markdown restructuredtext rst asciidoc html latex mdx docx
locale: en-us en-gb en-au de-de de-at de-ch fr-fr es-es pt-br nl-nl it-it
log shipper: fluentd fluent-bit fluentbit vector-daemonset filebeat promtail logstash-agent
site search: docsearch pagefind algolia-docsearch lunr
http api client: axios fetch ky got
health format: hl7 fhir dicom cda
health version: stu3 r4 r5 dstu2
map provider: mapbox openstreetmap google-maps here-maps leaflet maplibre
sms provider: twilio vonage messagebird plivo sinch
hr tool: workday personio bamboohr sap-successfactors hibob factorial
accounting: datev xero quickbooks netsuite sap lexware sage
spreadsheet: excel google-sheets airtable smartsheet
office suite: google-workspace office-365 microsoft-365 libreoffice
device management: jamf intune kandji mosyle
password manager: 1password bitwarden lastpass keeper dashlane keepassxc
vpn: wireguard openvpn ipsec tailscale anyconnect globalprotect
fleet: rollout ring
bank format: mt940 camt.053 camt sepa bai2
embedding model: ada minilm e5 bge-m3 openai-embeddings
speech: whisper deepspeech kaldi vosk
llm provider: openai anthropic mistral cohere bedrock vertex gemini
queue protocol: mqtt amqp coap stomp
field bus: can-bus modbus profinet ethercat canopen
radio: lora lorawan zigbee ble bluetooth thread-radio nb-iot lte-m wifi
storage class: ssd hdd nvme tape
raid: raid1 raid5 raid6 raid10 raidz
file system: ext4 xfs btrfs zfs ntfs
init: systemd supervisord runit openrc
python framework test: tox nox
backup tool: restic borg velero duplicity bacula veeam pgbackrest barman wal-g
certificate authority: letsencrypt lets-encrypt digicert sectigo zerossl globalsign
static analysis: sonarqube semgrep codeql snyk coverity checkmarx
dependency bot: renovate dependabot
e-signature: docusign adobe-sign hellosign
survey tool: typeform surveymonkey google-forms
calendar: google-calendar outlook-calendar calendly
address style: first-name last-name
plan: starter basic standard premium enterprise-plan
rate method: token-bucket leaky-bucket sliding-window fixed-window
cache policy: lru lfu fifo
cpu: x86 arm64 arm amd64 riscv x86-64 graviton
gpu: a100 h100 a10 v100 t4 l4 rtx
ip: ipv4 ipv6 dual-stack
human language: english german french spanish englisch deutsch franzosisch spanisch anglais allemand ingles aleman italian dutch portuguese
form of address: sie-form du-form tutoie vouvoie tutoiement vouvoiement duzen siezen tutear ustedear
";

/// Categories of which a project has one, whatever it is for.
const ONE_PER_PROJECT: &[&str] = &[
    "package manager",
    "branching",
    "versioning",
    "indentation",
    "default branch",
    "repository layout",
    "licence",
    "code host",
    "merge method",
];

/// Members that are words of everyday: they count only as a name, with a capital inside a sentence.
const EVERYDAY: &str = "rest fetch got meet standard basic starter premium info debug trace warn dark light tree ring rollout split tape canvas can vault express \
    echo fiber spring segment harness octopus bamboo drone helm consul render square resend temporal ent ory clerk zoom shortcut rocket gin warp chef puppet \
    flux nexus harbor quay comet neptune sacred whisper keeper sage factorial workday barman atlas goose alembic liquid fluent parcel remix ember \
    astro phoenix flask solid jest mocha karma ava nose husky concourse travis rake fish dash hermes gls ups segment unity unreal compose ionic capacitor \
    exceptions panic thread standard mercury cohere gemini vertex bedrock split ring recreate rolling strong eventual fixtures mocks fakes tracing react reacts \
    trio moment knex diesel dapper hugo jekyll sphinx swift rust go next prefect quartz resque druid aurora oracle spanner dragonfly caffeine";

static EVERYDAYS: LazyLock<rustc_hash::FxHashSet<&'static str>> = LazyLock::new(|| EVERYDAY.split_whitespace().collect());

static KNOWN: LazyLock<FxHashMap<&'static str, (usize, &'static str)>> = LazyLock::new(|| {
    let lines = CATEGORIES.lines().filter_map(|line| line.split_once(": "));
    lines.enumerate().flat_map(|(at, (name, members))| members.split_whitespace().map(move |member| (member, (at, name)))).collect()
});

/// A member of a category where a text names it.
#[derive(Clone, Copy, Debug)]
pub struct Membership {
    pub at: usize,
    pub category: usize,
    pub called: &'static str,
    /// Of one that is written in two words.
    joined: Option<&'static str>,
}

impl Membership {
    /// One name for its spellings.
    pub fn name<'a>(&self, reading: &'a Reading) -> &'a str {
        synonyms::of(self.joined.unwrap_or(&reading.words[self.at].stem)).trim_end_matches('s')
    }
}

pub fn members(words: &[Word]) -> Vec<Membership> {
    let mut pair = String::new();
    let found = words.iter().enumerate().filter_map(|(at, word)| {
        let next = words.get(at + 1).filter(|next| next.clause == word.clause);
        let joined = next.and_then(|next| {
            pair.clear();
            pair.extend([word.low.as_str(), "-", next.low.as_str()]);
            KNOWN.get_key_value(pair.as_str())
        });
        let (joined, (category, called)) = match joined {
            Some((name, known)) => (Some(*name), *known),
            None => (None, known(word)?),
        };
        Some(Membership { at, category, called, joined })
    });
    found.collect()
}

pub fn is_one_per_project(called: &str) -> bool {
    ONE_PER_PROJECT.contains(&called)
}

pub fn is_member(low: &str) -> bool {
    KNOWN.contains_key(low)
}

pub fn known(word: &Word) -> Option<(usize, &'static str)> {
    let spelled = word.raw.trim_end_matches("'s");
    let low = word.low.as_str();
    let everyday = EVERYDAYS.contains(low) || EVERYDAYS.contains(low.trim_end_matches('s'));
    if everyday && (word.first || !shapes::starts_upper(&word.raw)) {
        return None;
    }
    let exact = || KNOWN.get(spelled).filter(|_| !word.first || word.raw.len() > 2).copied();
    // A stem stands for its plural only: "fetching" is no tool.
    let singular = || {
        KNOWN
            .get(word.stem.as_str())
            .filter(|_| low.len() <= word.stem.len() + 1 || !low.starts_with(word.stem.as_str()) || is_synonym(low))
    };
    KNOWN.get(low).or_else(singular).copied().or_else(exact)
}

/// "postgres", "k8s": another spelling of a member.
fn is_synonym(low: &str) -> bool {
    low.chars().any(|c| c.is_ascii_digit()) || low.len() < 4
}

/// "the Python SDK", "the Go SDK": two of a kind, not a choice.
pub fn tells_apart(old: &Reading, one: usize, new: &Reading, other: usize) -> bool {
    let next = |reading: &'_ Reading, at: usize| {
        let word = &reading.words[at];
        reading
            .words
            .get(at + 1)
            .filter(|next| next.clause == word.clause && next.role != super::text::Role::Stop)
            .map(|next| next.stem.clone())
    };
    next(old, one).is_some_and(|head| next(new, other) == Some(head))
}
