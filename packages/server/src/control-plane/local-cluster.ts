import {
  type ActivityEntry,
  type ActivityRequest,
  type CallContext,
  type ConsoleConfig,
  type IndexRouting,
  type IndexStatus,
  LhsError,
  type License,
  type ListRequest,
  type RoutingRequest,
} from '@lakehouse-search/contract';
import {
  type BackendApi,
  type ClusterApi,
  checkActivityRequest,
  checkListRequest,
  checkRoutingRequest,
} from '@lakehouse-search/contract/internal';
import { shownStatus } from '../config/shown-status.ts';
import type { Activity } from '../store/activity.ts';
import type { Store } from '../store/open-store.ts';

/** What a service of one process says about itself. */
export interface LocalClusterOptions {
  readonly backend: BackendApi;
  readonly store: Pick<Store, 'activity' | 'license'>;
  /** The index that the console opens first. Default: the only one. */
  readonly defaultIndex?: string;
}

const MOST_ENTRIES = 100;
/** The license of a server to which none was given. */
const OPEN_LICENSE = 'Apache-2.0';

/** The service of one process over one backend: every index is whole, at this process. */
export class LocalCluster implements ClusterApi {
  readonly #options: LocalClusterOptions;

  constructor(options: LocalClusterOptions) {
    this.#options = options;
  }

  async getRouting(request: RoutingRequest, call?: CallContext): Promise<IndexRouting> {
    const { index } = checkRoutingRequest(request);
    const description = await this.#options.backend.describeIndex({ index }, call);
    const { index: name, status, shards } = description;
    const shard_count = shards?.length ?? 1;
    return { name, status, shard_count, routing_strategy: 'hash', buckets: [] };
  }

  async listIngestion(request?: ListRequest, call?: CallContext): Promise<readonly IndexStatus[]> {
    checkListRequest(request);
    const { backend } = this.#options;
    const indexes = await backend.listIndexes({}, call);
    const all = indexes.map(({ name: index }) => backend.status({ index }, call));
    return (await Promise.all(all)).map((status) => shownStatus(status));
  }

  async activity(request: ActivityRequest, call?: CallContext): Promise<readonly ActivityEntry[]> {
    const { index, limit = MOST_ENTRIES } = checkActivityRequest(request);
    refuseTenant(call);
    const listed = call?.principal?.indexes;
    const named = index ? [await this.nameOf(index, call)] : [...new Set(listed ?? [null])];
    const own = named.filter((name) => listed === undefined || listed.includes(name ?? ''));
    return (await this.#newest(own, limit)).map(entryOf);
  }

  /** The newest events of several indexes; null: of all. */
  async #newest(names: readonly (string | null)[], limit: number): Promise<readonly Activity[]> {
    const { activity } = this.#options.store;
    const lists = await Promise.all(names.map((name) => activity.newest(name, limit)));
    if (lists.length === 1) return lists[0];
    const newestFirst = (a: Activity, b: Activity) => b.atMs - a.atMs;
    return lists.flat().sort(newestFirst).slice(0, limit);
  }

  /** The name of an index that is named by itself or an alias. Throws index_not_found. */
  protected async nameOf(index: string, call?: CallContext): Promise<string> {
    return (await this.#options.backend.describeIndex({ index }, call)).index;
  }

  async license(request?: ListRequest): Promise<License> {
    checkListRequest(request);
    const stored = await this.#options.store.license();
    const { licensee = OPEN_LICENSE, nodeLimit = null } = stored ?? {};
    return { licensee, nodes_in_use: 1, nodes_limit: nodeLimit };
  }

  async consoleConfig(request?: ListRequest, call?: CallContext): Promise<ConsoleConfig> {
    checkListRequest(request);
    const { defaultIndex, backend } = this.#options;
    const { scopes, tenant } = call?.principal ?? {};
    const own = {
      ...(scopes === undefined ? {} : { scopes }),
      ...(tenant === undefined ? {} : { tenant }),
    };
    if (defaultIndex !== undefined) return { default_index: defaultIndex, ...own };
    const indexes = await backend.listIndexes({}, withoutTenant(call));
    return { default_index: indexes.length === 1 ? indexes[0].name : null, ...own };
  }
}

const entryOf = ({ atMs, index, operation, outcome, details }: Activity): ActivityEntry => ({
  at: new Date(atMs).toISOString(),
  index: index ?? '',
  event: `${operation} ${outcome}`,
  ...(typeof details.message === 'string' ? { message: details.message } : {}),
});

function refuseTenant(call: CallContext | undefined): void {
  if (call?.principal?.tenant === undefined) return;
  const message = 'activity is closed to the callers of a tenant: it concerns all rows';
  throw new LhsError('permission_denied', message);
}

/** The name of the only index is no secret of a tenant: its caller searches that index. */
function withoutTenant(call: CallContext | undefined): CallContext {
  if (call?.principal === undefined) return {};
  const { tenant: _, ...principal } = call.principal;
  return { ...call, principal };
}
