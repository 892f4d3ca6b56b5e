import type { ServerConfig } from '@lakehouse-search/server';
import { Flags } from '@oclif/core';

const searchAdapter = Flags.boolean({
  description: 'answer clients of Elasticsearch and OpenSearch',
});

/** The place of published indexes that a command serves. */
export const storageFlag = Flags.string({
  description: 'serve the indexes published there, read-only: s3://bucket/prefix or a folder',
  helpValue: 'PLACE',
});

const webConsole = Flags.boolean({
  description: 'serve the web console on the REST port (on)',
  allowNo: true,
});

/** Flags of the commands that serve a data folder. */
export const SERVE_FLAGS = {
  'rest-addr': Flags.string({
    description: 'address of REST (127.0.0.1:8080)',
    helpValue: 'HOST:PORT',
  }),
  addr: Flags.string({ description: 'address of gRPC (127.0.0.1:8081)', helpValue: 'HOST:PORT' }),
  auth: Flags.boolean({ description: 'require credentials' }),
  'insecure-open': Flags.boolean({
    description: 'without --auth, accept other hosts than this one',
  }),
  config: Flags.string({ description: 'configuration file (YAML)', helpValue: 'FILE' }),
  sync: Flags.boolean({
    description: 'keep the indexes equal to their tables (on)',
    allowNo: true,
  }),
  console: webConsole,
  'search-adapter': searchAdapter,
};

const controlPlane = Flags.string({
  description: 'gRPC addresses of the control planes',
  helpValue: 'HOST:PORT,…',
});

/** Flags of a node of a cluster. */
export const NODE_FLAGS = {
  'control-plane': controlPlane,
  addr: SERVE_FLAGS.addr,
  advertise: Flags.string({
    description: 'address at which others reach the node (where it listens)',
    helpValue: 'HOST:PORT',
  }),
  node: Flags.string({ description: 'name of the node (its address)', helpValue: 'NAME' }),
  'shard-ordinals': Flags.string({
    description: 'shards that the node takes (those that it is given)',
    helpValue: 'N,…',
  }),
  storage: storageFlag,
  config: SERVE_FLAGS.config,
  sync: SERVE_FLAGS.sync,
};

/** Flags of a gateway over the nodes of a cluster. */
export const GATEWAY_FLAGS = {
  nodes: Flags.string({
    description: 'addresses of the nodes; beside control planes, until one of them answers',
    helpValue: 'HOST:PORT,…',
  }),
  'control-plane': controlPlane,
  'shard-timeout-ms': Flags.integer({
    description: 'time of a node for its part of a read (5000)',
    helpValue: 'N',
  }),
  'rest-addr': SERVE_FLAGS['rest-addr'],
  addr: SERVE_FLAGS.addr,
  auth: SERVE_FLAGS.auth,
  'insecure-open': SERVE_FLAGS['insecure-open'],
  config: SERVE_FLAGS.config,
  console: webConsole,
  'search-adapter': searchAdapter,
};

/** Values of these flags. */
export interface ServeFlags {
  readonly 'rest-addr'?: string;
  readonly addr?: string;
  readonly auth?: boolean;
  readonly 'insecure-open'?: boolean;
  readonly config?: string;
  readonly sync?: boolean;
  readonly console?: boolean;
  readonly 'search-adapter'?: boolean;
  readonly 'data-dir'?: string;
  readonly storage?: string;
  readonly advertise?: string;
  readonly node?: string;
  readonly 'control-plane'?: string;
  readonly 'shard-ordinals'?: string;
  readonly nodes?: string;
  readonly 'shard-timeout-ms'?: number;
}

/** The settings that flags give. */
export function flagValues(flags: ServeFlags): ServerConfig['values'] {
  const values = {
    rest_addr: flags['rest-addr'],
    addr: flags.addr,
    auth: flags.auth,
    insecure_open: flags['insecure-open'],
    sync: flags.sync,
    'console.enabled': flags.console,
    'search_adapter.enabled': flags['search-adapter'],
    data_dir: flags['data-dir'],
    storage: flags.storage,
    'cluster.control_plane': flags['control-plane'],
    'cluster.advertise': flags.advertise,
    'cluster.node': flags.node,
    'cluster.shard_ordinals': flags['shard-ordinals'],
    'cluster.nodes': flags.nodes,
    'cluster.shard_timeout_ms': flags['shard-timeout-ms'],
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
