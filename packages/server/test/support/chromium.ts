import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What the tests use of an element that playwright looks up. */
export interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  press(key: string): Promise<void>;
  waitFor(): Promise<void>;
  innerText(): Promise<string>;
  inputValue(): Promise<string>;
  count(): Promise<number>;
  first(): Locator;
}

/** What the tests use of a page of playwright. */
export interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  screenshot(options: { readonly path: string }): Promise<unknown>;
  url(): string;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { readonly name?: string | RegExp }): Locator;
  getByLabel(text: string, options?: { readonly exact?: boolean }): Locator;
  getByText(text: string | RegExp): Locator;
  evaluate<T>(script: string): Promise<T>;
  keyboard: { press(key: string): Promise<void> };
  on(event: 'request', seen: (request: { url(): string }) => void): void;
  on(event: 'console', seen: (line: { type(): string; text(): string }) => void): void;
  on(event: 'dialog', seen: (dialog: { accept(): Promise<void> }) => void): void;
  on(event: 'pageerror', seen: (error: Error) => void): void;
}

/** A browser that runs. */
export interface Browser {
  newContext(options: object): Promise<{
    addInitScript(script: string): Promise<void>;
    newPage(): Promise<Page>;
  }>;
  close(): Promise<void>;
}

/** Findings of axe on a page, as `rule: element`. */
export type AxeFindings = (page: Page) => Promise<readonly string[]>;

interface Playwright {
  readonly chromium: { launch(options: object): Promise<Browser> };
}

interface Axe {
  readonly AxeBuilder: new (options: {
    readonly page: Page;
  }) => {
    analyze(): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string }[];
      }[];
    }>;
  };
}

/**
 * Starts the Chromium of a folder that .ci/run fills: `root` has the unpacked packages,
 * `node_modules` has playwright-core and axe.
 */
export async function startChromium(
  folder: string,
): Promise<{ readonly browser: Browser; readonly findings: AxeFindings }> {
  const load = createRequire(join(folder, 'node_modules/'));
  const { chromium } = load('playwright-core') as Playwright;
  const { AxeBuilder } = load('@axe-core/playwright') as Axe;
  const root = join(folder, 'root');
  const libraries = ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'].map((p) => join(root, p));
  const paths = [...libraries, join(libraries[0], 'pulseaudio')];
  const browser = await chromium.launch({
    executablePath: join(root, 'usr/lib/chromium/chromium'),
    // the tests may run as root, whom the sandbox refuses
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    env: { ...process.env, LD_LIBRARY_PATH: paths.join(':') },
  });
  const findings: AxeFindings = async (page) => {
    const { violations } = await new AxeBuilder({ page }).analyze();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  };
  return { browser, findings };
}
