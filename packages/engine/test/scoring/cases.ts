/** Corpora of the tests of scoring. */
import { seededBelow } from '../../../../test/support/random.ts';
import type { ModelDoc } from './model-docs.ts';
import type { Case } from './open-case.ts';

/**
 * Corpora in which terms are dense, lists and short; lengths vary; scores tie. If most documents
 * are deleted, those of one stretch in the middle remain: whole blocks and ranges are deleted.
 */
export function largeCase(seed: number, size: number, deleted: number): Case {
  let state = seed;
  const random = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const docs = Array.from({ length: size }, (_, i): ModelDoc => {
    const words = Array.from({ length: random(4) === 0 ? random(300) : 3 + random(6) }, () => {
      const p = random(1000);
      if (p < 500) return 'abcd'[random(4)];
      if (p < 640) return `m${random(6)}`;
      if (p < 700) return `l${random(12)}`;
      return `s${random(400)}`;
    });
    if (seed >= 18) {
      const few = ['a b', 'b a', 'a a b c', 'a l1 c', 'm1 a', 'b l1 m1', 'x y z', 'a b a b m2'];
      words.splice(0, words.length, few[random(few.length)]);
    }
    // average lengths of 3 to 20: bounds by those of the segments are far from those of the query
    const more = seed === 20 ? Math.floor((3 * i) / size) * 8 : 0;
    for (let k = random(2 * more + 1); k > 0; k--) words.push('long');
    const key = seed < 15 ? `${random(1e9)}-${i}` : String(i).padStart(8, '0');
    const outside = Math.abs(2 * i - size) > (size * (100 - deleted)) / 100;
    const blocked = deleted > 50 ? outside : random(100) < deleted;
    return { values: [words.join(' ')], key, blocked };
  });
  const third = Math.ceil(size / 3);
  if (seed === 20) return { docs, sizes: [third, third, size - 2 * third] };
  const half = random(size >> 1) + (size >> 2);
  return { docs, sizes: seed % 2 ? [size] : [half, 1, size - half - 1] };
}

/**
 * A corpus with lists of several blocks: spread ones, one in a stretch of documents, pairs of
 * words that occur together, lists of many blocks beside short ones. Most documents are short,
 * so scores tie.
 */
export function listCase(seed: number, deleted: number, sizes: readonly number[]): Case {
  const random = seededBelow(seed);
  const size = sizes.reduce((a, b) => a + b, 0);
  const docs = Array.from({ length: size }, (_, i): ModelDoc => {
    const words = Array.from({ length: 1 + random(3) }, () => `f${random(3000)}`);
    const add = (word: string, per1000: number) => {
      if (random(1000) < per1000) words.push(word);
    };
    add('a', 300);
    add('b', 80);
    for (const [n, per1000] of [8, 12, 20, 30, 36].entries()) add(`l${n}`, per1000);
    if (i > size / 3 && i < size / 2) add('near', 120);
    if (random(1000) < 25) words.push('git', ...(random(10) > 0 ? ['hub'] : []));
    add('hub', 3);
    add(`s${random(9)}`, 8);
    if (random(50) === 0)
      words.push(...'a l3 git hub a'.split(' '), ...Array(random(300)).fill('x'));
    const key = seed % 2 ? `${random(1e9)}-${i}` : String(i).padStart(8, '0');
    return { values: [words.join(' ')], key, blocked: random(100) < deleted };
  });
  return { docs, sizes };
}

/** Lists of up to 64 blocks, many of which hold no document that scores well. */
export function longLists(): Case {
  const random = seededBelow(41);
  const docs = Array.from({ length: 200_000 }, (_, i): ModelDoc => {
    const words: string[] = [];
    const add = (word: string, per10000: number) => {
      if (random(10_000) < per10000) words.push(...Array(random(200) === 0 ? 6 : 1).fill(word));
    };
    add('d', 900);
    add('e', 500);
    add('u', 400);
    add('v', 350);
    add('w', 180);
    add('r', 16);
    if (random(10_000) < 200) words.push('p', 'q', 'd');
    if (random(10_000) < 165) words.push('o', 'd');
    if (random(10_000) < 190) words.push('y', ...Array(random(300) === 0 ? 8 : 1).fill('z'));
    if (random(10_000) < 60) words.push('p');
    if (random(10_000) < 90) words.push('q', 'z');
    // a few documents are short; of those with d, such that have o or p too
    const isShort = random(300) === 0 && (!words.includes('d') || /[op]/.test(words.join('')));
    words.push(...Array(isShort ? random(6) : 20 + random(20)).fill('x'));
    return { values: [words.join(' ')], key: String(i).padStart(8, '0'), blocked: false };
  });
  return { docs, sizes: [docs.length] };
}
