import type {
  CallContext,
  Coordinates,
  ExportedDocument,
  FollowEvent,
  Job,
} from '@lakehouse-search/contract';
import type { Methods } from '@lakehouse-search/contract/internal';
import { jobOf } from './admin-jobs.ts';
import type { AdminNodes } from './admin-nodes.ts';

/** Pause between two looks at a job of several nodes. */
const LOOK_MS = 200;
const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'canceled']);

/** The operations that return items, over all nodes of an index. */
export function streamsOf(nodes: AdminNodes): Methods<'exportDocuments' | 'follow' | 'watchJob'> {
  return {
    exportDocuments: (request, call = {}) => exported(nodes, request, call),
    follow: (request, call = {}) => followed(nodes, request, call),
    watchJob: (request, call = {}) => watched(nodes, request, call),
  };
}

/** The streams of an operation, one per node of the index. */
async function streams<T>(
  nodes: AdminNodes,
  name: 'exportDocuments' | 'follow',
  request: { readonly index?: string },
  call: CallContext,
): Promise<readonly AsyncIterator<T>[]> {
  const owners = await nodes.owners(request.index, call);
  return owners.map(({ address }) => {
    const items = nodes.at(address)[name](request, call) as AsyncIterable<T>;
    return items[Symbol.asyncIterator]();
  });
}

/** The documents of all nodes by key: each node has its own in that order. */
async function* exported(
  nodes: AdminNodes,
  request: { readonly index?: string },
  call: CallContext,
): AsyncGenerator<ExportedDocument> {
  const sources = await streams<ExportedDocument>(nodes, 'exportDocuments', request, call);
  try {
    const heads = await Promise.all(sources.map((source) => source.next()));
    for (;;) {
      let least = -1;
      for (const [i, head] of heads.entries()) {
        if (head.done === true) continue;
        if (least < 0 || isBefore(head.value, heads[least].value)) least = i;
      }
      if (least < 0) return;
      yield heads[least].value;
      heads[least] = await sources[least].next();
    }
  } finally {
    await Promise.all(sources.map((source) => source.return?.()));
  }
}

function isBefore(a: ExportedDocument, b: ExportedDocument): boolean {
  const texts = ({ partition = [], identifier }: Coordinates) =>
    [...partition, ...identifier].map(({ value }) => Buffer.from(value));
  const [left, right] = [texts(a.coordinates), texts(b.coordinates)];
  for (const [i, text] of left.entries()) {
    const order = Buffer.compare(text, right[i]);
    if (order !== 0) return order < 0;
  }
  return false;
}

/** The events of all nodes as they come. It fails as soon as one of them fails. */
async function* followed(
  nodes: AdminNodes,
  request: { readonly index?: string },
  call: CallContext,
): AsyncGenerator<FollowEvent> {
  const sources = await streams<FollowEvent>(nodes, 'follow', request, call);
  const next = async (i: number) => ({ i, item: await sources[i].next() });
  const waiting = new Map(sources.map((_, i) => [i, next(i)]));
  try {
    while (waiting.size > 0) {
      const { i, item } = await Promise.race(waiting.values());
      if (item.done === true) waiting.delete(i);
      else {
        waiting.set(i, next(i));
        yield item.value;
      }
    }
  } finally {
    for (const one of waiting.values()) one.catch(() => {});
    for (const source of sources) void source.return?.()?.catch(() => {});
  }
}

/** A job of one node as the node reports it; one of several nodes after each change. */
async function* watched(
  nodes: AdminNodes,
  { job_id }: { readonly job_id: string },
  call: CallContext,
): AsyncGenerator<Job> {
  const first = await jobOf(nodes, 'getJob', job_id, call);
  if (first.nodes.length === 1) {
    yield* nodes.at(first.nodes[0]).watchJob({ job_id }, call);
    return;
  }
  let shown = '';
  for (let { job } = first; ; job = (await jobOf(nodes, 'getJob', job_id, call)).job) {
    const text = JSON.stringify(job);
    if (text !== shown) yield job;
    shown = text;
    if (ENDED.has(job.state)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
