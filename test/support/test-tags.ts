import { readFileSync } from 'node:fs';

/** What a line `// @module-tag NAME` at the head of a test file says. */
export const TEST_TAGS = Object.freeze({
  campaign: 'tries more in `npm run test:campaigns`, which runs these files alone',
  program: 'needs a program of others, which CI installs',
  slow: 'takes longest',
});

/** Whether the head of a test file names a tag. */
export const isTagged = (path: string, tag: keyof typeof TEST_TAGS): boolean =>
  readFileSync(path, 'utf8').includes(`// @module-tag ${tag}\n`);
