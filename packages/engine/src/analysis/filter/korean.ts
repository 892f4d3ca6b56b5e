/** Particles of nouns by what they follow: every letter, a final consonant, a vowel. */
const AFTER_ALL =
  '에서부터 에서는 에서도 에게서 한테서 으로부터 로부터 까지는 까지도 에서 에게 에는 에도 에만 께서 한테 까지 부터 보다 ' +
  '처럼 만큼 마다 조차 마저 밖에 하고 이라는 라는 들의 들을 들이 들은 들도 들에게 에 의 도 만 들';
const AFTER_CONSONANT = '으로는 으로도 으로서 으로써 이라도 이라고 이나 이며 으로 은 이 을 과';
const AFTER_VOWEL = '로서 로써 라도 라고 나 며 는 가 를 와 로';

const byLength = (words: string): readonly string[] =>
  words.split(' ').toSorted((a, b) => b.length - a.length);
const PARTICLES = {
  consonant: byLength(`${AFTER_ALL} ${AFTER_CONSONANT}`),
  vowel: byLength(`${AFTER_ALL} ${AFTER_VOWEL}`),
};

const FIRST_SYLLABLE = 0xac00;
const FINALS = 28;
/** ㄹ: `로` follows it as it follows a vowel. */
const RIEUL = 8;

/**
 * A Korean word without the particles at its end (`서울에서는`, `서울`). A particle has to fit the
 * letter before it, and is taken off again and again, so that a word and the same word with any
 * particle become equal.
 */
export function withoutParticles(word: string): string {
  if (!/^[가-힣]{2,}$/.test(word)) return word;
  let stem = word;
  for (let next = shorter(stem); next !== undefined; next = shorter(stem)) stem = next;
  return stem;
}

function shorter(word: string): string | undefined {
  for (const particle of new Set([...PARTICLES.consonant, ...PARTICLES.vowel])) {
    if (!word.endsWith(particle) || word.length === particle.length) continue;
    const stem = word.slice(0, -particle.length);
    const final = (stem.charCodeAt(stem.length - 1) - FIRST_SYLLABLE) % FINALS;
    const kind =
      final === 0 || (final === RIEUL && particle.startsWith('로')) ? 'vowel' : 'consonant';
    if (PARTICLES[kind].includes(particle)) return stem;
  }
  return undefined;
}
