/**
 * The settings of a server that are single values: one table, from which the checks, the JSON
 * Schema, the environment variables and the page for users are made.
 */

/**
 * What a value is. `address`: HOST:PORT. `file`, `folder`: relative to the configuration file.
 * `memory`: 512MiB or 2GiB.
 */
export type SettingType =
  | 'address'
  | 'file'
  | 'folder'
  | 'flag'
  | 'whole'
  | 'name'
  | 'url'
  | 'memory';

/** A setting of a server. */
export interface ServerSetting {
  readonly type: SettingType;
  readonly meaning: string;
  readonly least?: number;
  readonly most?: number;
}

const setting = (type: SettingType, meaning: string): ServerSetting => ({ type, meaning });
const whole = (least: number, most: number, meaning: string): ServerSetting => {
  return { type: 'whole', least, most, meaning };
};

/** By path in the configuration file. The variable of `tls.cert` is `LHS_TLS_CERT`. */
export const SERVER_SETTINGS = Object.freeze({
  data_dir: setting('folder', 'data folder'),
  storage: setting('name', 'folder or s3://bucket/prefix of published indexes'),
  refresh_ms: whole(0, 3_600_000, 'pause between looks for their commits (1,000)'),
  rest_addr: setting('address', 'HOST:PORT of REST (127.0.0.1:8080)'),
  addr: setting('address', 'HOST:PORT of gRPC (127.0.0.1:8081)'),
  hosts: setting('name', 'further names of the service in URLs, by commas (this machine)'),
  auth: setting('flag', 'require credentials (false)'),
  insecure_open: setting('flag', 'without `auth`, accept other hosts than this one (false)'),
  sync: setting('flag', 'keep indexes equal to tables (true)'),
  sync_poll_ms: whole(10, 3_600_000, 'longest pause between looks at a table (5,000)'),
  threads: whole(0, 64, 'threads of searches (one per core, less one, as far as memory goes)'),
  memory: setting('memory', 'memory of the process (80 % of a container, 60 % of a machine)'),
  drain_ms: whole(0, 600_000, 'time for running calls at the end (10,000)'),
  backup_target: setting('name', 'folder or s3://bucket/prefix for backups'),
  'store.postgres_env': setting('name', 'variable with the URL of PostgreSQL'),
  'tls.cert': setting('file', 'certificate chain, PEM'),
  'tls.key': setting('file', 'private key, PEM'),
  'limits.calls_per_second': whole(1, 1_000_000, 'calls per second (200)'),
  'limits.burst': whole(1, 1_000_000, 'calls at once (400)'),
  'limits.logins_per_minute': whole(1, 10_000, 'attempts to log in (10)'),
  'limits.failures_per_minute': whole(1, 10_000, 'wrong credentials (100)'),
  'limits.running_calls': whole(1, 100_000, 'calls that run or wait at once (1,000)'),
  'limits.running_per_caller': whole(
    1,
    100_000,
    'the same of a caller (250; an open service of this machine: as many as run)',
  ),
  'limits.exports_per_caller': whole(1, 1000, 'exports of a caller that run at once (4)'),
  'limits.reader_ms': whole(
    100,
    86_400_000,
    'a stream ends whose client takes nothing so long (60,000)',
  ),
  'limits.connections': whole(1, 100_000, 'connections of each port; more are closed (4,000)'),
  'log.access': setting('flag', 'log each call (true)'),
  'log.audit': setting('file', 'file of the audit log (standard output)'),
  'log.level': setting('name', 'trace, debug, info, warn, error or silent (info)'),
  'metrics.public': setting('flag', 'serve /metrics without credentials (true without `auth`)'),
  'metrics.server': setting('url', 'Prometheus server behind /v1/stats'),
  'telemetry.otlp_endpoint': setting('url', 'collector of spans'),
  'search_adapter.enabled': setting('flag', 'answer clients of Elasticsearch (false)'),
  'search_adapter.product_header': setting('flag', 'send X-Elastic-Product (true)'),
  'cluster.nodes': setting('name', 'HOST:PORT of nodes, by commas (gateway)'),
  'cluster.key_env': setting('name', 'variable with the key of the cluster (LHS_CLUSTER_KEY)'),
  'cluster.node': setting('name', 'name of the node (its HOST:PORT)'),
  'cluster.advertise': setting('name', 'HOST:PORT for others (its address)'),
  'cluster.shard_ordinals': setting('name', 'shards of the node, by commas'),
  'cluster.silence_ms': whole(30, 600_000, 'a node so long silent is away (1000)'),
  'cluster.shard_timeout_ms': whole(10, 600_000, 'time of a node for a read (5,000)'),
  'cluster.control_plane': setting(
    'name',
    'HOST:PORT of control planes, by commas (node, gateway)',
  ),
  'cluster.lease_ms': whole(500, 60_000, 'lease of a control plane and a connector (5,000)'),
  'cluster.node_ms': whole(500, 600_000, 'lease of a node (10,000)'),
  'cluster.leave_ms': whole(
    1000,
    86_400_000,
    'indexes on the disk of a lost node move then (60,000)',
  ),
  'console.enabled': setting('flag', 'web console at / of the REST port (true)'),
  'console.default_index': setting('name', 'its first index'),
});

/** Path of a setting. */
export type SettingPath = keyof typeof SERVER_SETTINGS;

/** The environment variable of a setting. */
export const settingVariable = (path: SettingPath): string =>
  `LHS_${path.replaceAll('.', '_').toUpperCase()}`;
