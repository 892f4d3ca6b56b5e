import { type Alias, LhsError } from '@lakehouse-search/contract';
import { didYouMean } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../base/limits.ts';
import type { RegistryFile } from './registry-file.ts';

/** The way out if a name of a backup is taken. */
export const ONLY_FREE =
  'restore only the aliases and saved queries whose names are free, or none of them';

/** Other names of indexes. An alias moves from one index to another in one statement. */
export class Aliases {
  readonly #file: RegistryFile;
  readonly #most: number;

  constructor(file: RegistryFile, most: number = LIMITS.aliases) {
    this.#file = file;
    this.#most = most;
  }

  /** All aliases, by name. */
  list(): readonly Alias[] {
    return this.#file.all<Alias>(
      'SELECT alias, name AS "index" FROM aliases JOIN indexes USING (uuid) ORDER BY alias',
    );
  }

  /**
   * Lets an alias mean the index of a UUID from now on, whatever it meant. False where there is no
   * such index any more. Throws index_exists (the name of an index), limit_exceeded.
   */
  set(alias: string, uuid: string): boolean {
    const values = { alias, uuid, most: this.#most };
    const changed = this.#file.change(
      `INSERT INTO aliases (alias, uuid) SELECT @alias, uuid FROM indexes
       WHERE uuid = @uuid AND NOT EXISTS (SELECT 1 FROM indexes WHERE name = @alias)
         AND (SELECT count(*) FROM aliases WHERE alias <> @alias) < @most
       ON CONFLICT (alias) DO UPDATE SET uuid = excluded.uuid`,
      values,
    );
    if (changed === 1) return true;
    this.#refuse(alias);
    return false;
  }

  /**
   * Adds aliases of an index. Returns those that are taken if `onlyFree`, else throws index_exists.
   */
  restore(aliases: readonly string[], uuid: string, onlyFree: boolean): readonly string[] {
    const taken = aliases.filter((alias) => this.#isTaken(alias));
    if (taken.length > 0 && !onlyFree) {
      const message = `the alias "${taken[0]}" of the backup is taken: ${this.#whose(taken[0])}`;
      throw new LhsError('index_exists', message, { hint: ONLY_FREE });
    }
    for (const alias of aliases) if (!taken.includes(alias)) this.set(alias, uuid);
    return taken;
  }

  #isTaken(alias: string): boolean {
    const sql =
      'SELECT 1 FROM aliases WHERE alias = @alias UNION SELECT 1 FROM indexes WHERE name = @alias';
    return this.#file.get(sql, { alias }) !== undefined;
  }

  #whose(name: string): string {
    const other = this.list().find(({ alias }) => alias === name);
    return other === undefined ? 'an index has that name' : `it belongs to index "${other.index}"`;
  }

  /** Takes an alias out; its index stays. Throws not_found. */
  drop(alias: string): void {
    if (this.#file.change('DELETE FROM aliases WHERE alias = @alias', { alias }) === 1) return;
    const names = this.list().map((one) => one.alias);
    throw new LhsError('not_found', `there is no alias "${alias}"${didYouMean(alias, names)}`, {
      next: [{ step: 'list_aliases' }],
    });
  }

  #refuse(alias: string): void {
    if (this.#file.get('SELECT 1 FROM indexes WHERE name = @alias', { alias }) !== undefined) {
      throw new LhsError('index_exists', `"${alias}" is the name of an index`, {
        hint: 'indexes and aliases share their names: choose another',
      });
    }
    const held = this.list().length;
    if (held >= this.#most) {
      const message = `there are ${held} aliases, at most ${this.#most}`;
      throw new LhsError('limit_exceeded', message, { next: [{ step: 'drop_alias' }] });
    }
  }
}
