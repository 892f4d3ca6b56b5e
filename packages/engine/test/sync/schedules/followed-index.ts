import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import Database from 'better-sqlite3';
import { type Fault, FaultyDirectory } from '../../../../../test/support/faulty-directory.ts';
import { tinyModels } from '../../../../../test/support/tiny-model.ts';
import { openLocalDirectory } from '../../../src/storage/local-directory.ts';

const NO_FAULT: Fault = { kind: 'none' };

/** The index of a schedule's table, on a disk that may go wrong. */
export class FollowedIndex {
  readonly dataDir: string;
  readonly models = tinyModels();
  readonly #warehouse: string;
  readonly #more: string;
  #backend!: LocalEngine;
  #fault: Fault = NO_FAULT;
  ref: 'dev' | null = null;

  private constructor(dataDir: string, warehouse: string, more: string) {
    this.dataDir = dataDir;
    this.#warehouse = warehouse;
    this.#more = more;
  }

  /** An index over `a.t` of a warehouse, not built yet. `more`: lines of its definition. */
  static async create(dataDir: string, warehouse: string, more = ''): Promise<FollowedIndex> {
    const index = new FollowedIndex(dataDir, warehouse, more);
    await index.reopen();
    await index.backend.createIndex({ definition: index.#definition(), base_dir: '/' });
    return index;
  }

  get backend(): LocalEngine {
    return this.#backend;
  }

  async reopen(): Promise<void> {
    await this.#backend?.close();
    this.#backend = await openEngine(this.dataDir, {
      create: true,
      threads: 0,
      openEmbedder: this.models.open,
      openDirectory: (path, fence) => {
        const directory = openLocalDirectory(path, fence);
        return this.#fault.kind === 'none'
          ? directory
          : new FaultyDirectory(directory, this.#fault);
      },
    });
  }

  async close(): Promise<void> {
    await this.#backend.close();
  }

  /** Runs `work` while the disk goes wrong; the backend is a new one after a crash. */
  async withFault(fault: Fault, work: () => Promise<unknown>): Promise<void> {
    this.#fault = fault;
    try {
      await work();
    } catch (error) {
      if (!isInjected(error)) throw error;
    } finally {
      this.#fault = NO_FAULT;
      if (fault.kind === 'crash') await this.reopen();
    }
  }

  /** Runs `work`, in which the model fails once `texts` more texts were embedded. */
  async withModelFault(texts: number, work: () => Promise<unknown>): Promise<void> {
    this.models.failAfter = this.models.embedded + texts;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Error && error.message === 'the tiny model fails')) throw error;
    } finally {
      this.models.failAfter = Infinity;
    }
  }

  /** Lets the definition follow the branch, or main again: there is no `alter` yet. */
  async switchRef(): Promise<void> {
    this.ref = this.ref === null ? 'dev' : null;
    await this.close();
    const registry = new Database(join(this.dataDir, 'registry.db'));
    registry
      .prepare('UPDATE indexes SET definition = ?, parsed = NULL, version = version + 1')
      .run(this.#definition());
    registry.close();
    await this.reopen();
  }

  #definition(): string {
    const catalog = JSON.stringify({ type: 'filesystem', warehouse: this.#warehouse });
    const ref = this.ref === null ? '' : `, ref: ${this.ref}`;
    return `version: 1
index: t
source: { catalog: ${catalog}, table: a.t${ref} }
key: { identifier: [id] }
${this.#more}
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: n, type: LONG, fast: true, cached: true }
  - { name: kind, type: KEYWORD, cached: true }
  - { name: meaning, type: VECTOR, source: [title, kind], model: ./tiny, dims: 8 }
  - { name: sort, type: VECTOR, source: kind, model: ./tiny, dims: 8, similarity: l2 }
`;
  }
}

/** Whether an error is what the faulty disk threw, or what that led to. */
function isInjected(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (/the disk fails at operation|the process has crashed/.test(at.message)) return true;
  }
  return false;
}
