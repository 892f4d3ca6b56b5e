/** Runs the examples of docs/semantic.md on the demo's table; the page's head says how they are written. */
import { afterAll, beforeAll } from 'vitest';
import { Home } from './child.ts';
import { describePage } from './page-examples.ts';

const home = new Home();
afterAll(() => home.dispose());
beforeAll(async () => {
  await home.run(['demo']);
}, 120_000);

describePage(home, 'semantic');
