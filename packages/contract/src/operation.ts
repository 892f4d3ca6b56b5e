import type { Scope } from './call.ts';
import { checkListRequest } from './checks/shared.ts';

/** A method of REST. Fields of `{braces}` are in the path; those of GET and DELETE in the query. */
export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The endpoint of an operation in REST and in gRPC. */
export interface Route {
  readonly verb: Verb;
  readonly path: string;
  /** Service and method in the package lhs.v1. */
  readonly rpc: `${string}/${string}`;
  /** `GROUP.NAME` in libraries; without it the operation is a method of the backend itself. */
  readonly member?: `${string}.${string}` | undefined;
  /** The operation returns an array; in gRPC it is this field of the response. */
  readonly list?: string;
  /** `responses`: NDJSON in REST. `requests`: gRPC takes the request in parts. */
  readonly stream?: 'responses' | 'requests';
  /** The operation returns nothing: `{}` in REST. */
  readonly empty?: true;
  /** A second call of the same request changes nothing that the first one did not. */
  readonly idempotent?: true;
  /** Status of a success, if not 200. */
  readonly status?: number;
  /** Fields that REST fills in. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Other paths of the operation, as `VERB path`. */
  readonly also?: readonly `${Verb} ${string}`[];
}

/**
 * The nodes of a fixed list that run an operation.
 *
 * - `shards`: the gateway reads the shards of all nodes.
 * - `any`: the request names no index of the cluster.
 * - `one`: one node of the index; any node if the request names no index.
 * - `owner`: one node of the index.
 * - `each`: all nodes of the index; their answers are merged, as below.
 * - `whole`: the same; refused if a shard is missing.
 * - `answering`: the same; nodes that do not answer are left out.
 * - `having`: the same; nodes that do not have the window of the request are left out.
 *
 * Without a rule the gateway has code for the operation, or it needs all shards on one node.
 */
export type NodeRule =
  | 'shards'
  | 'any'
  | 'one'
  | 'owner'
  | 'each'
  | 'whole'
  | 'answering'
  | 'having';

/**
 * Under a control plane: the control plane answers, or the operation is refused because only the
 * connector writes rows. Absent: as over a fixed list of nodes.
 */
export type PlaneRule = 'answers' | 'refuses';

/** An operation: its endpoint, its callers, its check, and where a cluster runs it. */
export interface OperationRow<
  N extends NodeRule | undefined = NodeRule | undefined,
  P extends PlaneRule | undefined = PlaneRule | undefined,
  M extends Route['member'] = Route['member'],
> extends Route {
  readonly member?: M;
  /** The scope that a caller needs; null: the operation needs no caller. */
  readonly scope: Scope | null;
  /** Callers of a tenant may call it: the response depends on rows of the tenant alone. */
  readonly tenants?: true;
  readonly nodes?: N;
  readonly plane?: P;
  /** Calls are in the activity of the index that they name, or without one of the only index. */
  readonly activity?: 'named' | 'only';
  /** Checks a request. Throws invalid_argument, limit_exceeded. */
  readonly check: (request: unknown) => unknown;
  /** A valid request, for descriptions of the interface and for tests. */
  readonly example: object;
}

/** A row of the table: `operation('POST /v1/search', 'Search/Search', …)`. */
export function operation<
  const N extends NodeRule | undefined = undefined,
  const P extends PlaneRule | undefined = undefined,
  const M extends Route['member'] = undefined,
>(
  http: `${Verb} ${string}`,
  rpc: Route['rpc'],
  row: Omit<OperationRow<N, P, M>, 'verb' | 'path' | 'rpc'>,
): OperationRow<N, P, M> {
  const [verb, path] = http.split(' ') as [Verb, string];
  return Object.freeze({ verb, path, rpc, ...row });
}

/** A request without fields. */
export const NO_FIELDS = { check: checkListRequest, example: {} } as const;
