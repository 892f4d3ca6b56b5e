import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SOURCES } from './scripts/sources.ts';
import { PATIENCE_MS } from './test/support/patience.ts';
import { runReporter } from './test/support/run-report.ts';
import { isTagged, TEST_TAGS } from './test/support/test-tags.ts';

const support = (name: string) =>
  fileURLToPath(new URL(`./test/support/${name}.ts`, import.meta.url));

/** `npm run test:long` takes hours. */
const WHOLE_MS = process.env.LHS_TEST_LONG === undefined ? 600_000 : 12 * 3_600_000;

const isCampaign = process.env.LHS_TEST_CAMPAIGN === '1';

/** The files of a run: of campaigns, those that are part of them. */
const filesOf = (patterns: readonly string[]) =>
  isCampaign ? globSync(patterns).filter((path) => isTagged(path, 'campaign')) : [...patterns];

/** Tags of files that start before others, in their order. */
const EARLY = ['program', 'slow'] as const;

/**
 * Starts files with programs of others first, as the clock of CI may end the campaigns before the
 * last files, and random cases can wait for the next run. The longest files follow: one that starts
 * last leaves all cores but one idle until it ends.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId, project }: TestSpecification) => {
      if (project.name !== 'whole') return 0;
      const at = EARLY.findIndex((tag) => isTagged(moduleId, tag));
      return at < 0 ? EARLY.length + 1 : at + 1;
    };
    const ranks = new Map(sorted.map((file) => [file, rank(file)]));
    return sorted.sort((a, b) => ranks.get(a)! - ranks.get(b)!);
  }
}

/** Files whose indexes a campaign also publishes in a store (published-engine.ts). */
const PUBLISHED = [
  'test/contract/embedded.test.ts',
  'packages/engine/test/sync/{schedules,in-step,in-step-states,heal}.test.ts',
  'packages/engine/test/{erase/{kill,receipts},verify/*}.test.ts',
];
const PUBLISHED_ENGINE = { '@lakehouse-search/engine/local/internal': support('published-engine') };

const project = (name: string, include: string[], testTimeout: number, alias = SOURCES) => ({
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
    // Half of the time of tests of processes is waiting: for leases, children and disks.
    maxWorkers: 2 * availableParallelism(),
    globalSetup: support('scratch-setup'),
    sequence: { sequencer: LongestFirst },
    tags: Object.entries(TEST_TAGS).map(([name, description]) => ({ name, description })),
    projects: [
      project('unit', filesOf(['packages/*/src/**/*.test.{ts,tsx}']), 300_000),
      project('house', filesOf(['test/house/**/*.test.ts']), 300_000),
      project(
        'whole',
        filesOf([
          'packages/*/test/**/*.test.ts',
          'test/whole/**/*.test.ts',
          'test/contract/**/*.test.ts',
        ]),
        WHOLE_MS,
      ),
      ...(isCampaign
        ? [project('published', PUBLISHED, WHOLE_MS, { ...SOURCES, ...PUBLISHED_ENGINE })]
        : []),
    ],
  },
});
