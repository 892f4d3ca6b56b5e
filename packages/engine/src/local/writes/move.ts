import type { CallContext, MoveIndexRequest, MoveIndexResponse } from '@lakehouse-search/contract';
import { checkMoveIndexRequest } from '@lakehouse-search/contract/internal';
import { limitKept } from '../../open/kept-generations.ts';
import { definitionOf } from '../../schema/parse/parse-definition.ts';
import { storedDefinition } from '../../schema/parse/parsed-definition.ts';
import { withStorage } from '../../schema/rename-definition.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { parsedInTurns } from './define.ts';
import { tryHome } from './publish.ts';
import { buildRunning, timed, withLock } from './write-index.ts';

/**
 * Publishes an index in another store, or in none: its definition says where, and the end of the
 * turn publishes it there and leaves the former store. Throws as `BackendApi.moveIndex`.
 */
export async function moveLocal(
  indexes: LocalIndexes,
  request: MoveIndexRequest,
  call: CallContext,
): Promise<MoveIndexResponse> {
  const { index, storage } = checkMoveIndexRequest(request);
  const known = accessible(indexes, index, call);
  const { registered, definition } = known;
  const { registry } = indexes;
  const { uuid, name, baseDir } = registered;
  const next = definitionOf(await parsedInTurns(withStorage(registered.definition, storage)));
  const turn = { what: 'move', signal: call.signal, home: 'left' } as const;
  return timed(() =>
    withLock(indexes, registered, turn, async () => {
      const build = registry.jobs.build(uuid);
      if (build !== undefined) throw buildRunning('move', name, build);
      await tryHome(indexes, { ...known, definition: next }, call);
      registry.redefine(registered, storedDefinition(next, baseDir));
      limitKept(registry, uuid);
      const previous_storage = definition.storage ?? null;
      return { index: name, storage: storage ?? null, previous_storage };
    }),
  );
}
