/**
 * Two sides of every check: each surface that reads what others send, by each rule. A cell sends
 * what the rule permits, which is answered right, and what it refuses, which is refused by name. If
 * a rule cannot apply to a surface, the cell says why.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from '../../packages/cli/test/child.ts';
import { ODD_BYTE, oddBytes, withManifest } from './two-sides/edited-bytes.ts';
import { LARGE, type ServedNumbers, serveNumbers } from './two-sides/served-numbers.ts';

let served: ServedNumbers;
let home: Home;
let restores = 0;

beforeAll(async () => {
  served = await serveNumbers();
  home = new Home();
  writeFileSync(home.path('t.yaml'), served.definition);
  await succeeds('index', 'create', home.path('t.yaml'));
  await succeeds('index', 'reindex', 't');
  await served.post('/v1/index:backup', '{"index":"t"}');
}, 120_000);
afterAll(async () => {
  home.dispose();
  await served.stop();
});

const RULES = ['host', 'limits', 'names twice', '2^53', 'UTF-8', 'nulls'] as const;
const SURFACES = [
  ...(['command', 'REST', 'gRPC', 'adapter', 'MCP'] as const),
  ...(['console', 'definitions', 'backups'] as const),
];
type Rule = (typeof RULES)[number];

/** Why the rule does not apply, or what is sent: texts that come back, and what they match. */
type Cell = string | { readonly right: Side; readonly wrong: Side };
/** What comes back of a request, with what it has to be like. */
type Side = readonly [() => Promise<string>, RegExp];

const NEXT = String(LARGE + 1n);
async function succeeds(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.run(args);
  expect([code, stderr], args.join(' ')).toEqual([0, expect.any(String)]);
  return stdout;
}

const run = async (...args: string[]) => {
  const { stdout, stderr, code } = await home.run(args);
  return `${code}: ${stdout}${stderr}`;
};
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(home.path(name), content);
  return home.path(name);
};
const queries = (content: string | Uint8Array) =>
  run('search', 't', '--queries', file('queries', content));
const post = (path: string, type?: string) => (body: string | Uint8Array) => async () => {
  const { status, text } = await served.post(path, body, type);
  return `${status}: ${text}`;
};
const get = (target: string, headers?: Readonly<Record<string, string>>) => async () => {
  const { status, text } = await served.get(target, headers);
  return `${status}: ${text}`;
};
const search = post('/v1/search');
const dsl = post('/t/_search');
const tool = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":${args}}}`;
const agent = (args: string) => post('/mcp')(tool(args));
const grpc =
  (...[operation, request, edit]: Parameters<ServedNumbers['grpc']>) =>
  () =>
    served.grpc(operation, request, edit);
const validate = (definition: string | Uint8Array) => () =>
  run('index', 'validate', file('new.yaml', definition), '--offline');
const edited = (from: string, to: string) => served.definition.replace(from, to);

/** A restore of a backup whose manifest was edited, with a right checksum. */
const restored = (edit: (manifest: string) => string | Buffer): Promise<string> => {
  const as = `again-${++restores}`;
  return withManifest(served.backups, edit, () =>
    run('index', 'restore', served.backups, '--as', as),
  );
};
const same = (manifest: string): string => manifest;
const MANY_NAMES = Array.from({ length: 10_001 }, (_, i) => `"a${i}"`).join(',');

const OTHER_SITE = { host: 'evil.example' };
const total = (n: number) => new RegExp(`"total":${n}\\b`);
const hits = (n: number) => new RegExp(`"value":${n}\\b`);
const NO_REQUESTS = 'it reads files and arguments of its own user, no requests of other machines';

const CELLS: Readonly<Record<(typeof SURFACES)[number], Readonly<Record<Rule, Cell>>>> = {
  command: {
    host: NO_REQUESTS,
    limits: {
      right: [() => run('search', 't', '*', '--limit', '10000', '--json'), total(4)],
      wrong: [() => run('search', 't', '*', '--limit', '10001'), /^2: .*at most 10000/s],
    },
    'names twice': {
      right: [() => queries('{"query":"id:a"}\n'), total(1)],
      wrong: [() => queries('{"query":"id:a","query":"*"}\n'), /^2: .*name "query" twice/s],
    },
    '2^53': {
      right: [() => run('search', 't', `n:${NEXT}`, '--json'), total(1)],
      wrong: [
        () => run('search', 't', '*', '--sort', 'n', '--after', `[${NEXT},"b"]`),
        /^2: .*a whole number beyond 2\^53, which JSON cannot carry exactly/s,
      ],
    },
    'UTF-8': {
      right: [() => queries('title:grün\n'), total(4)],
      wrong: [() => queries(oddBytes('title:gr?n\n')), /^2: .*is not UTF-8/s],
    },
    nulls: {
      right: [
        () => run('search', 't', '*', '--sort', 'n', '--after', '[null,"c"]', '--json'),
        /"value":"d"/,
      ],
      wrong: [() => queries('{"query":"*","limit":null}\n'), /^2: .*"limit" is null/s],
    },
  },
  REST: {
    host: {
      right: [get('/v1/indexes'), /^200: .*"t"/],
      wrong: [get('/v1/indexes', OTHER_SITE), /^403: .*the header/],
    },
    limits: {
      right: [search('{"index":"t","query":"*","limit":10000}'), total(4)],
      wrong: [search('{"index":"t","query":"*","limit":10001}'), /^400: .*at most 10000/],
    },
    'names twice': {
      right: [search('{"index":"t","query":"id:a"}'), total(1)],
      wrong: [search('{"index":"t","query":"id:a","query":"*"}'), /^400: .*\\"query\\" twice/],
    },
    '2^53': {
      right: [
        search(`{"index":"t","sort":[{"field":"n"}],"search_after":["${NEXT}","b"]}`),
        /"value":"c"/,
      ],
      wrong: [
        search(`{"index":"t","sort":[{"field":"n"}],"search_after":[${NEXT},"b"]}`),
        /^400: .*a whole number beyond 2\^53, which JSON cannot carry exactly/,
      ],
    },
    'UTF-8': {
      right: [search('{"index":"t","query":"title:grün"}'), total(4)],
      wrong: [search(oddBytes('{"index":"t","query":"title:gr?n"}')), /^400: .*is not UTF-8/],
    },
    nulls: {
      right: [
        search('{"index":"t","sort":[{"field":"n"}],"search_after":[null,"c"]}'),
        /"value":"d"/,
      ],
      wrong: [search('{"index":"t","query":"*","limit":null}'), /^400: .*\\"limit\\" is null/],
    },
  },
  gRPC: {
    host: 'it answers application/grpc alone, which no page of a browser can send unasked',
    limits: {
      right: [grpc('search', { index: 't', query: '*', limit: 10_000 }), /^answered$/],
      wrong: [grpc('search', { index: 't', query: '*', limit: 10_001 }), /at most 10000/],
    },
    'names twice': {
      right: [
        grpc('aggregate', { index: 't', aggs: '{"a":{"terms":{"field":"n"}}}' }),
        /^answered$/,
      ],
      wrong: [
        grpc('aggregate', { index: 't', aggs: '{"a":{"terms":{"field":"n","field":"n"}}}' }),
        /name "field" twice/,
      ],
    },
    '2^53': {
      right: [
        grpc('search', { index: 't', sort: [{ field: 'n' }], search_after: [NEXT, 'b'] }),
        /^answered$/,
      ],
      wrong: [
        grpc(
          'search',
          { index: 't', sort: [{ field: 'n' }], search_after: [Number(LARGE), 'b'] },
          (bytes) => Buffer.from(bytes.toString('latin1').replace(String(LARGE), NEXT), 'latin1'),
        ),
        /a whole number beyond 2\^53, which JSON cannot carry exactly/,
      ],
    },
    'UTF-8': {
      right: [grpc('search', { index: 't', query: 'title:grün' }), /^answered$/],
      wrong: [
        grpc('search', { index: 't', query: 'title:gr?n' }, (bytes) => {
          bytes[bytes.indexOf('?')] = ODD_BYTE;
          return bytes;
        }),
        /is not UTF-8/,
      ],
    },
    nulls: 'a message has no null: what is not sent is left out, by the rules of Protocol Buffers',
  },
  adapter: {
    host: {
      right: [get('/t/_count'), /^200: .*"count":4/],
      wrong: [get('/t/_count', OTHER_SITE), /^403: .*the header/],
    },
    limits: {
      right: [dsl('{"size":10000}'), hits(4)],
      wrong: [dsl('{"size":10001}'), /^400: .*10000/],
    },
    'names twice': {
      right: [dsl('{"query":{"ids":{"values":["a"]}}}'), hits(1)],
      wrong: [
        dsl('{"query":{"ids":{"values":["a"]}},"query":{"match_all":{}}}'),
        /^400: .*\\"query\\" twice/,
      ],
    },
    '2^53': {
      right: [dsl(`{"query":{"term":{"n":${NEXT}}}}`), hits(1)],
      wrong: [dsl(`{"query":{"term":{"n":"${NEXT}.5"}}}`), /^(400: |200: .*"value":0\b)/],
    },
    'UTF-8': {
      right: [dsl('{"query":{"match":{"title":"grün"}}}'), hits(4)],
      wrong: [dsl(oddBytes('{"query":{"match":{"title":"gr?n"}}}')), /^400: .*is not UTF-8/],
    },
    nulls: {
      right: [dsl('{"query":{"exists":{"field":"n"}}}'), hits(3)],
      wrong: [dsl('{"query":{"term":{"n":null}}}'), /^400: /],
    },
  },
  MCP: {
    host: {
      right: [agent('{"query":"id:a"}'), /^200: .*id=a/s],
      wrong: [get('/mcp', OTHER_SITE), /^403: .*the header/],
    },
    limits: {
      right: [agent('{"query":"*","limit":10}'), /id=d/],
      wrong: [agent('{"query":"*","limit":100000}'), /"isError":true/],
    },
    'names twice': {
      right: [agent('{"query":"id:b"}'), /id=b/],
      wrong: [agent('{"query":"id:b","query":"*"}'), /^400: .*\\"query\\" twice/],
    },
    '2^53': {
      right: [agent(`{"query":"n:${NEXT}"}`), /^(?!.*id=[acd]).*id=b/s],
      wrong: [agent(`{"query":"*","limit":${NEXT}}`), /"isError":true/],
    },
    'UTF-8': {
      right: [agent('{"query":"title:grün"}'), /id=d/],
      wrong: [post('/mcp')(oddBytes(tool('{"query":"title:gr?n"}'))), /^400: .*is not UTF-8/],
    },
    nulls: {
      right: [agent('{"query":"id:a","limit":null}'), /id=a/],
      wrong: [agent('{"query":"*","limit":[null]}'), /"isError":true/],
    },
  },
  console: {
    host: {
      right: [get('/', { accept: 'text/html' }), /^200: .*<html/s],
      wrong: [get('/', { ...OTHER_SITE, accept: 'text/html' }), /^403: /],
    },
    limits: 'its page sends requests of /v1, whose limits are those of the cell of REST',
    'names twice': 'its page writes requests with JSON.stringify, which has each name once',
    '2^53': 'its routes read no numbers; rows of /v1 have large numbers as texts, which it shows',
    'UTF-8': {
      right: [get('/console', { accept: 'text/html' }), /^302: /],
      wrong: [get('/console/%ff', { accept: 'text/html' }), /^400: /],
    },
    nulls: 'its routes read no values: a page and its files, by their names',
  },
  definitions: {
    host: NO_REQUESTS,
    limits: {
      right: [() => validate(`${served.definition}#${'x'.repeat(200_000)}\n`)(), /^0: /],
      wrong: [() => validate(`${served.definition}#${'x'.repeat(300_000)}\n`)(), /^[^0].*262144/s],
    },
    'names twice': {
      right: [() => validate(served.definition)(), /^0: /],
      wrong: [
        () => validate(`${served.definition}index: other\n`)(),
        /^[^0].*"index" is given twice/s,
      ],
    },
    '2^53': {
      right: [() => validate(`${served.definition}freshness_ms: 5000\n`)(), /^0: /],
      wrong: [
        () => validate(`${served.definition}freshness_ms: ${NEXT}\n`)(),
        /^[^0].*freshness_ms/s,
      ],
    },
    'UTF-8': {
      right: [() => validate(`${served.definition}description: grün\n`)(), /^0: /],
      wrong: [
        () => validate(oddBytes(`description: gr?n\n${served.definition}`))(),
        /^[^0].*is not UTF-8/s,
      ],
    },
    nulls: {
      right: [() => validate(served.definition)(), /^0: /],
      wrong: [() => validate(edited('index: t', 'index: null'))(), /^[^0].*index/s],
    },
  },
  backups: {
    host: 'its files come from a folder or an object store, by the configuration',
    limits: {
      right: [() => restored(same), /^0: /],
      wrong: [
        () => restored((text) => text.replace('"aliases":[]', `"aliases":[${MANY_NAMES}]`)),
        /^[^0].*expected|damaged/s,
      ],
    },
    'names twice': {
      right: [() => restored(same), /^0: /],
      wrong: [() => restored((text) => text.replace('{', '{"index":"t",')), /name "index" twice/],
    },
    '2^53': {
      right: [() => restored(same), /^0: /],
      wrong: [
        () => restored((text) => text.replace(/"num_docs":\d+/, `"num_docs":${NEXT}`)),
        /^[^0].*num_docs/s,
      ],
    },
    'UTF-8': {
      right: [() => restored(same), /^0: /],
      wrong: [
        () => restored((text) => oddBytes(text.replace('"base_dir":"', '"base_dir":"?'))),
        /is not UTF-8/,
      ],
    },
    nulls: {
      right: [() => restored(same), /^0: /],
      wrong: [
        () => restored((text) => text.replace(/"num_docs":\d+/, '"num_docs":null')),
        /^[^0].*"num_docs" is null/s,
      ],
    },
  },
};

/** Further inputs that are read as JSON or YAML, with a name twice. */
const TWICE: readonly (readonly [string, () => Promise<string>])[] = [
  ['--aggs', () => run('search', 't', '*', '--aggs', '{"a":{"terms":{"field":"n","field":"id"}}}')],
  ['a tree of index print', () => run('index', 'print', '{"term":{"field":"n","field":"id"}}')],
  ['a receipt', () => run('erase', 'verify', file('receipt.json', '{"a":1,"a":2}'))],
  ['a configuration', () => run('serve', 'check', file('s.yaml', 'auth: true\nauth: false\n'))],
  [
    'a catalog',
    () => run('source', 'tables', '--catalog', file('c.yaml', 'type: sql\nuri: a\nuri: b\n')),
  ],
  [
    'rows of an import',
    () =>
      run(
        'source',
        'import',
        file('r.ndjson', '{"a":1,"a":2}\n'),
        '--table',
        'ops.r',
        '--warehouse',
        home.path('lake'),
      ),
  ],
  ['_msearch', post('/_msearch', 'application/x-ndjson')('{"index":"t"}\n{"size":1,"size":2}\n')],
  ['a saved query', post('/v1/saved-queries')('{"name":"a","request":{"query":"a","query":"b"}}')],
];

/** Further inputs with bytes that are not UTF-8. */
const ODD: readonly (readonly [string, () => Promise<string>])[] = [
  ['a query string', get('/v1/jobs?index=%ff')],
  ['a path', get('/v1/jobs/%ff')],
  ['raw bytes of a URL', get('/v1/jobs?index=gr\u00fcn')],
  ['lines of _msearch', post('/_msearch', 'application/x-ndjson')(oddBytes('{"index":"?"}\n{}\n'))],
  ['a configuration', () => run('serve', 'check', file('o.yaml', oddBytes('data_dir: ?\n')))],
  ['keys to erase', () => run('erase', 'check', 't', '--keys', file('keys', oddBytes('id=?\n')))],
];

describe.each(SURFACES)('%s', (surface) => {
  it.each(RULES)('keeps both sides of the rule: %s', async (rule) => {
    const cell = CELLS[surface][rule];
    if (typeof cell === 'string') {
      expect(cell.split(' ').length, 'a reason in words').toBeGreaterThan(8);
      return;
    }
    for (const [send, like] of [cell.right, cell.wrong]) expect(await send()).toMatch(like);
  });
});

describe('a name that an object has twice', () => {
  it.each(TWICE)('is refused in %s', async (_, send) => {
    expect(await send()).toMatch(/^(?!0:|200:).*(twice|duplicate|must be unique)/s);
  });
});

describe('bytes that are not UTF-8', () => {
  it.each(ODD)('are refused in %s', async (_, send) => {
    expect(await send()).toMatch(/^(?!0:|200:).*(not UTF-8|not a valid url|Client Error)/s);
  });
});
