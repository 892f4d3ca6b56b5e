/** Points in time and scrolls: opening and closing, in the forms of both vendors. */
import type { Json } from '@lakehouse-search/contract';
import { listIn, millisIn, objectIn, onlyKnown, textIn } from '../base/read-json.ts';
import { noIndex, oneIndex } from '../base/served-index.ts';
import { illegal } from '../query/refusal.ts';
import type { AdapterCall } from './adapter-call.ts';
import { type Endpoint, INDEX_PARAMS } from './endpoint.ts';
import { type KnownPit, pitIdOf, readPitId } from './pit-id.ts';
import { readScrollId } from './scroll.ts';
import { indexOptions } from './search-once.ts';

const SHARDS = { total: 1, successful: 1, skipped: 0, failed: 0 };

async function openPit(call: AdapterCall): Promise<string> {
  const { params, path } = call;
  if (params.keep_alive === undefined) {
    throw illegal('request is missing required parameter: [keep_alive]');
  }
  const keep_alive = `${Math.round(millisIn(params.keep_alive, 'keep_alive'))}ms`;
  const reads = call.reads();
  const index = await oneIndex(reads, path.index, indexOptions(params));
  if (index === undefined) throw noIndex(path.index);
  const { pit_id } = await reads.openPit({ index, keep_alive });
  return pitIdOf({ index, pit: pit_id });
}

/** Closes points in time; how many of them were open. */
async function closePits(call: AdapterCall, pits: readonly (KnownPit | undefined)[]) {
  const reads = call.reads();
  const closed = await Promise.all(
    pits.map(async (known) => {
      if (known === undefined) return false;
      const { index, pit } = known;
      return (await reads.closePit({ index, pit_id: pit })).closed;
    }),
  );
  const num_freed = closed.filter((one) => one).length;
  return { status: num_freed === 0 ? 404 : 200, json: { succeeded: true, num_freed }, closed };
}

const open: Endpoint = {
  methods: ['POST'],
  paths: ['/:index/_pit'],
  operation: 'openPit',
  params: [...INDEX_PARAMS, 'keep_alive', 'allow_partial_search_results'],
  answer: async (call) => ({ json: { id: await openPit(call), _shards: SHARDS } }),
};

const openOther: Endpoint = {
  methods: ['POST'],
  paths: ['/:index/_search/point_in_time'],
  operation: 'openPit',
  params: [...INDEX_PARAMS, 'keep_alive', 'allow_partial_pit_creation'],
  answer: async (call) => {
    const pit_id = await openPit(call);
    return { json: { pit_id, _shards: SHARDS, creation_time: Date.now() } };
  },
};

const close: Endpoint = {
  methods: ['DELETE'],
  paths: ['/_pit'],
  operation: 'closePit',
  params: [],
  async answer(call) {
    const { id } = onlyKnown(objectIn(call.body, 'pit'), 'pit', ['id']);
    const { status, json } = await closePits(call, [readPitId(textIn(id, 'id'))]);
    return { status, json };
  },
};

const closeOther: Endpoint = {
  methods: ['DELETE'],
  paths: ['/_search/point_in_time'],
  operation: 'closePit',
  params: [],
  async answer(call) {
    const { pit_id } = onlyKnown(objectIn(call.body, 'pit'), 'pit', ['pit_id']);
    const ids = textsIn(pit_id, 'pit_id');
    const { closed } = await closePits(call, ids.map(readPitId));
    return { json: { pits: ids.map((id, at) => ({ successful: closed[at], pit_id: id })) } };
  },
};

const clearScroll: Endpoint = {
  methods: ['DELETE'],
  paths: ['/_search/scroll', '/_search/scroll/:scroll_id'],
  operation: 'closePit',
  params: ['scroll_id'],
  async answer(call) {
    const { scroll_id } = call.body === undefined ? {} : objectIn(call.body, 'scroll');
    const inUrl = call.params.scroll_id ?? call.path.scroll_id;
    const ids = textsIn(scroll_id ?? inUrl?.split(','), 'scroll_id');
    const { status, json } = await closePits(call, ids.map(readScrollId));
    return { status, json };
  },
};

function textsIn(json: Json | undefined, what: string): readonly string[] {
  if (json === undefined) throw illegal(`no [${what}] specified`);
  return listIn(json).map((one) => textIn(one, what));
}

/** Endpoints that open and close points in time. */
export const PIT_ENDPOINTS: readonly Endpoint[] = [open, openOther, close, closeOther, clearScroll];
