import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ id: 'long', title: 'string' });

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: [{ id: 1, title: 'a timeout' }] });
});
afterAll(() => lake.close());

const relative = () => ({
  source: { catalog: { type: 'filesystem', warehouse: './lake' }, table: 'a.t' } as const,
  base_dir: lake.folder,
});

describe('operations on tables', () => {
  it('describe a table, list its catalog, and write a definition for it', async () => {
    const { backend, source } = lake;
    const described = await backend.describeSource({ source });
    expect(described).toEqual({
      table: 'a.t',
      uuid: expect.any(String),
      format_version: 2,
      location: expect.any(String),
      snapshot: String(await lake.head()),
      snapshots: 1,
      identifier: ['id'],
      columns: [
        { id: 1, name: 'id', type: 'long', required: true },
        { id: 2, name: 'title', type: 'string', required: false },
      ],
    });
    expect(await backend.listTables({ catalog: source.catalog })).toEqual({ tables: ['a.t'] });
    const { definition } = await backend.initDefinition({ source, name: 'own' });
    expect(definition).toContain('index: own\n');
    await expect(backend.initDefinition({ source, name: 'My own' })).rejects.toThrow(
      'a name of a-z',
    );
    await expect(backend.initDefinition({ source, key: ['no'] })).rejects.toMatchObject({
      message: 'key: column "no" is not in a.t',
      hint: 'columns: id, title',
    });
    expect(await backend.validateDefinition({ definition, against_source: true })).toEqual([]);
  });

  it('take relative paths from base_dir, and from nowhere else', async () => {
    const { backend } = lake;
    const { source, base_dir } = relative();
    expect(await backend.describeSource({ source, base_dir })).toMatchObject({ table: 'a.t' });
    expect(await backend.listTables({ catalog: source.catalog, base_dir })).toEqual({
      tables: ['a.t'],
    });
    const { definition } = await backend.initDefinition({ source, base_dir });
    const none = {
      code: 'invalid_argument',
      message: expect.stringContaining('"base_dir" is needed'),
    };
    await expect(backend.describeSource({ source })).rejects.toMatchObject(none);
    await expect(backend.listTables({ catalog: source.catalog })).rejects.toMatchObject(none);
    await expect(backend.initDefinition({ source })).rejects.toMatchObject(none);
    await expect(backend.createIndex({ definition })).rejects.toMatchObject(none);
    const near = { definition, against_source: true, base_dir: 'lake' };
    await expect(backend.validateDefinition(near)).rejects.toThrow('expected an absolute path');
    expect(await backend.createIndex({ definition, base_dir })).toMatchObject({ index: 't' });
    await backend.dropIndex({ index: 't' });
  });

  it('need base_dir for a model at a relative path', async () => {
    const { backend, source } = lake;
    const at = `catalog: ${JSON.stringify(source.catalog)}, table: a.t`;
    const field = '{ name: m, type: VECTOR, source: title, dims: 4, model: ./model }';
    const definition = `version: 1\nindex: t\nsource: { ${at} }\nfields:\n  - ${field}\n`;
    await expect(backend.createIndex({ definition })).rejects.toThrow('"base_dir" is needed');
  });

  it('name the table that is not there, and end when the call is aborted', async () => {
    const { backend, source } = lake;
    const missing = { ...source, table: 'a.none' };
    await expect(backend.describeSource({ source: missing })).rejects.toMatchObject({
      code: 'source_not_found',
    });
    const empty = mkdtempSync(join(tmpdir(), 'lhs-empty-'));
    const path = { source: { path: empty } };
    await expect(backend.initDefinition(path)).rejects.toMatchObject({
      code: expect.stringMatching(/^source_/),
    });
    rmSync(empty, { recursive: true });
    const call = { signal: AbortSignal.abort() };
    await expect(backend.describeSource({ source }, call)).rejects.toMatchObject({
      code: 'interrupted',
    });
  });

  it('are closed to the callers of a tenant', async () => {
    const call = { principal: { subject: 'u', tenant: 'a', scopes: [] } };
    await expect(lake.backend.describeSource(relative(), call)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});
