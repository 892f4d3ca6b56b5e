import type { Hit } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { screenLines } from '../view/screen.ts';
import { lineWidth } from '../view/spans.ts';
import type { ScreenInput } from './events.ts';
import type { Answer, ScreenIndex } from './question.ts';
import { reduce } from './reduce.ts';
import { initialState, NO_INDEX, question, type State } from './state.ts';

const field = (name: string, type: string, fast: boolean) => ({
  name,
  type,
  indexed: true,
  fast,
  cached: true,
  source: [name],
});
const INDEX: ScreenIndex = {
  name: 'incidents',
  fields: [
    field('title', 'TEXT', false),
    field('service', 'KEYWORD', true),
    field('severity', 'LONG', true),
  ],
  sortFields: ['service', 'severity'],
  facetFields: ['service', 'severity'],
  rowTexts: [],
  modes: ['lexical'],
};
const start = initialState(INDEX, { columns: 80, rows: 24 });
const type = (text: string): ScreenInput => ({ type: 'text', text });
const after = (state: State, ...events: ScreenInput[]) => events.reduce(reduce, state);
const hit = (id: number): Hit => ({
  coordinates: { identifier: [{ name: 'id', value: String(id) }] },
  key: `id=${id}`,
  score: 1,
  fields: { title: `row ${id}`, service: 'billing' },
});
const answer = (state: State, ids: readonly number[], total = ids.length): Answer => ({
  question: question(state),
  hits: ids.map(hit),
  total,
  tookMs: 1,
  lag: 0,
});
const answered = (state: State, ids: readonly number[], total?: number) =>
  reduce(state, { type: 'answered', answer: answer(state, ids, total) });

describe('responses on the screen', () => {
  it('drops one to a line that has changed since', () => {
    const one = after(start, type('a'));
    const two = answered(after(one, type('b')), [2]);
    const late = reduce(two, { type: 'answered', answer: answer(one, [1]) });
    expect(late).toBe(two);
  });

  it('keeps the last hits under a hint, until the line can be asked again', () => {
    const found = answered(after(start, type('a')), [1]);
    const open = after(found, type(' AND'));
    const refused = reduce(open, {
      type: 'refused',
      question: question(open),
      message: 'no clause',
    });
    expect(refused).toMatchObject({ hint: 'no clause', answer: { total: 1 } });
    expect(answered(after(refused, type(' b')), []).hint).toBeUndefined();
    const past = reduce(open, { type: 'refused', question: question(found), message: 'old' });
    expect(past.hint).toBeUndefined();
  });
});

describe('the Enter key', () => {
  it('takes the key under the cursor', () => {
    const state = answered(start, [1, 2]);
    const end = after(state, { type: 'move', by: 'line', sign: 1 }, { type: 'enter' });
    expect(end.outcome).toEqual({ type: 'taken', keys: ['id=2'] });
  });

  it('waits for the answer to the line as it stands', () => {
    const state = after(answered(start, [1]), type('b'), { type: 'enter' });
    expect(state.outcome).toBeUndefined();
    expect(answered(state, [7]).outcome).toEqual({ type: 'taken', keys: ['id=7'] });
    expect(answered(state, [])).toMatchObject({ outcome: undefined, taking: false });
  });

  it('takes marked keys in their order, and nothing of an incomplete query', () => {
    const marks = after(answered(start, [1, 2, 3]), { type: 'mark' }, { type: 'mark' });
    expect(marks.marked).toEqual(['id=1', 'id=2']);
    expect(after(marks, { type: 'enter' }).outcome).toMatchObject({ keys: ['id=1', 'id=2'] });
    const open = after(answered(start, [1]), type('a AND'));
    const asked = { type: 'refused', question: question(open), message: 'no clause' } as const;
    const refused = after(reduce(open, asked), { type: 'enter' });
    expect(refused).toMatchObject({ outcome: undefined, taking: false });
  });

  it('waits for the answer to a line whose former text was refused', () => {
    const open = after(answered(start, [1]), type('a AND'));
    const asked = { type: 'refused', question: question(open), message: 'no clause' } as const;
    const state = after(reduce(open, asked), type(' b'), { type: 'enter' });
    expect(answered(state, [7]).outcome).toEqual({ type: 'taken', keys: ['id=7'] });
  });
});

describe('the cursor in the hits', () => {
  it('stays on the hits, scrolls, and asks for more before the last one', () => {
    const state = answered(start, [...Array(24).keys()], 100);
    const up = after(state, { type: 'move', by: 'line', sign: -1 });
    expect(up).toMatchObject({ cursor: 0, limit: 24 });
    const down = after(state, { type: 'move', by: 'page', sign: 1 });
    expect(down).toMatchObject({ cursor: 19, top: 0 });
    expect(down.limit).toBeGreaterThan(24);
    expect(after(down, { type: 'move', by: 'line', sign: 1 })).toMatchObject({
      cursor: 20,
      top: 1,
    });
  });
});

describe('the mouse', () => {
  const state = answered(start, [...Array(24).keys()], 100);

  it('moves the cursor to the hit that is clicked', () => {
    const row = (line: number): ScreenInput => ({ type: 'click', column: 5, row: 3 + line });
    expect(after(state, row(4)).cursor).toBe(4);
    const down = after(state, { type: 'move', by: 'page', sign: 1 }, row(19), row(0));
    expect(down.cursor).toBe(down.top);
    expect(after(state, { type: 'click', column: 75, row: 8 }).cursor).toBe(0);
    expect(after(state, { type: 'click', column: 5, row: 1 })).toMatchObject({ cursor: 0 });
    expect(after(answered(start, [1]), row(5)).cursor).toBe(0);
  });

  it('scrolls the hits, or the preview under it, by its wheel', () => {
    const down: ScreenInput = { type: 'wheel', sign: 1, column: 5 };
    expect(after(state, down, down)).toMatchObject({ cursor: 6, previewTop: 0 });
    const preview: ScreenInput = { type: 'wheel', sign: 1, column: 75 };
    expect(after(state, preview)).toMatchObject({ cursor: 0, previewTop: 3 });
  });

  it('chooses in a list', () => {
    const open = after(
      state,
      { type: 'open', what: 'sort' },
      { type: 'wheel', sign: 1, column: 9 },
    );
    expect(open.overlay).toMatchObject({ at: 3 });
    const chosen = after(open, { type: 'click', column: 9, row: 5 });
    expect(chosen).toMatchObject({ overlay: undefined, sort: [{ field: 'service', desc: true }] });
    expect(after(open, { type: 'click', column: 9, row: 20 })).toBe(open);
  });
});

describe('a screen that grows', () => {
  it('asks for as many hits as it has rows', () => {
    const grown = after(answered(start, [1]), { type: 'resized', columns: 160, rows: 50 });
    expect(question(grown).limit).toBe(50);
    const back = after(grown, { type: 'resized', columns: 80, rows: 24 });
    expect(question(back).limit).toBe(50);
  });
});

describe('the rows of hits', () => {
  const shown = (state: State) =>
    screenLines(state).map((line) =>
      line
        .map((span) => span.text)
        .join('')
        .trimEnd(),
    );
  const withHits = (hits: readonly Hit[], query = 'a', index: ScreenIndex = INDEX) => {
    const state = after(initialState(index, { columns: 80, rows: 24 }), type(query));
    return reduce(state, { type: 'answered', answer: { ...answer(state, []), total: 1, hits } });
  };

  it('are a bar under the cursor, over the whole width of the list', () => {
    const row = screenLines(answered(start, [1, 2]))[2];
    const bar = row.filter((span) => span.bar === true);
    expect(lineWidth(bar)).toBe(49);
    expect(screenLines(answered(start, [1, 2]))[3].some((span) => span.bar === true)).toBe(false);
  });

  it('show no score where everything matches alike, and long keys without their name', () => {
    expect(shown(answered(start, [1]))[2]).toMatch(/^▸ id=1 row 1 /);
    const long = { ...hit(1), coordinates: { identifier: [{ name: 'sku', value: 'SKU-000001' }] } };
    expect(shown(withHits([long]))[2]).toMatch(/^▸ {2}1\.00 SKU-000001 row 1 /);
  });

  it('show where the words are if they are not in the title', () => {
    const text = { text: 'it took the team half a day to find the ', marked: false };
    const highlight = { note: [[text, { text: 'leak', marked: true }]] };
    const narrow = withHits([{ ...hit(1), highlight }]);
    expect(shown(narrow)[2]).not.toContain('…');
    const wide = reduce(narrow, { type: 'resized', columns: 120, rows: 24 });
    const [, , row] = screenLines({ ...wide, answer: narrow.answer });
    expect(row.map(({ text: own }) => own).join('')).toContain('row 1 · note to find the leak');
    expect(row.find(({ tone }) => tone === 'mark')?.text).toBe('leak');
  });

  it('show the field that matched if the index caches no text', () => {
    const marked = [[{ text: 'Rajshahi', marked: true }]];
    const bare: Hit = { ...hit(1), fields: {}, highlight: { 'sub.name': marked } };
    const [, , row] = screenLines({ ...withHits([bare]), columns: 120 });
    expect(row.map(({ text }) => text).join('')).toContain('id=1 sub.name Rajshahi');
  });

  it("show the row's text if the index caches none", () => {
    const fields = INDEX.fields.map((one) => ({ ...one, cached: false }));
    const index = { ...INDEX, fields, rowTexts: ['title'] };
    const bare: Hit = { ...hit(1), fields: {}, row: { title: 'a tenth tent' } };
    const [, , row] = screenLines(withHits([bare], 'te', index));
    expect(row.map(({ text }) => text).join('')).toContain('id=1 a tenth tent');
    expect(row.filter(({ tone }) => tone === 'mark').map(({ text }) => text)).toEqual([
      ...['tenth', 'tent'],
    ]);
  });

  it('say which other fields have the words, and search for them on Enter', () => {
    const state = withHits([]);
    const counted = reduce(state, {
      ...{ type: 'counted', question: question(state), suggested: 'note:hinge' },
      clauses: [{ clause: 'hinge', total: 0, elsewhere: [{ clause: 'note:hinge', total: 4830 }] }],
    });
    expect(shown(counted).join('\n')).toContain('hinge: note:hinge has 4,830');
    expect(shown(counted).join('\n')).toContain('Enter searches for note:hinge');
    const fixed = after(counted, { type: 'enter' });
    expect(fixed.line.text).toBe('note:hinge');
    expect(fixed.outcome).toBeUndefined();
  });
});

describe('completion', () => {
  it('offers fields at once, values as event, and goes around with Tab', () => {
    const state = after(start, type('se'));
    expect(state.completing?.items.map((i) => i.label)).toEqual(['service:', 'severity:']);
    const tab: ScreenInput = { type: 'complete', sign: 1 };
    expect(after(state, tab).line.text).toBe('service:');
    expect(after(state, tab, tab).line.text).toBe('severity:');
    expect(after(state, tab, tab, tab).line.text).toBe('service:');
    expect(after(state, { type: 'complete', sign: -1 }).line.text).toBe('severity:');
  });

  it('drops values for a place that the cursor has left', () => {
    const place = { from: 8, to: 8, typed: '', field: 'service' };
    const items = [{ label: 'billing', insert: 'billing', count: 3 }];
    const here = after(start, type('service:'), { type: 'suggested', place, items });
    expect(after(here, { type: 'complete', sign: 1 }).line.text).toBe('service:billing');
    const gone = after(start, type('service:b x'), { type: 'suggested', place, items });
    expect(gone.completing).toBeUndefined();
  });
});

describe('what lies over the hits', () => {
  it('opens help by ?, writes a ? by ??, and goes on with the line by any other text', () => {
    const open = after(start, type('leak'), type('?'));
    expect(open).toMatchObject({ overlay: { type: 'help', top: 0 }, line: { text: 'leak' } });
    expect(after(open, { type: 'escape' })).toMatchObject({ overlay: undefined });
    expect(after(open, type('?'))).toMatchObject({ overlay: undefined, line: { text: 'leak?' } });
    expect(after(open, type('s'))).toMatchObject({ overlay: undefined, line: { text: 'leaks' } });
    expect(after(start, type('b?lling')).line.text).toBe('b?lling');
  });

  it('narrows by facets and lets go of them, orders, and leaves on Escape only from below', () => {
    const choice = (clause: string) =>
      ({ label: clause, does: { type: 'filter', clause } }) as const;
    const open: ScreenInput = { type: 'open', what: 'facets' };
    const listed = (...clauses: string[]): ScreenInput => ({
      type: 'listed',
      of: 'facets',
      choices: clauses.map(choice),
    });
    const taken = (state: State, clause: string) =>
      after(state, open, listed('other:1', clause), type(clause), { type: 'enter' });
    const two = taken(taken(after(start, type('a b')), 'service:billing'), 'severity:2');
    expect(two).toMatchObject({ overlay: undefined, outcome: undefined, line: { text: 'a b' } });
    expect(two.filters).toEqual(['service:billing', 'severity:2']);
    expect(taken(two, 'service:billing').filters).toEqual(['severity:2']);
    const backspace: ScreenInput = { type: 'edit', how: 'backspace' };
    const all: ScreenInput = { type: 'edit', how: 'delete-before' };
    expect(after(two, backspace).filters).toHaveLength(2);
    expect(after(two, all, backspace).filters).toEqual(['service:billing']);
    expect(after(two, all, all)).toMatchObject({ filters: [], sort: [], kept: {} });
    const down: ScreenInput = { type: 'move', by: 'line', sign: 1 };
    const sorted = after(start, { type: 'open', what: 'sort' }, down, { type: 'enter' });
    expect(sorted.sort).toEqual([{ field: 'service', desc: true }]);
    expect(after(sorted, { type: 'open', what: 'sort' }).overlay).toMatchObject({ at: 1 });
    expect(after(start, { type: 'escape' }).outcome).toEqual({ type: 'left' });
    expect(after(start, open, { type: 'escape' })).toMatchObject({ overlay: undefined });
    expect(after(start, open, { type: 'interrupt' }).outcome).toEqual({ type: 'left' });
  });

  it('opens a saved query with all that it says', () => {
    const restored = {
      mode: 'lexical',
      query: 'x y',
      filters: ['service:a'],
      sort: [{ field: 'severity', desc: true }],
      kept: { syntax: 'kql' },
    } as const;
    const does = { type: 'restore', name: 'n', restored } as const;
    const listed: ScreenInput = { type: 'listed', of: 'saved', choices: [{ label: 'n', does }] };
    const state = after(start, type('old'), { type: 'open', what: 'saved' }, listed, {
      type: 'enter',
    });
    const { mode, query, filters, sort, kept } = question(state);
    expect({ mode, query, filters, sort, kept }).toEqual(restored);
  });

  it('begins with the choice of an index, and goes to another one under the same line', () => {
    const none = initialState(NO_INDEX, { columns: 80, rows: 24 });
    expect(none.overlay).toMatchObject({ type: 'list', of: 'indexes' });
    expect(after(none, { type: 'escape' }).outcome).toEqual({ type: 'left' });
    const does = { type: 'index', name: 'other' } as const;
    const listed: ScreenInput = {
      type: 'listed',
      of: 'indexes',
      choices: [{ label: 'other', does }],
    };
    expect(after(none, listed, { type: 'enter' }).opening).toBe('other');
    const marked = after(answered(start, [1]), type('a'), { type: 'mark' });
    const wanted = after(marked, { type: 'open', what: 'indexes' }, listed, { type: 'enter' });
    const there = after(wanted, { type: 'opened', index: { ...INDEX, name: 'other' } });
    expect(there).toMatchObject({
      index: { name: 'other' },
      opening: undefined,
      overlay: undefined,
      line: { text: 'a' },
      marked: [],
      answer: undefined,
    });
  });

  it('goes through the modes that the index has, and says where there is one', () => {
    expect(after(start, { type: 'mode' }).note).toMatch(/^incidents only has lexical search/);
    const modes = ['lexical', 'semantic', 'hybrid'] as const;
    const state = initialState({ ...INDEX, modes }, { columns: 80, rows: 24 });
    const action: ScreenInput = { type: 'mode' };
    expect(after(state, action).mode).toBe('semantic');
    expect(after(state, action, action).mode).toBe('hybrid');
    expect(after(state, action, action, action).mode).toBe('lexical');
  });

  it('saves under a name, which may be changed after a refusal', () => {
    const asked = after(start, { type: 'open', what: 'save' }, type('n'), { type: 'enter' });
    expect(asked.overlay).toMatchObject({ type: 'save', wanted: 'n' });
    const refused = after(asked, { type: 'noted', note: 'there is one' });
    expect(refused).toMatchObject({ note: 'there is one', overlay: { name: { text: 'n' } } });
    expect(after(refused, type('2'), { type: 'enter' }).overlay).toMatchObject({ wanted: 'n2' });
    expect(after(asked, { type: 'saved', name: 'n' }).overlay).toBeUndefined();
  });
});

describe('the screen', () => {
  it.each([
    [20, 3],
    [40, 10],
    [50, 12],
    [60, 14],
    [80, 24],
    [100, 30],
    [200, 60],
  ])('fills %i x %i exactly, whatever it shows', (columns, rows) => {
    const hostile = `a\u001b[31m${'宽'.repeat(90)}\u202e\n${'x'.repeat(300)}`;
    const wild = { ...hit(1), fields: { title: hostile, service: null } };
    const found = reduce(after(start, type('宽 "a')), { type: 'resized', columns, rows });
    const states = [
      found,
      reduce(found, {
        type: 'answered',
        answer: { ...answer(found, [2, 3]), hits: [wild, hit(2)] },
      }),
      after(found, { type: 'open', what: 'help' }),
      after(found, { type: 'open', what: 'facets' }),
      after(found, { type: 'open', what: 'save' }),
    ];
    for (const state of states) {
      const lines = screenLines(state);
      expect(lines).toHaveLength(rows);
      for (const line of lines) {
        const text = line.map((span) => span.text).join('');
        expect(text).not.toMatch(/[\p{Cc}\u202e]/u);
        expect(lineWidth(line)).toBe(columns);
      }
    }
  });
});
