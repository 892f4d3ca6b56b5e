// @module-tag campaign
// @module-tag program
/** The web console in Chromium, over a server that requires credentials. */
import { appendRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AxeFindings, type Browser, type Page, startChromium } from './support/chromium.ts';
import { startTickets, type TicketService } from './support/tickets.ts';

const CHROMIUM = process.env.LHS_CHROMIUM;
/** What a browser would run if the console made markup of it. */
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

let service: TicketService;
let browser: Browser;
let findings: AxeFindings;
let page: Page;
/** What the browser asked of other servers, and what it complained about. */
const foreign: string[] = [];
const complaints: string[] = [];
/** Searches by words. */
const asked: string[] = [];

async function addHostileRow(): Promise<void> {
  const row = { id: HOSTILE, title: `payment ${HOSTILE}`, status: HOSTILE, size: 1n, price: 1 };
  const rest = { at: '2026-01-01T00:00:00.000Z', vec: [1, 2], ok: true, host: '10.0.0.1' };
  const rows = [{ ...row, ...rest, meta: { kind: HOSTILE, commits: 1, note: HOSTILE } }];
  await appendRows(service.source, { kind: 'rows', rows });
  const authorization = await service.token({ roles: ['admin'] });
  const synced = await fetch(`${service.server.url}/v1/index:sync`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"index":"tickets"}',
  });
  expect(synced.status).toBe(200);
}

function watch(opened: Page): void {
  const { url } = service.server;
  opened.on('request', (request) => {
    if (request.url().endsWith('/v1/search')) asked.push(request.url());
    if (!request.url().startsWith(`${url}/`)) foreign.push(request.url());
  });
  opened.on('pageerror', (error) => complaints.push(error.message));
  opened.on('console', (line) => {
    // browsers note every refused request
    const isStatus = /^Failed to load resource: .* status of 4\d\d/.test(line.text());
    if (['error', 'warning'].includes(line.type()) && !isStatus) complaints.push(line.text());
  });
}

async function logIn(): Promise<void> {
  await page.getByLabel('User').fill('admin');
  await page.getByLabel('Password').fill('long-enough');
  await page.getByRole('button', { name: 'Log in' }).click();
}

const open = (place: string) => page.goto(`${service.server.url}/${place}`);
const hits = () => page.locator('.hit-link');

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  service = await startTickets();
  await addHostileRow();
  ({ browser, findings } = await startChromium(CHROMIUM));
  const context = await browser.newContext({ locale: 'en-US' });
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
       console.error('policy violated: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  );
  page = await context.newPage();
  page.on('dialog', (dialog) => dialog.accept());
  watch(page);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe.skipIf(CHROMIUM === undefined)('the console in Chromium', () => {
  it('asks for a password first, and refuses a wrong one', async () => {
    await open('#/search/tickets?q=timeout');
    await page.getByLabel('User').fill('admin');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await hits().count()).toBe(0);
    expect(await findings(page)).toEqual([]);
  });

  it('goes on at the place of the URL after the log in', async () => {
    await logIn();
    await page.getByText(/^30 hits/).waitFor();
    expect(await hits().count()).toBe(20);
    expect(await page.locator('.hit mark').first().innerText()).toBe('timeout');
    expect(await findings(page)).toEqual([]);
  });

  it('searches while one types, and narrows by a value', async () => {
    await page.keyboard.press('/');
    await page.getByLabel('Query', { exact: true }).fill('login');
    await page.getByText(/^20 hits/).waitFor();
    await page.getByRole('link', { name: /^Only status closed/ }).click();
    await page.getByText(/^5 hits/).waitFor();
    expect(page.url()).toContain('q=login&f=status%3Aclosed');
    await page.getByRole('link', { name: /^Remove status .*closed/ }).click();
    await page.getByText(/^20 hits/).waitFor();
  });

  it('chooses several values of a field, leaves one out, and removes each again', async () => {
    await open('#/search/tickets?q=login');
    await page.getByRole('link', { name: /^Only status closed/ }).click();
    await page.getByText(/^5 hits/).waitFor();
    await page.getByRole('link', { name: /^Only status open/ }).click();
    await page.getByText(/^20 hits/).waitFor();
    await page.getByRole('link', { name: 'Remove all' }).click();
    await page.getByRole('link', { name: 'Exclude status closed' }).click();
    await page.getByText(/^15 hits/).waitFor();
    await page.getByRole('link', { name: /^Remove status is not closed/ }).click();
    await page.getByRole('link', { name: 'no value' }).first().click();
    await page.getByText(/^0 hits/).waitFor();
  });

  it('completes fields and values, and says quietly what an unfinished query lacks', async () => {
    await open('#/search/tickets?q=login');
    const query = page.getByLabel('Query', { exact: true });
    await query.fill('sta');
    await page.getByRole('option', { name: 'status:' }).waitFor();
    await query.press('ArrowDown');
    await query.press('Enter');
    await page.getByRole('option', { name: /^closed/ }).click();
    await page.getByText(/^15 hits/).waitFor();
    await query.fill('status:(closed');
    await page.locator('.unfinished').waitFor();
    expect(await page.locator('.problem').count()).toBe(0);
    expect(await page.locator('.stale').count()).toBe(0);
    expect(await findings(page)).toEqual([]);
  });

  it('asks again on each search, and begins another page at its top', async () => {
    await open('#/search/tickets?q=');
    await page.getByText(/^61 hits/).waitFor();
    const before = asked.length;
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => asked.length).toBeGreaterThan(before);
    await page.getByRole('link', { name: /^Next/ }).click();
    await page.getByText('page 2 of 4').waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
  });

  it('goes from the query to the hits and between them by keys', async () => {
    await open('#/search/tickets?q=login');
    await page.getByText(/^20 hits/).waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.getByLabel('Query', { exact: true }).press('ArrowDown');
    const first = await focused();
    await page.keyboard.press('j');
    expect(await focused()).not.toBe(first);
    await page.keyboard.press('k');
    expect(await focused()).toBe(first);
    await page.keyboard.press('o');
    await page.locator('.row-panel dd').first().waitFor();
    await page.keyboard.press('x');
    await page.getByText(/^It matches: rank 1 of/).waitFor();
    await page.keyboard.press('Escape');
    expect(await focused()).toBe(first);
  });

  it('saves the hits, lists its keys, and has the colors that a person prefers', async () => {
    await open('#/search/tickets?q=login');
    await page.getByText(/^20 hits/).waitFor();
    await page.evaluate(`URL.createObjectURL = (blob) => { blob.text().then((text) => {
      window.saved = text }); return '#/search/tickets?q=login' }`);
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const saved = () => page.evaluate<string>('window.saved');
    await expect.poll(saved).toMatch(/^_key,title,status,size,at\r\nid=/);
    expect((await saved()).split('\r\n')).toHaveLength(22);
    await page.locator('.preferences summary').click();
    await page.getByLabel('Colors').selectOption('dark');
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Colors').selectOption('system');
    await page.locator('.preferences summary').click();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('shows hits along a number, and as a table of chosen columns', async () => {
    await open('#/search/tickets?q=login&histogram=size&columns=title,host');
    await page.locator('.histogram .whole').first().click();
    await page.getByText(/^1 hit /).waitFor();
    expect(page.url()).toContain('range=size%3A');
    expect(await page.locator('td').first().innerText()).toMatch(/^id=/);
    await page.getByText('10.0.').first().waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('searches by meaning, and explains a hit', async () => {
    await open('#/search/tickets?q=payment&mode=hybrid');
    await page.getByText('meaning 1').first().waitFor();
    await hits().first().click();
    await page.getByRole('heading', { name: /^id=/ }).waitFor();
    await page.getByText('Why is it found?').click();
    await page.getByText(/^It matches: rank 1 of/).waitFor();
    await page.getByText('10.0.').first().waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url()).not.toContain('row=');
  });

  it('shows markup in documents as the text that it is', async () => {
    await open('#/search/tickets?q=img');
    await page.getByText(/^1 hit /).waitFor();
    expect(await hits().first().innerText()).toContain(HOSTILE);
    await hits().first().click();
    await page.locator('.row-panel dd').first().waitFor();
    expect(await page.locator('.row-panel').innerText()).toContain(HOSTILE);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  });

  it('shows errors with their place, and what to try if nothing is found', async () => {
    await open('#/search/tickets?q=titel:timeout');
    expect(await page.locator('.place u').innerText()).toBe('titel');
    await open('#/search/tickets?q=timeout+AND+status:opne');
    const meant = page.getByRole('link', { name: 'timeout AND status:open' });
    await meant.waitFor();
    expect(await findings(page)).toEqual([]);
    await meant.click();
    await page.getByText(/hits in tickets/).waitFor();
    expect(page.url()).toContain('status%3Aopen');
  });

  it('has indexes, jobs, aliases and saved queries', async () => {
    for (const [place, name] of [
      ['#/indexes', 'Indexes'],
      ['#/indexes/tickets', 'tickets'],
      ['#/jobs', 'Jobs'],
      ['#/aliases', 'Aliases'],
      ['#/saved', 'Saved queries'],
      ['#/accounts', 'Accounts'],
      ['#/requests', 'Requests'],
    ]) {
      await open(place);
      await page.getByRole('heading', { name }).first().waitFor();
      if (!['Saved queries', 'Aliases', 'Requests'].includes(name))
        await page.locator('td').first().waitFor();
      expect(await findings(page), name).toEqual([]);
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await findings(page), `${name} on a telephone`).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 720 });
    }
  });

  it('verifies an index as a job with a page of its own', async () => {
    await open('#/indexes/tickets');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'verify of tickets' }).waitFor();
    await page.getByText('rows_compared').waitFor();
    expect(await page.locator('main .facts').first().innerText()).toMatch(/equal true/);
    expect(await findings(page)).toEqual([]);
  });

  it('plans a change of a definition, names what is wrong in it, and applies it', async () => {
    await open('#/indexes/tickets');
    await page.getByText('Definition as YAML').click();
    const editor = page.getByLabel('Definition of tickets');
    const text = await editor.inputValue();
    expect(text).not.toContain(service.warehouse);
    await editor.fill(`${text}fresh: 5\n`);
    await page
      .getByText(/^line \d+, column \d+: /)
      .first()
      .waitFor();
    await editor.fill(`${text}freshness_ms: 5\n`);
    await page.getByText('It is in force at once.').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { name: 'alter of tickets' }).waitFor();
    await page.getByText('done').first().waitFor();
  });

  it('shows the secret of a new token once', async () => {
    await open('#/accounts');
    await page.getByLabel('Name').fill('ci');
    await page.getByRole('button', { name: 'Make a token' }).click();
    const secret = page.getByText(/^lhs_[0-9a-f]{32}_/);
    await secret.waitFor();
    expect(await findings(page)).toEqual([]);
    await page.reload();
    await page.getByText('ci').first().waitFor();
    expect(await secret.count()).toBe(0);
  });

  it('sends a request that is typed, and shows the answer', async () => {
    await open('#/requests/analyze');
    await page.getByLabel('Request').fill('{"index":"tickets","field":"words","text":"A b"}');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.exchange pre').waitFor();
    expect(await page.locator('.exchange pre').innerText()).toContain('"token": "a"');
    expect(await findings(page)).toEqual([]);
  });

  it('fits a telephone of 390 pixels', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const [place, shown] of [
      ['#/search/tickets?q=login', '.hit-link'],
      ['#/search/tickets?q=img&row=1', '.hit-link'],
      ['#/search/tickets?q=titel:timeout', '.place u'],
      ['#/search/tickets?q=timeout+AND+status:opne', '.nothing, .found'],
      ...['#/indexes', '#/indexes/tickets', '#/jobs', '#/aliases', '#/saved', '#/requests'].map(
        (at) => [at, 'main h1, main h2'],
      ),
    ]) {
      await open(place);
      await page.locator(shown).first().waitFor();
      await page.evaluate(
        'for (const one of document.querySelectorAll("details")) one.open = true',
      );
      expect(await page.evaluate('document.documentElement.scrollWidth'), place).toBe(390);
    }
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  it('asks for the password again when the session has ended, and goes on', async () => {
    await open('#/search/tickets?q=search');
    await page.getByText(/^20 hits/).waitFor();
    const ended = `{"scheme":"Bearer","token":"ended","user":"admin"}`;
    await page.evaluate(`sessionStorage.setItem('lhs-session', '${ended}')`);
    await page.reload();
    await page.getByText(/^The session has ended/).waitFor();
    await logIn();
    await page.getByText(/^20 hits/).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await page.evaluate(`sessionStorage.length`)).toBe(0);
  });

  it('tells a reader what the token cannot do, and does not offer it', async () => {
    const [scheme, token] = (await service.token({ roles: ['reader'] })).split(' ');
    const reader = JSON.stringify({ scheme, token });
    await page.evaluate(`sessionStorage.setItem('lhs-session', ${JSON.stringify(reader)})`);
    await open('#/aliases');
    await page.reload();
    await page.getByText('need the scope').waitFor();
    expect(await page.locator('main form').count()).toBe(0);
    expect(await findings(page)).toEqual([]);
  });

  it('searches for a caller of a tenant, who sees no list of indexes', async () => {
    const header = await service.token({ roles: ['reader'], tenant: 'open' });
    const [scheme, token] = header.split(' ');
    const tenant = JSON.stringify({ scheme, token });
    await page.evaluate(`sessionStorage.setItem('lhs-session', ${JSON.stringify(tenant)})`);
    await open('#/search/tickets?q=login');
    await page.reload();
    await page.getByText(/^15 hits/).waitFor();
    expect(await page.locator('header nav').innerText()).toMatch(/^Search\s+Saved\s+Requests$/);
    expect(await page.locator('.problem').count()).toBe(0);
  });

  it('called no other server, and broke no rule of its policy', () => {
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
