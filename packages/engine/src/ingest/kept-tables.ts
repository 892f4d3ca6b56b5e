import type { SourceTable } from '@lakehouse-search/lake';
import type { KnownIndex } from '../registry/open-indexes.ts';
import { fromSource } from './source-errors.ts';
import { openSource } from './source-table.ts';

/** The tables of indexes that are searched: opened once, then asked for their newest version. */
export class KeptTables {
  readonly #tables = new Map<string, Promise<SourceTable>>();

  /** The table of an index as it is now. Throws as `openSource` does. */
  newest({ registered, definition }: KnownIndex): Promise<SourceTable> {
    const { uuid, baseDir } = registered;
    const known = this.#tables.get(uuid);
    const open = () => openSource(definition.source, baseDir);
    const next =
      known === undefined ? open() : known.then((table) => fromSource(() => table.refresh()));
    this.#tables.set(uuid, next);
    next.catch(() => {
      if (this.#tables.get(uuid) === next) this.#tables.delete(uuid);
    });
    return next;
  }

  /** Closes what is open. */
  async close(): Promise<void> {
    const tables = await Promise.allSettled(this.#tables.values());
    this.#tables.clear();
    for (const table of tables) if (table.status === 'fulfilled') await table.value.close();
  }
}
