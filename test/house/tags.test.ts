import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import config from '../../vitest.config.ts';
import { isTagged, type TEST_TAGS } from '../support/test-tags.ts';
import { ROOT, sourcesOf } from './sources.ts';

const all = ['packages', 'test']
  .flatMap((folder) => sourcesOf(folder, true))
  .filter(({ path }) => /\.test\.tsx?$/.test(path));
const tests = all.filter(({ path }) => !path.startsWith('test/house/'));
const patterns = (config as Projects).test.projects.flatMap(({ test }) => test.include);
const hasTag = (path: string, tag: keyof typeof TEST_TAGS) => isTagged(join(ROOT, path), tag);
/** A test that tries more, or runs at all, in campaigns alone. */
const CAMPAIGN = /\bbyEffort\(|\bseedOfDay\(|LHS_TEST_CAMPAIGN/;
/** What .ci/run installs for the campaigns. */
const PROGRAM =
  /process\.env\.LHS_(BUNDLERS|CHROMIUM|CLANG|EXAMPLES|ICEBERG_PYTHON|MCP_CLIENTS|OPENAPI_GENERATOR|OPENSEARCH|PROMETHEUS|RUNTIMES|SCHEMATHESIS|SDKS|SEARCH_CLIENTS|SEARCH_PYTHON|SPARK_PYTHON|SPECTRAL|TRANSFORMERS|VEGA_DATASETS|VERSITYGW)\b/;

interface Projects {
  readonly test: {
    readonly projects: readonly { readonly test: { readonly include: string[] } }[];
  };
}

describe('the commands of CI', () => {
  it('run each test file in `npm test`', () => {
    const lost = all.filter(({ path }) => !patterns.some((glob) => matchesGlob(path, glob)));
    expect(lost.map(({ path }) => path)).toEqual([]);
  });

  it('run in campaigns what tries more there', () => {
    const lost = tests.filter(
      ({ path, text }) => (CAMPAIGN.test(text) || PROGRAM.test(text)) && !hasTag(path, 'campaign'),
    );
    expect(lost.map(({ path }) => path)).toEqual([]);
  });

  it('start first in campaigns what needs a program', () => {
    const late = tests.filter(({ path, text }) => PROGRAM.test(text) && !hasTag(path, 'program'));
    expect(late.map(({ path }) => path)).toEqual([]);
  });
});

/** Variables that a text reads; `findProgram` makes a name of the program's. */
const variablesIn = (text: string): readonly string[] => [
  ...[...text.matchAll(/\benv\.(LHS_\w+)/g)].map(([, name]) => name),
  ...[...text.matchAll(/\{([^{}]*)\} = process\.env/g)].flatMap(
    ([, names]) => names.match(/LHS_\w+/g) ?? [],
  ),
  ...[...text.matchAll(/\bfindProgram\('(\w+)'\)/g)].map(([, name]) => `LHS_${name.toUpperCase()}`),
];

describe('the variables of tests', () => {
  it('are listed in CONTRIBUTING.md, those of the product aside', () => {
    const files = ['packages', 'test', 'vitest.config.ts'].flatMap((path) => sourcesOf(path, true));
    const isProduct = (path: string) => /\/src\//.test(path) && !/\.test\.tsx?$/.test(path);
    const product = files.filter(({ path }) => isProduct(path)).map(({ text }) => text);
    const read = files
      .filter(({ path }) => !isProduct(path))
      .flatMap(({ text }) => variablesIn(text))
      .filter((name) => !product.some((text) => text.includes(name)));
    const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const section = page.slice(page.indexOf('## Variables of tests'));
    const listed = [...section.matchAll(/`(LHS_\w+)[`=]/g)].map(([, name]) => name);
    expect([...new Set(read)].sort()).toEqual([...new Set(listed)].sort());
  });
});
