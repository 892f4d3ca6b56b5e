/**
 * Takes docs/console.png, a picture of the web console over the demo's index. It needs the build,
 * and in LHS_CHROMIUM the folder of Chromium that .ci/run makes:
 *
 *     LHS_CHROMIUM=DIR node scripts/record-console.ts
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChromium } from '../packages/server/test/support/chromium.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const PICTURE = fileURLToPath(new URL('../docs/console.png', import.meta.url));
const QUERY = '"connection pool" timeout';

/** Waits until the server has compared the index with its table. */
async function compared(url: string): Promise<void> {
  const body = JSON.stringify({ index: 'demo-incidents', query: QUERY, limit: 20 });
  const search = { method: 'POST', body };
  const headers = { 'content-type': 'application/json' };
  for (let lag: unknown = null; lag !== 0; await delay(100)) {
    const answer = await fetch(`${url}/v1/search`, { ...search, headers });
    ({ lag_snapshots: lag } = (await answer.json()) as { readonly lag_snapshots: unknown });
  }
}

async function picture(url: string, chromium: string): Promise<void> {
  const { browser } = await startChromium(chromium);
  try {
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await context.newPage();
    await page.setViewportSize({ width: 1280, height: 720 });
    await compared(url);
    await page.goto(`${url}/#/search/demo-incidents?q=${encodeURIComponent(QUERY)}`);
    await page.locator('.hit-link').first().click();
    await page.locator('.row-panel dd').first().waitFor();
    await page.screenshot({ path: PICTURE });
  } finally {
    await browser.close();
  }
}

const data = mkdtempSync(join(tmpdir(), 'lhs-record-'));
execFileSync(process.execPath, [LHS, 'demo', '--data-dir', data], { stdio: 'ignore' });
const addresses = ['--rest-addr', '127.0.0.1:0', '--addr', '127.0.0.1:0', '--data-dir', data];
const server = spawn(process.execPath, [LHS, 'serve', 'all', ...addresses]);
try {
  let printed = '';
  while (!printed.includes('console')) printed += String(await once(server.stderr, 'data'));
  await picture(/http:\S+/.exec(printed)?.[0] ?? '', process.env.LHS_CHROMIUM ?? '');
  console.log('docs/console.png');
} finally {
  server.kill();
  rmSync(data, { recursive: true, force: true });
}
