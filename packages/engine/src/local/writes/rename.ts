import type { CallContext, RenameIndexRequest, RenameResponse } from '@lakehouse-search/contract';
import {
  checkRenameIndexRequest,
  isRestricted,
  requireListed,
} from '@lakehouse-search/contract/internal';
import { definitionOf } from '../../schema/parse/parse-definition.ts';
import { storedDefinition } from '../../schema/parse/parsed-definition.ts';
import { renameDefinition } from '../../schema/rename-definition.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { parsedInTurns } from './define.ts';
import { buildRunning, withLock } from './write-index.ts';

/**
 * Gives an index another name in one transaction of the registry; its folder has none. Throws
 * index_not_found, invalid_argument for an alias, index_exists, index_busy, permission_denied.
 */
export async function renameLocal(
  indexes: LocalIndexes,
  request: RenameIndexRequest,
  call: CallContext,
): Promise<RenameResponse> {
  const { index, name } = checkRenameIndexRequest(request);
  const { registry } = indexes;
  if (isRestricted(call)) accessible(indexes, index, call);
  requireListed(call, name);
  const registered = registry.named(index);
  const { baseDir, uuid } = registered;
  registry.requireFree(name);
  const definition = definitionOf(
    await parsedInTurns(renameDefinition(registered.definition, name)),
  );
  const turn = { what: 'rename', signal: call.signal };
  return withLock(indexes, registered, turn, async () => {
    const build = registry.jobs.build(uuid);
    if (build !== undefined) throw buildRunning('rename', index, build);
    const saved_queries = registry.redefine(registered, storedDefinition(definition, baseDir));
    const own = registry.aliases.list().filter((one) => one.index === name);
    return {
      ...{ index: name, previous_name: index },
      ...{ aliases: own.map(({ alias }) => alias), saved_queries },
    };
  });
}
