import type {
  AlterIndexRequest,
  JsonObject,
  MoveIndexRequest,
  StartJobRequest,
} from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { gatedBackend } from './gated-backend.ts';
import { hidePlace } from './private-places.ts';
import { NO_CONFIG } from './server-config.ts';
import { shownPlace } from './shown-status.ts';

const started: StartJobRequest[] = [];
const backend = {
  startJob: async (request: StartJobRequest) => {
    started.push(request);
  },
  describeIndex: async () => ({ index: 'a' }),
} as unknown as BackendApi;
const gated = gatedBackend(backend, NO_CONFIG.names);

describe('a job that a request over the network starts', () => {
  it.each([
    [{ kind: 'backup', index: 'a', target: '/tmp/x' }, '"target"'],
    [{ kind: 'restore', target: 's3://a/b' }, '"target"'],
    [{ kind: 'restore', base_dir: '/tmp' }, '"base_dir"'],
    [{ kind: 'erase', index: 'a', keys: [], backups: ['/tmp/x'] }, '"backups"'],
    [{ kind: 'alter', index: 'a', apply: true, definition_yaml: '', base_dir: '/' }, '"base_dir"'],
    [
      {
        ...{ kind: 'alter', index: 'a', apply: true },
        definition_yaml: 'version: 1\nindex: a\nsource: { path: /etc }\nfields: []\n',
      },
      'needs a catalog by its name',
    ],
  ] as const)('is gated as its operation: %j', async (request, message) => {
    const call = gated.startJob(request as StartJobRequest);
    await expect(call).rejects.toThrow(message);
    expect(started).toEqual([]);
  });

  it('passes if it names nothing of its own', async () => {
    const request = { kind: 'compact', index: 'a' } as const;
    await gated.startJob(request);
    expect(started).toEqual([request]);
  });
});

describe('a move over the network', () => {
  const NAMES = { catalogs: {}, roots: { lake: 's3://bucket/lake' }, models: {} };
  const moved: unknown[] = [];
  const moving = gatedBackend(
    {
      moveIndex: async ({ index, storage }: MoveIndexRequest) => {
        moved.push(storage);
        return { index, storage: storage ?? null, previous_storage: '/srv/ann/home', took_ms: 1 };
      },
    } as unknown as BackendApi,
    NAMES,
  );

  it.each(['/tmp/x', 's3://other/x', 'lake/../x', 'elsewhere'])(
    'refuses %s, which is in no root',
    async (storage) => {
      await expect(moving.moveIndex({ index: 'a', storage })).rejects.toThrow(/root|leads out/);
      expect(moved).toEqual([]);
    },
  );

  it('names the roots, or the setting that makes one', async () => {
    const storage = '/tmp/x';
    await expect(moving.moveIndex({ index: 'a', storage })).rejects.toMatchObject({
      message: '"/tmp/x" names no root of the server',
      hint: 'name one of its roots, or a folder below it: lake, lake/FOLDER',
    });
    const without = gatedBackend({} as BackendApi, NO_CONFIG.names);
    await expect(without.moveIndex({ index: 'a', storage })).rejects.toMatchObject({
      hint: expect.stringContaining('roots: {'),
    });
  });

  it('goes to a folder of a root, and shows no other place', async () => {
    const answer = await moving.moveIndex({ index: 'a', storage: 'lake/home' });
    expect(moved).toEqual(['s3://bucket/lake/home']);
    expect(answer).toMatchObject({ storage: 'lake/home', previous_storage: 'home' });
    // a gateway shows what its control plane has shown
    expect(shownPlace('lake/home', NO_CONFIG.names)).toBe('lake/home');
  });
});

describe('a request over the network that is no object', () => {
  it('is left to the check of the backend, which refuses it', async () => {
    const seen: unknown[] = [];
    const own = new Proxy({} as BackendApi, {
      get: () => async (request: unknown) => void seen.push(request),
    });
    const all = gatedBackend(own, NO_CONFIG.names);
    const names = ['describeSource', 'listTables', 'createIndex', 'alterIndex', 'restore'] as const;
    for (const name of names)
      for (const request of [null, 7, 'x']) await all[name](request as never);
    expect(seen).toHaveLength(3 * names.length);
  });
});

describe('the source of an index over the network', () => {
  const LOCAL = {
    catalog: { type: 'filesystem', warehouse: '/home/ann/lake' },
    table: 'ops.notes',
  };
  const MAIN = { type: 'rest', uri: 'https://catalog.example', token_env: 'TOKEN' } as const;
  const NAMES = { catalogs: { main: MAIN }, roots: { lake: '/srv/lake' }, models: {} };
  let source: JsonObject = LOCAL;
  let altered: string[] = [];
  const describing = {
    describeIndex: async () => ({ index: 'a', source }),
    createIndex: async () => ({ index: 'a', source }),
    alterIndex: async ({ definition_yaml }: AlterIndexRequest) =>
      void altered.push(definition_yaml),
    startJob: async (request: StartJobRequest) => {
      if (request.kind === 'alter') altered.push(request.definition_yaml);
    },
    initDefinition: async () => ({
      definition: `version: 1\nsource:\n  catalog: ${JSON.stringify(MAIN)}\n  table: a.b # here\n`,
    }),
  } as unknown as BackendApi;
  const open = gatedBackend(describing, NO_CONFIG.names);
  const named = gatedBackend(describing, NAMES);
  const definitionOf = (given: object) =>
    `version: 1\nindex: a\nsource: ${JSON.stringify(given)}\nfields: []\n`;
  const sourceOf = (text: string) => (parse(text) as { readonly source: unknown }).source;
  beforeEach(() => {
    source = LOCAL;
    altered = [];
  });

  it.each<readonly [JsonObject, JsonObject]>([
    [
      { catalog: MAIN, table: 'a.b', ref: 'dev' },
      { catalog: 'main', table: 'a.b', ref: 'dev' },
    ],
    [LOCAL, { catalog: { type: 'filesystem' }, table: 'ops.notes' }],
    [{ path: '/srv/lake/ops/notes' }, { root: 'lake', path: 'ops/notes' }],
    [{ path: '/home/ann/notes', s3: { endpoint: 'http://10.0.0.1' } }, { path: 'notes' }],
  ])('%j is shown as %j, by the names of the configuration', async (own, shown) => {
    source = own;
    expect((await named.describeIndex({ index: 'a' })).source).toEqual(shown);
    const definition = definitionOf({ catalog: 'main', table: 'a.b' });
    expect((await named.createIndex({ definition })).source).toEqual(shown);
  });

  it('is named in the definition that a caller reads, changes and sends back', async () => {
    const definition = [
      ...['version: 1 # one', 'index: a', 'source:', '  catalog:', '    warehouse: ./lake'],
      ...['  table: b.c', 'storage: /srv/lake/home', 'fields:'],
      '  - { name: v, type: VECTOR, model: /srv/models/mini }',
    ].join('\n');
    const models = { mini: '/srv/models/mini' };
    const reading = { ...describing, getDefinition: async () => ({ index: 'a', definition }) };
    const gate = gatedBackend(reading as unknown as BackendApi, { ...NAMES, models });
    const read = await gate.getDefinition({ index: 'a' });
    expect(read.definition).not.toMatch(/warehouse|srv/);
    expect(read.definition.split('\n')).toHaveLength(definition.split('\n').length);
    expect(parse(read.definition)).toMatchObject({
      source: { catalog: { type: 'filesystem' }, table: 'ops.notes' },
      storage: 'lake/home',
      fields: [{ model: 'mini' }],
    });
    await gate.alterIndex({ index: 'a', definition_yaml: read.definition });
    expect(parse(altered[0])).toMatchObject({
      source: LOCAL,
      storage: '/srv/lake/home',
      fields: [{ model: '/srv/models/mini' }],
    });
  });

  it.each([LOCAL, { catalog: { type: 'filesystem' }, table: 'ops.notes' }])(
    'needs no name in a definition that keeps it: %j',
    async (given) => {
      for (const gate of [open, named]) {
        const definition_yaml = definitionOf(given);
        await gate.alterIndex({ index: 'a', definition_yaml });
        await gate.startJob({ kind: 'alter', index: 'a', definition_yaml, apply: true });
      }
      expect(altered.map(sourceOf)).toEqual([LOCAL, LOCAL, LOCAL, LOCAL]);
    },
  );

  it('is refused as an object, whose source no gate has read', async () => {
    const definition = parse(definitionOf(LOCAL)) as never;
    const message = expect.stringContaining(': expected a string');
    const expected = { code: 'invalid_argument', message };
    for (const gate of [open, gatedBackend(describing, NAMES, true)]) {
      for (const call of [
        () => gate.createIndex({ definition }),
        () => gate.alterIndex({ index: 'a', definition_yaml: definition }),
        () => gate.rehearseAlter({ index: 'a', definition_yaml: definition }),
        () => gate.startJob({ kind: 'alter', definition_yaml: definition, apply: true }),
        () => gate.validateDefinition({ definition }),
      ]) {
        await expect(call()).rejects.toMatchObject(expected);
      }
    }
    expect(altered).toEqual([]);
  });

  it('is refused by what it lacks where it changes', async () => {
    const definition_yaml = definitionOf({ ...LOCAL, table: 'ops.secret' });
    await expect(open.alterIndex({ index: 'a', definition_yaml })).rejects.toMatchObject({
      message: expect.stringContaining('needs a catalog by its name'),
      hint: expect.stringContaining('add it there'),
    });
    expect(altered).toEqual([]);
  });

  it('has the name of its catalog in a proposed definition', async () => {
    const { definition } = await named.initDefinition({ table: 'a.b', catalog_name: 'main' });
    expect(definition).toBe('version: 1\nsource:\n  catalog: main\n  table: a.b # here\n');
  });
});

describe('an erasure that is requested over the network', () => {
  it('names no places of backups', async () => {
    const request = { index: 'a', keys: [], backups: ['/tmp/x'] };
    await expect(gated.checkErasure(request)).rejects.toThrow('"backups"');
    await expect(gated.runErasure(request)).rejects.toThrow('"backups"');
  });
});

describe('a status over the network', () => {
  it('names no folders in its failures', async () => {
    const end = hidePlace('/srv/lake', 'catalog main');
    const failure = { code: 'source_invalid', message: 'file:///srv/lake/t/a.parquet', since: '' };
    const status = { index: 'a', sync_failure: failure, source_error: failure };
    const own = { status: async () => status } as unknown as BackendApi;
    const shown = await gatedBackend(own, NO_CONFIG.names).status({ index: 'a' });
    end();
    const message = '<catalog main>/t/a.parquet';
    expect(shown).toMatchObject({ sync_failure: { message }, source_error: { message } });
  });
});
