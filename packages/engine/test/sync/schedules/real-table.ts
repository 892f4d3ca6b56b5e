import { appendRows, createTable, openTable, upsertRows } from '@lakehouse-search/lake';
import {
  changeColumns,
  cherryPick,
  compactTable,
  deleteKeys,
  expireSnapshots,
  overwriteRows,
  setProperties,
  setRef,
} from '../../../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../../../test/support/schema.ts';
import { type ModelRow, ModelTable, type Rows, rowOf } from './model-table.ts';
import type { ColumnChange, Operation } from './operations.ts';

const SCHEMA = schemaOf({
  id: 'long',
  title: 'string',
  n: 'int',
  kind: 'string',
  spare: 'string',
});

/** How a schedule's table begins. */
export interface TableOptions {
  readonly formatVersion: 1 | 2 | 3;
  readonly partitioned: boolean;
}

/** A table on disk, and the model of it, changed together. */
export class RealTable {
  readonly model = new ModelTable();
  readonly warehouse: string;
  #kind = 'kind';
  #spare: string | null = 'spare';
  #wide = false;
  /** Format 1 has no delete files. */
  #mayMergeOnRead = true;

  constructor(warehouse: string) {
    this.warehouse = warehouse;
  }

  get config() {
    const catalog = { type: 'filesystem', warehouse: this.warehouse } as const;
    return { catalog, table: 'a.t' };
  }

  /** Whether the columns that the definition names have those names now. */
  get hasOwnNames(): boolean {
    return this.#kind === 'kind';
  }

  async create({ formatVersion, partitioned }: TableOptions): Promise<void> {
    const transform = { kind: 'bucket', buckets: 3 } as const;
    const field = { fieldId: 1000, name: 'id_bucket', sourceIds: [1], transform };
    const spec = { specId: 0, fields: partitioned ? [field] : [] };
    this.#mayMergeOnRead = formatVersion > 1;
    await createTable(this.config.catalog, 'a.t', { schema: SCHEMA, spec, formatVersion });
    if (!this.#mayMergeOnRead) await this.#deleteMode(true);
  }

  /** Runs an operation on the table; those of the index are not for it. */
  async run(operation: Operation): Promise<void> {
    switch (operation.op) {
      case 'append':
        return this.#append('main', operation.keys, operation.salt);
      case 'appendToBranch':
        return this.#append('branch', operation.keys, operation.salt);
      case 'delete':
        return this.#delete(operation.keys);
      case 'upsert':
        return this.#upsert(this.#fresh(operation.keys, operation.salt));
      case 'touch':
        return this.#touch(operation.keys, operation.salt);
      case 'overwrite':
        return this.#overwrite(this.#fresh(operation.keys, operation.salt));
      case 'compactTable':
        return this.#compact();
      case 'deleteMode':
        return this.#deleteMode(operation.copies);
      case 'columns':
        return this.changeColumns(operation.change);
      case 'rollback':
      case 'tag':
      case 'branch':
        return this.#setRef(operation.op, operation.snapshot);
      case 'cherryPick':
        return this.#cherryPick();
      case 'expire':
        return this.#expire(operation.before, operation.deleteFiles);
    }
  }

  async changeColumns(change: ColumnChange): Promise<void> {
    const apply = (given: Parameters<typeof changeColumns>[1]) => changeColumns(this.config, given);
    if (change === 'renameKind') {
      const to = this.#kind === 'kind' ? 'sort' : 'kind';
      await apply({ kind: 'rename', from: this.#kind, to });
      this.#kind = to;
    } else if (change === 'widenN') {
      if (!this.#wide) await apply({ kind: 'widen', name: 'n', type: { kind: 'long' } });
      this.#wide = true;
    } else if (change === 'addOrDropSpare') {
      if (this.#spare === null)
        await apply({ kind: 'add', name: 'spare', type: { kind: 'string' } });
      else await apply({ kind: 'drop', name: this.#spare });
      this.#spare = this.#spare === null ? 'spare' : null;
    } else if (this.#spare !== null) {
      const to = this.#spare === 'spare' ? 'extra' : 'spare';
      await apply({ kind: 'rename', from: this.#spare, to });
      this.#spare = to;
    }
  }

  #fresh(keys: readonly number[], salt: number): Rows {
    return new Map(keys.map((key, i) => [key, rowOf(key, salt + i, this.#wide)]));
  }

  #input(rows: Rows) {
    const cells = (row: ModelRow) => ({
      title: row.title,
      n: row.n,
      [this.#kind]: row.kind,
      ...(this.#spare === null ? {} : { [this.#spare]: row.spare }),
    });
    return { kind: 'rows', rows: [...rows].map(([id, row]) => ({ id, ...cells(row) })) } as const;
  }

  async #append(on: 'main' | 'branch', keys: readonly number[], salt: number): Promise<void> {
    const { model } = this;
    if (on === 'branch' && model.branch === null) return;
    const before = model.rowsOf(model[on]);
    const rows = this.#fresh(
      keys.filter((key) => !before.has(key)),
      salt,
    );
    if (rows.size === 0) return;
    const name = on === 'main' ? 'main' : 'dev';
    const { snapshot } = await appendRows(this.config, this.#input(rows), name);
    model.commit(on, String(snapshot), 'append', new Map([...before, ...rows]));
  }

  async #delete(picks: readonly number[]): Promise<void> {
    const { model } = this;
    const before = model.rowsOf(model.main);
    const live = [...before.keys()];
    if (live.length === 0) return;
    const gone = new Set(picks.map((pick) => live[pick % live.length]));
    const keys = [...gone].map((id) => ({ id }));
    const { snapshot } = await deleteKeys(this.config, keys);
    const rows = new Map([...before].filter(([key]) => !gone.has(key)));
    model.commit('main', String(snapshot), 'delete', rows);
  }

  async #upsert(rows: Rows): Promise<void> {
    const { model } = this;
    if (rows.size === 0) return;
    const { snapshot } = await upsertRows(this.config, this.#input(rows));
    const after = new Map([...model.rowsOf(model.main), ...rows]);
    model.commit('main', String(snapshot), 'overwrite', after);
  }

  async #touch(picks: readonly number[], salt: number): Promise<void> {
    const live = [...this.model.rowsOf(this.model.main)];
    if (live.length === 0) return;
    const chosen = picks.map((pick) => live[pick % live.length]);
    await this.#upsert(new Map(chosen.map(([key, row]) => [key, { ...row, spare: `t${salt}` }])));
  }

  async #overwrite(rows: Rows): Promise<void> {
    const { snapshot } = await overwriteRows(this.config, this.#input(rows));
    this.model.commit('main', String(snapshot), 'overwrite', rows);
  }

  async #compact(): Promise<void> {
    const { model } = this;
    const { snapshot } = await compactTable(this.config);
    if (snapshot === null) return;
    model.commit('main', String(snapshot), 'replace', model.rowsOf(model.main));
  }

  async #deleteMode(copies: boolean): Promise<void> {
    const mode = copies || !this.#mayMergeOnRead ? 'copy-on-write' : null;
    await setProperties(this.config, { 'write.delete.mode': mode, 'write.merge.mode': mode });
  }

  async #setRef(what: 'rollback' | 'tag' | 'branch', pick: number): Promise<void> {
    const { model } = this;
    const id = model.pick(pick);
    if (id === null) return;
    const kind = what === 'tag' ? 'tag' : 'branch';
    const name = { rollback: 'main', tag: 'v1', branch: 'dev' }[what];
    await setRef(this.config, name, kind, BigInt(id));
    if (what === 'rollback') model.main = id;
    if (what === 'branch') model.branch = id;
  }

  /** The head of the branch, where it is an append whose keys main does not have. */
  async #cherryPick(): Promise<void> {
    const { model } = this;
    if (model.branch === null) return;
    const { id, operation, parent, rows } = model.snapshots.get(model.branch)!;
    const before = model.rowsOf(model.main);
    const base = model.rowsOf(parent);
    const added = [...rows].filter(([key]) => !base.has(key));
    const isPart = model.ancestry(model.main).includes(id);
    if (operation !== 'append' || isPart || added.some(([key]) => before.has(key))) return;
    const head = String(await cherryPick(this.config, BigInt(id)));
    if (head === id) model.main = id;
    else model.commit('main', head, 'append', new Map([...before, ...added]));
  }

  async #expire(pick: number, deleteFiles: boolean): Promise<void> {
    const id = this.model.pick(pick);
    if (id === null) return;
    const table = await openTable(this.config);
    const { timestampMs } = table.snapshot(BigInt(id));
    await table.close();
    const gone = await expireSnapshots(this.config, timestampMs + 1, { deleteFiles });
    this.model.expire(gone);
  }
}
