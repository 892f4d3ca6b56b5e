/**
 * The registry: which indexes a data folder holds, their other names, and what their users keep
 * (registry-file.ts says how it lies on disk). Folders are named by UUID, never by a user's text.
 * Indexes and aliases share one namespace.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { LhsError, type NextStep } from '@lakehouse-search/contract';
import {
  didYouMean,
  firstNames,
  namesSeveral,
  ONE_INDEX,
} from '@lakehouse-search/contract/internal';
import type { Looks } from '../base/looks.ts';
import { SYSTEM_CLOCK } from '../base/time/clock.ts';
import { Aliases } from './aliases.ts';
import { alteredMeanwhile, wasDropped } from './changed-meanwhile.ts';
import { Faults } from './faults.ts';
import { Generations } from './generations.ts';
import { Jobs } from './jobs.ts';
import { RegistryFile } from './registry-file.ts';
import { type OwnedQuery, SavedQueries } from './saved-queries.ts';

/** An index as the registry has it. */
export interface RegisteredIndex {
  readonly name: string;
  readonly uuid: string;
  readonly definition: string;
  /** The definition parsed (schema/parse/parsed-definition.ts), or null where nobody has stored it. */
  readonly parsed: string | null;
  readonly baseDir: string;
  readonly version: number;
  readonly createdMs: number;
}

/** Names of a backup. `onlyFree`: those that are taken are left out; else they are refused. */
export interface RestoredNames {
  readonly aliases: readonly string[];
  /** The queries, if these aliases are left out. */
  readonly queries: (aliasesLeftOut: readonly string[]) => readonly OwnedQuery[];
  readonly onlyFree: boolean;
}

/** Names that were taken. */
interface TakenNames {
  readonly aliases: readonly string[];
  readonly queries: readonly string[];
}

/** A definition as the registry stores it; fields as in RegisteredIndex. */
export type StoredDefinition = Pick<RegisteredIndex, 'definition' | 'parsed' | 'baseDir'>;

/** A definition that replaces another. */
export type NewDefinition = StoredDefinition & Pick<RegisteredIndex, 'name'>;

/** What left the registry with an index. */
export interface RemovedRows {
  readonly aliases: readonly string[];
  readonly savedQueries: number;
  readonly jobs: number;
}

/** Definitions of an index that stay after a reindex replaced them. */
const FORMER_DEFINITIONS = 100;

/** Several processes and several `Registry` objects may share one file. */
export class Registry {
  readonly path: string;
  readonly aliases: Aliases;
  readonly queries: SavedQueries;
  readonly jobs: Jobs;
  readonly generations: Generations;
  readonly mergeFaults: Faults;
  readonly syncFaults: Faults;
  readonly #file: RegistryFile;
  /** Indexes by name and alias, valid while the file has this version. */
  readonly #known = new Map<string, RegisteredIndex>();
  #names: ReadonlySet<string> | null = null;
  #knownVersion = '';

  /**
   * Opens the registry of a data folder. The first change creates the folder and the file.
   * `ticks`: a monotonic clock. Throws io_error, corrupt_index.
   */
  constructor(dataDir: string, looks?: Looks, ticks = SYSTEM_CLOCK.ticks) {
    this.#file = new RegistryFile(dataDir, looks);
    this.path = this.#file.path;
    this.aliases = new Aliases(this.#file);
    this.queries = new SavedQueries(this.#file);
    this.jobs = new Jobs(this.#file);
    this.generations = new Generations(this.#file, ticks);
    this.mergeFaults = new Faults(this.#file, 'merge_faults');
    this.syncFaults = new Faults(this.#file, 'sync_faults');
  }

  /** Whether its file was removed or replaced. */
  isGone(): boolean {
    return this.#file.isGone();
  }

  /** Goes on with the file that is there now, or with none: of a folder in a cache. */
  reopen(): void {
    this.#file.reopen();
  }

  /** All indexes, sorted by name. */
  list(): readonly RegisteredIndex[] {
    return this.#file.all<Row>('SELECT * FROM indexes ORDER BY name').map(fromRow);
  }

  /** The index of that name or alias. Throws index_not_found with the nearest name. */
  get(name: string): RegisteredIndex {
    this.#forgetChanged();
    const known = this.#known.get(name) ?? this.#read(name);
    this.#known.set(name, known);
    return known;
  }

  /** Whether an index has that name; an alias of one does not count. */
  isNamed(name: string): boolean {
    this.#forgetChanged();
    this.#names ??= new Set(this.list().map((index) => index.name));
    return this.#names.has(name);
  }

  #forgetChanged(): void {
    const version = this.#file.version();
    if (version === this.#knownVersion) return;
    this.#known.clear();
    this.#names = null;
    this.#knownVersion = version;
  }

  #read(name: string): RegisteredIndex {
    const row = this.#file.get<Row>(
      `SELECT * FROM indexes WHERE name = @name UNION ALL
       SELECT indexes.* FROM aliases JOIN indexes USING (uuid) WHERE alias = @name LIMIT 1`,
      { name },
    );
    if (row !== undefined) return fromRow(row);
    const listed = this.list();
    // It may have been made between the two statements.
    const made = listed.find((index) => index.name === name);
    if (made !== undefined) return made;
    const names = listed.map((index) => index.name);
    const near = didYouMean(name, [...names, ...this.aliases.list().map(({ alias }) => alias)]);
    const several = namesSeveral(name) ? `${ONE_INDEX}; ` : '';
    throw new LhsError('index_not_found', `there is no index "${name}"${near}`, {
      ...(names.length === 0
        ? this.#nothingHere()
        : {
            hint: `${several}indexes: ${firstNames(name, names, 20)}`,
            next: [{ step: 'list_indexes' }],
          }),
    });
  }

  /** Advice where there is no index: the name of the data folder may be wrong. */
  #nothingHere(): { readonly hint?: string; readonly next: readonly NextStep[] } {
    const folder = dirname(this.path);
    if (existsSync(folder)) return { next: [{ step: 'create_index' }] };
    const next = [{ step: 'choose_data_folder' }, { step: 'create_index' }] as const;
    return { hint: `data folder "${folder}" does not exist`, next };
  }

  /** The UUIDs of all indexes. */
  uuids(): ReadonlySet<string> {
    const rows = this.#file.all<{ uuid: string }>('SELECT uuid FROM indexes');
    return new Set(rows.map(({ uuid }) => uuid));
  }

  /** The same, once changes that another process is making have ended. */
  settledUuids(): ReadonlySet<string> {
    return this.#file.settled(() => this.uuids());
  }

  /** False once the index of a UUID is dropped. */
  has(uuid: string): boolean {
    return this.#file.get('SELECT 1 FROM indexes WHERE uuid = @uuid', { uuid }) !== undefined;
  }

  /**
   * Runs `work` if the index is registered, while no process can drop it: false, and nothing is
   * done, if it is not. Throws what `work` throws.
   */
  whileRegistered(uuid: string, work: () => void): boolean {
    return this.#file.exclusively(() => {
      if (!this.has(uuid)) return false;
      work();
      return true;
    });
  }

  /**
   * The index of that very name: what is to go has to be named itself. Throws index_not_found,
   * invalid_argument for an alias.
   */
  named(name: string): RegisteredIndex {
    const index = this.get(name);
    if (index.name === name) return index;
    throw new LhsError('invalid_argument', `"${name}" is an alias of index "${index.name}"`, {
      hint: `name "${index.name}", or drop the alias`,
      next: [{ step: 'drop_alias', alias: name }],
    });
  }

  /**
   * Adds an index under a new UUID; `parsed` as in RegisteredIndex. Throws index_exists where an
   * index or an alias has the name.
   */
  add(
    name: string,
    definition: string,
    baseDir: string,
    parsed: string | null = null,
  ): RegisteredIndex {
    const index = {
      name,
      uuid: randomUUID(),
      definition,
      parsed,
      baseDir,
      version: 1,
      createdMs: Date.now(),
    };
    return this.#insert(index);
  }

  #insert(index: RegisteredIndex): RegisteredIndex {
    const added = this.#file.change(
      `INSERT INTO indexes (name, uuid, definition, base_dir, version, created_ms, parsed)
       SELECT @name, @uuid, @definition, @baseDir, @version, @createdMs, @parsed
       WHERE NOT EXISTS (SELECT 1 FROM aliases WHERE alias = @name)
       ON CONFLICT (name) DO NOTHING`,
      { ...index },
    );
    if (added === 1) return index;
    throw this.#taken(index.name, [{ step: 'alter_index', index: index.name }]);
  }

  /** Throws index_exists if an index or an alias has the name. */
  requireFree(name: string): void {
    const sql =
      'SELECT 1 FROM indexes WHERE name = @name UNION SELECT 1 FROM aliases WHERE alias = @name';
    if (this.#file.get(sql, { name }) !== undefined) throw this.#taken(name);
  }

  /**
   * Adds an index under the UUID that it has, with aliases and saved queries, and runs `publish`,
   * all in one transaction: nothing of it is visible before, or if anything throws. Throws
   * index_exists, already_exists, limit_exceeded, and what `publish` throws.
   */
  restore(index: RegisteredIndex, names: RestoredNames, publish: () => void): TakenNames {
    return this.#file.exclusively(() => {
      this.#insert(index);
      const aliases = this.aliases.restore(names.aliases, index.uuid, names.onlyFree);
      const queries = this.queries.restore(names.queries(aliases), names.onlyFree);
      publish();
      return { aliases, queries };
    });
  }

  /**
   * Puts a new definition in force, with its name: aliases stay with the index, saved queries that
   * name it follow. `from` is what the definition was compared with. `rebuilt`: a new generation
   * goes with it, so the former definition stays for commits that were written under it. Throws
   * index_busy if it was altered meanwhile, index_not_found, index_exists. Returns the number of
   * saved queries that were changed.
   */
  redefine(
    from: Pick<RegisteredIndex, 'uuid' | 'name' | 'version'>,
    to: NewDefinition,
    rebuilt = false,
    version = from.version + 1,
  ): number {
    return this.#file.exclusively(() => {
      const { uuid } = from;
      const row = this.#row(uuid);
      if (row === undefined) throw wasDropped(from.name);
      if (row.version !== from.version) throw alteredMeanwhile(from.name);
      if (to.name !== from.name) this.requireFree(to.name);
      if (rebuilt) this.#keepFormer(uuid);
      this.generations.forgetEnded(uuid);
      this.#file.change(
        `UPDATE indexes SET name = @name, definition = @definition, parsed = @parsed,
           base_dir = @baseDir, version = @version WHERE uuid = @uuid`,
        { ...to, uuid, version },
      );
      return to.name === from.name ? 0 : this.queries.follow(from.name, to.name);
    });
  }

  #keepFormer(uuid: string): void {
    this.#file.change(
      `INSERT INTO former_definitions
       SELECT uuid, version, definition, parsed, base_dir FROM indexes WHERE uuid = @uuid`,
      { uuid },
    );
    this.#file.change(
      `DELETE FROM former_definitions WHERE uuid = @uuid AND until_version NOT IN (SELECT
       until_version FROM former_definitions WHERE uuid = @uuid
       ORDER BY until_version DESC LIMIT ${FORMER_DEFINITIONS})`,
      { uuid },
    );
  }

  /**
   * The definition that holds for commits of a version: the newest one that needed no reindex after
   * it. Undefined if that is the one in force.
   */
  formerDefinition(uuid: string, version: number): StoredDefinition | undefined {
    const sql = `SELECT definition, parsed, base_dir AS baseDir FROM former_definitions
      WHERE uuid = @uuid AND until_version >= @version ORDER BY until_version LIMIT 1`;
    return this.#file.get<StoredDefinition>(sql, { uuid, version });
  }

  /** An index after all changes that other processes have begun. Undefined once it is dropped. */
  settled(uuid: string): RegisteredIndex | undefined {
    return this.#file.exclusively(() => this.at(uuid));
  }

  /** The index of a UUID, whatever its name is now. Undefined once it is dropped. */
  at(uuid: string): RegisteredIndex | undefined {
    const row = this.#row(uuid);
    return row === undefined ? undefined : fromRow(row);
  }

  /** The version of the definition in force. Undefined once the index is dropped. */
  versionOf(uuid: string): number | undefined {
    return this.#row(uuid)?.version;
  }

  #row(uuid: string): Row | undefined {
    return this.#file.get<Row>('SELECT * FROM indexes WHERE uuid = @uuid', { uuid });
  }

  /**
   * Takes an index out, and with it its aliases, jobs, named generations and the saved queries that
   * name it or one of its aliases. Null if it was not there, or a job replaces its generation now.
   */
  remove(uuid: string): RemovedRows | null {
    return this.#file.exclusively(() => {
      const row = this.#row(uuid);
      if (row === undefined || this.jobs.build(uuid) !== undefined) return null;
      const own = this.aliases.list().filter(({ index }) => index === row.name);
      const aliases = own.map(({ alias }) => alias);
      const savedQueries = this.queries.deleteNaming([row.name, ...aliases]);
      const jobs = this.jobs.list().filter((job) => job.uuid === uuid).length;
      this.#file.change('DELETE FROM indexes WHERE uuid = @uuid', { uuid });
      return { aliases, savedQueries, jobs };
    });
  }

  /** Rewrites the registry's file without what deleted rows left in it. */
  scrub(): void {
    this.#file.scrub();
  }

  close(): void {
    this.#file.close();
  }

  /** `ways` lead to an index of this name. */
  #taken(name: string, ways: readonly NextStep[] = []): LhsError {
    const alias = this.aliases.list().find((one) => one.alias === name);
    if (alias !== undefined) {
      const message = `"${name}" is an alias of index "${alias.index}" already`;
      return new LhsError('index_exists', message, { next: [{ step: 'drop_alias', alias: name }] });
    }
    const other = ways.length === 0 ? '' : ', or change that index to this definition';
    return new LhsError('index_exists', `an index "${name}" exists already`, {
      hint: `choose another name${other}`,
      next: [{ step: 'describe_index', index: name }, ...ways],
    });
  }
}

interface Row {
  readonly name: string;
  readonly uuid: string;
  readonly definition: string;
  readonly base_dir: string;
  readonly version: number;
  readonly created_ms: number;
  readonly parsed: string | null;
}

function fromRow(row: Row): RegisteredIndex {
  const { name, uuid, definition, parsed, version } = row;
  const { base_dir: baseDir, created_ms: createdMs } = row;
  return { name, uuid, definition, parsed, version, baseDir, createdMs };
}
