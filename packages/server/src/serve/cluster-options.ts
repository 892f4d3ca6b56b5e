import { hostname } from 'node:os';
import { LhsError } from '@lakehouse-search/contract';
import type { ServerConfig } from '../config/server-config.ts';
import { type Address, isLoopback, parseAddress } from '../config/setting-values.ts';
import type { SettingPath } from '../config/settings.ts';
import type { ServerOptions } from './server-options.ts';

/** What a process of a cluster knows of the others. */
export interface ClusterOptions {
  /** HOST:PORT of nodes: the fixed list of a gateway. */
  readonly nodes: readonly string[];
  /** HOST:PORT of the gRPC of control planes: a node registers there. */
  readonly controlPlane?: readonly string[];
  /** The key that all processes share; absent: nodes are open to this machine. */
  readonly key?: string;
  /** Name of this node. Default: its address. */
  readonly node?: string;
  /** HOST:PORT at which other machines reach this node. Default: where it listens. */
  readonly advertise?: string;
  /** Shards that this node takes; none: it takes what it is given. */
  readonly takes: readonly number[];
  readonly shardTimeoutMs?: number;
  /** A node that answers neither a read nor a probe in this time is away. */
  readonly silenceMs?: number;
  /** Age in milliseconds from which a gateway reads the lag of an index again. */
  readonly freshnessMs?: number;
}

const KEY_VARIABLE = 'LHS_CLUSTER_KEY';
const LEAST_KEY_LETTERS = 16;

/** The cluster that settings describe. Throws invalid_argument. */
export function clusterOptions(
  values: ServerConfig['values'],
  env: NodeJS.ProcessEnv,
): ClusterOptions {
  const text = (path: SettingPath) => values[path] as string | undefined;
  const listed = listOf(text('cluster.nodes'));
  for (const address of listed) parseAddress(address, 'cluster.nodes');
  const controlPlane = listOf(text('cluster.control_plane'));
  for (const address of controlPlane) parseAddress(address, 'cluster.control_plane');
  const key = env[text('cluster.key_env') ?? KEY_VARIABLE] || undefined;
  if (key !== undefined && key.length < LEAST_KEY_LETTERS) {
    const message = `the key of the cluster has ${key.length} letters`;
    throw new LhsError('invalid_argument', message, {
      hint: `take ${LEAST_KEY_LETTERS} or more, for example of "openssl rand -hex 32"`,
    });
  }
  const node = text('cluster.node');
  const advertise = text('cluster.advertise');
  if (advertise !== undefined) parseAddress(advertise, 'cluster.advertise');
  const shardTimeoutMs = values['cluster.shard_timeout_ms'] as number | undefined;
  const silenceMs = values['cluster.silence_ms'] as number | undefined;
  return {
    nodes: listed,
    controlPlane,
    takes: listOf(text('cluster.shard_ordinals')).map(ordinal),
    ...(key === undefined ? {} : { key }),
    ...(node === undefined ? {} : { node }),
    ...(advertise === undefined ? {} : { advertise }),
    ...(shardTimeoutMs === undefined ? {} : { shardTimeoutMs }),
    ...(silenceMs === undefined ? {} : { silenceMs }),
  };
}

const listOf = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : text.split(',').map((part) => part.trim());

function ordinal(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  const message = `"cluster.shard_ordinals" has "${text}": expected whole numbers such as 0,2`;
  throw new LhsError('invalid_argument', message);
}

/**
 * The address at which other machines reach a node that listens at `address`: a node that listens
 * at all addresses of its machine is reached by the machine's name.
 */
export function advertised({ advertise }: ClusterOptions, address: string): string {
  return advertise ?? address.replace(/^(0\.0\.0\.0|\[::\]):/, `${hostname()}:`);
}

/** Throws invalid_argument for a node or control plane without a key that other machines reach. */
export function requireKey(
  key: string | undefined,
  role: string,
  addresses: readonly Address[],
): void {
  const other = addresses.find((address) => !isLoopback(address));
  if (key !== undefined || other === undefined) return;
  const message = `${role} without a key on "${other.host}" would let everybody in`;
  throw new LhsError('invalid_argument', message, {
    hint: `set ${KEY_VARIABLE} on all processes of the cluster`,
  });
}

/**
 * Throws invalid_argument for a node or control plane with TLS: the processes of a cluster call
 * each other without it, and would find nobody there.
 */
export function refuseTls({ tls }: Pick<ServerOptions, 'tls'>, role: string): void {
  if (tls === undefined) return;
  const message = `"tls.cert" is not for ${role}: the cluster calls it without TLS`;
  throw new LhsError('invalid_argument', message, {
    hint: 'gateways take it; keep the ports of nodes and control planes in a private network',
  });
}

/** Throws invalid_argument for a node that names its shards and has a control plane. */
export function refuseTakes({ controlPlane = [], takes }: ClusterOptions): void {
  if (controlPlane.length === 0 || takes.length === 0) return;
  const message = '"cluster.shard_ordinals" is not for a node with a control plane';
  throw new LhsError('invalid_argument', message, {
    hint: 'the control plane assigns shards to nodes; leave it out',
  });
}
