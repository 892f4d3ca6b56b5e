import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { PATIENCE_MS } from './test/support/patience.ts';
import { runReporter } from './test/support/run-report.ts';

const source = (name: string) =>
  fileURLToPath(new URL(`./packages/${name}/src/index.ts`, import.meta.url));

const support = (name: string) =>
  fileURLToPath(new URL(`./test/support/${name}.ts`, import.meta.url));

const alias = {
  '@lakehouse-search/contract': source('contract'),
  '@lakehouse-search/lake': source('lake'),
  '@lakehouse-search/engine': source('engine'),
  '@lakehouse-search/client': source('client'),
  '@lakehouse-search/mcp': source('mcp'),
  '@lakehouse-search/server': source('server'),
  '@lakehouse-search/cli': source('cli'),
};

/** `npm run test:long` takes hours. */
const WHOLE_MS = process.env.LHS_TEST_LONG === undefined ? 600_000 : 12 * 3_600_000;

/** Files and folders that take longest, in `npm test` or in the campaigns, the longest first. */
const LONGEST = [
  'test/whole/pages.test.ts',
  'packages/cli/test/commands.test.ts',
  'packages/cli/test/serve.test.ts',
  'packages/engine/test/sync/in-step.test.ts',
  'packages/engine/test/faults/',
  'packages/engine/test/sync/schedules.test.ts',
  'packages/server/test/control-plane/processes.test.ts',
  'test/contract/cluster.test.ts',
  'packages/server/test/control-plane/real-nodes.test.ts',
  'test/whole/cluster.test.ts',
  'test/whole/hostile',
  'packages/cli/test/tui.test.ts',
  'packages/lake/test/truth.test.ts',
  'packages/cli/test/remote.test.ts',
  'packages/engine/test/tier/cold-windows.test.ts',
  'packages/engine/test/sync/in-step-',
  'packages/engine/test/sync/bad-rows.test.ts',
  'packages/engine/test/alter/alter-by-field.test.ts',
  'test/whole/',
  'packages/engine/test/local/',
  'packages/engine/test/index/',
  'test/contract/',
  'packages/cli/test/',
  'packages/engine/test/search/matrix.test.ts',
  'packages/lake/test/s3-tables.test.ts',
  'packages/engine/test/tier/',
  'packages/engine/test/verify/',
  'packages/server/test/control-plane/',
];

/**
 * Files of the campaigns with programs of others: clients, databases, object stores, models. They
 * start first, as the clock of CI may end the campaigns before the last files: random cases can
 * wait for the next run.
 */
const WITH_PROGRAMS = [
  'packages/server/test/schemathesis.test.ts',
  'packages/server/test/search-adapter/clients.test.ts',
  'packages/server/test/search-adapter/beside-opensearch.test.ts',
  'packages/server/test/console-browser.test.ts',
  'packages/server/test/control-plane/processes.test.ts',
  'packages/cli/test/s3.test.ts',
  'packages/lake/test/versitygw.test.ts',
  'packages/server/test/store/',
  'packages/engine/test/embed/transformer.test.ts',
  'packages/cli/test/mcp.test.ts',
  'packages/server/test/mcp.test.ts',
  'packages/server/test/stats-proxy.test.ts',
  'packages/cli/test/paraphrase.test.ts',
  'packages/engine/test/query/git-counts.test.ts',
  'packages/engine/test/query/reference.test.ts',
  'test/whole/deploy-start.test.ts',
];
const FIRST = process.env.LHS_TEST_CAMPAIGN === '1' ? [...WITH_PROGRAMS, ...LONGEST] : LONGEST;

/**
 * Starts the longest files first. A long file that starts last leaves all cores but one idle until
 * it ends; without the results of a former run, vitest cannot know which files are long.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = FIRST.findIndex((path) => moduleId.includes(path));
      return at < 0 ? FIRST.length : at;
    };
    const [whole, others] = [true, false].map((isWhole) =>
      sorted.filter(({ project }) => (project.name === 'whole') === isWhole),
    );
    return [...others, ...whole.sort((a, b) => rank(a) - rank(b))];
  }
}

const project = (name: string, include: string[], testTimeout: number) => ({
  resolve: { alias },
  test: {
    name,
    include,
    testTimeout,
    hookTimeout: testTimeout,
    provide: { testMillis: testTimeout },
    setupFiles: ['own-environment', 'patient-waits', 'shown-cases'].map(support),
    expect: { poll: { timeout: PATIENCE_MS } },
    pool: 'forks' as const,
    // A process runs many files: one per file would load and compile the packages again, which took
    // a quarter of the time.
    isolate: false,
  },
});

const { LHS_TEST_REPORT: report, LHS_TEST_SECONDS: seconds } = process.env;

export default defineConfig({
  test: {
    // CI reads the results of a run from a file, and gives the campaigns the time that is left.
    ...(report === undefined
      ? {}
      : { reporters: ['default', runReporter(report, seconds ? Number(seconds) : undefined)] }),
    // Every core: vitest's own choice leaves one free, which of two is half.
    maxWorkers: '100%',
    globalSetup: support('scratch-setup'),
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', ['packages/*/src/**/*.test.{ts,tsx}'], 300_000),
      project('house', ['test/house/**/*.test.ts'], 300_000),
      project(
        'whole',
        ['packages/*/test/**/*.test.ts', 'test/whole/**/*.test.ts', 'test/contract/**/*.test.ts'],
        WHOLE_MS,
      ),
    ],
  },
});
