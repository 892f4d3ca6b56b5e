import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (name: string) =>
  fileURLToPath(new URL(`./packages/${name}/src/index.ts`, import.meta.url));

const alias = {
  '@lakehouse-search/contract': source('contract'),
  '@lakehouse-search/lake': source('lake'),
  '@lakehouse-search/engine': source('engine'),
  '@lakehouse-search/cli': source('cli'),
};

/** `npm run test:long` takes hours. */
const WHOLE_MS = process.env.LHS_TEST_LONG === undefined ? 600_000 : 12 * 3_600_000;

const project = (name: string, include: string[], testTimeout: number) => ({
  resolve: { alias },
  test: { name, include, testTimeout, hookTimeout: testTimeout, pool: 'forks' as const },
});

export default defineConfig({
  test: {
    // Every core: vitest's own choice leaves one free, which of two is half.
    maxWorkers: '100%',
    projects: [
      project('unit', ['packages/*/src/**/*.test.ts'], 60_000),
      project('house', ['test/house/**/*.test.ts'], 60_000),
      project(
        'whole',
        ['packages/*/test/**/*.test.ts', 'test/whole/**/*.test.ts', 'test/contract/**/*.test.ts'],
        WHOLE_MS,
      ),
    ],
  },
});
