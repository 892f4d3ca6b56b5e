/**
 * `node bench/run.ts [PROGRAM [ARGUMENT…]]`: one program, or with none, as `npm run bench`, each
 * that needs no other. What a program prints comes as it is printed, and replaces its section of
 * RESULTS.md; earlier runs are in the history of that file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROGRAMS = [
  'peers.ts',
  'commits.ts',
  'startup.ts',
  'mcp.ts',
  'hydrate.ts',
  'sync.ts',
  'merge-on-read.ts',
  'verify.ts',
  'reindex.ts',
  'high-cardinality.ts',
  'import.ts',
];
const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url));

/** Runs a program; what it printed, or undefined if it failed or lacks its data. */
async function printed(program: string, args: readonly string[]): Promise<string | undefined> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['inherit', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    process.stdout.write(chunk);
    text += chunk;
  });
  const [code] = await once(child, 'close');
  return code !== 0 || text.startsWith('skipped: ') ? undefined : text.trim();
}

/** Replaces the section of a program, or adds it at the end. */
function withSection(page: string, program: string, section: string): string {
  const sections = page.split(/^(?=## )/m).map((one) => one.trim());
  const at = sections.findIndex((one) => one.startsWith(`## ${program}\n`));
  if (at < 0) sections.push(section);
  else sections[at] = section;
  return `${sections.join('\n\n')}\n`;
}

const [named, ...args] = process.argv.slice(2);
for (const program of named === undefined ? PROGRAMS : [named]) {
  console.log(`\n== ${program}`);
  const output = await printed(program, args);
  if (output === undefined) continue;
  const command = ['node', `bench/${program}`, ...args].join(' ');
  const day = new Date().toISOString().slice(0, 10);
  const section = `## ${program}\n\n\`${command}\`, ${day}:\n\n\`\`\`text\n${output}\n\`\`\``;
  writeFileSync(RESULTS, withSection(readFileSync(RESULTS, 'utf8'), program, section));
}
