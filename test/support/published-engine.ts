/**
 * In place of `@lakehouse-search/engine/local/internal` in the project `published`: each index is
 * at home in a folder beside its data folder, unless its definition has a store or windows.
 */
import { type LocalEngine, openEngine as open } from '../../packages/engine/src/local-backend.ts';

export * from '../../packages/engine/src/local-backend.ts';

export async function openEngine(...[folder, options]: Parameters<typeof open>) {
  const engine = await open(folder, options);
  const { createIndex } = engine;
  const storage = `\nstorage: ${JSON.stringify(`${folder}-home`)}\n`;
  const published: LocalEngine['createIndex'] = (request, call) => {
    const definition = request?.definition;
    const isAlone = typeof definition === 'string' && !/^(storage|windows):/m.test(definition);
    return createIndex(isAlone ? { ...request, definition: definition + storage } : request, call);
  };
  return Object.defineProperty(engine, 'createIndex', { value: published });
}
