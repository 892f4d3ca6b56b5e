/** Points in time and scrolls: opening and closing, in the forms of both vendors. */
import type { Json } from '@lakehouse-search/contract';
import { listIn, millisIn, objectIn, onlyKnown, textIn } from '../base/read-json.ts';
import { indexNames } from '../base/served-index.ts';
import { illegal } from '../query/refusal.ts';
import type { AdapterCall } from './adapter-call.ts';
import { type Endpoint, INDEX_PARAMS } from './endpoint.ts';
import { openPits } from './open-pits.ts';
import { type KnownPit, pitIdOf, readPitId } from './pit-id.ts';
import { readScrollId } from './scroll.ts';
import { indexOptions } from './search-once.ts';

/** Points in time that one request closes. */
const MOST_CLOSED = 1000;
const SHARDS = { total: 1, successful: 1, skipped: 0, failed: 0 };

async function openPit(call: AdapterCall): Promise<string> {
  const { params, path } = call;
  if (params.keep_alive === undefined) {
    throw illegal('request is missing required parameter: [keep_alive]');
  }
  const keep_alive = `${Math.round(millisIn(params.keep_alive, 'keep_alive'))}ms`;
  const reads = call.reads();
  const names = await indexNames(reads, path.index, indexOptions(params));
  return pitIdOf(await openPits(call, names, keep_alive));
}

/** Closes points in time by the indexes of each id; how many ids were open. */
async function closePits(call: AdapterCall, ids: readonly (readonly KnownPit[] | undefined)[]) {
  const count = ids.reduce((sum, pits = []) => sum + pits.length, 0);
  if (count > MOST_CLOSED) throw illegal(`more than ${MOST_CLOSED} points in time in one request`);
  const reads = call.reads();
  const closed = await Promise.all(
    ids.map(async (pits = []) => {
      const all = await Promise.all(
        pits.map(({ index, pit }) => reads.closePit({ index, pit_id: pit })),
      );
      return all.some((one) => one.closed);
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
    const { closed } = await closePits(
      call,
      ids.map((id) => readPitId(id)),
    );
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
    const scrolls = ids.map((id) => readScrollId(id)?.pits);
    const { status, json } = await closePits(call, scrolls);
    for (const pits of scrolls) if (pits !== undefined) call.scrolls.closed(call.caller, pits);
    return { status, json };
  },
};

function textsIn(json: Json | undefined, what: string): readonly string[] {
  if (json === undefined) throw illegal(`no [${what}] specified`);
  return listIn(json).map((one) => textIn(one, what));
}

/** Endpoints that open and close points in time. */
export const PIT_ENDPOINTS: readonly Endpoint[] = [open, openOther, close, closeOther, clearScroll];
