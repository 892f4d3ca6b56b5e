import { describe, expect, it } from 'vitest';
import { wantsPage } from './wants-page.ts';

describe('clients that want the page of the console', () => {
  it.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['TEXT/HTML', true],
    ['text/html;charset=utf-8;q=0.5', true],
    ['text/html, application/json', true],
    ['text/html;q=0.5, application/json', false],
    ['text/html;q=0.5, application/vnd.elasticsearch+json; compatible-with=9', false],
    ['text/html;q=0', false],
    ['text/html;q=x', false],
    ['*/*', false],
    ['application/json', false],
    ['', false],
    [undefined, false],
  ])('%s: %s', (accept, wanted) => {
    expect(wantsPage(accept)).toBe(wanted);
  });
});
