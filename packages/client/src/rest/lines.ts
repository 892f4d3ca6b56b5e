/** The lines of a response's body, as they come. */
export async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
      rest = lines.pop()!;
      yield* lines.filter((line) => line !== '');
      if (!done) continue;
      if (rest !== '') yield rest;
      return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
