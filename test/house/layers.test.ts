import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SOURCES } from '../../scripts/sources.ts';
import { ROOT, type SourceFile, sourcesOf } from './sources.ts';

/**
 * Folders by layer, lowest first: a folder imports from its own layer's folder or from lower layers
 * only.
 */
const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  contract: [
    [
      'call.ts',
      'coordinates.ts',
      'examples.ts',
      'generation-description.ts',
      'index-request.ts',
      'json.ts',
      'lag.ts',
      'limits.ts',
      'nearest.ts',
      'next-step.ts',
      'shard-description.ts',
      'version.ts',
      'window-description.ts',
      'with-commas.ts',
    ],
    ['errors.ts'],
    ['checks'],
    ['operation.ts'],
    ['source'],
    ['search'],
    [
      'accounts',
      'aggregations',
      'backups',
      'cluster',
      'erasure',
      'explain',
      'indexes',
      'ingest',
      'keys',
      'points-in-time',
      'query-text',
      'windows',
    ],
    ['aliases', 'diff', 'jobs', 'saved-queries'],
    ['backend.ts'],
    ['service.ts', 'typed'],
    ['each-hit.ts', 'methods.ts', 'operations.ts', 'query-line'],
    ['grouped.ts'],
    ['index.ts', 'internal.ts'],
  ],
  lake: [
    ['base'],
    ['objects', 'schema', 'puffin'],
    ['avro', 'variant'],
    ['metadata', 'parquet', 'restrictions'],
    ['catalog', 'plan'],
    ['scan'],
    ['lookup', 'changes'],
    ['source-table.ts', 'table-rows.ts'],
    ['table.ts'],
    ['write'],
    ['index.ts', 'internal.ts'],
  ],
  engine: [
    ['base'],
    ['storage', 'analysis'],
    ['bitmap'],
    ['embed'],
    ['schema'],
    ['postings', 'columnar', 'stored', 'vector'],
    ['inverted'],
    ['scoring', 'segment'],
    ['index', 'query'],
    ['collect', 'aggregate'],
    ['shard'],
    ['search'],
    ['registry'],
    ['open'],
    ['source'],
    ['documents'],
    ['sync'],
    ['alter', 'verify'],
    ['home'],
    ['erase', 'diff'],
    ['workers'],
    ['tasks'],
    ['local'],
    ['local-backend.ts', 'remote'],
    ['open-local.ts'],
    ['collection'],
    ['index.ts', 'internal.ts'],
  ],
  client: [
    ['generated'],
    ['wire'],
    ['remote'],
    ['grpc', 'rest'],
    ['create-client.ts', 'rest.ts'],
    ['index.ts', 'internal.ts'],
  ],
  mcp: [
    ['base'],
    ['citations', 'arguments'],
    ['tools', 'guides'],
    ['protocol'],
    ['stdio', 'http', 'setup'],
    ['index.ts'],
  ],
  console: [
    ['text', 'service'],
    ['place'],
    ['parts'],
    ['search', 'indexes', 'jobs', 'names', 'login', 'accounts', 'tools'],
    ['app.tsx'],
    ['main.tsx'],
  ],
  server: [
    ['config', 'store'],
    ['access'],
    ['limits', 'observe'],
    ['cluster'],
    ['calls', 'control-plane'],
    ['connector', 'grpc', 'rest'],
    ['openapi', 'mcp', 'search-adapter', 'console'],
    ['gateway', 'node'],
    ['serve'],
    ['index.ts'],
  ],
  cli: [
    ['terminal', 'config', 'files'],
    ['help', 'output', 'demo', 'doctor', 'serve', 'login', 'completion'],
    ['search', 'source', 'sync', 'erase'],
    ['tui'],
    ['base-command.ts', 'first-screen.ts', 'help.ts'],
    ['commands', 'main.ts'],
    ['hooks'],
    ['index.ts'],
  ],
};

/** Type-only contracts that every layer may name. */
const CONTRACTS = new Set([
  'packages/lake/src/source-table.ts',
  'packages/engine/src/schema/definition.ts',
]);

/** Packages of ours that a package may import. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  lake: ['@lakehouse-search/contract'],
  engine: ['@lakehouse-search/contract', '@lakehouse-search/lake'],
  client: ['@lakehouse-search/contract'],
  mcp: ['@lakehouse-search/contract'],
  console: ['@lakehouse-search/contract', '@lakehouse-search/client'],
  server: [
    '@lakehouse-search/contract',
    '@lakehouse-search/lake',
    '@lakehouse-search/engine',
    '@lakehouse-search/client',
    '@lakehouse-search/mcp',
  ],
  cli: [
    '@lakehouse-search/contract',
    '@lakehouse-search/lake',
    '@lakehouse-search/engine',
    '@lakehouse-search/client',
    '@lakehouse-search/mcp',
    '@lakehouse-search/server',
  ],
};

/** Subpaths such as `/internal` are of their package. */
const isKnown = (pkg: string, specifier: string): boolean =>
  PACKAGES[pkg].some((name) => specifier === name || specifier.startsWith(`${name}/`));

/** Files that may import each other in a circle, if all but one direction are types. */
const KNOT_FILES = 3;

const room = (pkg: string, path: string) => path.slice(`packages/${pkg}/src/`.length).split('/')[0];

function level(pkg: string, path: string): number {
  return LAYERS[pkg].findIndex((rooms) => rooms.includes(room(pkg, path)));
}

function breaches(pkg: string, file: SourceFile): string[] {
  const own = level(pkg, file.path);
  return file.imports
    .filter((target) => !CONTRACTS.has(target) && room(pkg, target) !== room(pkg, file.path))
    .filter((target) => level(pkg, target) >= own)
    .map((target) => `${file.path} imports ${target}, which is not below it`);
}

describe('knots of files', () => {
  const file = (path: string, ...imports: string[]): SourceFile => ({
    path,
    imports,
    text: '',
    lines: [],
    packages: [],
  });

  it('are found whole, and apart from files that only lead to them or follow them', () => {
    const files = [
      file('a', 'b', 'e'),
      file('b', 'c'),
      file('c', 'd', 'x'),
      file('d', 'b'),
      file('e', 'f'),
      file('f', 'e', 'd'),
      file('x'),
    ];
    const found = knots(files).filter((knot) => knot.length > 1);
    expect(found.sort()).toEqual([
      ['b', 'c', 'd'],
      ['e', 'f'],
    ]);
  });
});

describe.each(Object.keys(LAYERS))('layers of packages/%s', (pkg) => {
  const files = sourcesOf(`packages/${pkg}/src`);

  it('has the layers that ARCHITECTURE.md describes', () => {
    expect(documentedLayers(pkg)).toEqual(LAYERS[pkg]);
  });

  it('has every file in a room of the table', () => {
    expect(files.filter((f) => level(pkg, f.path) < 0).map((f) => f.path)).toEqual([]);
  });

  it('imports only downward', () => {
    expect(files.flatMap((f) => breaches(pkg, f))).toEqual([]);
  });

  it('has no cycle of files', () => {
    expect(cycle(files)).toEqual([]);
  });

  it('has no knot of more than three files, type imports included', () => {
    expect(knots(files).filter((knot) => knot.length > KNOT_FILES)).toEqual([]);
  });

  it('imports no package of ours that it must not know', () => {
    const foreign = files.flatMap((f) =>
      f.packages
        .filter((p) => p.startsWith('@lakehouse-search/') && !isKnown(pkg, p))
        .map((p) => `${f.path} imports ${p}`),
    );
    expect(foreign).toEqual([]);
  });

  it('imports nothing that only tests use', () => {
    const users = files.filter((f) => f.imports.some((target) => target.startsWith('test/')));
    expect(users.map((f) => f.path)).toEqual([]);
  });

  it('imports no file of the tests', () => {
    const users = files.filter((f) => f.imports.some((path) => !path.startsWith('packages/')));
    expect(users.map((f) => f.path)).toEqual([]);
  });

  it('has no orphan: every file is reached from the door, a command or the entry', () => {
    const doors = files.filter((f) => isDoor(f.path)).map((f) => f.path);
    const reached = reach(files, doors);
    expect(files.map((f) => f.path).filter((p) => !reached.has(p))).toEqual([]);
  });
});

/** The rooms of each layer in the list below a package's heading in ARCHITECTURE.md. */
function documentedLayers(pkg: string): string[][] {
  const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const section =
    page.split(/^#+ /m).find((text) => /^.*/.exec(text)![0].endsWith(`/${pkg}`)) ?? '';
  const rows = [...section.matchAll(/^\d+\. (`[^:]*):/gm)];
  return rows.map(([, rooms]) => [...rooms.matchAll(/`([^`/]*)\/?`/g)].map(([, name]) => name));
}

function isDoor(path: string): boolean {
  return (
    Object.values(SOURCES).includes(join(ROOT, path)) ||
    path === 'packages/cli/src/index.ts' ||
    path.startsWith('packages/cli/src/commands/') ||
    path.startsWith('packages/cli/src/hooks/') ||
    path.endsWith('-worker.ts') ||
    path === 'packages/console/src/main.tsx' ||
    (['main.ts', 'help.ts'].includes(basename(path)) && path.startsWith('packages/cli/')) ||
    path.endsWith('.d.ts')
  );
}

function reach(files: readonly SourceFile[], doors: readonly string[]): Set<string> {
  const byPath = new Map(files.map((f) => [f.path, f]));
  const seen = new Set<string>();
  const todo = [...doors];
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    todo.push(...(byPath.get(path)?.imports ?? []));
  }
  return seen;
}

/**
 * One cycle of value imports as a list of paths, or nothing. Type imports are erased and cannot
 * hurt.
 */
function cycle(files: readonly SourceFile[]): string[] {
  const edges = new Map(files.map((f) => [f.path, valueImports(f)]));
  const state = new Map<string, 'open' | 'done'>();
  const visit = (path: string, trail: readonly string[]): string[] => {
    if (state.get(path) === 'done') return [];
    if (state.get(path) === 'open') return [...trail.slice(trail.indexOf(path)), path];
    state.set(path, 'open');
    for (const next of edges.get(path) ?? []) {
      const found = visit(next, [...trail, path]);
      if (found.length > 0) return found;
    }
    state.set(path, 'done');
    return [];
  };
  for (const file of files) {
    const found = visit(file.path, []);
    if (found.length > 0) return found;
  }
  return [];
}

/** Files that reach each other by imports of any kind: the strongly connected components. */
function knots(files: readonly SourceFile[]): string[][] {
  const forward = new Map(files.map((f) => [f.path, f.imports.filter((to) => to !== f.path)]));
  const backward = new Map<string, string[]>(files.map((f) => [f.path, []]));
  for (const [path, targets] of forward) for (const to of targets) backward.get(to)?.push(path);
  const done = new Set<string>();
  const from = (path: string, edges: ReadonlyMap<string, readonly string[]>): string[] => {
    const found: string[] = [];
    const visit = (at: string): void => {
      if (done.has(at)) return;
      done.add(at);
      for (const next of edges.get(at) ?? []) visit(next);
      found.push(at);
    };
    visit(path);
    return found;
  };
  const order = files.flatMap((f) => from(f.path, forward));
  done.clear();
  return order.toReversed().map((path) => from(path, backward).sort());
}

function valueImports(file: SourceFile): string[] {
  const typeOnly = new Set(
    [...file.text.matchAll(/(?:^|\n)(?:import|export) type [^'";]*?from\s+'(\.[^']+)'/g)].map((m) =>
      basename(m[1]),
    ),
  );
  return file.imports.filter((target) => !typeOnly.has(basename(target)));
}
