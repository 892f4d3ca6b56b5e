import type { CallContext, Rehearsal, RehearseAlterRequest } from '@lakehouse-search/contract';
import {
  type CheckedRehearsed,
  checkRehearsed,
  checkRehearseRequest,
} from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import { type RehearsedDefinition, rehearse } from '../../alter/rehearse.ts';
import type { Definition } from '../../schema/definition.ts';
import { followedSnapshot, openSource } from '../../source/source-table.ts';
import { mappingOver } from '../../sync/build/build-generation.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { listSavedQueries } from '../reads/saved-queries.ts';
import { definitionOver } from '../writes/define.ts';
import { timed } from '../writes/write-index.ts';

const SAMPLE_ROWS = 20_000;

/** Rehearses a new definition. Throws as `alterLocal` and `rehearse`. */
export async function rehearseLocal(
  indexes: LocalIndexes,
  request: RehearseAlterRequest,
  call: CallContext,
): Promise<Rehearsal> {
  const { queries, sample = SAMPLE_ROWS, ...checked } = checkRehearseRequest(request);
  const known = accessible(indexes, checked.index, call);
  const { registered, definition } = known;
  const { base_dir: baseDir = registered.baseDir, definition_yaml: text } = checked;
  const next = await definitionOver(text, baseDir);
  const tables: SourceTable[] = [];
  const opened = async (of: Definition, from: string): Promise<RehearsedDefinition> => {
    const table = await openSource(of.source, from, call.signal);
    tables.push(table);
    const snapshotId = followedSnapshot(table, of.source.ref);
    // A node of a cluster rehearses for all shards: a sample of the table has rows of all.
    const { only: _, ...whole } = of;
    return { mapping: mappingOver(whole, table), table, snapshotId, baseDir: from };
  };
  try {
    return await timed(async () => {
      const rehearsed = await rehearse({
        from: await opened(definition, registered.baseDir),
        to: await opened(next, baseDir),
        queries: queries ?? savedOf(indexes, registered.name, call),
        sample,
        openEmbedder: indexes.openEmbedder,
        openModel: (model, from, checksum) => indexes.models.open(model, from, checksum),
        signal: call.signal,
        progress: call.progress,
      });
      return { index: registered.name, ...rehearsed };
    });
  } finally {
    for (const table of tables) await table.close();
  }
}

/** The caller's saved queries of an index. */
function savedOf(
  indexes: LocalIndexes,
  index: string,
  call: CallContext,
): readonly CheckedRehearsed[] {
  const aliases = indexes.registry.aliases.list().filter((alias) => alias.index === index);
  const names = new Set([index, ...aliases.map(({ alias }) => alias)]);
  return listSavedQueries(indexes, undefined, call)
    .filter(({ request }) => names.has(request.index ?? index))
    .map(({ mode, request }) => {
      const { min_snapshot: _, ...rest } = request;
      return checkRehearsed({ mode, request: rest });
    });
}
