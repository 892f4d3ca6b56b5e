import type { BackendApi } from './backend.ts';
import type { CallContext } from './call.ts';
import { LhsError } from './errors.ts';
import { REQUEST_LIMITS } from './limits.ts';
import type { HitsRequest, SearchRequest } from './search/request.ts';
import type { Hit } from './search/response.ts';

/** What a program can use of a backend beside its operations. */
export interface HitReader extends AsyncDisposable {
  /** The hits of a search at one state of the index, whose pages are requested as they are read. */
  hits(request: HitsRequest, call?: CallContext): AsyncGenerator<Hit>;
}

const PAGE = 500;
type Reads = Pick<BackendApi, 'search' | 'openPit' | 'closePit'>;

/**
 * The hits of a search. More than a page of them is read at a point in time, which is closed when
 * the reader has all or leaves its loop. Throws as `search` and `openPit`, and unreachable instead
 * of leaving the hits of a shard out.
 */
export async function* eachHit(
  backend: Reads,
  request: HitsRequest,
  call?: CallContext,
): AsyncGenerator<Hit> {
  const { pit_id, min_snapshot, wait_ms, ...search } = request;
  const { index, limit = Number.POSITIVE_INFINITY, offset = 0 } = request;
  const start = Math.min(offset, REQUEST_LIMITS.windowHits - PAGE);
  const range = { offset: start, skip: offset - start, limit: limit + offset - start };
  if (range.limit <= PAGE || pit_id !== undefined) {
    yield* pagesOf(backend, { ...request, ...range }, call);
    return;
  }
  if (min_snapshot !== undefined) await backend.search({ ...request, offset: 0, limit: 0 }, call);
  const pit = await backend.openPit({ index }, call);
  try {
    yield* pagesOf(backend, { ...search, ...range, pit_id: pit.pit_id }, call);
  } finally {
    const { signal: _, deadline: __, timeoutMs: ___, ...context } = call ?? {};
    await backend.closePit({ index, pit_id: pit.pit_id }, context).catch(() => {});
  }
}

/** `skip`: hits behind `offset` that are read and left out. */
interface PagesRequest extends HitsRequest {
  readonly limit: number;
  readonly skip: number;
}

async function* pagesOf(
  backend: Reads,
  { limit, offset, skip, ...search }: PagesRequest,
  call?: CallContext,
): AsyncGenerator<Hit> {
  let position: Pick<SearchRequest, 'offset' | 'search_after'> = { offset };
  for (let left = limit, ahead = skip; left > 0; ) {
    const size = Math.min(left, PAGE);
    const page = await backend.search({ ...search, ...position, limit: size }, call);
    if (page.partial === true) throw new LhsError('unreachable', 'a shard did not answer');
    const { hits } = page;
    yield* hits.slice(ahead);
    ahead = Math.max(0, ahead - hits.length);
    if (hits.length < size) return;
    left -= size;
    position = { search_after: hits.at(-1)!.sort };
  }
}
