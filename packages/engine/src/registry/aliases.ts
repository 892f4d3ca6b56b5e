import type { Alias } from '@lakehouse-search/contract';
import { didYouMean, LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import type { RegistryFile } from './registry-file.ts';

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
