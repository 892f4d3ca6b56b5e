import { SECTIONS } from './conformance-suite.ts';
import type { Section } from './row.ts';

/** Parts of the interface that have tests elsewhere, or that do not exist yet. */
const ELSEWHERE: readonly (readonly [line: string, result: string, place: string])[] = [
  [
    'every endpoint x {no token, bad, expired, reader, operator, both, admin, scoped, two tenants}',
    'REST and gRPC',
    'packages/server/test/access/matrix.test.ts',
  ],
  [
    'a tenant’s caller learns nothing of other tenants',
    'REST and gRPC',
    'packages/server/test/access/hostile-tenant.test.ts',
  ],
  [
    'every response has the schema of the OpenAPI document',
    'REST',
    'packages/server/test/openapi-fuzz.test.ts',
  ],
  [
    'rate limits: 429 with `Retry-After`; drain; lock of the data folder; background sync',
    'REST',
    'packages/cli/test/serve.test.ts',
  ],
  ['job states and transitions', 'the engine', 'packages/engine/test/local/jobs.test.ts'],
  [
    '`partial`, `failed_shards` if a node is killed, stopped or late, in each operation',
    'three roles',
    'test/whole/cluster.test.ts` and `test/whole/slow-nodes.test.ts',
  ],
  ['`hydrate_error` if the source is away', 'the engine', 'packages/engine/test/search'],
  [
    'a reindex without room on disks: 412, with the names of the nodes',
    'three roles',
    'packages/server/test/control-plane/cluster.test.ts',
  ],
  ['alter without access to tables: 501', 'one process', 'packages/server/src/config'],
  [
    'search-engine adapter: `/{index}/_search`, `/_search`',
    'REST',
    'packages/server/test/search-adapter',
  ],
  [
    'ControlPlane: PlanReshard, ApplyReshard, MoveBucket',
    'three roles',
    'packages/server/test/control-plane/reshard.test.ts',
  ],
  [
    'web console: log in, search, rows, in Chromium; its headers and files',
    'REST',
    'packages/server/test/console-browser.test.ts` and `packages/server/test/console.test.ts',
  ],
];

/** The text of docs/conformance.md. */
export function conformancePage(): string {
  const parts = [HEAD, ...SECTIONS.map(sectionText), elsewhere()];
  return `${parts.join('\n\n')}\n`;
}

const HEAD = `# Conformance with the interface

Each line of the interface has a test that sends requests to a server and compares the responses
over REST with those over gRPC. \`packages/server/test/conformance/conformance.test.ts\` runs the
lines and writes this page (\`LHS_UPDATE_PAGES=1\`); it fails if a line fails or the page differs.

The lines hold for one process (\`lhs serve all\`) and for three roles: a gateway, a control plane
and two nodes with a shard each (\`cluster-conformance.test.ts\`). There, \`npm test\` runs a part
of the lines, and the campaigns run all; the responses have to equal those of one process with two
shards over another table of the same rows. A status instead of "REST = gRPC" is that with which
the three roles refuse the request.`;

function sectionText({ title, place, rows }: Section): string {
  const lines = rows.map(({ line, restOnly, led }) => {
    const one = restOnly === true ? 'REST' : 'REST = gRPC';
    return `| ${line.replaceAll('|', '\\|')} | ${one} | ${led?.status ?? one} |`;
  });
  const head = ['| line | one process | three roles |', '|---|---|---|'];
  return [`## ${title}`, '', `Tests: \`${place}\`.`, '', ...head, ...lines].join('\n');
}

function elsewhere(): string {
  const lines = ELSEWHERE.map(([line, result, place]) => {
    return `| ${line} | ${result} | ${place === '' ? '' : `\`${place}\``} |`;
  });
  return ['## Elsewhere', '', '| line | holds over | place |', '|---|---|---|']
    .concat(lines)
    .join('\n');
}
