/** What the service says of itself: `GET /`, `HEAD /`, `_cluster/health`. */
import { NODE } from '../base/engine-error.ts';
import { listedNames } from '../base/served-index.ts';
import { type Endpoint, INDEX_PARAMS } from './endpoint.ts';
import { indexOptions } from './search-once.ts';

/** The version of the imitated engine whose forms the adapter has. */
const IMITATED = '8.19.0';

const root: Endpoint = {
  methods: ['GET', 'HEAD'],
  paths: ['/'],
  operation: 'listIndexes',
  params: [],
  answer: async ({ version }) => ({
    json: {
      name: 'lhs',
      cluster_name: 'lhs',
      cluster_uuid: 'lhs',
      version: {
        number: IMITATED,
        build_flavor: 'default',
        build_type: 'lhs',
        build_hash: version,
        build_date: '1970-01-01T00:00:00.000Z',
        build_snapshot: false,
        lucene_version: '9.12.2',
        minimum_wire_compatibility_version: '7.17.0',
        minimum_index_compatibility_version: '7.0.0',
      },
      tagline: 'You Know, for Search',
    },
  }),
};

const health: Endpoint = {
  methods: ['GET'],
  paths: ['/_cluster/health', '/_cluster/health/:index'],
  operation: 'listIndexes',
  params: [
    ...[...INDEX_PARAMS, 'wait_for_status', 'timeout', 'level', 'wait_for_active_shards'],
    ...['wait_for_nodes', 'wait_for_events', 'wait_for_no_relocating_shards'],
    'wait_for_no_initializing_shards',
  ],
  async answer(call) {
    const reads = call.reads();
    const wanted = await listedNames(reads, call.path.index, indexOptions(call.params));
    const indexes = (await reads.listIndexes()).filter(({ name }) => wanted.includes(name));
    const ready = indexes.filter(({ status, error }) => status === 'live' && error === undefined);
    const isGreen = ready.length === indexes.length;
    return {
      json: {
        cluster_name: 'lhs',
        status: isGreen ? 'green' : 'yellow',
        timed_out: false,
        number_of_nodes: 1,
        number_of_data_nodes: 1,
        active_primary_shards: ready.length,
        active_shards: ready.length,
        relocating_shards: 0,
        initializing_shards: 0,
        unassigned_shards: indexes.length - ready.length,
        unassigned_primary_shards: indexes.length - ready.length,
        delayed_unassigned_shards: 0,
        number_of_pending_tasks: 0,
        number_of_in_flight_fetch: 0,
        task_max_waiting_in_queue_millis: 0,
        active_shards_percent_as_number:
          indexes.length === 0 ? 100 : (100 * ready.length) / indexes.length,
      },
    };
  },
};

/** One node: what programs that compare versions read. */
const nodes: Endpoint = {
  methods: ['GET'],
  paths: ['/_nodes', '/_nodes/:which'],
  operation: 'listIndexes',
  params: ['timeout', 'flat_settings'],
  answer: async () => ({
    json: {
      _nodes: { total: 1, successful: 1, failed: 0 },
      cluster_name: 'lhs',
      nodes: {
        [NODE]: { name: NODE, version: IMITATED, build_type: 'lhs', roles: [], attributes: {} },
      },
    },
  }),
};

/** Settings that nobody has changed. */
const settings: Endpoint = {
  methods: ['GET'],
  paths: ['/_cluster/settings'],
  operation: 'listIndexes',
  params: ['flat_settings', 'include_defaults', 'timeout', 'master_timeout'],
  answer: async () => ({ json: { persistent: {}, transient: {} } }),
};

/** Endpoints of the whole service. */
export const CLUSTER_ENDPOINTS: readonly Endpoint[] = [root, health, nodes, settings];
