/**
 * Searching by meaning from the command line: modes, flags, formats, files of questions, failed
 * arms.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { FusionDefaults } from '@lakehouse-search/contract/internal';
import { importFiles } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home, lines } from './child.ts';
import { describeOnBackends } from './on-backend.ts';

const ROWS = [
  { id: 1, body: 'the ship left the harbour', state: 'open', v: [1, 0] },
  { id: 2, body: 'bread from the oven', state: 'open', v: [0, 1] },
  { id: 3, body: 'a boat at the pier', state: 'closed', v: [0.9, 0.1] },
];

const home = new Home();
afterAll(() => home.dispose());
beforeAll(async () => {
  const warehouse = home.path('warehouse');
  mkdirSync(warehouse);
  const ndjson = home.path('rows.ndjson');
  writeFileSync(ndjson, ROWS.map((row) => JSON.stringify(row)).join('\n'));
  await importFiles({
    ...{ catalog: { type: 'filesystem', warehouse }, table: 'a.b', files: [ndjson], key: ['id'] },
  });
  const definition = home.path('b.yaml');
  writeFileSync(
    definition,
    `version: 1
index: b
source: { catalog: { type: filesystem, warehouse: ${JSON.stringify(warehouse)} }, table: a.b }
key: { identifier: [id] }
fields:
  - { name: body, type: TEXT, cached: true }
  - { name: state, type: KEYWORD, fast: true }
  - { name: text, type: VECTOR, source: body }
  - { name: v, type: VECTOR, dims: 2 }
`,
  );
  await home.json(['index', 'create', '-f', definition]);
  await home.json(['index', 'reindex', 'b']);
}, 600_000);

interface Answer {
  readonly total: number;
  readonly hits: readonly {
    readonly coordinates: { readonly identifier: readonly [{ readonly value: string }] };
    readonly arms?: object;
  }[];
}
const ids = ({ hits }: Answer): string[] => hits.map((hit) => hit.coordinates.identifier[0].value);
const ask = async (...args: string[]) => (await home.json(args)) as Answer;

describeOnBackends('a search by meaning', home, ({ isBrief, isRemote }) => {
  describe.skipIf(isBrief)('index tune', () => {
    const judged = (query_text: string, id: string) =>
      JSON.stringify({
        request: { query_text, vector_field: 'text' },
        judgments: [{ key: { identifier: [{ name: 'id', value: id }] }, grade: 1 }],
      });
    /** Words find row 3 first, and meaning row 1: the judgments say which is right. */
    const written = (name: string, id: string) => {
      const file = home.path(name);
      writeFileSync(file, Array(4).fill(judged('a pier for a vessel at sea', id)).join('\n'));
      return file;
    };

    it('finds the weights that judgments ask for, and writes them down', async () => {
      const definition = home.path('tuned.yaml');
      const text = readFileSync(home.path('b.yaml'), 'utf8');
      writeFileSync(definition, `# mine\n${text}`);
      const queries = written('words.ndjson', '3');
      const tuned = await home.json(['index', 'tune', 'b', '--queries', queries, '-f', definition]);
      expect(tuned).toMatchObject({ queries: 4, words: 1, tuned: 1, best: { held_out: 1 } });
      const { fusion, weight, depth } = (tuned as { best: { setting: FusionDefaults } }).best
        .setting;
      const line = `hybrid: { fusion: ${fusion}, weight: ${weight}, depth: ${depth} }\nfields:`;
      expect(readFileSync(definition, 'utf8')).toBe(`# mine\n${text.replace('fields:', line)}`);
      if (isRemote) return; // its definition names a folder, which the service refuses
      const plan = await home.json(['index', 'alter', 'b', '-f', definition]);
      expect(plan).toMatchObject({ strategy: 'live' });
    });

    it.each([
      [
        'no judgments',
        '{"request": {"query_text": "x"}}\n'.repeat(2),
        'search 1 ("x") has no judgment',
      ],
      [
        'no text',
        '{"request": {"query": "x"}, "mode": "lexical"}\n',
        'search 1 has no "query_text"',
      ],
      ['one search', judged('x', '1'), '1 judged searches: tuning needs 2'],
    ])('refuses %s', async (name, content, message) => {
      const file = home.path(`${name}.ndjson`);
      writeFileSync(file, content);
      const { code, stderr } = await home.run(['index', 'tune', 'b', '--queries', file]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    });
  });

  describe('search, semantic and hybrid', () => {
    it.skipIf(isBrief)('gives one answer', async () => {
      const flags = ['--vector-field', 'text', '--filter', 'state:open'];
      const wanted = await ask('index', 'semantic', 'b', 'a vessel at sea', ...flags);
      expect(ids(wanted)).toEqual(['1', '2']);
      for (const command of [['search'], ['index', 'search']]) {
        const answer = await ask(
          ...command,
          'b',
          'a vessel at sea',
          '--mode',
          'semantic',
          ...flags,
        );
        expect(answer.hits).toEqual(wanted.hits);
      }
      const hybrid = await ask(
        'index',
        'hybrid',
        'b',
        'a boat',
        '--vector-field',
        'text',
        '--limit',
        '1',
      );
      expect(ids(hybrid)).toEqual(['3']);
      expect(hybrid.hits[0]?.arms).toHaveProperty('lexical.rank', 1);
      const lexical = await ask('search', 'b', 'boat', '--mode', 'lexical');
      expect(ids(lexical)).toEqual(['3']);
    });

    it.skipIf(isBrief)('takes a vector from the line and from a file', async () => {
      const file = home.path('vector.json');
      writeFileSync(file, '[1, 0.05]');
      const flags = ['--vector-field', 'v', '--k', '2'];
      for (const vector of ['[1, 0.05]', `@${file}`]) {
        expect(ids(await ask('index', 'semantic', 'b', '--vector', vector, ...flags))).toEqual([
          '1',
          '3',
        ]);
      }
    });

    it('answers a file of texts and requests', async () => {
      const file = home.path('questions.txt');
      writeFileSync(file, 'a vessel at sea\n{"query_text": "baker", "k": 1}\n');
      const { stdout } = await home.run([
        ...['index', 'semantic', 'b', '--vector-field', 'text', '--queries', file],
      ]);
      const answers = lines(stdout).map((line) => ids(JSON.parse(line)));
      expect(answers.map((keys) => keys[0])).toEqual(['3', '2']);
      expect(answers[1]).toHaveLength(1);
    });

    it.skipIf(isBrief)('names the next page as it was asked', async () => {
      const { stdout } = await home.run([
        ...['search', 'b', 'a boat', '--mode', 'hybrid', '--vector-field', 'text', '--k', '3'],
        ...['--weights', '1,2', '--limit', '1'],
      ]);
      expect(stdout).toContain(
        "next: lhs search b 'a boat' --mode hybrid --vector-field text --k 3 --weights " +
          '1,2 --limit 1 --offset 1',
      );
      expect(stdout).toContain('words 1 · meaning 1');
    });
  });

  describe.skipIf(isBrief)('flags refused by search, semantic and hybrid', () => {
    it.each([
      [['search', 'b', 'x', '--k', '3'], '--k goes with --mode semantic or hybrid'],
      [
        ['search', 'b', 'x', '--mode', 'semantic', '--rrf-k', '3'],
        '--rrf-k goes with --mode hybrid',
      ],
      [['index', 'semantic', 'b'], 'a semantic search needs a text, or a vector (--vector)'],
      [
        ['index', 'hybrid', 'b', '--vector', '[1,0]', '--vector-field', 'v'],
        'a hybrid search needs a text, whose words are one arm',
      ],
      [
        ['index', 'semantic', 'b', 'x', '--queries', 'questions.txt'],
        '"x" and --queries cannot be combined: the file contains the queries',
      ],
      [
        ['index', 'hybrid', 'b', 'x', '--vector-field', 'text', '--weights', '1'],
        '--weights "1" should be two numbers LEXICAL,SEMANTIC, such as 1,2',
      ],
      [
        ['index', 'semantic', 'b', '--vector', '[1,', '--vector-field', 'v'],
        '--vector [1, should be a JSON array of numbers',
      ],
      [
        ['index', 'semantic', 'b', 'x', '--vector-field', 'text', '--min-score', 'high'],
        '--min-score "high" should be a number',
      ],
      [
        ['index', 'hybrid', 'b', 'x', '--vector-field', 'text', '--operator', 'and'],
        '--operator applies to --filter, which is missing',
      ],
      [
        ['index', 'explain', 'b', 'x', '--key', 'id=1', '--k', '3'],
        '--k goes with --mode semantic or hybrid',
      ],
    ])('%j', async (args, message) => {
      const { stderr, code } = await home.run(args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    });
  });

  describe('a hybrid search with an arm that fails', () => {
    const long = Array.from({ length: 1100 }, (_, i) => `w${i}`).join(' ');
    const asked = ['index', 'hybrid', 'b', long, '--vector-field', 'text', '--limit', '1'];

    it('is told to people, beside rows, and by the exit code where that is wanted', async () => {
      const people = await home.run(asked);
      expect(people.stdout.replace(/\s+/g, ' ')).toContain('the lexical arm did not answer');
      expect([people.code, people.stderr]).toEqual([0, '']);
      const rows = await home.run([...asked, '--format', 'csv', '--fail-on-partial']);
      expect(rows.stderr).toContain('the lexical arm did not answer');
      expect(lines(rows.stdout)[0]).toBe(
        'key_id,score,lexical_rank,lexical_score,semantic_rank,semantic_score,body',
      );
      expect(rows.code).toBe(6);
    });

    it.skipIf(isBrief)('is told by the exit code of a file of texts too', async () => {
      const file = home.path('long.txt');
      writeFileSync(file, `${long}\na boat\n`);
      const flags = ['--vector-field', 'text', '--limit', '1', '--queries', file];
      const done = await home.run(['index', 'hybrid', 'b', ...flags, '--fail-on-partial']);
      const partial = lines(done.stdout).map((line) => JSON.parse(line).partial);
      expect([done.code, partial]).toEqual([6, [true, undefined]]);
      expect((await home.run(['index', 'hybrid', 'b', ...flags])).code).toBe(0);
    });
  });
});
