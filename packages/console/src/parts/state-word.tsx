const TONES: Readonly<Record<string, string>> = {
  live: 'good',
  done: 'good',
  created: 'calm',
  kept: 'calm',
  pending: 'calm',
  canceled: 'calm',
  building: 'busy',
  cutting_over: 'busy',
  failed: 'bad',
  incomplete: 'bad',
};

/** A state as a word; its color repeats what the word says. */
export function StateWord({ state }: { readonly state: string }) {
  return <span class={`state ${TONES[state] ?? 'calm'}`}>{state.replaceAll('_', ' ')}</span>;
}
