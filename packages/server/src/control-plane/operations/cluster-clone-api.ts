import {
  type CallContext,
  type CloneIndexRequest,
  type CloneResponse,
  LhsError,
} from '@lakehouse-search/contract';
import { checkCloneIndexRequest, requireListed } from '@lakehouse-search/contract/internal';
import { renameDefinition } from '@lakehouse-search/engine/internal';
import { withoutCopies } from '../../cluster/without-copies.ts';
import { requireDefinition } from './cluster-backup-api.ts';
import { requireWhole } from './cluster-caller.ts';
import {
  atDifferentSnapshots,
  type BuiltPart,
  type IndexNodes,
  namesOf,
  nameTaken,
} from './index-nodes.ts';
import { makeParts } from './make-parts.ts';

/** Nodes commit a step one after the other: their clones are made again until they agree. */
const ATTEMPTS = 5;

/** Clones of an index: each of its nodes clones its own shards. */
export class ClusterCloneApi {
  readonly #nodes: IndexNodes;

  constructor(nodes: IndexNodes) {
    this.#nodes = nodes;
  }

  /** Throws index_exists, index_not_built, index_busy, unsupported, unreachable, and as nodes do. */
  async cloneIndex(request: CloneIndexRequest, call: CallContext = {}): Promise<CloneResponse> {
    const { index: asked, name, ref } = checkCloneIndexRequest(request);
    requireWhole(call, 'cloneIndex');
    if (ref !== undefined)
      throw new LhsError('unsupported', '"ref" is not for clones of a cluster');
    const nodes = this.#nodes;
    const index = await nodes.resolve(asked, call);
    requireListed(call, name);
    if ((await namesOf(nodes)).has(name)) throw nameTaken('index_exists', name);
    const began = performance.now();
    const apart = atDifferentSnapshots();
    for (let attempt = 1; ; attempt++) {
      await nodes.free(name, call);
      try {
        const made = await this.#attempt(index, name, apart, call);
        const took_ms = Math.round(performance.now() - began);
        return { ...made, cloned_from: index, took_ms };
      } catch (error) {
        if (error !== apart || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Throws `apart`, and leaves no clone, if the nodes are at different snapshots. */
  async #attempt(
    index: string,
    name: string,
    apart: LhsError,
    call: CallContext,
  ): Promise<CloneResponse> {
    const nodes = this.#nodes;
    const text = await nodes.definition(index);
    const parts = withoutCopies(await nodes.parts(index, call));
    requireDefinition(index, text, parts);
    const clone = ({ address }: BuiltPart) =>
      nodes.service(address).cloneIndex({ index, name }, call);
    return makeParts(nodes, name, parts, clone, async (made) => {
      if (made.some(({ snapshot }) => snapshot !== made[0].snapshot)) throw apart;
      const own = { name, definition: renameDefinition(text, name), parts };
      await nodes.adopt({ ...own, isMixed: false, wanted: [], aliases: 'none' }, call);
      return merged(made);
    });
  }
}

/** The clones of the nodes as one. */
function merged(made: readonly CloneResponse[]): CloneResponse {
  const sum = (name: 'num_docs' | 'bytes' | 'bytes_copied') =>
    made.reduce((total, one) => total + one[name], 0);
  return {
    ...made[0],
    index_generation: Math.max(...made.map((one) => one.index_generation)),
    ...{ num_docs: sum('num_docs'), bytes: sum('bytes'), bytes_copied: sum('bytes_copied') },
  };
}
