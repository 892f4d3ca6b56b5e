import { LhsError } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from './language/languages.ts';
import { ANALYZER_CATALOG, ANALYZER_NAMES, analyzerFor, type Chain } from './registry.ts';
import { analyzeToTokens } from './tokens.ts';

const own = (
  tokenizer: string,
  filters: Chain['filters'] = [],
  options: Chain['options'] = {},
): Chain => ({
  name: 'own',
  tokenizer,
  filters,
  options,
});
const shown = (name: string, text: string, chains: readonly Chain[] = []) =>
  analyzeToTokens(analyzerFor(name, chains), text)
    .map((t) => `${t.token}@${t.position}`)
    .join(' ');
const chain = (text: string, ...parts: Parameters<typeof own>) =>
  shown('own', text, [own(...parts)]);

describe('built-in analyzers', () => {
  it.each([
    [
      'standard',
      "The Quick-Brown fox's 3.14 can’t a_b",
      "the@0 quick@1 brown@2 fox's@3 3.14@4 can’t@5 a_b@6",
    ],
    ['standard', '東京都に行く', '東京@0 都@1 に@2 行く@3'],
    [
      'english',
      "The dogs' owner was running quickly, and the fox’s cries",
      'dog@1 owner@2 run@4 quick@5 fox@8 cri@9',
    ],
    ['english', 'To be or not to be', ''],
    ['folded', 'L’École ÉTAIT fermée, Straße № ٣', 'ecole@0 etait@1 fermee@2 strasse@3 3@4'],
    [
      'folded',
      'ٱلرَّحۡمَٰنِ کتاب‌ها שָׁלוֹם हिन्दी क़लम Ёлка мой',
      'الرحمن@0 كتاب@1 שלום@2 हिंदी@3 कलम@4 елка@5 мой@6',
    ],
    ['folded', '𝐇ello', 'hello@0'],
    ['folded', 'ΆΝΘΡΩΠΟΣ ﬁle ｶﾒﾗ', 'ανθρωποσ@0 file@1 カメラ@2'],
    ['korean', '서울에서는 물을 사과가 친구들과', '서울@0 물@1 사과@2 친구@3'],
    ['german', 'Die Häuser und die Katzen', 'haus@1 katz@4'],
    ['french', "L'avion des étudiants qu’il aime", 'avion@0 étudi@2 aim@4'],
    ['russian', 'книги и книгами', 'книг@0 книг@2'],
    ['simple', "don't über_x ①2", 'don@0 t@1 über@2 x@3 ①2@4'],
    ['whitespace', 'Foo-Bar,\u00a0baz\u3000東京', 'Foo-Bar,@0 baz@1 東京@2'],
    ['keyword', 'New York', 'New York@0'],
    ['keyword', '', ''],
    ['ngram', 'Héy du', 'hé@0 héy@0 éy@1 du@2'],
    ['cjk', '東京都 and Ｘ日本', '東京@0 京都@1 and@2 x@3 日本@4'],
    ['cjk', '京 한국어 カタカナ', '京@0 한국@1 국어@2 カタ@3 タカ@4 カナ@5'],
    [
      'code',
      'getHTTPServer2_x(src/io.ts);',
      'gethttpserver2_x@0 get@0 http@0 server@0 2@0 x@0 src/io.ts@1 src@1 io@1 ts@1',
    ],
    [
      'code',
      'foo Foo.foo -> Größe kebab-case',
      'foo@0 foo.foo@1 foo@1 größe@2 kebab-case@3 kebab@3 case@3',
    ],
    ['code', 'ÉcoleÉlan __init__ $x', 'écoleélan@0 école@0 élan@0 init@1 x@2'],
  ])('%s: %s', (name, text, wanted) => expect(shown(name, text)).toBe(wanted));

  it.each([
    ['arabic', 'ٱلرَّحۡمَٰنِ', 'الرحمن'],
    ['arabic', 'ٱللَّهِ', 'الله'],
    ['arabic', 'إِسۡلَامٌ', 'اسلام'],
    ...[
      ['ٱلۡكِتَٰبُ', 'الكتاب'],
      ['ٱلۡعَٰلَمِينَ', 'العالمين'],
      ['ٱلصَّلَوٰةَ', 'الصلاة'],
      ['ٱلسَّمَٰوَٰتِ', 'السماوات'],
      ['إِبۡرَٰهِـۧمَ', 'إبراهيم'],
      ['ذَٰلِكَ', 'ذلك'],
      ['هَٰذَا', 'هذا'],
      ['وَلَٰكِن', 'ولكن'],
      ['إِلَٰهَ', 'إله'],
      ['هَٰٓؤُلَآءِ', 'هؤلاء'],
      ['أُوْلَٰٓئِكَ', 'أولئك'],
      ['مُوسَىٰ', 'موسى'],
      ['رَمَىٰهُ', 'رماه'],
      ['ٱلۡقُرۡءَانُ', 'القرآن'],
      ['وَٱلۡمَلَٰٓئِكَةُ', 'والملائكة'],
      ['ٱلرِّبَوٰاْ', 'الربا'],
      ['ٱلتَّوۡرَىٰةَ', 'التوراة'],
      ['ٱلنَّبِيِّـۧنَ', 'النبيين'],
      ['بِٱلۡحَقِّ', 'بالحق'],
    ].map(([one, other]) => ['folded', one, other]),
    ['arabic', 'مَدْرَسَةٌ', 'مدرسة'],
    ['arabic', 'المُعَلِّمُونَ', 'المعلمون'],
    ['hindi', 'हिन्दी', 'हिंदी'],
    ['hindi', 'क़लमों', 'कलम'],
    ['hindi', 'चाँद', 'चांद'],
    ['nepali', 'हिन्दी', 'हिंदी'],
    ['folded', 'שָׁלוֹם', 'שלום'],
    ['folded', 'کتاب‌های', 'كتاب'],
    ['folded', 'پاکِستان', 'پاكستان'],
    ['folded', 'Việt', 'viet'],
    ['folded', 'น้ํา', 'น้ำ'],
    ['folded', 'ﾃﾞｰﾀ', 'データ'],
    ['korean', '한국의', '한국'],
  ])('%s makes one term of %s and %s', (name, a, b) => {
    expect(shown(name, a)).toBe(shown(name, b));
    expect(shown(name, a)).not.toBe('');
  });

  it.each(ANALYZER_NAMES)('%s takes any text, with places inside it', (name) => {
    const analyzer = analyzerFor(name);
    expect(analyzer.name).toBe(name);
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(text, (t) => {
        let position = 0;
        const tokens = analyzeToTokens(analyzer, t);
        expect(analyzeToTokens(analyzer, t)).toEqual(tokens);
        for (const token of tokens) {
          expect(token.token).not.toBe('');
          expect(token.position).toBeGreaterThanOrEqual(position);
          expect(token.end).toBeGreaterThan(token.start);
          expect(token.end).toBeLessThanOrEqual(t.length);
          position = token.position;
        }
        const bytes = Buffer.from(t);
        const next = analyzer.analyze(bytes, 0, bytes.length, 0, { token() {} });
        expect(next).toBeGreaterThanOrEqual(position);
      }),
      { seed: 20_261_121, numRuns: 100 },
    );
  });

  it('count positions on from where they are told', () => {
    const bytes = Buffer.from('x the quick fox');
    const places: number[] = [];
    const next = analyzerFor('english').analyze(bytes, 2, bytes.length, 7, {
      token: (_, __, ___, position, start) => places.push(position, start),
    });
    expect([places, next]).toEqual([[8, 6, 9, 12], 10]);
  });

  it('fold patterns as they fold words, without stemming', () => {
    expect(analyzerFor('english').normalize('RUNNING')).toBe('running');
    expect(analyzerFor('keyword').normalize('Foo')).toBe('Foo');
    expect(analyzerFor('cjk').normalize('ＡＢ')).toBe('ab');
    expect(
      analyzerFor('own', [own('standard', ['lowercase', 'ascii_folding'])]).normalize('Éß'),
    ).toBe('ess');
  });

  it('are there for every language', () => {
    expect(ANALYZER_NAMES).toEqual(expect.arrayContaining([...LANGUAGES]));
  });
});

describe('analyzers', () => {
  it('forget the last text when the next begins', () => {
    const analyzer = analyzerFor('code');
    expect(analyzeToTokens(analyzer, 'foo')).toEqual(analyzeToTokens(analyzer, 'foo'));
    expect(analyzeToTokens(analyzer, 'foo')).toHaveLength(1);
  });

  it('make at most 10,000 tokens for an answer', () => {
    const analyzer = analyzerFor('standard');
    expect(analyzeToTokens(analyzer, 'x '.repeat(10_000))).toHaveLength(10_000);
    const more = () => analyzeToTokens(analyzer, 'x '.repeat(10_001));
    expect(more).toThrow('the text has more than 10000 tokens');
  });

  it('give offsets in UTF-16 units', () => {
    expect(analyzeToTokens(analyzerFor('standard'), '👍 é 𝒳y')).toEqual([
      { token: 'é', position: 0, start: 3, end: 4 },
      { token: '𝒳y', position: 1, start: 5, end: 8 },
    ]);
  });
});

describe('n-gram analyzers', () => {
  it('find every part of a word as a phrase', () => {
    const analyzer = analyzerFor('ngram');
    const word = fc.string({ unit: fc.constantFrom(...'abcé東'), minLength: 2, maxLength: 10 });
    fc.assert(
      fc.property(word, word, fc.nat(8), fc.nat(8), (w, other, from, size) => {
        const part = Array.from(w)
          .slice(from, from + size + 2)
          .join('');
        if (Array.from(part).length < 2) return;
        const text = analyzeToTokens(analyzer, `${other} ${w}`);
        const query = analyzeToTokens(analyzer, part);
        const found = text.some((first) =>
          query.every((q) =>
            text.some((t) => t.token === q.token && t.position === first.position + q.position),
          ),
        );
        expect([w, part, found]).toEqual([w, part, true]);
      }),
      { seed: 20_261_121, numRuns: 1000 },
    );
  });
});

describe('custom analyzers', () => {
  it.each<[string, string, string, Chain['filters'], Chain['options']]>([
    [
      'Crème BRÛLÉE Straße e\u0301 й',
      'creme@0 brulee@1 strasse@2 e@3 й@4',
      'standard',
      ['lowercase', 'ascii_folding'],
      {},
    ],
    [
      'one two three',
      'o@0 on@0 t@1 tw@1 t@2 th@2',
      'standard',
      [{ edge_ngram: { min: 1, max: 2 } }],
      {},
    ],
    ['one two', 'on@0 one@0 tw@1 two@1', 'edge_ngram', [], { min: 2, max: 5 }],
    ['a bb ccc', 'bb@1', 'whitespace', [{ length: { min: 2, max: 2 } }], {}],
    ['straße élan', 'stra@0 élan@1', 'whitespace', [{ type: 'truncate', length: 4 }], {}],
    ['foo bar foo', 'bar@1', 'whitespace', [{ stop: { words: ['foo'] } }], {}],
    ['der Hund x', 'Hund@1', 'whitespace', [{ stop: { language: 'german', words: ['x'] } }], {}],
    ["d'un dell'arte", 'un@0 arte@1', 'whitespace', ['elision'], {}],
    ["d'un", "d'un@0", 'whitespace', [{ elision: { articles: ['l'] } }], {}],
    [
      'Katzen laufen',
      'katz@0 lauf@1',
      'letter',
      ['lowercase', { stemmer: { language: 'german' } }],
      {},
    ],
    ['ab1cd e\u0301f', 'ab@0 cd@1 e\u0301f@2', 'letter', [], {}],
    ['Foo.foo', 'foo.foo@0 foo@0', 'code', ['lowercase', 'unique'], {}],
    ['abcd', 'abc@0 bcd@1', 'ngram', [], { min: 3, max: 3 }],
    ['ﾊﾝ１', 'ハン1@0', 'whitespace', ['width'], {}],
    ["fox's fox", 'fox@0 fox@1', 'whitespace', ['possessive', { stemmer: null } as never], {}],
  ])('%s -> %s', (text, wanted, tokenizer, filters, options) => {
    expect(chain(text, tokenizer, filters, options)).toBe(wanted);
  });

  it('come before built-in analyzers of the same name', () => {
    const code: Chain = { ...own('whitespace'), name: 'code' };
    expect(shown('code', 'aB c', [code])).toBe('aB@0 c@1');
  });
});

describe('what is refused', () => {
  const faults: readonly (readonly [string, Chain])[] = [
    ['unknown tokenizer "standrad"; did you mean "standard"?', own('standrad')],
    ['unknown filter "lowrcase"; did you mean "lowercase"?', own('standard', ['lowrcase'])],
    [
      'unknown filter "constructor"; known: lowercase, ascii_folding, folding, ' +
        'korean_particles, width, possessive, elision, stop, stemmer, length, truncate, ' +
        'edge_ngram, unique',
      own('standard', ['constructor']),
    ],
    ['tokenizer "standard" has no option "min"; it has none', own('standard', [], { min: 1 })],
    ['tokenizer "ngram" has no option "mix"; did you mean "min"?', own('ngram', [], { mix: 1 })],
    [
      'option "min" of tokenizer "ngram" is 0: expected a whole number from 1 to 32',
      own('ngram', [], { min: 0 }),
    ],
    [
      'option "max" of tokenizer "ngram" is "3": expected a whole number from 1 to 32',
      own('ngram', [], { max: '3' }),
    ],
    ['tokenizer "ngram" has max 3 below min 5', own('ngram', [], { min: 5 })],
    [
      'tokenizer "ngram" makes 20 sizes: at most 8 are allowed',
      own('ngram', [], { min: 1, max: 20 }),
    ],
    [
      'option "language" of filter "stemmer" is "germn": expected a language; did you ' +
        'mean "german"?',
      own('standard', [{ stemmer: { language: 'germn' } }]),
    ],
    [
      'option "words" of filter "stop" is "a": expected a list of words',
      own('standard', [{ stop: { words: 'a' } }]),
    ],
    ['filter "stop" needs a map of options', own('standard', [{ stop: ['a'] }])],
    [
      'a filter is a name, or a map of one name to its options',
      own('standard', [{ stop: {}, length: {} }]),
    ],
  ];
  it.each(faults)('%s', (message, definition) => {
    expect(ANALYZER_CATALOG.check(definition)).toBe(message);
    expect(() => analyzerFor('own', [definition])).toThrow(
      new LhsError('invalid_definition', message),
    );
  });

  it('names the nearest analyzer', () => {
    expect(() => analyzerFor('englsh')).toThrow(
      'unknown analyzer "englsh"; did you mean "english"?',
    );
    expect(() => analyzerFor('ow', [own('standard')])).toThrow('did you mean "own"?');
  });

  it('passes what is right', () => {
    expect(ANALYZER_CATALOG.check(own('code', ['lowercase', 'ascii_folding']))).toBeNull();
  });
});
