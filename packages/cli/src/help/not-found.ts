import { nearest } from '@lakehouse-search/contract';

/** What is wrong with the words of a command line, and the way out. */
export function notFound(
  words: readonly string[],
  known: readonly (readonly string[])[],
): { readonly message: string; readonly hint: string } {
  const meant: string[] = [];
  let wrong = -1;
  for (const [i, word] of words.entries()) {
    const below = known.filter((name) => meant.every((part, p) => part === name[p]));
    const next = new Set(below.flatMap((name) => name[i] ?? []));
    if (next.size === 0) break;
    const found = next.has(word) ? word : nearest(word, [...next]);
    if (found !== word && wrong < 0) wrong = i;
    if (found === undefined) break;
    meant.push(found);
  }
  if (wrong < 0) {
    const message = `lhs ${meant.join(' ')} does not take "${words[meant.length]}"`;
    return { message, hint: `lhs ${meant.join(' ')} --help shows what it takes` };
  }
  if (words[0]?.startsWith('-')) {
    const message = `"${words[0]}" comes before the command`;
    return { message, hint: `flags follow the command: lhs COMMAND ${words[0]}` };
  }
  const typed = words.slice(0, wrong + 1).join(' ');
  const near = meant.length > wrong ? `did you mean lhs ${meant.join(' ')}?` : undefined;
  const list = `lhs ${[...words.slice(0, wrong), '--help'].join(' ')} lists the commands`;
  return { message: `there is no command "${typed}"`, hint: near ?? list };
}
